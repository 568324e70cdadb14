//! The Settings page.

use app::port::PortError;
use app::port::access::Setting;
use fleet::access::Permission;
use fleet::scope::{Level, Scope};

use super::ViewerPort;
use crate::settings::{KEYS, Key, Place, Settings, in_force};

impl ViewerPort {
    /// Every setting as a scope has it.
    pub(super) async fn list_settings(&self, scope: &Scope) -> Result<Vec<Setting>, PortError> {
        let stored = self.state.store.settings().await.map_err(|error| {
            tracing::error!(%error, "settings cannot be read");
            PortError::NotReady
        })?;
        let shown = KEYS.iter().filter(|key| key.place != Place::Account || scope.level() == Level::Account);
        shown.map(|key| self.setting(scope, key, &stored)).collect()
    }

    fn setting(&self, scope: &Scope, key: &'static Key, stored: &Settings) -> Result<Setting, PortError> {
        let (value, source) = in_force(stored, key, scope);
        let grants = &self.who()?.grants;
        let held = if key.place == Place::Global {
            grants.decide_for_server(Permission::SettingManage)
        } else {
            grants.decide(Permission::SettingManage, scope, None)
        };
        Ok(Setting {
            key: key.name,
            meaning: key.meaning,
            allowed: key.allowed,
            value,
            source,
            server: key.place == Place::Global,
            choices: key.choices,
            change: held.map_err(|denial| denial.to_string()),
        })
    }
}
