//! What retention hides, and the switch that shows it (product 4.1, 4.2).

use std::sync::Arc;

use fleet::catalog::Latest;
use fleet::delegate::{Approval, GroupFacts};
use fleet::health::Judge;
use fleet::policy::Policy;
use fleet::query::{Health, Query, select};
use fleet::time::{DAY, HOUR, SECOND};
use fleet::view::{Extent, GroupView, Sight, Snapshot};

use crate::support::{Seen, ago, catalog, group, instance, now, scope};

/// A group with and without what is hidden.
fn seen(group: &GroupFacts, members: &[Seen], hidden: bool) -> Option<GroupView> {
    let (catalog, policy) = (catalog(), Policy::default());
    let mut judge = Judge::new(&catalog, Latest::default(), &policy, now());
    let members = members.iter().map(|seen| (Arc::new(seen.facts.clone()), seen.last_heartbeat));
    let facts = Arc::new(group.clone());
    if hidden {
        GroupView::build_with_hidden(facts, members, &mut judge)
    } else {
        GroupView::build(facts, members, &mut judge)
    }
}

fn with_hidden(views: Vec<GroupView>) -> Snapshot {
    let sight = Sight { extent: Extent::Exact, hidden: true };
    Snapshot::new(scope("acme"), sight, now(), Latest::default(), views)
}

#[test]
fn an_instance_is_hidden_from_6_hours_and_one_second_on() {
    let members = [
        instance("edge-1", "").beat(Some(ago(6 * HOUR))),
        instance("edge-2", "").beat(Some(ago(6 * HOUR + SECOND))),
    ];
    let listed = seen(&group("edge"), &members, false).unwrap();
    assert_eq!(listed.members.iter().map(|member| &*member.facts.host_name).collect::<Vec<_>>(), ["edge-1"]);
    let all = seen(&group("edge"), &members, true).unwrap();
    let told: Vec<_> = all.members.iter().map(|member| (&*member.facts.host_name, member.hidden)).collect();
    assert_eq!(told, [("edge-1", false), ("edge-2", true)]);
    assert_eq!(all.rollup, listed.rollup, "no figure counts it");
}

#[test]
fn a_group_is_hidden_from_7_days_and_one_second_on() {
    for (idle, hidden) in [(7 * DAY, false), (7 * DAY + SECOND, true)] {
        let mut facts = group("edge");
        facts.last_active = ago(30 * DAY);
        let members = [instance("edge-1", "26.05.89004").beat(Some(ago(idle)))];
        assert_eq!(seen(&facts, &members, false).is_none(), hidden);
        let all = seen(&facts, &members, true).unwrap();
        assert_eq!((all.hidden, all.members.len(), all.members[0].hidden), (hidden, 1, true));
        let snapshot = with_hidden(vec![all]);
        assert_eq!((snapshot.counts.groups, snapshot.counts.instances), (u64::from(!hidden), 0));
        assert_eq!(select(&snapshot, &Query::parse("hidden=true").unwrap()).groups, 1);
    }
}

#[test]
fn a_goodbye_hides_at_once_and_is_told_from_silence() {
    let stopped = instance("stopped", "").with(|facts| facts.goodbye_at = Some(ago(SECOND)));
    let silent = instance("silent", "").beat(Some(ago(7 * HOUR)));
    let back = instance("back", "").with(|facts| facts.goodbye_at = Some(ago(HOUR)));
    let all = seen(&group("edge"), &[stopped, silent, back], true).unwrap();
    let told: Vec<_> = all
        .members
        .iter()
        .map(|member| (&*member.facts.host_name, member.hidden, member.said_goodbye()))
        .collect();
    assert_eq!(told, [("back", false, false), ("silent", true, false), ("stopped", true, true)]);
    assert!(!all.members[2].assessment.connectivity.is_connected());
}

#[test]
fn no_card_counts_what_is_hidden_and_its_list_does_not_show_it() {
    let members = [
        instance("edge-1", "26.05.89004"),
        instance("edge-2", "26.05.89004").with(|facts| facts.goodbye_at = Some(ago(SECOND))),
        instance("edge-3", "").beat(Some(ago(7 * HOUR))),
    ];
    let snapshot = with_hidden(vec![seen(&group("edge"), &members, true).unwrap()]);
    for health in Health::ALL {
        let query = Query::default().with_hidden(true).with_health(Some(health));
        let selection = select(&snapshot, &query);
        let shown = if health == Health::AutoUpgradeOff { selection.groups } else { selection.instances };
        let counts = serde_json::to_value(snapshot.counts).unwrap();
        assert_eq!(Some(shown as u64), counts[health.as_str()].as_u64(), "{}", health.as_str());
    }
    assert_eq!(select(&snapshot, &Query::default().with_hidden(true)).instances, 3);
}

#[test]
fn what_a_person_turned_away_is_not_shown_with_the_hidden() {
    let mut facts = group("edge");
    facts.approval = Approval::Rejected;
    assert!(seen(&facts, &[instance("edge-1", "")], true).is_none());
}
