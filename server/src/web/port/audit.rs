//! The audit log, for its page.

use app::port::PortError;
use app::port::access::{AuditLine, AuditPage, AuditQuery};
use fleet::scope::Scope;

use super::ViewerPort;
use crate::api::audit::{Asked, AuditError, sees_server};
use crate::deeds::{ACTIONS, RESOURCES};
use crate::store::access::{AuditFound, AuditWanted};

/// Lines of one page.
const PAGE: u32 = 100;

impl ViewerPort {
    /// One page of the log.
    pub(super) async fn audit_page(&self, scope: &Scope, query: &AuditQuery) -> Result<AuditPage, PortError> {
        let asked = Asked {
            user: query.user.clone(),
            action: query.action.clone(),
            resource: query.resource.clone(),
            from: query.from.clone().unwrap_or_default(),
            to: query.to.clone().unwrap_or_default(),
            before: query.before.clone().unwrap_or_default(),
            below: query.below,
        };
        let wanted = asked.wanted(scope, PAGE + 1, self.state.clock.now());
        let wanted =
            wanted.map_err(|AuditError { field, message }| PortError::BadParameter { field, message })?;
        let wanted = AuditWanted { server: sees_server(&self.who()?.grants, scope), ..wanted };
        let mut found = self.state.store.audit(&wanted).await.map_err(|error| {
            tracing::error!(%error, "the audit log cannot be read");
            PortError::NotReady
        })?;
        let more = found.len() > PAGE as usize;
        found.truncate(PAGE as usize);
        let next = found.last().filter(|_| more).map(crate::api::audit::place);
        Ok(AuditPage {
            lines: found.into_iter().map(line).collect(),
            next,
            actions: ACTIONS.to_vec(),
            resources: RESOURCES.to_vec(),
        })
    }
}

fn line(found: AuditFound) -> AuditLine {
    AuditLine {
        id: found.id,
        at: found.at,
        actor: found.actor,
        action: found.action,
        resource: found.resource,
        name: found.name,
        scope: found.scope,
        summary: found.summary,
        before: found.before,
        after: found.after,
    }
}
