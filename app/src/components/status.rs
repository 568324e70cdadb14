//! Shape, colour and word of every state, so that no state rests on colour alone (`ux 5.4`).

use fleet::health::Standing;
use fleet::query::Health;
use fleet::upgrade::{AutoUpgrade, State};
use leptos::prelude::*;

use crate::components::icons;

/// How one state looks.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Class that sets the colour.
    pub tone: &'static str,
    /// Icon of the sprite.
    pub icon: &'static str,
    /// The word.
    pub word: &'static str,
}

impl Mark {
    const fn new(tone: &'static str, icon: &'static str, word: &'static str) -> Self {
        Self { tone, icon, word }
    }

    /// Icon and word.
    #[must_use]
    pub fn view(self) -> AnyView {
        view! { <span class=format!("st {}", self.tone)>{icons::icon(self.icon)}{self.word}</span> }
            .into_any()
    }
}

/// The state of a version, in the words of `product 5.7`; nothing while the instance is not connected.
#[must_use]
pub const fn standing(standing: Standing) -> Option<Mark> {
    match standing {
        Standing::Expired => Some(Mark::new("danger", icons::EXPIRED, "Expired")),
        Standing::NearExpiry => Some(Mark::new("warn", icons::NEAR, "Near expiry")),
        Standing::Unsupported => Some(Mark::new("serious", icons::UNSUPPORTED, "Unsupported")),
        Standing::Active => Some(Mark::new("ok", icons::OK, "Supported")),
        Standing::Unknown => Some(Mark::new("mut", icons::UNKNOWN, "Unknown")),
        Standing::Unreachable => None,
    }
}

/// The auto-upgrade state of a group.
#[must_use]
pub const fn auto_upgrade(state: &AutoUpgrade) -> Mark {
    match (state.state, state.by_choice) {
        (State::On, _) => Mark::new("ok", icons::OK, "On"),
        (State::Detecting, _) => Mark::new("mut", icons::HALF, "Detecting"),
        (State::Synchronizing, _) => Mark::new("mut", icons::HALF, "Synchronizing"),
        (State::Unknown, _) => Mark::new("mut", icons::HALF, "Not known"),
        (State::Off, true) => Mark::new("mut", icons::OFF, "Off (by choice)"),
        (State::Off, false) => Mark::new("mut", icons::OFF, "Off"),
    }
}

/// All, some or none of the members reach the server.
pub const CONNECTED: Mark = Mark::new("ok", icons::OK, "Connected");
/// Some of them.
pub const PARTIAL: Mark = Mark::new("warn", icons::HALF, "Partially connected");
/// None of them.
pub const NOT_CONNECTED: Mark = Mark::new("mut", icons::RING, "Not connected");

/// What a card or figure is called.
#[must_use]
pub const fn health_word(health: Health) -> &'static str {
    match health {
        Health::Standing(Standing::Expired) => "Expired",
        Health::Standing(Standing::NearExpiry) => "Near expiry",
        Health::Standing(Standing::Unsupported) => "Unsupported",
        Health::Standing(Standing::Active) => "Supported",
        Health::Standing(Standing::Unknown) => "Version unknown",
        Health::Standing(Standing::Unreachable) => "Unreachable",
        Health::Connected => "Connected",
        Health::AutoUpgradeOff => "Auto-upgrade off",
    }
}
