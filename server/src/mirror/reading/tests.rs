//! The checks of `management-api 7.7` that need no server.

use client::Delegate;

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

fn list(delegates: Vec<Delegate>, now: Timestamp) -> List {
    let scope: Scope = "acme".parse().expect("a scope");
    let entries = delegates.into_iter().map(|delegate| Entry { scope: scope.clone(), delegate }).collect();
    List { entries, remote_now: now, now, latest: None, skipped: 0 }
}

fn read(list: &List, past: &Past) -> (Vec<ToldGroup>, Past, Vec<Transition>) {
    let [name, account] = ["vendor", "acme"].map(Arc::from);
    let reading = Reading { name, account, timeout: 5 * MINUTE };
    let (groups, past, lines) = reading.groups(list, past);
    let lines = lines.iter().map(|line| line.transition(&reading.account, list.now)).collect();
    (groups, past, lines)
}

#[test]
fn three_groups_over_three_scopes_are_three_rows_in_their_scopes() {
    let (groups, _, lines) = read(&list(recorded(), NOON), &Past::default());
    let rows: Vec<_> = groups
        .iter()
        .map(|group| format!("{} {} {}", group.facts.scope, group.facts.name, group.facts.identifier))
        .collect();
    assert_eq!(
        rows,
        [
            "acme Edge.A _Edge_A~vendor",
            "acme/Payments___Co_PxAy7u payments _payments~vendor",
            "acme/payments/checkout web _web~vendor",
        ]
    );
    let [edge, payments, web] = &groups[..] else { panic!("three groups") };
    assert_eq!(
        edge.facts.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(),
        ["eu"],
        "without the implicit one"
    );
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
    let (_, past, _) = read(&list(recorded(), NOON), &Past::default());
    let (again, after, lines) = read(&list(recorded(), NOON.plus(MINUTE)), &past);
    assert_eq!(lines, []);
    assert_eq!(again[0].facts.first_seen, NOON);
    let first = &again[0].members[0].facts;
    assert_eq!((first.registered_at, first.version_since), (NOON, NOON));
    // What is stored tells every node the same.
    let kept = serde_json::to_string(&(list(recorded(), NOON.plus(MINUTE)), after)).expect("JSON");
    let (kept, past): (List, Past) = serde_json::from_str(&kept).expect("the same");
    let (groups, _, lines) = read(&kept, &past);
    assert_eq!((groups.len(), lines.len()), (3, 0));
    assert_eq!(groups[0].members[0].turns, again[0].members[0].turns);
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
        let list = List { remote_now: NOON, ..list(entry(age), NOON.plus(-2 * MINUTE)) };
        let (groups, _, _) = read(&list, &Past::default());
        let member = &groups[0].members[0];
        assert_eq!(member.last_heartbeat, Some(NOON.plus(-2 * MINUTE - age)), "on our clock");
        member.connected
    };
    assert!(connected(5 * MINUTE));
    assert!(!connected(5 * MINUTE + 1));
}

#[test]
fn losses_returns_and_removals_are_lines_of_history() {
    let (_, past, _) = read(&list(recorded(), NOON), &Past::default());
    let mut lost = recorded();
    lost[0].replicas[0].connected = Some(false);
    let (groups, past, lines) = read(&list(lost, NOON.plus(MINUTE)), &past);
    assert_eq!(lines.len(), 1);
    assert_eq!((lines[0].to, lines[0].cause), (State::NotConnected, Cause::Silence));
    assert_eq!(groups[0].members[0].turns.as_deref().map(<[Turn]>::len), Some(2));
    let mut fewer = recorded();
    fewer[0].replicas.truncate(1);
    let (_, _, lines) = read(&list(fewer, NOON.plus(2 * MINUTE)), &past);
    let lines: Vec<_> = lines.iter().map(|line| (&*line.instance, line.to, &*line.note)).collect();
    assert_eq!(lines, [("one", State::Connected, ""), ("two", State::Hidden, "removed at source")]);
}

