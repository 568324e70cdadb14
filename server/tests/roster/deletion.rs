//! Deleted delegates: hidden at once, back or refused by policy, undone for ten minutes (`product 4.2`, `11.3`,
//! `agent-protocol 9.4`).

use std::sync::Arc;

use fleet::time::{DAY, HOUR, MINUTE, SECOND};
use server::roster::report::{Goodbye, Report};
use server::roster::{AgentStatus, Limits, RosterError, UndoError};
use server::store::{Cause, State, Transition};

use crate::deeds::BY;
use crate::support::{House, NOON, beat, caller, machine, pod};

/// What history says behind the first registrations.
fn told(lines: &[Transition]) -> Vec<(Option<State>, State, Cause, &str)> {
    let later = lines.iter().filter(|line| line.cause != Cause::Registered);
    later.map(|line| (line.from, line.to, line.cause, &*line.note)).collect()
}

#[tokio::test]
async fn a_deletion_says_what_it_would_take_away_and_changes_nothing() {
    let house = House::new().await;
    let a = house.register(&caller("acme"), &pod("edge", "edge-a", "10.0.0.1")).await.id;
    house.clock.advance(301 * SECOND);
    house.register(&caller("acme"), &pod("edge", "edge-b", "10.0.0.2")).await;
    let group = house.group_id("edge").await;
    let look = |group: &str, instance| house.roster.deletion("acme", group, instance, BY, house.now());
    let whole = look(&group, None).expect("deletion");
    assert_eq!((&*whole.facts.name, whole.instances, whole.connected, whole.host_name), ("edge", 2, 1, None));
    let single = look(&group, Some(&a)).expect("deletion");
    assert_eq!((single.instances, single.connected, single.host_name.as_deref()), (1, 0, Some("edge-a")));
    assert_eq!((&*single.tombstone.by, single.tombstone.at), (BY, house.now()));
    assert!(look(&group, Some("nobody")).is_none() && look(&group, Some("")).is_none());
    assert!(look("nothing", None).is_none());
    assert!(house.roster.deletion("beta", &group, None, BY, house.now()).is_none());
    assert_eq!(house.listed().await, ["edge: edge-a edge-b"]);
}

#[tokio::test]
async fn a_deleted_group_is_hidden_at_once_from_list_and_counts_and_history_is_kept() {
    let house = House::new().await;
    for host in ["edge-a", "edge-b"] {
        house.register(&caller("acme"), &pod("edge", host, "10.0.0.1")).await;
    }
    house.register(&caller("acme"), &pod("west", "west-a", "10.0.0.1")).await;
    let group = house.group_id("edge").await;
    house.delete(&group, None).await;
    assert_eq!(house.listed().await, ["west: west-a"]);
    let counts = house.view("acme", false).await.snapshot.counts;
    assert_eq!((counts.groups, counts.instances), (1, 1));
    assert!(house.roster.deletion("acme", &group, None, BY, house.now()).is_none(), "it is gone already");
    let line = (Some(State::Connected), State::Hidden, Cause::Deleted, "");
    assert_eq!(told(&house.history(&group, 4).await), [line, line]);
}

#[tokio::test]
async fn a_deleted_instance_leaves_its_group_listed_for_seven_days() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = house.register(&caller, &report).await.id;
    house.clock.advance(30 * DAY);
    house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    let group = house.group_id("vm").await;
    house.delete(&group, Some(&id)).await;
    assert_eq!(house.listed().await, ["vm:"]);
    assert!(house.roster.deletion("acme", &group, Some(&id), BY, house.now()).is_none());
    let house = house.restart().await;
    assert_eq!(house.listed().await, ["vm:"], "after a restart too");
    house.clock.advance(7 * DAY);
    assert_eq!(house.listed().await, ["vm:"]);
    house.clock.advance(SECOND);
    assert_eq!(house.listed().await, [""; 0]);
}

