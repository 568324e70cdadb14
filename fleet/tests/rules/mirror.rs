//! How another server's fleet is read (management-api 7.4, 7.5).

use std::sync::Arc;

use fleet::delegate::InstanceFacts;
use fleet::health::{Judge, Standing, Status};
use fleet::mirror::{Belief, Cycle, Pace, Source, ToldGroup, ToldInstance, Trouble, is_connected, is_stale};
use fleet::policy::Policy;
use fleet::query::{Query, select_all};
use fleet::time::{DAY, HOUR, MINUTE, SECOND, Timestamp};
use fleet::upgrade::State;
use fleet::view::{Extent, GroupView, Snapshot};
use proptest::prelude::*;

use crate::support::{ago, catalog, group, instance, now, scope};

/// Without jitter.
const EVEN: f64 = 0.5;
const MANY: Cycle = Cycle::TooMany { retry_after: None };

#[test]
fn nobody_is_asked_more_often_than_once_a_minute() {
    assert_eq!(Pace::new(SECOND).after(Cycle::Good, EVEN), MINUTE);
    assert_eq!(Pace::new(SECOND).after(Cycle::Good, 0.0), MINUTE, "jitter does not make it shorter");
    assert_eq!(Pace::new(5 * MINUTE).after(Cycle::Good, EVEN), 5 * MINUTE);
}

#[test]
fn jitter_is_a_tenth_to_either_side() {
    let wait = |jitter| Pace::new(10 * MINUTE).after(Cycle::Good, jitter);
    assert_eq!((wait(0.0), wait(EVEN), wait(1.0)), (9 * MINUTE, 10 * MINUTE, 11 * MINUTE));
}

#[test]
fn a_rate_limit_doubles_the_interval_up_to_fifteen_minutes_and_three_good_cycles_end_that() {
    let mut pace = Pace::new(MINUTE);
    let waits: Vec<i64> = (0..5).map(|_| pace.after(MANY, EVEN) / MINUTE).collect();
    assert_eq!(waits, [2, 4, 8, 15, 15]);
    assert_eq!(pace.after(Cycle::Good, EVEN), 15 * MINUTE);
    assert_eq!(pace.after(Cycle::Good, EVEN), 15 * MINUTE);
    assert_eq!(pace.after(Cycle::Good, EVEN), MINUTE);
    assert_eq!(pace.after(MANY, EVEN), 2 * MINUTE);
    assert_eq!(pace.after(Cycle::Good, EVEN), 2 * MINUTE, "counted anew");
    assert_eq!(pace.after(Cycle::Good, EVEN), 2 * MINUTE);
    pace.after(Cycle::Failed, EVEN);
    assert_eq!(pace.after(Cycle::Good, EVEN), 2 * MINUTE, "not in a row");
}

#[test]
fn what_the_source_asks_for_is_honoured_within_bounds() {
    let after = |seconds| {
        let mut pace = Pace::new(MINUTE);
        // Jitter makes a wait shorter, but never shorter than the source asked for.
        pace.after(Cycle::TooMany { retry_after: Some(seconds * SECOND) }, 0.0)
    };
    assert_eq!(after(1), 2 * MINUTE - 12 * SECOND);
    assert_eq!(after(300), 5 * MINUTE);
    assert_eq!(after(86_400), HOUR);
}

#[test]
fn a_refused_key_is_tried_hourly_and_a_failure_in_the_next_cycle() {
    let mut pace = Pace::new(MINUTE);
    assert_eq!(pace.after(Cycle::Refused, EVEN), HOUR);
    assert_eq!(pace.after(Cycle::Failed, EVEN), MINUTE);
    assert_eq!(pace.after(Cycle::Good, EVEN), MINUTE);
}

#[test]
fn an_empty_list_is_believed_the_second_time_in_a_row() {
    let mut belief = Belief::default();
    assert!(belief.of(0), "there was nothing before");
    assert!(belief.of(3));
    assert!(!belief.of(0));
    assert!(belief.of(3), "it came back");
    assert!(!belief.of(0));
    assert!(belief.of(0));
    assert!(belief.of(0));
}

#[test]
fn fifteen_minutes_without_success_are_stale_and_one_more_millisecond_says_so() {
    let old = ago(15 * MINUTE);
    assert!(!is_stale(Some(old), ago(HOUR), now()));
    assert!(is_stale(Some(old), ago(HOUR), now().plus(1)));
    assert!(!is_stale(None, old, now()), "from when it was set up");
    assert!(is_stale(None, old, now().plus(1)));
}

#[test]
fn connected_is_what_the_source_says_else_what_its_clock_says() {
    let timeout = 300 * SECOND;
    assert!(is_connected(Some(true), None, now(), timeout));
    assert!(!is_connected(Some(false), Some(now()), now(), timeout));
    assert!(is_connected(None, Some(ago(300 * SECOND)), now(), timeout));
    assert!(!is_connected(None, Some(ago(300 * SECOND + 1)), now(), timeout));
    assert!(!is_connected(None, None, now(), timeout));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_outcome_leads_to_a_wait_below_a_minute_or_far_above_an_hour(
        interval in 0..HOUR, outcomes in proptest::collection::vec(0..4_u8, 1..40), jitter in 0.0..1.0_f64,
    ) {
        let mut pace = Pace::new(interval);
        for outcome in outcomes {
            let cycle = match outcome {
                0 => Cycle::Good,
                1 => MANY,
                2 => Cycle::Refused,
                _ => Cycle::Failed,
            };
            let wait = pace.after(cycle, jitter);
            prop_assert!((MINUTE..=HOUR + HOUR / 10).contains(&wait), "{wait}");
        }
    }
}

