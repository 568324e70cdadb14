//! What pages ask, answered for one viewer: what they may not see is not there.

mod access;
mod api;
mod audit;
mod explain;
mod filters;
mod history;
mod settings;

use std::collections::BTreeSet;
use std::sync::Arc;

use app::port::access::{Refused, Undo};
use app::port::api::ApiReference;
use app::port::filters::{FilterPage, SavedFilter};
use app::port::history::{Activity, ActivityQuery, History, InstancePage};
use app::port::{GroupPage, Notes, Overview, Port, PortError, ScopeNode, Target};
use async_trait::async_trait;
use fleet::access::{Grants, Permission};
use fleet::chart::Charts;
use fleet::history::Window;
use fleet::mirror::Source;
use fleet::query::{Query, select, select_members};
use fleet::scope::{Level, Scope};
use fleet::summary::Counts;
use fleet::version::{Line, Version};
use fleet::view::{GroupView, Sight, Snapshot};

use super::AppState;
use crate::auth::Identity;
use crate::roster::{SharedSnapshot, SnapshotError};

/// Lines of a banner.
const BANNER: usize = 10;

/// The server as one viewer sees it.
#[derive(Clone)]
pub struct ViewerPort {
    state: AppState,
    who: Option<Arc<Identity>>,
}

impl ViewerPort {
    /// A port for whoever asks; without an identity it tells nothing.
    #[must_use]
    pub const fn new(state: AppState, who: Option<Arc<Identity>>) -> Self {
        Self { state, who }
    }

    /// Who asks.
    fn who(&self) -> Result<&Identity, PortError> {
        self.who.as_deref().ok_or_else(|| PortError::Denied("Sign in first".to_owned()))
    }

    /// What they may do, once they may do this.
    fn grants(&self, permission: Permission, scope: &Scope) -> Result<&Grants, PortError> {
        let grants = &self.who()?.grants;
        grants.decide(permission, scope, None).map_err(|denial| PortError::Denied(denial.to_string()))?;
        Ok(grants)
    }

    /// The fleet of a scope as this viewer sees it, and what lies in scopes below.
    async fn snapshot(&self, scope: &Scope, query: &Query) -> Result<(Arc<Snapshot>, Counts), PortError> {
        let seen = self.seen(scope, query).await?;
        Ok((seen.snapshot, seen.below))
    }

    /// The same with what everybody shares of it.
    async fn seen(&self, scope: &Scope, query: &Query) -> Result<Seen, PortError> {
        let grants = self.grants(Permission::DelegateView, scope)?;
        let shared = shared(&self.state, scope, query).await.map_err(|error| match error {
            SnapshotError::UnknownScope(scope) => PortError::UnknownScope(scope),
            SnapshotError::Stopping => PortError::NotReady,
        })?;
        let Some(narrowed) = shared.snapshot.narrowed(grants) else {
            return Ok(Seen {
                snapshot: Arc::clone(&shared.snapshot),
                below: shared.below,
                whole: Some(shared),
            });
        };
        // What lies below and may not be seen must not be counted either.
        let mut below = Counts::default();
        if shared.below.groups > 0 {
            let wide = Query { below: true, usable: false, ..query.clone() };
            if let Ok(wide) = self::shared(&self.state, scope, &wide).await {
                let seen = |group: &&GroupView| {
                    *group.facts.scope != *scope && grants.see(&group.facts.scope, &group.facts.identifier)
                };
                for group in wide.snapshot.groups.iter().filter(seen) {
                    below.merge(&group.rollup.counts);
                }
            }
        }
        Ok(Seen { snapshot: Arc::new(narrowed), below, whole: None })
    }

    fn notes(&self, snapshot: &Snapshot) -> Notes {
        let (roster, now) = (&self.state.roster, snapshot.as_of);
        let reference = roster.reference();
        Notes {
            restarted_at: roster.restarted_at(now),
            unstored_since: roster.unstored_since(),
            deaf_since: roster.deaf_since(self.state.clock.now()),
            sources: troubled_sources(snapshot),
            catalog_present: !reference.catalog.entries.is_empty(),
            catalog_stale: reference.catalog.is_stale(now),
            policy: reference.policy.clone(),
            image_repository: self.state.image_repository.clone(),
            hidden: 0,
            saved: self.saved(&snapshot.scope),
            undo: self.undo(snapshot),
            refused: self.refused(snapshot),
        }
    }

