//! What delegates were: strips, timeline, activity, the tab of instances and the page of one (`product 3.6`, `11.5`).

use std::sync::Arc;

use app::context::PageRequest;
use app::pages::activity::{ActivityView, ActivityViewProps};
use app::pages::instance::{InstanceView, InstanceViewProps};
use app::pages::instances::{InstancesView, InstancesViewProps};
use app::port::history::{Activity, ActivityQuery, Event, History, InstancePage, Lifeline, Presence, What};
use fleet::access::BuiltIn;
use fleet::delegate::{DelegateType, Details, Family, Transport};
use fleet::history::{Cause, Change, Past, State, Window, runs};
use fleet::time::{DAY, HOUR, MINUTE, SECOND};
use fleet::view::Member;

use crate::common::*;

const TIMEOUT: i64 = 300 * SECOND;

fn change(age: i64, from: Option<State>, to: State, cause: Cause, note: &str) -> Change {
    Change { at: NOW.plus(-age), from, to, cause, note: note.into() }
}

fn lost(age: i64) -> Change {
    change(age, Some(State::Connected), State::NotConnected, Cause::Silence, "")
}

fn back(age: i64) -> Change {
    change(age, Some(State::NotConnected), State::Connected, Cause::Return, "")
}

/// What the rules make of these changes of a member, oldest first.
pub(crate) fn lifeline(member: &Member, changes: &[Change], window: Window) -> Lifeline {
    let registered_at = member.facts.registered_at;
    let last_heartbeat = member.last_heartbeat;
    let past = Past { registered_at, last_heartbeat, changes, kept_since: NOW.plus(-400 * DAY) };
    Lifeline {
        instance: member.facts.id.clone(),
        registered_at,
        runs: runs(past, window.from(NOW), TIMEOUT, NOW),
    }
}

/// The page of one instance of a group with these changes, oldest first; none if the group has no such instance.
pub(crate) fn instance_page(
    group: Group,
    id: &str,
    changes: &[Change],
    window: Window,
) -> Option<InstancePage> {
    let at = group.facts.scope.to_string();
    let snapshot = snapshot(&at, false, vec![group]);
    let view = &snapshot.groups[0];
    let member = view.members.iter().find(|member| &*member.facts.id == id)?.clone();
    let lines = vec![lifeline(&member, changes, window)];
    Some(InstancePage {
        group: Arc::clone(&view.facts),
        group_listed: true,
        id: id.into(),
        presence: Presence::Listed,
        token: Some(("edge".into(), true)),
        history: History { window, as_of: NOW, lines },
        changes: changes.iter().rev().cloned().collect(),
        source: None,
        notes: notes(),
        member: Some(member),
    })
}

fn instance_html(page: InstancePage) -> String {
    html(request_of(BuiltIn::Admin, "acme"), || InstanceView(InstanceViewProps { page, scopes: scopes() }))
}

fn fact(html: &str, term: &str) -> String {
    words(part(html, &format!("<dt>{term}</dt>"), "</dd>").split_once("</dt>").expect("a value").1)
}

fn edge() -> Group {
    Group::new("edge-a").tags(&["namespace:delegates", "eu"]).instance_with(
        "edge-a-1",
        NEAR,
        Some(5),
        |facts| {
            facts.registered_at = NOW.plus(-2 * DAY);
            facts.transport = Transport::WebSocket;
            facts.capacity = Some(8);
            facts.clock_skew = Some(4 * MINUTE + 10 * SECOND);
            facts.details = Arc::new(Details {
                connection: Some("c2".into()),
                previous_connection: Some("c1".into()),
                task_types: 12,
                ..Details::default()
            });
        },
    )
}

fn page(changes: &[Change]) -> InstancePage {
    instance_page(edge(), "id-edge-a-1", changes, Window::Day).expect("an instance")
}

#[test]
fn the_facts_of_an_instance_are_told_in_words() {
    let html = instance_html(page(&[]));
    for (term, value) in [
        ("Instance id", "id-edge-a-1"),
        ("Host name", "edge-a-1"),
        ("IP address", "192.0.2.7"),
        ("Connected", "Connected"),
        ("Version", "26.06.89201 since 2026-11-11 12:00 UTC"),
        ("Status", "Near expiry Expiring in 10 days (2026-11-30)"),
        ("End of support", "2026-11-30"),
        ("End of life", "2027-01-31"),
        ("Token", "edge , active"),
        ("Transport", "WebSocket"),
        ("Family", "Classic delegate"),
        ("Type", "Kubernetes"),
        ("Capacity", "8 tasks at a time"),
        ("Clock", "clock 4 min ahead"),
        ("First registration", "2026-11-18 12:00 UTC"),
        ("Namespace", "delegates"),
        ("Cluster", "not reported"),
        ("Connection", "c2 Before the last restart: c1"),
        ("Configuration", "not reported"),
        ("Task types", "12"),
        ("Image", "immutable"),
    ] {
        assert_eq!(fact(&html, term), value, "{term}");
    }
    assert!(html.contains("data-copy=\"id-edge-a-1\"") && html.contains("href=\"/a/acme/tokens\""));
}

