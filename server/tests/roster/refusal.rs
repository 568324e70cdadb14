//! Deleted delegates that are turned away, by policy (`agent-protocol 9.4`).

use std::sync::Arc;

use fleet::policy::DeletedPolicy;
use fleet::time::{MINUTE, SECOND};
use server::roster::{AgentStatus, Inherited, Reference};

use crate::support::{House, beat, caller, machine, pod};

#[tokio::test]
async fn a_refused_registration_gets_a_fresh_id_and_no_row() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let id = house.register(&caller, &report).await.id;
    let group = house.group_id("edge").await;
    let stone = house.delete(&group, None).await;
    house.refuse();
    house.clock.advance(MINUTE);
    let refused = house.register(&caller, &report).await;
    assert_eq!((refused.id.len(), refused.id == id), (22, false));
    let newcomer = house.register(&caller, &pod("edge", "edge-new", "10.0.0.9")).await;
    assert_ne!(newcomer.id, refused.id);
    for sent in [&id, &refused.id, &newcomer.id] {
        house.clock.advance(SECOND);
        let now = house.now();
        for answer in [
            house.roster.beat(&caller, &beat(&report, sent), now),
            house.roster.stream_beat(&caller, &beat(&report, sent), now),
        ] {
            let answer = answer.expect("no row is made for it");
            assert_eq!((&answer.id, answer.status), (sent, AgentStatus::Deleted));
        }
    }
    let unknown =
        house.roster.upsert(&caller, &beat(&report, "d-unknown"), house.now()).await.expect("answered");
    assert_eq!((&*unknown.id, unknown.status), ("d-unknown", AgentStatus::Deleted));
    assert_eq!(house.listed().await, [""; 0]);
    assert_eq!(house.roster.size(), (1, 1), "nothing was added");

    let [refusal] = &house.roster.refusals("acme")[..] else { panic!("one refusal") };
    assert_eq!((&refusal.group, &*refusal.name, refusal.rejected), (&group, "edge", false));
    assert_eq!((refusal.deleted_at, refusal.called_at), (stone.at, house.now()));
    assert_eq!(refusal.token, Some((Arc::clone(&caller.token.id), Arc::clone(&caller.token.name))));
    assert_eq!(house.roster.refusals("beta"), []);
    let house = house.kill_and_restart().await;
    house.refuse();
    assert_eq!(
        house.roster.beat(&caller, &beat(&report, &id), house.now()).expect("known").status,
        AgentStatus::Deleted
    );
    assert_eq!(house.listed().await, [""; 0], "tombstones are acted on after a restart");
}

#[tokio::test]
async fn a_refused_instance_stays_out_while_its_group_goes_on() {
    let house = House::new().await;
    let caller = caller("acme");
    let reports = [machine("vm", "dlite-1", "192.0.2.1"), machine("vm", "dlite-2", "192.0.2.2")];
    let first = house.register(&caller, &reports[0]).await.id;
    let second = house.register(&caller, &reports[1]).await.id;
    let group = house.group_id("vm").await;
    house.refuse();
    house.delete(&group, Some(&first)).await;
    let fresh = house.register(&caller, &reports[0]).await;
    assert_eq!(fresh.status, AgentStatus::Deleted);
    assert_ne!(fresh.id, first);
    let status =
        |id| house.roster.beat(&caller, &beat(&reports[0], id), house.now()).map(|answer| answer.status);
    assert_eq!(status(&fresh.id), Some(AgentStatus::Deleted));
    assert_eq!(status(&second), Some(AgentStatus::Enabled));
    assert_eq!(house.listed().await, ["vm: dlite-2"]);
    let allowed = house.roster.allow("acme", &group, house.now()).expect("refused");
    assert_eq!((allowed.tombstones.len(), allowed.rejected), (1, false));
    for stone in allowed.tombstones {
        house.settle(stone).await;
    }
    assert_eq!(house.roster.refusals("acme"), []);
    assert_eq!(house.register(&caller, &reports[0]).await.id, first);
    assert_eq!(house.listed().await, ["vm: dlite-1 dlite-2"]);
}

#[tokio::test]
async fn a_policy_that_turns_to_reappear_lets_the_refused_back_in() {
    let house = House::new().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    house.register(&caller, &report).await;
    let group = house.group_id("edge").await;
    house.refuse();
    house.delete(&group, None).await;
    house.register(&caller, &report).await;
    assert_eq!(house.roster.refusals("acme").len(), 1);
    let reference = (*house.roster.reference()).clone();
    house.roster.set_reference(Reference { deleted: Inherited::default(), ..reference });
    assert_eq!(house.roster.refusals("acme"), [], "with its next call it comes back");
    house.register(&caller, &report).await;
    assert_eq!(house.listed().await, ["edge: edge-a"]);
    house.refuse();
    assert_eq!(house.roster.refusals("acme"), []);
}

#[tokio::test]
async fn the_policy_of_the_nearest_scope_counts() {
    let house = House::new().await;
    for scope in ["acme/payments", "acme"] {
        house.register(&caller(scope), &pod("edge", "edge-a", "10.0.0.1")).await;
    }
    let scopes = [("acme/payments".parse().expect("scope"), DeletedPolicy::Refuse)].into();
    let deleted = Inherited { server: None, scopes };
    house.roster.set_reference(Reference { deleted, ..(*house.roster.reference()).clone() });
    for group in &house.view("acme", true).await.snapshot.groups {
        house.delete(&group.facts.id, None).await;
    }
    for (scope, status) in [("acme/payments", AgentStatus::Deleted), ("acme", AgentStatus::Enabled)] {
        let answer = house.register(&caller(scope), &pod("edge", "edge-a", "10.0.0.1")).await;
        assert_eq!(answer.status, status, "{scope}");
    }
}
