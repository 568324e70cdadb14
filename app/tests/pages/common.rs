//! Fleets for the tests of pages, built by the rules themselves: nothing here decides a status.

use std::sync::Arc;

use app::context::{PageRequest, Viewer};
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use app::pages::group::{GroupView as GroupPageView, GroupViewProps};
use app::port::{GroupPage, Notes, Overview, ScopeNode, Target};
use fleet::access::{BuiltIn, Grant, Reach, Resources};
use fleet::catalog::Catalog;
use fleet::chart::Charts;
use fleet::delegate::{
    DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport, group_identifier,
};
use fleet::health::Judge;
use fleet::history::{State, Turn};
use fleet::policy::Policy;
use fleet::query::{Query, Selection, select};
use fleet::scope::Scope;
use fleet::summary::Counts;
use fleet::time::{DAY, HOUR, MINUTE, SECOND, Timestamp};
use fleet::version::Version;
use fleet::view::{Extent, GroupView, Known, Sight, Snapshot};
use leptos::prelude::*;
use leptos_meta::provide_meta_context;

/// The catalog whose latest classic version is 26.11.90604.
const CATALOG: &str = include_str!("../../../fixtures/catalog.json");

/// 2026-11-20 12:00:00 UTC, the instant of the table in `product 5.5`.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);

/// A version of each status at [`NOW`] (`product 5.5`).
pub(crate) const EXPIRED: &str = "26.04.88805";
/// Support ends on 2026-11-30.
pub(crate) const NEAR: &str = "26.06.89201";
/// Behind the latest.
pub(crate) const OLD: &str = "26.09.89620";
/// The latest.
pub(crate) const LATEST: &str = "26.11.90604";

/// The scope of this text.
pub(crate) fn scope(text: &str) -> Scope {
    text.parse().expect("a scope")
}

/// A group and its instances, before the rules look at it.
pub(crate) struct Group {
    /// What is known of the group.
    pub(crate) facts: GroupFacts,
    /// Its instances with their last heartbeats and what they were in the past day.
    pub(crate) instances: Vec<(InstanceFacts, Option<Timestamp>, Vec<Turn>)>,
}

impl Group {
    /// A Kubernetes group of the account `acme` that was first seen ten days ago and has a working upgrader.
    pub(crate) fn new(name: &str) -> Self {
        let facts = GroupFacts {
            id: format!("g-{name}").into(),
            scope: Arc::new(scope("acme")),
            name: name.into(),
            identifier: group_identifier(name).into(),
            kind: DelegateType::Kubernetes,
            family: Family::Java,
            description: "".into(),
            tags: Arc::new([]),
            first_seen: NOW.plus(-10 * DAY),
            last_active: NOW.plus(-HOUR),
            upgrader_seen: Some(NOW.plus(-30 * MINUTE)),
            by_choice: false,
            approval: fleet::delegate::Approval::Approved,
            returned_at: None,
            token_name: "default_token".into(),
        };
        Self { facts, instances: Vec::new() }
    }