#[test]
fn the_past_of_an_instance_is_a_strip_a_timeline_and_a_list() {
    let html = instance_html(page(&[
        lost(40 * MINUTE),
        back(30 * MINUTE),
        change(MINUTE, Some(State::Connected), State::Connected, Cause::Version, "1 -> 2"),
    ]));
    let strip = "Heartbeats of edge-a-1 in the past 24 hours: connected 99.3 % of the time, lost once.";
    assert!(html.contains(&format!("aria-label=\"{strip}\"")), "{html}");
    let bar = "Timeline of edge-a-1, newest first: connected for 30 min, not connected for 10 min, connected for \
               23 h 20 min.";
    assert!(html.contains(&format!("aria-label=\"{bar}\"")), "{html}");
    assert!(words(&html).contains("Connected 99.3 % of the 1 day in which it was listed."));
    let list = words(part(&html, "<tbody>", "</tbody>"));
    let expected = "2026-11-20 11:59:00 Changed its version from 1 to 2 connected \
                    2026-11-20 11:30:00 Connected again connected 30 min so far \
                    2026-11-20 11:20:00 Lost: it fell silent not connected 10 min";
    assert_eq!(list, expected);
    for window in ["7d", "30d"] {
        let href = format!("/a/acme/delegates/_edge_a/instances/id-edge-a-1?window={window}");
        assert!(html.contains(&format!("href=\"{href}\"")), "{window}");
    }
}

#[test]
fn shapes_tell_the_parts_of_a_strip_apart() {
    let group = Group::new("edge-a").instance_with("edge-a-1", NEAR, Some(6 * 3_600 + 10), |facts| {
        facts.registered_at = NOW.plus(-12 * HOUR);
    });
    // Lost at half of a box.
    let changes = [lost(6 * HOUR - 15 * MINUTE)];
    let mut page = instance_page(group, "id-edge-a-1", &[], Window::Day);
    assert!(page.is_none(), "retention hides it after 6 hours");
    let group = Group::new("edge-a").instance_with("edge-a-1", NEAR, Some(5 * 3_600 + 45 * 60), |facts| {
        facts.registered_at = NOW.plus(-12 * HOUR);
    });
    page = instance_page(group, "id-edge-a-1", &changes, Window::Day);
    let html = instance_html(page.expect("an instance"));
    let strip = part(&html, "class=\"strip\"", "</svg>");
    let path = |class: &str| strip.split("<path ").find(|path| path.contains(class)).expect("a path");
    let count = |class: &str| part(path(class), "d=\"", ">").matches('M').count();
    assert_eq!((count("s-none"), count("s-up"), count("s-lost"), count("s-hid")), (24, 13, 12, 0), "{strip}");
    assert!(path("s-up").contains("M144 22v-10h3v10z\""), "{strip}");
}

#[test]
fn one_that_is_in_no_list_says_why() {
    for (presence, words) in [
        (Presence::Hidden, "This instance is hidden"),
        (Presence::Deleted, "This instance was deleted"),
        (Presence::Gone, "only its history is left"),
    ] {
        let html = instance_html(InstancePage { presence, ..page(&[]) });
        assert!(html.contains(words), "{words}");
        assert_eq!(html.contains("Delete instance…"), presence == Presence::Hidden, "{words}");
    }
    let gone = InstancePage { presence: Presence::Gone, member: None, token: None, ..page(&[lost(HOUR)]) };
    let html = instance_html(gone);
    assert!(html.contains("<h1 class=\"any\">id-edge-a-1</h1>") && !html.contains("Instance id"), "{html}");
    assert!(html.contains("Lost: it fell silent"));
}

#[test]
fn an_instance_is_deleted_by_those_who_may() {
    let html = instance_html(page(&[]));
    assert!(html.contains("href=\"/a/acme/delegates/_edge_a/instances/id-edge-a-1/delete\""), "{html}");
    let page = page(&[]);
    let seen = crate::common::html(request_of(BuiltIn::Viewer, "acme"), || {
        InstanceView(InstanceViewProps { page, scopes: scopes() })
    });
    assert!(words(&seen).contains("Delete instance… Needs core_delegate_delete"), "{seen}");
}

