//! Delegates that were deleted or rejected and call all the same (`agent-protocol 9.4`, `product 10.4`).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fleet::scope::Scope;
use fleet::time::Timestamp;

/// Refusals that one account remembers; the oldest call is forgotten first.
const MAX_REFUSALS: usize = 1_000;
/// Ids that one account gave to those it turned away; the oldest is forgotten first.
const MAX_IDS: usize = 10_000;

/// A delegate that was turned away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Scope of its group.
    pub scope: Arc<Scope>,
    /// Internal id of its group.
    pub group: Arc<str>,
    /// Delegate name.
    pub name: Arc<str>,
    /// When it was deleted; for a rejected one, when it was heard last before that.
    pub deleted_at: Timestamp,
    /// Its newest call.
    pub called_at: Timestamp,
    /// Whether a person rejected it, rather than deleted it.
    pub rejected: bool,
    /// The token it calls with: internal id and name.
    pub token: Option<(Arc<str>, Arc<str>)>,
}

/// What one account remembers of those it turned away. Bounded, and gone after a restart: who still calls is
/// noticed again.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// By group, and by instance where a single one was deleted.
    calls: HashMap<Target, Refusal>,
    /// Ids that stand for no row.
    ids: HashMap<Arc<str>, Target>,
    /// Those ids, oldest first.
    order: VecDeque<Arc<str>>,
}

/// Group and instance; an empty instance is the whole group.
pub(super) type Target = (Arc<str>, Arc<str>);

impl Refusals {
    pub(super) fn note(&mut self, instance: Arc<str>, refusal: Refusal) {
        let target = (Arc::clone(&refusal.group), instance);
        if self.calls.len() >= MAX_REFUSALS && !self.calls.contains_key(&target) {
            let oldest = self.calls.iter().min_by_key(|(_, refusal)| refusal.called_at);
            if let Some(oldest) = oldest.map(|(target, _)| target.clone()) {
                self.calls.remove(&oldest);
            }
        }
        self.calls.insert(target, refusal);
    }

    /// What is known of the calls of one who was turned away.
    pub(super) fn get(&self, target: &Target) -> Option<&Refusal> {
        self.calls.get(target)
    }

    /// Remembers an id that was given to one who was turned away.
    pub(super) fn give(&mut self, id: Arc<str>, target: Target) {
        if self.order.len() >= MAX_IDS
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        self.order.push_back(Arc::clone(&id));
        self.ids.insert(id, target);
    }

    /// Whom an id was given to that stands for no row.
    pub(super) fn holder(&self, id: &str) -> Option<Target> {
        self.ids.get(id).cloned()
    }

    /// Forgets what is known of a group.
    pub(super) fn forget(&mut self, group: &str) {
        self.calls.retain(|(of, _), _| **of != *group);
        self.ids.retain(|_, (of, _)| **of != *group);
        let ids = &self.ids;
        self.order.retain(|id| ids.contains_key(id));
    }

    /// The instances of a group that were turned away; an empty one is the group as a whole.
    pub(super) fn callers(&self, group: &str) -> Vec<Arc<str>> {
        let of_group = self.calls.keys().filter(|(of, _)| **of == *group);
        of_group.map(|(_, instance)| Arc::clone(instance)).collect()
    }

    /// The newest call of each group, newest first.
    pub(super) fn list(&self) -> Vec<Refusal> {
        let mut newest: HashMap<&str, &Refusal> = HashMap::new();
        for refusal in self.calls.values() {
            let known = newest.entry(&refusal.group).or_insert(refusal);
            if known.called_at < refusal.called_at {
                *known = refusal;
            }
        }
        let mut list: Vec<Refusal> = newest.into_values().cloned().collect();
        list.sort_by(|a, b| b.called_at.cmp(&a.called_at).then_with(|| a.group.cmp(&b.group)));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(group: &str, at: i64) -> Refusal {
        Refusal {
            scope: Arc::new("acme".parse().unwrap()),
            group: group.into(),
            name: group.into(),
            deleted_at: Timestamp::from_millis(0),
            called_at: Timestamp::from_millis(at),
            rejected: false,
            token: None,
        }
    }

    #[test]
    fn beyond_a_thousand_the_oldest_call_is_forgotten() {
        let mut refusals = Refusals::default();
        for number in 0..1_001 {
            refusals.note("".into(), refusal(&format!("g{number}"), number));
        }
        let list = refusals.list();
        assert_eq!(list.len(), 1_000);
        assert_eq!((&*list[0].group, &*list[999].group), ("g1000", "g1"));
    }

    #[test]
    fn a_group_is_listed_once_with_its_newest_call() {
        let mut refusals = Refusals::default();
        refusals.note("a".into(), refusal("g", 2));
        refusals.note("b".into(), refusal("g", 1));
        assert_eq!(refusals.list(), [refusal("g", 2)]);
        assert_eq!(refusals.callers("g").len(), 2);
        refusals.forget("g");
        assert_eq!(refusals.list(), []);
    }

    #[test]
    fn ids_beyond_the_limit_push_out_the_oldest() {
        let mut refusals = Refusals::default();
        for number in 0..=MAX_IDS {
            refusals.give(number.to_string().into(), ("g".into(), "".into()));
        }
        assert_eq!(refusals.holder("0"), None);
        assert!(refusals.holder("1").is_some());
        refusals.forget("g");
        assert_eq!(refusals.holder("1"), None);
        assert!(refusals.order.is_empty());
    }
}
