//! How another server's fleet is read (management-api 7.4, 7.5).

use fleet::mirror::{Belief, Cycle, Pace, is_connected, is_stale};
use fleet::time::{HOUR, MINUTE, SECOND};
use proptest::prelude::*;

use crate::support::{ago, now};

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