    /// Changes the facts.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut GroupFacts)) -> Self {
        change(&mut self.facts);
        self
    }

    /// Custom tags.
    pub(crate) fn tags(self, tags: &[&str]) -> Self {
        let tags: Vec<Arc<str>> = tags.iter().map(|&tag| tag.into()).collect();
        self.with(|facts| facts.tags = tags.into())
    }

    /// Moves the group to another scope.
    pub(crate) fn scope(self, text: &str) -> Self {
        self.with(|facts| {
            facts.id = format!("g-{text}-{}", facts.name).into();
            facts.scope = Arc::new(scope(text));
        })
    }

    /// Adds an instance whose last heartbeat is `age` seconds old.
    pub(crate) fn instance(self, host: &str, version: &str, age: i64) -> Self {
        self.instance_with(host, version, Some(age), |_| ())
    }

    /// Adds an instance and changes its facts; an empty version means that none was reported.
    pub(crate) fn instance_with(
        mut self,
        host: &str,
        version: &str,
        age: Option<i64>,
        change: impl FnOnce(&mut InstanceFacts),
    ) -> Self {
        let mut facts = InstanceFacts {
            id: format!("id-{host}").into(),
            group: self.facts.id.clone(),
            host_name: host.into(),
            ip: "192.0.2.7".into(),
            ng: true,
            kind: self.facts.kind.clone(),
            family: self.facts.family,
            version: (!version.is_empty()).then(|| Arc::new(Version::parse(version))),
            version_since: NOW.plus(-9 * DAY),
            tags: self.facts.tags.clone(),
            transport: Transport::Polling,
            token: "t1".into(),
            immutable: Some(true),
            registered_at: NOW.plus(-HOUR),
            goodbye_at: None,
            capacity: None,
            clock_skew: None,
            incomplete: false,
            double_seen: None,
            heartbeat_as_object: true,
            details: Arc::new(Details::default()),
        };
        change(&mut facts);
        self.instances.push((facts, age.map(|age| NOW.plus(-age * SECOND)), Vec::new()));
        self
    }

    /// What the last instance became, and how many seconds ago.
    pub(crate) fn turned(mut self, turns: &[(i64, State)]) -> Self {
        if let Some((.., known)) = self.instances.last_mut() {
            *known = turns.iter().map(|&(age, to)| Turn { at: NOW.plus(-age * SECOND), to }).collect();
        }
        self
    }

    fn judged(self, judge: &mut Judge<'_>) -> Option<GroupView> {
        let (facts, members) = self.known();
        GroupView::build(facts, members, judge)
    }

    fn known(self) -> (Arc<GroupFacts>, Vec<Known>) {
        let known = self.instances.into_iter().map(|(facts, last_heartbeat, turns)| Known {
            facts: Arc::new(facts),
            last_heartbeat,
            turns: (!turns.is_empty()).then(|| turns.into()),
        });
        (Arc::new(self.facts), known.collect())
    }

    /// The same with what retention hides.
    fn judged_with_hidden(self, judge: &mut Judge<'_>) -> Option<GroupView> {
        let (facts, members) = self.known();
        GroupView::build_with_hidden(facts, members, judge)
    }
}

/// The notes of a server with a fresh catalog and nothing to say.
pub(crate) fn notes() -> Notes {
    Notes { catalog_present: true, ..Notes::default() }
}

/// What the rules make of these groups.
pub(crate) fn snapshot(at: &str, below: bool, groups: Vec<Group>) -> Snapshot {
    let catalog = Catalog::import(CATALOG).expect("the catalog of the fixtures");
    let policy = Policy::default();
    let latest = catalog.latest(None, None, NOW);
    let mut judge = Judge::new(&catalog, latest.clone(), &policy, NOW);
    let groups = groups.into_iter().filter_map(|group| group.judged(&mut judge)).collect();
    Snapshot::new(scope(at), below, NOW, latest, groups)
}

/// What the rules make of these groups with what retention hides.
pub(crate) fn snapshot_with_hidden(at: &str, groups: Vec<Group>) -> Snapshot {
    let catalog = Catalog::import(CATALOG).expect("the catalog of the fixtures");
    let policy = Policy::default();
    let latest = catalog.latest(None, None, NOW);
    let mut judge = Judge::new(&catalog, latest.clone(), &policy, NOW);
    let groups = groups.into_iter().filter_map(|group| group.judged_with_hidden(&mut judge)).collect();
    Snapshot::new(scope(at), Sight { extent: Extent::Exact, hidden: true }, NOW, latest, groups)
}

/// The Delegates page of these groups under a query string.
pub(crate) fn overview(at: &str, url: &str, groups: Vec<Group>) -> (Overview, Query) {
    let query = Query::parse(url).expect("a query");
    let snapshot =
        if query.hidden { snapshot_with_hidden(at, groups) } else { snapshot(at, query.below, groups) };
    let selection = select(&snapshot, &query);
    (overview_of(snapshot, selection), query)
}

/// The figures of a snapshot, with nothing to say around them.
pub(crate) fn overview_of(snapshot: Snapshot, selection: Selection) -> Overview {
    let charts = Arc::new(Charts::of(&snapshot));
    Overview { snapshot: Arc::new(snapshot), charts, selection, below: Counts::default(), notes: notes() }
}

