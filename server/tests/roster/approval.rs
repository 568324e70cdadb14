//! New delegates that wait for a person (`product 10.4`, P24).

use std::sync::Arc;

use fleet::delegate::{Approval, GroupFacts, InstanceFacts};
use fleet::time::{MINUTE, SECOND};
use server::roster::{AgentStatus, Inherited, Reference};
use server::store::{Batch, InstanceRow, Store as _};

use crate::support::{House, beat, caller, machine, pod};

impl House {
    /// New delegates of a scope wait from now on.
    fn require_approval(&self, scope: &str) {
        let approval = Inherited { server: None, scopes: [(scope.parse().expect("scope"), true)].into() };
        self.roster.set_reference(Reference { approval, ..(*self.roster.reference()).clone() });
    }
}

#[tokio::test]
async fn a_new_delegate_waits_and_is_listed_until_it_is_approved() {
    let house = House::new().await;
    house.require_approval("acme");
    let (caller, report) = (caller("acme/payments"), pod("edge", "edge-a", "10.0.0.1"));
    let admitted = house.register(&caller, &report).await;
    assert_eq!((admitted.id.len(), admitted.status), (22, AgentStatus::WaitingForApproval));
    let status =
        || house.roster.beat(&caller, &beat(&report, &admitted.id), house.now()).expect("known").status;
    assert_eq!(status(), AgentStatus::WaitingForApproval);
    let view = house.view("acme/payments", false).await;
    let group = &view.snapshot.groups[0];
    assert_eq!((group.facts.approval, group.eligible(&group.members[0])), (Approval::Pending, false));

    let house = {
        let id = group.facts.id.clone();
        assert!(house.roster.set_approval("acme", &id, Approval::Approved, house.now()));
        assert_eq!(status(), AgentStatus::Enabled);
        house
    };
    let joined = house.register(&caller, &pod("edge", "edge-b", "10.0.0.2")).await;
    assert_eq!(joined.status, AgentStatus::Enabled, "who joins an approved group is approved");
    let view = house.view("acme/payments", false).await;
    let group = &view.snapshot.groups[0];
    assert!(group.members.iter().all(|member| group.eligible(member)));
}

#[tokio::test]
async fn a_group_that_waits_still_waits_after_a_restart() {
    let house = House::new().await;
    house.require_approval("acme");
    house.register(&caller("acme"), &pod("edge", "edge-a", "10.0.0.1")).await;
    let house = house.kill_and_restart().await;
    let joined = house.register(&caller("acme"), &pod("edge", "edge-b", "10.0.0.2")).await;
    assert_eq!(joined.status, AgentStatus::WaitingForApproval);
    assert_eq!(house.view("acme", false).await.snapshot.groups[0].facts.approval, Approval::Pending);
}

#[tokio::test]
async fn turning_it_on_concerns_new_delegates_of_the_scope_only() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("old", "old-a", "10.0.0.1")).await;
    house.require_approval("acme/payments");
    for (scope, name, status) in [
        ("acme", "old", AgentStatus::Enabled),
        ("acme", "new", AgentStatus::Enabled),
        ("acme/payments", "new", AgentStatus::WaitingForApproval),
        ("acme/payments/checkout", "new", AgentStatus::WaitingForApproval),
    ] {
        let admitted = house.register(&caller(scope), &pod(name, "host-b", "10.0.0.2")).await;
        assert_eq!(admitted.status, status, "{scope} {name}");
    }
}

#[tokio::test]
async fn rows_made_by_heartbeats_and_frames_wait_too() {
    let house = House::new().await;
    house.require_approval("acme");
    let caller = caller("acme");
    let report = machine("vm", "dlite-1", "192.0.2.1");
    let made = house.roster.upsert(&caller, &beat(&report, "d-1"), house.now()).await.expect("taken");
    assert_eq!(made.status, AgentStatus::WaitingForApproval);
    let frame = house.roster.placeholder(&caller, &beat(&report, "d-2"), house.now()).await.expect("taken");
    assert_eq!(frame.status, AgentStatus::WaitingForApproval);
    let view = house.view("acme", false).await;
    assert!(view.snapshot.groups.iter().all(|group| group.facts.approval == Approval::Pending));
}