#[tokio::test]
async fn the_next_heartbeat_brings_a_deleted_group_back_and_marks_it() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let id = house.register(&caller, &report).await.id;
    house.register(&caller, &pod("edge", "edge-b", "10.0.0.2")).await;
    let group = house.group_id("edge").await;
    house.delete(&group, None).await;
    house.clock.advance(20 * MINUTE);
    let back = house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known");
    assert_eq!((back.id, back.status), (id, AgentStatus::Enabled));
    assert_eq!(house.listed().await, ["edge: edge-a"], "who does not call stays hidden");
    let view = house.view("acme", false).await;
    assert_eq!(view.snapshot.groups[0].facts.returned_at, Some(NOON.plus(20 * MINUTE)));
    let lines = house.history(&group, 5).await;
    let last = told(&lines)[2];
    assert_eq!(last, (Some(State::Hidden), State::Connected, Cause::Return, "returned after delete"));
    let house = house.restart().await;
    assert_eq!(house.listed().await, ["edge: edge-a"], "both are remembered");
    assert_eq!(
        house.view("acme", false).await.snapshot.groups[0].facts.returned_at,
        Some(NOON.plus(20 * MINUTE))
    );
}

#[tokio::test]
async fn those_that_come_back_later_come_back_too() {
    let house = House::new().await;
    let caller = caller("acme");
    let reports = [pod("edge", "edge-a", "10.0.0.1"), pod("edge", "edge-b", "10.0.0.2")];
    let a = house.register(&caller, &reports[0]).await.id;
    let b = house.register(&caller, &reports[1]).await.id;
    let group = house.group_id("edge").await;
    house.delete(&group, None).await;
    house.clock.advance(MINUTE);
    house.roster.beat(&caller, &beat(&reports[0], &a), house.now()).expect("known");
    let house = house.restart().await;
    house.clock.advance(MINUTE);
    house.roster.beat(&caller, &beat(&reports[1], &b), house.now()).expect("known");
    assert_eq!(house.listed().await, ["edge: edge-a edge-b"]);
    let facts = house.roster.group_facts("acme", &group).expect("group");
    assert_eq!(facts.returned_at, Some(NOON.plus(MINUTE)), "the group came back with the first");
}

#[tokio::test]
async fn every_kind_of_call_brings_a_deleted_instance_back_under_its_row() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = house.register(&caller, &report).await.id;
    house.roster.upsert(&caller, &beat(&report, "d-alias"), house.now()).await.expect("alias");
    let group = house.group_id("vm").await;
    for call in ["register", "heartbeat", "stream", "alias", "upsert"] {
        house.clock.advance(MINUTE);
        house.delete(&group, Some(&id)).await;
        assert_eq!(house.listed().await, ["vm:"], "{call}");
        house.clock.advance(MINUTE);
        let now = house.now();
        match call {
            "register" => assert_eq!(house.register(&caller, &report).await.id, id),
            "heartbeat" => assert!(house.roster.beat(&caller, &beat(&report, &id), now).is_some()),
            "stream" => assert!(house.roster.stream_beat(&caller, &beat(&report, &id), now).is_some()),
            "alias" => assert!(house.roster.beat(&caller, &beat(&report, "d-alias"), now).is_some()),
            _ => {
                let own = house.roster.upsert(&caller, &beat(&report, "d-other"), now).await.expect("taken");
                assert_eq!(&*own.id, "d-other");
            }
        }
        assert_eq!(house.listed().await, ["vm: dlite-1"], "{call}");
        let facts = house.roster.group_facts("acme", &group).expect("group");
        assert_eq!(facts.returned_at, None, "{call}: the group was never deleted");
    }
}

#[tokio::test]
async fn a_new_instance_brings_a_deleted_group_back_without_the_old_ones() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("edge", "edge-a", "10.0.0.1")).await;
    let group = house.group_id("edge").await;
    house.delete(&group, None).await;
    house.clock.advance(MINUTE);
    house.register(&caller("acme"), &pod("edge", "edge-b", "10.0.0.2")).await;
    assert_eq!(house.listed().await, ["edge: edge-b"]);
    assert_eq!(house.group_id("edge").await, group, "under its old key, so that history goes on");
    let house = house.kill_and_restart().await;
    assert_eq!(house.listed().await, ["edge: edge-b"]);
    assert!(house.roster.group_facts("acme", &group).expect("group").returned_at.is_some());
}