#[test]
fn what_is_listed_twice_is_one_and_names_that_look_alike_are_two_in_whatever_order() {
    let entries: Vec<Delegate> = serde_json::from_value(serde_json::json!([
        {"name": "a.b", "delegateReplicas": [{"uuid": "x", "hostName": "h"}, {"uuid": "x", "hostName": "h"}]},
        {"name": "a-b", "delegateReplicas": []},
        {"name": "a.b", "delegateReplicas": [{"uuid": "x", "hostName": "h"}, {"uuid": "y", "hostName": "i"}]},
        {"name": "c", "orgName": "", "delegateReplicas": []},
    ]))
    .expect("entries");
    let told = |entries: Vec<Delegate>| -> Vec<(String, String, String)> {
        let (groups, _, _) = read(&list(entries, NOON), &Past::default());
        let mut names: Vec<_> = groups
            .iter()
            .map(|group| &group.facts)
            .map(|facts| (facts.name.to_string(), facts.identifier.to_string(), facts.scope.to_string()))
            .collect();
        names.sort();
        names
    };
    let (groups, _, _) = read(&list(entries.clone(), NOON), &Past::default());
    let ids: Vec<_> = groups[0].members.iter().map(|member| &*member.facts.id).collect();
    assert_eq!(ids, ["x", "y"]);
    let names = told(entries.clone());
    assert_eq!(names.len(), 3);
    assert!(names[0].1.starts_with("_a_b~vendor~") && names[1].1.starts_with("_a_b~vendor~"), "{names:?}");
    assert_ne!(names[0].1, names[1].1);
    assert_eq!((&*names[2].1, &*names[2].2), ("_c~vendor", "acme"), "an empty name is none");
    assert_eq!(told(entries.into_iter().rev().collect()), names);
}

#[test]
fn organizations_whose_names_look_alike_stay_two() {
    let entries = serde_json::from_value(serde_json::json!([
        {"name": "a", "orgName": "Pay A"}, {"name": "a", "orgName": "Pay/A"}, {"name": "a", "orgName": "Pay-A"},
        {"name": "x", "orgName": "payments"}, {"name": "payments/x"},
    ]))
    .expect("entries");
    let (groups, _, _) = read(&list(entries, NOON), &Past::default());
    let scopes: HashSet<String> = groups.iter().map(|group| group.facts.scope.to_string()).collect();
    assert_eq!(scopes.len(), 5, "{scopes:?}");
    assert!(scopes.contains("acme/Pay-A") && scopes.contains("acme/payments") && scopes.contains("acme"));
}

#[test]
fn what_could_not_be_understood_is_not_called_removed() {
    let (_, past, _) = read(&list(recorded(), NOON), &Past::default());
    let less = List { skipped: 1, ..list(Vec::new(), NOON.plus(MINUTE)) };
    let (groups, past, lines) = read(&less, &past);
    assert_eq!((groups.len(), lines.len()), (0, 0));
    let (groups, _, lines) = read(&list(recorded(), NOON.plus(2 * MINUTE)), &past);
    assert_eq!(lines, [], "nor is it new when it can be read again");
    assert_eq!(groups[0].facts.first_seen, NOON);
    let later = List { skipped: 1, ..list(Vec::new(), NOON.plus(61 * MINUTE)) };
    let (_, past, lines) = read(&later, &past);
    assert_eq!(lines.len(), 3, "after an hour it is");
    let (_, _, lines) = read(&later, &past);
    assert_eq!(lines, []);
}

#[test]
fn what_the_source_says_of_a_version_counts() {
    let entries = serde_json::from_value(serde_json::json!([
        {"name": "a", "delegateReplicas": [
            {"uuid": "x", "hostName": "h", "connected": true, "status": "UNSUPPORTED"},
            {"uuid": "y", "hostName": "h", "connected": true, "status": "A NEW WORD"}]},
    ]))
    .expect("entries");
    let (groups, _, _) = read(&list(entries, NOON), &Past::default());
    let statuses: Vec<_> = groups[0].members.iter().map(|member| member.status).collect();
    assert_eq!(statuses, [Some(Status::Unsupported), None]);
}