#[tokio::test]
async fn a_rejected_delegate_is_hidden_and_turned_away_until_it_is_allowed() {
    let house = House::new().await;
    house.require_approval("acme");
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let id = house.register(&caller, &report).await.id;
    let group = house.group_id("edge").await;
    assert!(house.roster.set_approval("acme", &group, Approval::Rejected, house.now()));
    assert_eq!(house.listed().await, [""; 0]);
    assert_eq!(house.view("acme", false).await.snapshot.counts.groups, 0);
    assert!(house.roster.deletion("acme", &group, None, "x", house.now()).is_none());
    house.clock.advance(MINUTE);
    let fresh = house.register(&caller, &report).await;
    assert_ne!(fresh.id, id);
    for sent in [&id, &fresh.id] {
        for answer in [
            house.roster.beat(&caller, &beat(&report, sent), house.now()),
            house.roster.stream_beat(&caller, &beat(&report, sent), house.now()),
        ] {
            assert_eq!(answer.map(|answer| answer.status), Some(AgentStatus::Disabled));
        }
    }
    let [refusal] = &house.roster.refusals("acme")[..] else { panic!("one refusal") };
    assert!(refusal.rejected && refusal.group == group && refusal.called_at == house.now());
    assert_eq!(house.listed().await, [""; 0]);

    let allowed = house.roster.allow("acme", &group, house.now()).expect("rejected");
    assert!(allowed.rejected && allowed.tombstones.is_empty());
    assert!(house.roster.set_approval("acme", &group, Approval::Approved, house.now()));
    assert_eq!(house.roster.refusals("acme"), []);
    assert!(house.roster.allow("acme", &group, house.now()).is_none());
    house.clock.advance(SECOND);
    let back = house.register(&caller, &report).await;
    assert_eq!((back.id, back.status), (id, AgentStatus::Enabled));
    assert_eq!(house.listed().await, ["edge: edge-a"]);
}

#[tokio::test]
async fn there_is_nothing_to_approve_where_there_is_no_group() {
    let house = House::new().await;
    for account in ["acme", "beta"] {
        assert!(!house.roster.set_approval(account, "nothing", Approval::Approved, house.now()));
        assert!(house.roster.allow(account, "nothing", house.now()).is_none());
    }
}

#[tokio::test]
async fn after_a_restart_a_rejected_delegate_is_hidden_and_its_silence_is_no_news() {
    let house = House::new().await;
    house.register(&caller("acme"), &pod("edge", "edge-a", "10.0.0.1")).await;
    let view = house.view("acme", false).await;
    let (group, member) = (&view.snapshot.groups[0].facts, &view.snapshot.groups[0].members[0].facts);
    let rejected = GroupFacts {
        id: "rejected".into(),
        name: "west".into(),
        identifier: "_west".into(),
        approval: Approval::Rejected,
        ..(**group).clone()
    };
    let facts = InstanceFacts { id: "w-1".into(), group: "rejected".into(), ..(**member).clone() };
    let row =
        InstanceRow { account: "acme".into(), facts: Arc::new(facts), last_heartbeat: Some(house.now()) };
    let batch = Batch { groups: vec![Arc::new(rejected)], instances: vec![row], ..Batch::default() };
    house.store.write(&batch).await.expect("stored");
    let house = house.kill_and_restart().await;
    assert_eq!(house.listed().await, ["edge: edge-a"]);
    house.clock.advance(10 * MINUTE);
    house.roster.record_silence(house.now());
    let house = house.restart().await;
    let lines = house.store.transitions("acme", "rejected", None, 10).await.expect("history");
    assert_eq!(lines, []);
    assert_eq!(house.store.transitions("acme", &group.id, None, 10).await.expect("history").len(), 2);
}