#[test]
fn the_tab_of_instances_has_every_fact_that_can_be_compared() {
    let (page, query) = group_page("sort=-name", edge().instance("edge-a-2", LATEST, 400));
    let html = html(request_of(BuiltIn::Admin, "acme"), || {
        InstancesView(InstancesViewProps { page, query, scopes: scopes() })
    });
    let table = part(&html, "<table class=\"data wide\"", "</table>");
    assert_eq!(table.matches("<tr data-key").count(), 2);
    for cell in ["WebSocket", "192.0.2.7", "clock 4 min ahead", "8 tasks at a time", "2026-11-18 12:00 UTC"] {
        assert!(words(table).contains(cell), "{cell}: {table}");
    }
    let path = "/a/acme/delegates/_edge_a/instances";
    assert!(table.contains(&format!("href=\"{path}/id-edge-a-1\"")));
    assert!(table.contains("aria-sort=\"descending\""));
    assert!(html.contains(&format!("href=\"{path}?sort=version\"")), "{table}");
    assert!(html.contains(&format!("href=\"{path}?sort=-name&amp;hidden=true\"")), "{html}");
    assert!(html.contains("role=\"img\" aria-label=\"Heartbeats of edge-a-1 in the past 24 hours:"));
}

#[test]
fn a_group_without_instances_says_when_they_leave() {
    let (page, query) = group_page("", Group::new("edge-a"));
    let html =
        html(PageRequest::default(), || InstancesView(InstancesViewProps { page, query, scopes: scopes() }));
    assert!(words(&html).contains("No instance is listed"));
}

fn activity(events: Vec<Event>) -> Activity {
    Activity {
        group: Arc::new(edge().facts),
        as_of: NOW,
        events,
        next: Some("1795-1".to_owned()),
        instances: vec![("id-edge-a-1".into(), "edge-a-1".into())],
        without_deeds: None,
    }
}

fn activity_html(activity: Activity, query: ActivityQuery) -> String {
    let (page, _) = group_page("", edge());
    html(request_of(BuiltIn::Admin, "acme"), || {
        ActivityView(ActivityViewProps { activity, query, page: Some(page), scopes: scopes() })
    })
}

#[test]
fn activity_stands_under_its_days_with_causes_in_words() {
    let instance = |change: Change, known: bool| Event {
        at: change.at,
        what: What::Turn {
            instance: "id-edge-a-1".into(),
            host_name: known.then(|| "edge-a-1".into()),
            change,
        },
    };
    let up = Some(State::Connected);
    let hidden = |age, cause, note: &str| change(age, up, State::Hidden, cause, note);
    let deed = Event {
        at: NOW.plus(-HOUR),
        what: What::Deed {
            actor: "alex@example.com".to_owned(),
            action: "delegate.approve".to_owned(),
            summary: "edge-a was approved".to_owned(),
        },
    };
    let html = activity_html(
        activity(vec![
            deed,
            instance(lost(2 * HOUR), true),
            instance(back(DAY), true),
            instance(change(DAY, up, State::Connected, Cause::LongPause, ""), true),
            instance(change(2 * DAY, up, State::Connected, Cause::Version, "1 -> 2"), true),
            instance(hidden(2 * DAY, Cause::Goodbye, ""), false),
            instance(hidden(3 * DAY, Cause::Deleted, ""), true),
            instance(hidden(3 * DAY, Cause::Deleted, "rejected"), true),
            instance(hidden(3 * DAY, Cause::Retention, ""), true),
            instance(change(3 * DAY, None, State::Connected, Cause::Registered, ""), true),
            instance(change(3 * DAY, up, State::Connected, Cause::Restored, "allowed"), true),
        ]),
        ActivityQuery::default(),
    );
    let list = words(part(&html, "data-key=\"events\"", "<footer"));
    for text in [
        "Today, 2026-11-20 11:00:00 UTC alex@example.com edge-a was approved delegate.approve",
        "edge-a-1 Lost: it fell silent",
        "Yesterday, 2026-11-19",
        "edge-a-1 Connected again",
        "Heard again after a pause of more than 10 minutes",
        "2026-11-18",
        "Changed its version from 1 to 2",
        "id-edge-a-1 Stopped as planned: it said goodbye",
        "Deleted from the list",
        "Rejected: left the list",
        "Left the list: silent for too long",
        "Registered for the first time",
        "Listed again: allowed",
    ] {
        assert!(list.contains(text), "{text}: {list}");
    }
    assert_eq!(html.matches("class=\"day\"").count(), 4);
    assert!(html.contains("href=\"/a/acme/delegates/_edge_a/activity?before=1795%2D1\""), "{html}");
}

#[test]
fn activity_can_be_narrowed_to_an_instance_and_keeps_that_over_pages() {
    let query = ActivityQuery { instance: Some("id-old".to_owned()), before: Some("2-1".to_owned()) };
    let html = activity_html(activity(vec![]), query);
    let form = part(&html, "<select", "</select>");
    assert!(form.contains("value=\"id-edge-a-1\"") && form.contains("value=\"id-old\""), "{form}");
    assert!(html.contains("?instance=id%2Dold&amp;before=1795%2D1\""), "{html}");
    assert!(html.contains("activity?instance=id%2Dold\""), "{html}");
    assert!(words(&html).contains("Nothing older"));
    assert!(!html.contains("data-feed"), "an older page never changes");
}

