//! What an instance was in the past day (product 3.6, P7).

use std::sync::Arc;

use fleet::history::{Life, MAX_RECENT, RECENT, Span, State, Turn, is_unstable, spans, with_turn};
use fleet::policy::Policy;
use fleet::time::{HOUR, MINUTE, SECOND, Timestamp};

use crate::support::{ago, group, instance, now, view};

const TIMEOUT: i64 = 300 * SECOND;

fn lost(millis: i64) -> Turn {
    Turn { at: ago(millis), to: State::NotConnected }
}

fn back(millis: i64) -> Turn {
    Turn { at: ago(millis), to: State::Connected }
}

fn unstable(turns: &[Turn]) -> bool {
    is_unstable(turns, &Policy::default(), now())
}

#[test]
fn three_losses_within_60_minutes_are_unstable() {
    let start = 60 * MINUTE;
    assert!(unstable(&[lost(start), back(50 * MINUTE), lost(30 * MINUTE), back(20 * MINUTE), lost(0)]));
    assert!(!unstable(&[lost(start + 1), back(50 * MINUTE), lost(30 * MINUTE), back(20 * MINUTE), lost(0)]));
    assert!(!unstable(&[lost(start), back(50 * MINUTE), lost(30 * MINUTE), back(20 * MINUTE)]));
}

#[test]
fn it_stays_unstable_until_60_minutes_pass_without_a_change() {
    let turns = |last| [lost(last + 3), back(last + 2), lost(last + 2), lost(last + 1), back(last)];
    assert!(unstable(&turns(60 * MINUTE)));
    assert!(!unstable(&turns(60 * MINUTE + 1)));
}

#[test]
fn the_number_of_losses_and_the_window_are_settings() {
    let policy = Policy { flap_count: 1, flap_window: MINUTE, ..Policy::default() };
    assert!(is_unstable(&[lost(MINUTE)], &policy, now()));
    assert!(!is_unstable(&[lost(MINUTE + 1)], &policy, now()));
    assert!(!is_unstable(&[lost(0)], &Policy { flap_count: 0, ..policy }, now()));
}

#[test]
fn turns_are_kept_for_a_day_in_the_order_of_time_and_once() {
    let turns = with_turn(&None, back(0), now());
    let turns = with_turn(&turns, lost(RECENT), now());
    let turns = with_turn(&turns, lost(RECENT), now());
    assert_eq!(turns.as_deref(), Some(&[lost(RECENT), back(0)][..]));
    assert_eq!(with_turn(&None, lost(RECENT + 1), now()), None);
    assert_eq!(with_turn(&turns, back(-1), now().plus(1)).as_deref(), Some(&[back(0), back(-1)][..]));
}

#[test]
fn of_too_many_turns_the_newest_stay() {
    let mut turns = None;
    for minute in 0..=i64::try_from(MAX_RECENT).unwrap() {
        turns = with_turn(&turns, back(minute * MINUTE), now());
    }
    let kept = turns.unwrap();
    assert_eq!((kept.len(), kept.last()), (MAX_RECENT, Some(&back(0))));
}

/// State, beginning and end in minutes ago.
fn told(registered: i64, beat: i64, turns: &[Turn], from: i64) -> Vec<(State, i64, i64)> {
    let life = Life { registered_at: ago(registered * MINUTE), last_heartbeat: Some(ago(beat)), turns };
    let minutes = |at: Timestamp| at.age(now()) / MINUTE;
    let row = |span: &Span| (span.state, minutes(span.from), minutes(span.until));
    spans(life, ago(from * MINUTE), TIMEOUT, now()).iter().map(row).collect()
}

#[test]
fn one_that_never_turned_was_connected_since_it_registered() {
    assert_eq!(told(5_000, 0, &[], 1_440), [(State::Connected, 1_440, 0)]);
    assert_eq!(told(30, 0, &[], 1_440), [(State::Connected, 30, 0)]);
}

#[test]
fn silence_that_is_not_recorded_yet_counts_from_the_301st_second() {
    let turns = told(5_000, 15 * MINUTE, &[], 60);
    assert_eq!(turns, [(State::Connected, 60, 10), (State::NotConnected, 10, 0)]);
    assert_eq!(told(5_000, TIMEOUT, &[], 60), [(State::Connected, 60, 0)]);
}

#[test]
fn a_loss_and_a_return_part_the_day() {
    let turns = [lost(40 * MINUTE), back(30 * MINUTE)];
    let expected = [(State::Connected, 60, 40), (State::NotConnected, 40, 30), (State::Connected, 30, 0)];
    assert_eq!(told(5_000, 0, &turns, 60), expected);
    assert_eq!(
        told(5_000, 0, &turns, 35),
        expected.map(|(state, from, until)| (state, from.min(35), until))[1..]
    );
}

#[test]
fn what_came_before_the_first_turn_follows_from_it() {
    let hidden = |millis| Turn { at: ago(millis), to: State::Hidden };
    // Hidden by retention: it was silent before.
    let silent = [hidden(HOUR)];
    assert_eq!(told(5_000, 7 * HOUR, &silent, 120), [(State::NotConnected, 120, 60), (State::Hidden, 60, 0)]);
    // Hidden by a goodbye: it was connected until then.
    assert_eq!(told(5_000, HOUR, &silent, 120), [(State::Connected, 120, 60), (State::Hidden, 60, 0)]);
    assert_eq!(told(5_000, 0, &[back(HOUR)], 120), [(State::Hidden, 120, 60), (State::Connected, 60, 0)]);
}

#[test]
fn a_group_knows_which_of_its_members_are_unstable() {
    let (catalog, policy) = (crate::support::catalog(), Policy::default());
    let latest = catalog.latest(None, None, now());
    let mut judge = fleet::health::Judge::new(&catalog, latest, &policy, now());
    let known = |host: &str, turns: &[Turn]| fleet::view::Known {
        facts: Arc::new(instance(host, "26.11.90604").facts),
        last_heartbeat: Some(now()),
        turns: (!turns.is_empty()).then(|| turns.into()),
    };
    let flapping = [lost(30 * MINUTE), lost(20 * MINUTE), lost(10 * MINUTE), back(9 * MINUTE)];
    let members = [known("a", &[]), known("b", &flapping)];
    let group = fleet::view::GroupView::build(Arc::new(group("edge")), members, &mut judge).unwrap();
    let marks: Vec<bool> = group.members.iter().map(|member| member.unstable).collect();
    assert_eq!(marks, [false, true]);
    assert!(view(crate::support::group("edge"), vec![instance("a", "")]).members[0].turns.is_none());
}