fn told(version: &str) -> ToldInstance {
    let facts = instance("edge-1", version).facts;
    ToldInstance {
        facts: Arc::new(InstanceFacts { token: "".into(), ..facts }),
        last_heartbeat: Some(ago(10 * SECOND)),
        connected: true,
        expires_at: None,
        status: None,
        turns: None,
    }
}

fn source(as_of: Timestamp) -> Arc<Source> {
    Arc::new(Source { name: "vendor".into(), as_of, trouble: None, latest: None })
}

/// A group with one instance, judged as of now.
fn view(member: ToldInstance, auto_upgrade: State) -> GroupView {
    let (catalog, policy) = (catalog(), Policy::default());
    let latest = catalog.latest(None, None, now());
    let told = ToldGroup { facts: Arc::new(group("edge")), auto_upgrade, members: vec![member] };
    GroupView::told(&told, &source(now()), &mut Judge::new(&catalog, latest, &policy, now()))
}

fn standing(member: ToldInstance) -> Standing {
    view(member, State::On).members[0].assessment.standing
}

#[test]
fn an_instance_is_connected_as_its_source_says_however_old_its_heartbeat() {
    let old = ToldInstance { last_heartbeat: Some(ago(40 * DAY)), ..told("26.11.90604") };
    let group = view(old.clone(), State::On);
    assert_eq!((group.rollup.counts.connected, group.rollup.counts.active), (1, 1));
    assert_eq!(group.members.len(), 1, "retention is the source's");
    let group = view(ToldInstance { connected: false, last_heartbeat: Some(ago(0)), ..old }, State::On);
    assert_eq!((group.rollup.counts.connected, group.rollup.counts.unreachable), (0, 1));
}

#[test]
fn a_version_is_judged_as_the_source_says_and_else_by_our_rules() {
    assert_eq!(standing(told("26.11.90604")), Standing::Active);
    assert_eq!(standing(told("26.09.89620")), Standing::Unsupported, "by the order of versions");
    assert_eq!(standing(told("")), Standing::Unknown);
    let ends = |at| ToldInstance { expires_at: Some(at), ..told("26.11.90604") };
    assert_eq!(standing(ends(ago(1))), Standing::Expired);
    assert_eq!(standing(ends(now())), Standing::NearExpiry, "on its last millisecond");
    assert_eq!(standing(ends(now().plus(28 * DAY))), Standing::NearExpiry);
    assert_eq!(standing(ends(now().plus(28 * DAY + 1))), Standing::Active);
    for (status, expected) in [
        (Status::Active, Standing::Active),
        (Status::Expiring, Standing::NearExpiry),
        (Status::Expired, Standing::Expired),
        (Status::Unsupported, Standing::Unsupported),
    ] {
        assert_eq!(standing(ToldInstance { status: Some(status), ..told("26.09.89620") }), expected);
    }
}

#[test]
fn auto_upgrade_is_as_the_source_says_and_not_known_is_not_off() {
    for (state, off) in [
        (State::On, 0),
        (State::Off, 1),
        (State::Detecting, 0),
        (State::Synchronizing, 0),
        (State::Unknown, 0),
    ] {
        let group = view(told("26.11.90604"), state);
        assert_eq!(group.rollup.auto_upgrade.state, state);
        assert_eq!(group.rollup.counts.auto_upgrade_off, off, "{state:?}");
        assert_eq!(group.rollup.auto_upgrade.due_at(&group.facts, &Policy::default()), None);
    }
}

#[test]
fn a_list_can_be_narrowed_to_where_groups_are_from() {
    let told = view(told("26.11.90604"), State::Unknown);
    let own = GroupView { source: None, ..told.clone() };
    let latest = catalog().latest(None, None, now());
    let all = Snapshot::new(scope("acme"), Extent::Exact, now(), latest, vec![told, own]);
    let found = |query: &str| {
        let rows = select_all(&all, &Query::parse(query).unwrap()).rows;
        rows.iter().map(|row| all.groups[row.group].source.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(found("").len(), 2);
    assert_eq!(found("source=own"), [false]);
    assert_eq!(found("source=mirror"), [true]);
    assert_eq!(found("autoUpgrade=UNKNOWN").len(), 2);
}

#[test]
fn a_source_is_stale_after_fifteen_minutes() {
    let source = source(ago(15 * MINUTE));
    assert!(!source.is_stale(now()));
    assert!(source.is_stale(now().plus(1)));
    assert_ne!(*source, Source { trouble: Some(Trouble::Refused), ..(*source).clone() });
}

#[test]
fn another_normal_interval_holds_at_once_but_a_slower_pace_stays() {
    let even = Pace::new(MINUTE).at(5 * MINUTE);
    assert_eq!(even, Pace::new(5 * MINUTE));
    let mut slow = Pace::new(MINUTE);
    slow.after(MANY, EVEN);
    let mut slow = slow.at(90 * SECOND);
    assert_eq!(slow.after(Cycle::Good, EVEN), 2 * MINUTE);
}

#[test]
fn an_empty_list_after_a_failed_cycle_is_doubted_anew() {
    let mut belief = Belief::default();
    assert!(belief.of(3));
    assert!(!belief.of(0));
    belief.interrupted();
    assert!(!belief.of(0), "not in a row");
    assert!(belief.of(0));
}
