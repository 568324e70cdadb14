//! The checks of `management-api 7.7` that need no server.

use super::*;

const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);
const MINUTE: i64 = 60_000;

fn recorded() -> Vec<Delegate> {
    serde_json::from_value(serde_json::json!([
        {"type": "KUBERNETES", "name": "Edge.A", "description": "", "tags": ["edge.a", "eu"],
         "lastHeartBeat": NOON.millis() - 5_000, "connected": true, "autoUpgrade": "ON", "legacy": false,
         "delegateReplicas": [
            {"uuid": "one", "lastHeartbeat": NOON.millis() - 5_000, "connected": true, "hostName": "edge-1",
             "version": "26.09.89620", "expiringAt": NOON.millis() + 9 * MINUTE, "runner": false},
            {"uuid": "two", "lastHeartbeat": NOON.millis() - 3_600_000, "connected": false, "hostName": "edge-2"}]},
        {"type": "DOCKER", "name": "payments", "tags": [], "orgName": "Payments & Co", "delegateReplicas": []},
        {"type": "KUBERNETES", "name": "web", "tags": ["web"], "orgName": "payments", "projectName": "checkout",
         "autoUpgrade": "SYNCHRONIZING",
         "delegateReplicas": [{"uuid": "three", "lastHeartbeat": 0, "hostName": "web-1", "version": "N/A"}]},
    ]))
    .expect("entries")
}

fn list(entries: Vec<Delegate>, now: Timestamp) -> List {
    let account: Scope = "acme".parse().expect("a scope");
    let entries = entries.into_iter().map(|entry| (account.clone(), entry)).collect();
    List { entries, remote_now: now, now }
}

fn read(list: List, before: &[ToldGroup]) -> (Vec<ToldGroup>, Vec<Transition>) {
    let name: Arc<str> = "vendor".into();
    Reading { mirror: "m1", name: &name, timeout: 5 * MINUTE }.groups(list, before)
}

#[test]
fn three_groups_over_three_scopes_are_three_rows_in_their_scopes() {
    let (groups, lines) = read(list(recorded(), NOON), &[]);
    let rows: Vec<_> = groups
        .iter()
        .map(|group| format!("{} {} {}", group.facts.scope, group.facts.name, group.facts.identifier))
        .collect();
    assert_eq!(
        rows,
        [
            "acme Edge.A _Edge_A~vendor",
            "acme/Payments___Co payments _payments~vendor",
            "acme/payments/checkout web _web~vendor",
        ]
    );
    let [edge, payments, web] = &groups[..] else { panic!("three groups") };
    assert_eq!(edge.facts.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(), ["eu"], "without the implicit one");
    assert_eq!(edge.members[0].expires_at, Some(NOON.plus(9 * MINUTE)));
    assert_eq!(edge.members[1].expires_at, None);
    assert_eq!((payments.auto_upgrade, payments.members.len()), (Upgrades::Unknown, 0));
    assert_eq!((web.auto_upgrade, web.members[0].connected), (Upgrades::Synchronizing, false));
    assert_eq!(web.members[0].facts.version, None, "N/A is no version");
    let states: Vec<_> = lines.iter().map(|line| (&*line.instance, line.from, line.to, line.cause)).collect();
    assert_eq!(
        states,
        [
            ("one", None, State::Connected, Cause::Registered),
            ("two", None, State::NotConnected, Cause::Registered),
            ("three", None, State::NotConnected, Cause::Registered),
        ]
    );
}

#[test]
fn the_same_answer_twice_writes_no_history_the_second_time() {
    let (groups, _) = read(list(recorded(), NOON), &[]);
    let (again, lines) = read(list(recorded(), NOON.plus(MINUTE)), &groups);
    assert_eq!(lines, []);
    assert_eq!(again[0].facts.first_seen, NOON);
    assert!(Arc::ptr_eq(&again[0].members[0].facts, &groups[0].members[0].facts));
    assert_eq!(again[0].source.as_of, NOON.plus(MINUTE));
}

#[test]
fn what_the_source_does_not_say_is_computed_on_its_clock() {
    let entry = |age: i64| -> Vec<Delegate> {
        let beat = NOON.millis() - age;
        serde_json::from_value(serde_json::json!([
            {"name": "old", "delegateReplicas": [{"uuid": "a", "lastHeartbeat": beat, "hostName": "h"}]},
        ]))
        .expect("an entry")
    };
    let connected = |age: i64| {
        // The source is two minutes ahead of us.
        let entries = list(entry(age), NOON.plus(-2 * MINUTE)).entries;
        let list = List { entries, remote_now: NOON, now: NOON.plus(-2 * MINUTE) };
        let (groups, _) = read(list, &[]);
        let member = &groups[0].members[0];
        assert_eq!(member.last_heartbeat, Some(NOON.plus(-2 * MINUTE - age)), "on our clock");
        member.connected
    };
    assert!(connected(5 * MINUTE));
    assert!(!connected(5 * MINUTE + 1));
}

#[test]
fn losses_returns_and_removals_are_lines_of_history() {
    let (groups, _) = read(list(recorded(), NOON), &[]);
    let mut lost = recorded();
    lost[0].replicas[0].connected = Some(false);
    let (groups, lines) = read(list(lost, NOON.plus(MINUTE)), &groups);
    assert_eq!(lines.len(), 1);
    assert_eq!((lines[0].to, lines[0].cause), (State::NotConnected, Cause::Silence));
    assert_eq!(groups[0].members[0].turns.as_deref().map(<[Turn]>::len), Some(2));
    let mut fewer = recorded();
    fewer[0].replicas.truncate(1);
    let (_, lines) = read(list(fewer, NOON.plus(2 * MINUTE)), &groups);
    let lines: Vec<_> = lines.iter().map(|line| (&*line.instance, line.to, &*line.note)).collect();
    assert_eq!(lines, [("one", State::Connected, ""), ("two", State::Hidden, "removed at source")]);
}

#[test]
fn what_is_listed_twice_is_one_and_names_that_look_alike_are_two() {
    let entries = serde_json::from_value(serde_json::json!([
        {"name": "a.b", "delegateReplicas": [{"uuid": "x", "hostName": "h"}, {"uuid": "x", "hostName": "h"}]},
        {"name": "a-b", "delegateReplicas": []},
    ]))
    .expect("entries");
    let (groups, _) = read(list(entries, NOON), &[]);
    assert_eq!(groups[0].members.len(), 1);
    let identifiers: Vec<_> = groups.iter().map(|group| &*group.facts.identifier).collect();
    assert_eq!(identifiers, ["_a_b~vendor", "_a_b~vendor_2"]);
}