#[test]
fn activity_says_what_is_left_out() {
    let why = "Needs core_audit_view in acme".to_owned();
    let html = activity_html(
        Activity { without_deeds: Some(why), ..activity(Vec::new()) },
        ActivityQuery::default(),
    );
    assert!(html.contains("What people did is left out: Needs core_audit_view in acme."), "{html}");
    let deleted = html_of_deleted();
    assert!(deleted.contains("It was deleted or rejected") && !deleted.contains("class=\"tabs\""));
}

fn html_of_deleted() -> String {
    let (activity, query) = (activity(Vec::new()), ActivityQuery::default());
    html(request_of(BuiltIn::Admin, "acme"), || {
        ActivityView(ActivityViewProps { activity, query, page: None, scopes: scopes() })
    })
}

#[test]
fn the_overview_shows_the_heartbeats_of_the_members_on_its_page() {
    let html = group_html("", edge().instance("edge-a-2", LATEST, 400));
    let panel = part(&html, "aria-labelledby=\"beats\"", "</section>");
    assert_eq!(panel.matches("role=\"img\"").count(), 2);
    assert!(panel.contains("href=\"/a/acme/delegates/_edge_a?window=7d\""));
    let table = words(part(panel, "<tbody>", "</tbody>"));
    // Registered an hour ago and silent for 400 s: lost 100 s ago.
    assert_eq!(table, "edge-a-1 100 % 1 day 0 s 0 edge-a-2 97.2 % 58 min 1 min 1");
}

#[test]
fn facts_name_target_selectors_and_the_age_of_the_image() {
    let old =
        || Group::new("a").tags(&["eu"]).with(|facts| facts.upgrader_seen = None).instance("h", EXPIRED, 5);
    let html = group_html("", old());
    assert_eq!(fact(&html, "Target version"), "26.11.90604 from the version catalog");
    let selectors = fact(&html, "Selectors");
    assert!(
        selectors.starts_with("A step that asks for any of these 2 tags, alone or together,"),
        "{selectors}"
    );
    let upgrade = fact(&html, "Auto-upgrade");
    assert!(upgrade.contains("Image is 6 months old; update by hand every 3 to 6 months"), "{upgrade}");
    let new = old().with(|facts| facts.upgrader_seen = Some(NOW));
    assert!(!fact(&group_html("", new), "Auto-upgrade").contains("months old"));
    let on = |kind: DelegateType, tags: &[&str]| {
        let group = Group::new("a").tags(tags).with(|facts| facts.kind = kind).instance("h", LATEST, 5);
        fact(&group_html("", group), "How to update")
    };
    assert!(on(DelegateType::Helm, &[]).contains("Helm release"));
    assert!(on(DelegateType::Docker, &[]).starts_with("Pull the new image"));
    assert!(on(DelegateType::Docker, &["platform:fargate"]).contains("forced new deployment"));
    assert!(on(DelegateType::Ecs, &[]).contains("forced new deployment"));
    let runner = Group::new("a").with(|facts| facts.family = Family::Runner).instance("h", "my-build", 5);
    assert_eq!(fact(&group_html("", runner), "Target version"), "not known for this kind of image");
}

#[test]
fn by_hand_is_offered_to_editors_of_groups_that_are_off() {
    let shown = |role, by_choice| {
        let group = Group::new("a").instance("h", EXPIRED, 5).with(|facts| {
            (facts.upgrader_seen, facts.by_choice) = (None, by_choice);
        });
        let (page, query) = group_page("", group);
        let history = None;
        html(request_of(role, "acme"), || {
            let props = app::pages::group::GroupViewProps { page, query, history, scopes: scopes() };
            app::pages::group::GroupView(props)
        })
    };
    let editor = shown(BuiltIn::Operator, false);
    assert!(editor.contains("action=\"/a/acme/delegates/_a/by-hand\""), "{editor}");
    assert!(part(&editor, "by-hand\"", "</form>").contains("name=\"on\" value=\"true\""), "{editor}");
    let marked = shown(BuiltIn::Operator, true);
    assert!(marked.contains("Off (by choice)"));
    assert!(part(&marked, "by-hand\"", "</form>").contains("name=\"on\" value=\"false\""), "{marked}");
    let viewer = shown(BuiltIn::Viewer, false);
    assert!(!viewer.contains("by-hand\"") && words(&viewer).contains("Needs core_delegate_edit"), "{viewer}");
    assert!(!group_html("", edge()).contains("by-hand"), "one that upgrades itself needs none of this");
}