#[tokio::test]
async fn neither_goodbye_nor_capacity_nor_upgrader_bring_anything_back() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), machine("vm", "dlite-1", "192.0.2.1"));
    let id = house.register(&caller, &report).await.id;
    let group = house.group_id("vm").await;
    house.delete(&group, None).await;
    house.roster.capacity(&caller, &id, 7, house.now()).await;
    house.roster.upgrader_seen(&caller, Some("vm"), house.now());
    house.roster.upgrader_seen(&caller, None, house.now());
    let goodbye = Goodbye { delegate_id: Some((&*id).into()), ..Goodbye::default() };
    house.roster.unregister(&caller, &goodbye, house.now()).await.expect("goodbye");
    house.clock.advance(HOUR);
    house.roster.record_silence(house.now());
    assert_eq!(house.listed().await, [""; 0]);
    let house = house.kill_and_restart().await;
    assert_eq!(house.listed().await, [""; 0]);
}

#[tokio::test]
async fn an_upgrader_without_a_name_means_the_group_that_is_left() {
    let house = House::new().await;
    for name in ["edge", "west"] {
        house.register(&caller("acme"), &pod(name, "host", "10.0.0.1")).await;
    }
    let (edge, west) = (house.group_id("edge").await, house.group_id("west").await);
    house.delete(&edge, None).await;
    house.roster.upgrader_seen(&caller("acme"), None, house.now());
    let seen = |group: &str| house.roster.group_facts("acme", group).expect("group").upgrader_seen;
    assert_eq!((seen(&edge), seen(&west)), (None, Some(house.now())));
}

#[tokio::test]
async fn a_delegate_may_leave_a_deleted_group_under_another_name() {
    let house = House::new().await;
    let (caller, old) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let id = house.register(&caller, &old).await.id;
    let group = house.group_id("edge").await;
    house.refuse();
    house.delete(&group, None).await;
    let renamed = Report { name: Some("west".into()), ..beat(&old, &id) };
    assert_eq!(house.register(&caller, &renamed).await.status, AgentStatus::Enabled);
    assert_eq!(house.listed().await, ["west: edge-a"]);
}

#[tokio::test]
async fn a_deletion_is_taken_back_within_ten_minutes() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("edge", "edge-a", "10.0.0.1")).await;
    let id = house.register(&caller("acme"), &pod("edge", "edge-b", "10.0.0.2")).await.id;
    let group = house.group_id("edge").await;
    house.delete(&group, Some(&id)).await;
    house.clock.advance(SECOND);
    house.delete(&group, None).await;
    assert_eq!(house.listed().await, [""; 0]);
    house.clock.advance(600 * SECOND);
    let stone = house.roster.undo("acme", &group, "", house.now()).expect("still possible");
    assert_eq!(stone.lifted_at, Some(house.now()));
    house.settle(stone).await;
    assert_eq!(house.listed().await, ["edge: edge-a"], "what was deleted alone stays so");
    let facts = house.roster.group_facts("acme", &group).expect("group");
    assert_eq!(facts.returned_at, None, "a person brought it back");
    assert_eq!(house.roster.undo("acme", &group, "", house.now()), Err(UndoError::NotDeleted));
    assert_eq!(house.roster.undo("acme", &group, &id, house.now()), Err(UndoError::TooLate));
    assert_eq!(house.roster.undo("beta", &group, "", house.now()), Err(UndoError::NotDeleted));
    let lines = house.history(&group, 5).await;
    let last = told(&lines)[2];
    assert_eq!(last, (Some(State::Hidden), State::NotConnected, Cause::Restored, "deletion taken back"));
    let house = house.kill_and_restart().await;
    assert_eq!(house.listed().await, ["edge: edge-a"], "a lifted tombstone hides nothing");
}

