//! What a filter can be made of, and the saved ones.

use app::port::PortError;
use app::port::filters::{FilterPage, SavedFilter};
use fleet::access::Permission;
use fleet::query::{Query, facets, select};
use fleet::scope::Scope;
use fleet::view::Snapshot;

use super::{ViewerPort, shared};
use crate::deeds::Actor;
use crate::deeds::filters::{may_change, may_delete, visible};
use crate::roster::count_hidden;

impl ViewerPort {
    pub(super) async fn filter_page(&self, scope: &Scope, query: &Query) -> Result<FilterPage, PortError> {
        let (snapshot, _) = self.snapshot(scope, query).await?;
        let hidden = self.hidden(scope, query).await;
        let groups = u64::try_from(snapshot.groups.len()).unwrap_or(u64::MAX);
        let asked = query.clone();
        // Counting a large fleet takes longer than a page may hold up others.
        let counted = tokio::task::spawn_blocking(move || count(&snapshot, &asked)).await;
        let (facets, listed) = counted.map_err(|_| PortError::NotReady)?;
        Ok(FilterPage { facets, listed, groups, hidden })
    }

    /// The saved filters of a scope that the viewer sees, by name; none for whoever may not look.
    pub(super) fn saved(&self, scope: &Scope) -> Vec<SavedFilter> {
        let Ok(who) = self.who() else { return Vec::new() };
        let (tables, actor) = (self.state.auth.directory.tables(), Actor::person(who, ""));
        let mut saved: Vec<SavedFilter> = visible(&tables, scope, &who.id)
            .map(|row| SavedFilter {
                id: row.id.clone(),
                name: row.name.clone(),
                query: row.query.to_string(),
                everyone: row.everyone,
                owner: tables.users.get(&row.owner).map_or_else(|| "".into(), |user| user.email.clone()),
                mine: row.owner == who.id,
                changeable: may_change(&actor, row).is_ok(),
                deletable: may_delete(&actor, row).is_ok(),
                changed_at: row.changed_at,
            })
            .collect();
        saved.sort_by_cached_key(|filter| (filter.name.to_lowercase(), filter.id.clone()));
        saved
    }

    pub(super) fn saved_of(&self, scope: &Scope) -> Result<Vec<SavedFilter>, PortError> {
        self.grants(Permission::DelegateView, scope)?;
        if !self.state.roster.has_scope(scope) {
            return Err(PortError::UnknownScope(scope.clone()));
        }
        Ok(self.saved(scope))
    }

    /// How much retention hides of what the viewer could see; nothing while that cannot be told.
    pub(super) async fn hidden(&self, scope: &Scope, query: &Query) -> u64 {
        let Ok(plain) = shared(&self.state, scope, query).await else { return 0 };
        let Ok(who) = self.who() else { return 0 };
        if plain.hidden == 0 || who.grants.see_all(scope) {
            return plain.hidden;
        }
        // What may not be seen must not be counted either.
        let wide = Query { hidden: true, ..query.clone() };
        let Ok(wide) = shared(&self.state, scope, &wide).await else { return 0 };
        let seen = wide.snapshot.groups.iter();
        let seen = seen.filter(|group| who.grants.see(&group.facts.scope, &group.facts.identifier));
        seen.map(|group| count_hidden(Some(group), group.members.len())).sum()
    }
}

fn count(snapshot: &Snapshot, query: &Query) -> (fleet::query::Facets, u64) {
    let listed = u64::try_from(select(snapshot, query).groups).unwrap_or(u64::MAX);
    (facets(snapshot, query), listed)
}
