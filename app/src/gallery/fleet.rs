//! The delegates of the gallery: one of each state on a fixed day.

use std::sync::Arc;

use fleet::access::{BuiltIn, Grant, Reach, Resources};
use fleet::catalog::Catalog;
use fleet::delegate::{
    Approval, DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport, group_identifier,
};
use fleet::health::Judge;
use fleet::policy::Policy;
use fleet::query::{Query, Selection, select};
use fleet::scope::Scope;
use fleet::time::{DAY, HOUR, MINUTE, SECOND, Timestamp};
use fleet::version::Version;
use fleet::view::{GroupView, Snapshot};

use crate::components::list::Listing;
use crate::context::Viewer;
use crate::port::ScopeNode;

/// 2026-11-20 12:00 UTC: the day on which the catalog below has a version of each state.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);
const CATALOG: &str = include_str!("../../../fixtures/catalog.json");
/// The path of the list.
pub(super) const PATH: &str = "/a/acme/delegates";

/// Name, type, tags, age of the upgrader's last call in days, instances with version and age of the last heartbeat in
/// seconds.
type Sample = (&'static str, DelegateType, &'static [&'static str], i64, &'static [(&'static str, i64)]);

fn samples() -> [Sample; 7] {
    [
        ("expired", DelegateType::Kubernetes, &["eu", "prod", "linux", "blue"], 0, &[("26.04.88805", 5)]),
        ("near-expiry", DelegateType::Helm, &["eu"], 0, &[("26.06.89201", 8), ("26.06.89201", 900)]),
        ("unsupported", DelegateType::Docker, &[], 9, &[("26.09.89620", 12)]),
        ("supported", DelegateType::Ecs, &["us"], 0, &[("26.11.90604", 20)]),
        ("mixed", DelegateType::Kubernetes, &[], 0, &[("26.11.90604", 3), ("26.04.88805", 3)]),
        ("unknown", DelegateType::Shell, &[], 9, &[("our-own-build", 40)]),
        ("lost", DelegateType::Kubernetes, &["eu"], 0, &[("26.09.89620", 1_200)]),
    ]
}

/// What the entries of lists rest on.
pub(super) struct Fleet {
    pub(super) snapshot: Snapshot,
    pub(super) query: Query,
    pub(super) selection: Selection,
    pub(super) policy: Policy,
    pub(super) viewer: Viewer,
    single: bool,
}

impl Fleet {
    /// The whole fleet under a query, as somebody with this role sees it.
    pub(super) fn new(query: &str, role: BuiltIn) -> Self {
        Self::of(query, role, |_| true)
    }

    /// Nothing at all.
    pub(super) fn empty() -> Self {
        Self::of("", BuiltIn::Admin, |_| false)
    }

    /// The page of one group.
    pub(super) fn single(name: &str) -> Self {
        Self { single: true, ..Self::of("", BuiltIn::Admin, |other| other == name) }
    }

    fn of(query: &str, role: BuiltIn, wanted: impl Fn(&str) -> bool) -> Self {
        let catalog = Catalog::import(CATALOG).unwrap_or_default();
        let policy = Policy::default();
        let latest = catalog.latest(None, None, NOW);
        let mut judge = Judge::new(&catalog, latest.clone(), &policy, NOW);
        let wanted = samples().into_iter().filter(|sample| wanted(sample.0));
        let groups = wanted.filter_map(|sample| judged(sample, &mut judge)).collect();
        let snapshot = Snapshot::new(account(), false, NOW, latest, groups);
        let query = Query::parse(query).unwrap_or_default();
        let selection = select(&snapshot, &query);
        let grant = Grant {
            reach: Reach::Scope(account()),
            permissions: role.permissions(),
            resources: Resources::All,
        };
        let viewer = Viewer { grants: [grant].into_iter().collect(), ..Viewer::default() };
        Self { snapshot, query, selection, policy, viewer, single: false }
    }

    /// The same as components want it.
    pub(super) fn listing(&self) -> Listing<'_> {
        Listing {
            single: self.single,
            ..Listing::new(&self.snapshot, &self.query, &self.policy, PATH, Some(&self.viewer))
        }
    }
}

fn judged((name, kind, tags, upgrader, instances): Sample, judge: &mut Judge<'_>) -> Option<GroupView> {
    let tags: Arc<[Arc<str>]> = tags.iter().map(|&tag| Arc::from(tag)).collect();
    let facts = Arc::new(GroupFacts {
        id: format!("g-{name}").into(),
        scope: Arc::new(account()),
        name: name.into(),
        identifier: group_identifier(name).into(),
        kind: kind.clone(),
        family: Family::Java,
        description: "".into(),
        tags: Arc::clone(&tags),
        first_seen: NOW.plus(-10 * DAY),
        last_active: NOW.plus(-MINUTE),
        upgrader_seen: Some(NOW.plus(-upgrader * DAY - 10 * MINUTE)),
        by_choice: name == "unsupported",
        approval: if name == "supported" { Approval::Pending } else { Approval::Approved },
        returned_at: (name == "unknown").then(|| NOW.plus(-HOUR)),
        token_name: "edge".into(),
    });
    let members = instances.iter().enumerate().map(|(at, (version, age))| {
        let facts = InstanceFacts {
            id: format!("{name}-{at}").into(),
            group: Arc::clone(&facts.id),
            host_name: format!("{name}-6f7d9c-{at}").into(),
            ip: "192.0.2.7".into(),
            ng: true,
            kind: kind.clone(),
            family: Family::Java,
            version: Some(Arc::new(Version::parse(version))),
            version_since: NOW.plus(-9 * DAY),
            tags: Arc::clone(&tags),
            transport: Transport::Polling,
            token: "t1".into(),
            immutable: Some(true),
            registered_at: NOW.plus(-HOUR),
            goodbye_at: None,
            capacity: None,
            clock_skew: None,
            incomplete: name == "unknown",
            double_seen: None,
            heartbeat_as_object: true,
            details: Arc::new(Details::default()),
        };
        (Arc::new(facts), Some(NOW.plus(-age * SECOND)))
    });
    GroupView::build(Arc::clone(&facts), members, judge)
}

/// The account of the gallery.
pub(super) fn account() -> Scope {
    let Ok(scope) = Scope::new("acme", None, None) else { unreachable!("acme is a scope") };
    scope
}

/// The scopes of its switcher.
pub(super) fn scopes() -> Arc<Vec<ScopeNode>> {
    let below = ["acme/payments", "acme/logistics"].into_iter().filter_map(|text| text.parse().ok());
    let node = |scope, children| ScopeNode { scope, reachable: true, children };
    let children = below.map(|scope| node(scope, Vec::new())).collect();
    Arc::new(vec![node(account(), children)])
}