/// The HTML of a view under a request.
pub(crate) fn html<V: IntoView>(request: PageRequest, view: impl FnOnce() -> V) -> String {
    Owner::new().with(|| {
        provide_meta_context();
        provide_context(request);
        view().into_view().to_html()
    })
}

/// The HTML of the Delegates page of `acme`.
pub(crate) fn page(url: &str, groups: Vec<Group>) -> String {
    let (overview, query) = overview("acme", url, groups);
    delegates_html(overview, query)
}

/// The HTML of a Delegates page.
pub(crate) fn delegates_html(overview: Overview, query: Query) -> String {
    html(PageRequest::default(), || DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() }))
}

/// The page of one group under a query string.
pub(crate) fn group_page(url: &str, group: Group) -> (GroupPage, Query) {
    let query = Query::parse(url).expect("a query");
    let at = group.facts.scope.to_string();
    let snapshot = snapshot(&at, false, vec![group]);
    let mut selection = select(&snapshot, &query);
    let size = query.size as usize;
    let pages = selection.instances.div_ceil(size).max(1);
    let page = (query.page as usize).min(pages);
    for row in &mut selection.rows {
        row.members = row.members.iter().copied().skip((page - 1) * size).take(size).collect();
    }
    selection.pages = u32::try_from(pages).expect("few pages");
    selection.page = u32::try_from(page).expect("few pages");
    let target = Target { chosen: None, from: "the version catalog".to_owned() };
    (GroupPage { snapshot: Arc::new(snapshot), selection, notes: notes(), target }, query)
}

/// The HTML of the page of one group.
pub(crate) fn group_html(url: &str, group: Group) -> String {
    let (page, query) = group_page(url, group);
    html(PageRequest::default(), || {
        GroupPageView(GroupViewProps { page, query, history: None, scopes: scopes() })
    })
}

/// A person with these built-in roles in these scopes.
pub(crate) fn viewer(roles: &[(BuiltIn, &str)]) -> Viewer {
    let grants = roles.iter().map(|(role, at)| Grant {
        reach: Reach::Scope(scope(at)),
        permissions: role.permissions(),
        resources: Resources::All,
    });
    Viewer {
        id: "u1".into(),
        email: "alex@example.com".into(),
        name: "Alex".into(),
        grants: grants.collect(),
    }
}

/// A request of a person with one built-in role in one scope.
pub(crate) fn request_of(role: BuiltIn, at: &str) -> PageRequest {
    PageRequest { viewer: Some(viewer(&[(role, at)])), now: NOW, ..PageRequest::default() }
}

/// The HTML of the Delegates page of `acme` as a person with this role in `acme` sees it.
pub(crate) fn page_of(role: BuiltIn, url: &str, groups: Vec<Group>) -> String {
    let (overview, query) = overview("acme", url, groups);
    html(request_of(role, "acme"), || DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() }))
}

/// The account `acme` with one organization and one project.
pub(crate) fn scopes() -> Arc<Vec<ScopeNode>> {
    let node = |text: &str, children| ScopeNode { scope: scope(text), reachable: true, children };
    let project = node("acme/payments/checkout", Vec::new());
    Arc::new(vec![node("acme", vec![node("acme/payments", vec![project])])])
}

/// The part of `html` from `start` up to the next `end`.
pub(crate) fn part<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    let from = html.find(start).unwrap_or_else(|| panic!("{start} is missing in {html}"));
    let rest = &html[from..];
    let to = rest.find(end).unwrap_or_else(|| panic!("{end} is missing after {start}"));
    &rest[..to]
}

/// The table of groups.
pub(crate) fn list_of(html: &str) -> &str {
    &html[html.find("data-list").unwrap_or_else(|| panic!("no list in {html}"))..]
}

/// The words of a piece of HTML: without tags, each run of white space one space.
pub(crate) fn words(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => {
                inside = true;
                text.push(' ');
            }
            '>' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