    fn undo(&self, snapshot: &Snapshot) -> Vec<Undo> {
        let Ok(who) = self.who() else { return Vec::new() };
        let now = self.state.clock.now();
        let recent = self.state.roster.recent_deletions(&snapshot.scope, snapshot.below, now);
        let may = |scope: &Scope, identifier: &str| {
            who.grants.see(scope, identifier)
                && who.grants.allow(Permission::DelegateDelete, scope, Some(identifier))
        };
        let mine = recent.into_iter().filter(|deleted| may(&deleted.scope, &deleted.identifier));
        mine.take(BANNER)
            .map(|deleted| Undo {
                scope: (*deleted.scope).clone(),
                name: deleted.host_name.filter(|_| !deleted.instance.is_empty()).unwrap_or(deleted.name),
                group: deleted.group,
                instance: deleted.instance,
                at: deleted.at,
                by: deleted.by.into(),
            })
            .collect()
    }

    fn refused(&self, snapshot: &Snapshot) -> Vec<Refused> {
        let Ok(who) = self.who() else { return Vec::new() };
        let scope = &snapshot.scope;
        let roster = &self.state.roster;
        let listed = |owner: &Scope| if snapshot.below { scope.contains(owner) } else { scope == owner };
        let refusals = roster.refusals(scope.account()).into_iter().filter(|refusal| {
            let facts = roster.group_facts(scope.account(), &refusal.group);
            listed(&refusal.scope)
                && facts.is_some_and(|facts| {
                    let identifier = Some(&*facts.identifier);
                    who.grants.see(&facts.scope, &facts.identifier)
                        && who.grants.allow(Permission::DelegateEdit, &facts.scope, identifier)
                })
        });
        refusals
            .take(BANNER)
            .map(|refusal| Refused {
                scope: (*refusal.scope).clone(),
                group: refusal.group,
                name: refusal.name,
                deleted_at: refusal.deleted_at,
                called_at: refusal.called_at,
                rejected: refusal.rejected,
                token: refusal.token,
            })
            .collect()
    }

    /// Scopes that hold anything for the viewer, those above them included.
    #[must_use]
    pub fn reachable_scopes(&self) -> BTreeSet<Scope> {
        let Ok(who) = self.who() else { return BTreeSet::new() };
        self.state.roster.scopes().into_iter().filter(|scope| who.grants.touch(scope)).collect()
    }
}

/// A fleet as one viewer sees it.
struct Seen {
    snapshot: Arc<Snapshot>,
    below: Counts,
    /// Set where nothing is left out.
    whole: Option<Arc<SharedSnapshot>>,
}

impl Seen {
    /// The charts of what this viewer sees: the shared ones where nothing is left out.
    async fn charts(&self) -> Result<Arc<Charts>, PortError> {
        let (whole, snapshot) = (self.whole.clone(), Arc::clone(&self.snapshot));
        // Those of a large fleet take a while: not on a thread that heartbeats need.
        let counted = tokio::task::spawn_blocking(move || match whole {
            Some(whole) => whole.charts(),
            None => Arc::new(Charts::of(&snapshot)),
        });
        counted.await.map_err(|_| PortError::NotReady)
    }
}

/// The sources that cannot be read, of those whose delegates are seen here, each once.
fn troubled_sources(snapshot: &Snapshot) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    for source in snapshot.groups.iter().filter_map(|group| group.source.as_deref()) {
        if source.trouble.is_some() && !found.contains(source) {
            found.push(source.clone());
        }
    }
    found
}

/// The version that a mirrored group should run: what its own server calls latest.
fn told_target(group: &GroupView) -> Option<(String, String)> {
    let source = group.source.as_deref()?;
    Some((source.latest.as_ref()?.to_string(), format!("the mirrored server {}", source.name)))
}