#[tokio::test]
async fn deletions_that_can_be_taken_back_are_listed_newest_first() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("edge", "edge-a", "10.0.0.1")).await;
    let id = house.register(&caller("acme"), &machine("vm", "dlite-1", "192.0.2.1")).await.id;
    house.register(&caller("acme/payments"), &pod("west", "west-a", "10.0.0.1")).await;
    let groups = [house.group_id("edge").await, house.group_id("vm").await, house.group_id("west").await];
    for (group, instance) in [(&groups[0], None), (&groups[1], Some(&*id)), (&groups[2], None)] {
        house.delete(group, instance).await;
        house.clock.advance(MINUTE);
    }
    let recent = |below| {
        let scope = "acme".parse().expect("scope");
        let recent = house.roster.recent_deletions(&scope, below, house.now());
        let told = recent.into_iter().map(|deleted| {
            assert_eq!(&*deleted.by, BY);
            format!("{} {}", deleted.name, deleted.host_name.as_deref().unwrap_or_default())
                .trim_end()
                .to_owned()
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(recent(false), ["vm dlite-1", "edge"]);
    assert_eq!(recent(true), ["west", "vm dlite-1", "edge"]);
    house.clock.advance(7 * MINUTE + 1);
    assert_eq!(recent(true), ["west", "vm dlite-1"], "ten minutes are over for the first");
}

#[tokio::test]
async fn what_a_lost_store_could_not_take_is_stored_later() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    house.register(&caller, &report).await;
    let group = house.group_id("edge").await;
    house.delete(&group, None).await;
    house.store.away.store(true, std::sync::atomic::Ordering::Relaxed);
    house.clock.advance(MINUTE);
    assert!(house.roster.register(&caller, &report, house.now()).await.is_err(), "nothing is promised");
    assert_eq!(house.listed().await, ["edge: edge-a"]);
    house.store.away.store(false, std::sync::atomic::Ordering::Relaxed);
    let house = house.restart().await;
    assert_eq!(house.listed().await, ["edge: edge-a"]);
}

#[tokio::test]
async fn a_newcomer_that_finds_no_room_brings_nothing_back() {
    let house = House::with_limits(Limits { instances: 1, ..Limits::default() }).await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    house.register(&caller, &report).await;
    let group = house.group_id("edge").await;
    house.delete(&group, None).await;
    let newcomer = house.roster.register(&caller, &pod("edge", "edge-b", "10.0.0.2"), house.now()).await;
    assert_eq!(newcomer, Err(RosterError::NotReady));
    assert_eq!(house.listed().await, [""; 0]);
    house.register(&caller, &report).await;
    assert_eq!(house.listed().await, ["edge: edge-a"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deleting_undoing_and_calling_at_once_ends_in_one_consistent_state() {
    let house = Arc::new(House::new().await);
    let hosts = ["edge-a", "edge-b", "edge-c"];
    for host in hosts {
        house.register(&caller("acme"), &pod("edge", host, "10.0.0.1")).await;
    }
    let group = house.group_id("edge").await;
    let deleting = tokio::spawn({
        let (house, group) = (Arc::clone(&house), Arc::clone(&group));
        async move {
            for _ in 0..300 {
                if let Some(deletion) = house.roster.deletion("acme", &group, None, BY, house.now()) {
                    house.roster.apply_tombstone(&deletion.tombstone);
                }
                if let Ok(stone) = house.roster.undo("acme", &group, "", house.now()) {
                    house.roster.apply_tombstone(&stone);
                }
                tokio::task::yield_now().await;
            }
        }
    });
    let calling = hosts.map(|host| {
        let house = Arc::clone(&house);
        tokio::spawn(async move {
            for _ in 0..50 {
                house.register(&caller("acme"), &pod("edge", host, "10.0.0.1")).await;
                house.listed().await;
            }
        })
    });
    deleting.await.expect("no panic");
    for task in calling {
        task.await.expect("no panic");
    }
    for host in hosts {
        house.register(&caller("acme"), &pod("edge", host, "10.0.0.1")).await;
    }
    house.clock.advance(2 * SECOND);
    assert_eq!(house.listed().await, ["edge: edge-a edge-b edge-c"]);
    assert_eq!(house.roster.size(), (1, 3));
}
