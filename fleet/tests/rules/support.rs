//! Short ways to say what a fleet looks like.

use std::sync::Arc;

use chrono::{NaiveDate, NaiveDateTime};
use fleet::catalog::{Catalog, Latest};
use fleet::delegate::{
    DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport, group_identifier,
};
use fleet::health::Judge;
use fleet::history::{State, Turn};
use fleet::policy::Policy;
use fleet::scope::Scope;
use fleet::time::{SECOND, Timestamp};
use fleet::version::Version;
use fleet::view::{GroupView, Known, Snapshot};

/// The catalog that the product's expected tables are about.
pub(crate) const CATALOG: &str = include_str!("../../../fixtures/catalog.json");

pub(crate) fn catalog() -> Catalog {
    Catalog::import(CATALOG).unwrap()
}

/// An instant in UTC, to the second or to the millisecond.
pub(crate) fn at(text: &str) -> Timestamp {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f").unwrap().and_utc().into()
}

pub(crate) fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// The instant of the product's expected tables.
pub(crate) fn now() -> Timestamp {
    at("2026-11-20 12:00:00")
}

/// So many milliseconds before [`now`].
pub(crate) fn ago(millis: i64) -> Timestamp {
    now().plus(-millis)
}

pub(crate) fn scope(text: &str) -> Scope {
    text.parse().unwrap()
}

pub(crate) fn version(text: &str) -> Version {
    Version::parse(text)
}

pub(crate) fn texts(texts: &[&str]) -> Arc<[Arc<str>]> {
    texts.iter().map(|&text| Arc::from(text)).collect()
}

/// A Kubernetes group of the account `acme`, whose upgrader called a minute ago.
pub(crate) fn group(name: &str) -> GroupFacts {
    GroupFacts {
        id: name.into(),
        scope: Arc::new(scope("acme")),
        name: name.into(),
        identifier: group_identifier(name).into(),
        kind: DelegateType::Kubernetes,
        family: Family::Java,
        description: "".into(),
        tags: texts(&[]),
        first_seen: at("2026-01-05 08:00:00"),
        last_active: at("2026-01-05 08:00:00"),
        upgrader_seen: Some(ago(60 * SECOND)),
        by_choice: false,
        approval: fleet::delegate::Approval::Approved,
        returned_at: None,
        token_name: "default_token".into(),
    }
}

/// An instance and its last heartbeat: by default 10 s ago, registered long ago.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) facts: InstanceFacts,
    pub(crate) last_heartbeat: Option<Timestamp>,
    pub(crate) turns: Vec<Turn>,
}

/// An instance that runs this version; an empty text means that it reports none.
pub(crate) fn instance(host_name: &str, version: &str) -> Seen {
    let facts = InstanceFacts {
        id: format!("id-{host_name}").into(),
        group: "group".into(),
        host_name: host_name.into(),
        ip: "10.0.0.7".into(),
        ng: true,
        kind: DelegateType::Kubernetes,
        family: Family::Java,
        version: (!version.is_empty()).then(|| Arc::new(Version::parse(version))),
        version_since: at("2026-01-05 08:00:00"),
        tags: texts(&[]),
        transport: Transport::Polling,
        token: "token-1".into(),
        immutable: Some(true),
        registered_at: at("2026-01-05 08:00:00"),
        goodbye_at: None,
        capacity: None,
        clock_skew: None,
        incomplete: false,
        double_seen: None,
        heartbeat_as_object: true,
        details: Arc::new(Details::default()),
    };
    Seen { facts, last_heartbeat: Some(ago(10 * SECOND)), turns: Vec::new() }
}

impl Seen {
    pub(crate) fn beat(self, last_heartbeat: Option<Timestamp>) -> Self {
        Self { last_heartbeat, ..self }
    }

    /// What it became, and how many milliseconds ago.
    pub(crate) fn turned(mut self, turns: &[(i64, State)]) -> Self {
        self.turns = turns.iter().map(|&(millis, to)| Turn { at: ago(millis), to }).collect();
        self
    }

    /// Last heard of ten minutes ago.
    pub(crate) fn silent(self) -> Self {
        self.beat(Some(ago(600 * SECOND)))
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut InstanceFacts)) -> Self {
        change(&mut self.facts);
        self
    }
}

/// What a group looks like under everything that a judge knows.
pub(crate) fn view_by(judge: &mut Judge<'_>, group: GroupFacts, members: Vec<Seen>) -> Option<GroupView> {
    let members = members.into_iter().map(|seen| Known {
        facts: Arc::new(seen.facts),
        last_heartbeat: seen.last_heartbeat,
        turns: (!seen.turns.is_empty()).then(|| seen.turns.into()),
    });
    GroupView::build(Arc::new(group), members, judge)
}

/// What a group looks like under the fixture's catalog, default settings, no ring, at [`now`]; none when hidden.
pub(crate) fn try_view(group: GroupFacts, members: Vec<Seen>) -> Option<GroupView> {
    let (catalog, policy) = (catalog(), Policy::default());
    let latest = catalog.latest(None, None, now());
    view_by(&mut Judge::new(&catalog, latest, &policy, now()), group, members)
}

pub(crate) fn view(group: GroupFacts, members: Vec<Seen>) -> GroupView {
    try_view(group, members).unwrap()
}

/// The account `acme` with the scopes below.
pub(crate) fn snapshot(groups: Vec<GroupView>) -> Snapshot {
    Snapshot::new(scope("acme"), true, now(), Latest::default(), groups)
}