/// The snapshot that everybody shares; what one viewer sees of it is decided later.
async fn shared(
    state: &AppState,
    scope: &Scope,
    query: &Query,
) -> Result<Arc<SharedSnapshot>, SnapshotError> {
    state.roster.snapshot(scope, query.sight(), state.clock.now()).await
}

#[async_trait]
impl Port for ViewerPort {
    fn api(&self) -> Arc<ApiReference> {
        api::reference()
    }

    async fn overview(&self, scope: &Scope, query: &Query) -> Result<Overview, PortError> {
        let seen = self.seen(scope, query).await?;
        let charts = seen.charts().await?;
        let Seen { snapshot, below, .. } = seen;
        let selection = select(&snapshot, query);
        let notes = Notes { hidden: self.hidden(scope, query).await, ..self.notes(&snapshot) };
        Ok(Overview { charts, selection, below, notes, snapshot })
    }

    async fn filters(&self, scope: &Scope, query: &Query) -> Result<FilterPage, PortError> {
        self.filter_page(scope, query).await
    }

    async fn saved_filters(&self, scope: &Scope) -> Result<Vec<SavedFilter>, PortError> {
        self.saved_of(scope)
    }

    async fn group(&self, scope: &Scope, identifier: &str, query: &Query) -> Result<GroupPage, PortError> {
        let exact = Query { below: false, usable: false, ..query.clone() };
        let (whole, _) = self.snapshot(scope, &exact).await?;
        let unknown = || PortError::UnknownGroup { scope: scope.clone(), identifier: identifier.to_owned() };
        let group = whole.group(identifier).ok_or_else(unknown)?.clone();
        let selection = select_members(&group, query);
        let line = group.rollup.version.as_deref().map_or(Line::Classic, Version::line);
        let ground = self.ground(&group.facts.scope, whole.as_of);
        let target = match told_target(&group).or_else(|| fleet::explain::chosen(&group, &ground)) {
            Some((tag, from)) => Target { chosen: Some(tag), from },
            None => Target { chosen: None, from: ground.origin_text(line) },
        };
        let sight = Sight { hidden: query.hidden, ..Sight::default() };
        let alone = Snapshot::new(scope.clone(), sight, whole.as_of, whole.latest.clone(), vec![group]);
        // Its own page says it beside its name.
        let notes = Notes { sources: Vec::new(), ..self.notes(&whole) };
        Ok(GroupPage { selection, notes, snapshot: Arc::new(alone), target })
    }

    async fn history(&self, scope: &Scope, identifier: &str, window: Window) -> Result<History, PortError> {
        self.group_history(scope, identifier, window).await
    }

    async fn instance(
        &self,
        scope: &Scope,
        identifier: &str,
        instance: &str,
        window: Window,
    ) -> Result<InstancePage, PortError> {
        self.instance_page(scope, identifier, instance, window).await
    }

    async fn activity(
        &self,
        scope: &Scope,
        identifier: &str,
        query: &ActivityQuery,
    ) -> Result<Activity, PortError> {
        self.group_activity(scope, identifier, query).await
    }

    async fn scopes(&self) -> Result<Arc<Vec<ScopeNode>>, PortError> {
        let Ok(who) = self.who() else { return Ok(Arc::default()) };
        // Outer scopes sort before those inside them, so that a parent is always there already.
        let mut accounts: Vec<ScopeNode> = Vec::new();
        for scope in self.reachable_scopes() {
            let reachable = who.grants.see_any(&scope);
            let node = ScopeNode { scope, children: Vec::new(), reachable };
            let level = node.scope.level();
            let siblings = match level {
                Level::Account => Some(&mut accounts),
                Level::Organization => accounts.last_mut().map(|account| &mut account.children),
                Level::Project => accounts
                    .last_mut()
                    .and_then(|account| account.children.last_mut())
                    .map(|parent| &mut parent.children),
            };
            if let Some(siblings) = siblings {
                siblings.push(node);
            }
        }
        Ok(Arc::new(accounts))
    }
}
