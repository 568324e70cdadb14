//! What became of an instance within a window (product 3.6).

use fleet::history::{Availability, Cause, Change, Past, Run, Slot, Span, State, Window, known, runs, strip};
use fleet::time::{DAY, HOUR, MINUTE, SECOND, Timestamp};

use crate::support::{ago, now};

const TIMEOUT: i64 = 300 * SECOND;

fn change(millis: i64, from: Option<State>, to: State, cause: Cause) -> Change {
    Change { at: ago(millis), from, to, cause, note: "".into() }
}

fn lost(millis: i64) -> Change {
    change(millis, Some(State::Connected), State::NotConnected, Cause::Silence)
}

fn back(millis: i64) -> Change {
    change(millis, Some(State::NotConnected), State::Connected, Cause::Return)
}

fn past(changes: &[Change]) -> Past<'_> {
    Past { registered_at: ago(90 * DAY), last_heartbeat: Some(now()), changes, kept_since: ago(400 * DAY) }
}

type Told = (Option<State>, i64, i64, Option<Cause>);

/// State, beginning and end in minutes ago, cause.
fn told(past: Past<'_>, from: i64) -> Vec<Told> {
    let minutes = |at: Timestamp| at.age(now()) / MINUTE;
    let row = |run: Run| (run.state, minutes(run.from), minutes(run.until), run.cause);
    runs(past, ago(from * MINUTE), TIMEOUT, now()).into_iter().map(row).collect()
}

const UP: Option<State> = Some(State::Connected);
const DOWN: Option<State> = Some(State::NotConnected);
const GONE: Option<State> = Some(State::Hidden);

#[test]
fn a_loss_and_a_return_make_three_runs_with_their_causes() {
    let changes = [lost(40 * MINUTE), back(30 * MINUTE)];
    let expected =
        [(UP, 60, 40, None), (DOWN, 40, 30, Some(Cause::Silence)), (UP, 30, 0, Some(Cause::Return))];
    assert_eq!(told(past(&changes), 60), expected);
}

#[test]
fn a_change_at_the_very_beginning_begins_a_run_and_one_before_it_does_not() {
    assert_eq!(told(past(&[lost(HOUR)]), 60)[0], (DOWN, 60, 0, Some(Cause::Silence)));
    assert_eq!(told(past(&[lost(HOUR + 1)]), 60)[0], (DOWN, 60, 0, None));
    assert_eq!(told(past(&[lost(HOUR - MINUTE)]), 60)[0], (UP, 60, 59, None));
}

#[test]
fn news_without_a_change_of_state_begin_no_run() {
    let version = change(30 * MINUTE, UP, State::Connected, Cause::Version);
    assert_eq!(told(past(std::slice::from_ref(&version)), 60), [(UP, 60, 0, None)]);
    let changes = [lost(50 * MINUTE), back(40 * MINUTE), version];
    assert_eq!(told(past(&changes), 60)[2], (UP, 40, 0, Some(Cause::Return)));
}

#[test]
fn nothing_is_told_of_the_time_before_the_registration() {
    let registered = change(30 * MINUTE, None, State::Connected, Cause::Registered);
    let past = Past { registered_at: ago(30 * MINUTE), ..past(std::slice::from_ref(&registered)) };
    assert_eq!(told(past, 60), [(UP, 30, 0, Some(Cause::Registered))]);
}

#[test]
fn what_lies_before_the_kept_history_is_not_known() {
    let kept = |changes| Past { kept_since: ago(50 * MINUTE), ..past(changes) };
    assert_eq!(told(kept(&[]), 60), [(None, 60, 50, None), (UP, 50, 0, None)]);
    let later = [lost(40 * MINUTE)];
    let expected = [(None, 60, 50, None), (UP, 50, 40, None), (DOWN, 40, 0, Some(Cause::Silence))];
    assert_eq!(told(kept(&later), 60), expected);
    // One that is older and still there is as good as any.
    let older = [lost(55 * MINUTE)];
    assert_eq!(told(kept(&older), 60), [(None, 60, 55, None), (DOWN, 55, 0, Some(Cause::Silence))]);
    assert_eq!(told(kept(&[]), 50), [(UP, 50, 0, None)]);
}

#[test]
fn silence_that_nobody_has_recorded_yet_is_a_run() {
    let silent = Past { last_heartbeat: Some(ago(15 * MINUTE)), ..past(&[]) };
    assert_eq!(told(silent, 60), [(UP, 60, 10, None), (DOWN, 10, 0, Some(Cause::Silence))]);
    let late = Past { last_heartbeat: Some(ago(TIMEOUT)), ..past(&[]) };
    assert_eq!(told(late, 60), [(UP, 60, 0, None)]);
    let gone = change(20 * MINUTE, UP, State::Hidden, Cause::Goodbye);
    let gone = Past { last_heartbeat: Some(ago(20 * MINUTE)), ..past(std::slice::from_ref(&gone)) };
    assert_eq!(told(gone, 60), [(UP, 60, 20, None), (GONE, 20, 0, Some(Cause::Goodbye))]);
}

#[test]
fn one_that_left_the_memory_keeps_its_last_state() {
    let gone = change(2 * HOUR, DOWN, State::Hidden, Cause::Retention);
    let gone = Past { last_heartbeat: None, ..past(std::slice::from_ref(&gone)) };
    assert_eq!(told(gone, 60), [(GONE, 60, 0, None)]);
}

#[test]
fn runs_know_their_length_and_their_note() {
    let mut deleted = change(MINUTE, UP, State::Hidden, Cause::Deleted);
    deleted.note = "rejected".into();
    let found = runs(past(std::slice::from_ref(&deleted)), ago(HOUR), TIMEOUT, now());
    assert_eq!((found[1].length(), &*found[1].note), (MINUTE, "rejected"));
    assert_eq!(known(&found).len(), 2);
}

fn span(from: i64, until: i64, state: State) -> Span {
    Span { from: ago(from * MINUTE), until: ago(until * MINUTE), state }
}

#[test]
fn a_box_holds_the_share_of_each_state() {
    let spans =
        [span(40, 20, State::Connected), span(20, 15, State::NotConnected), span(15, 0, State::Hidden)];
    let boxes = strip(&spans, ago(50 * MINUTE), ago(60 * MINUTE), now(), 2);
    let first = Slot {
        from: ago(60 * MINUTE),
        until: ago(30 * MINUTE),
        connected: 10 * MINUTE,
        not_connected: 0,
        hidden: 0,
        unregistered: 10 * MINUTE,
        unknown: 10 * MINUTE,
    };
    let second = Slot {
        from: ago(30 * MINUTE),
        until: now(),
        connected: 10 * MINUTE,
        not_connected: 5 * MINUTE,
        hidden: 15 * MINUTE,
        unregistered: 0,
        unknown: 0,
    };
    assert_eq!(boxes, [first, second]);
}

#[test]
fn boxes_fill_the_window_without_gaps() {
    for window in Window::ALL {
        let (from, until) = (window.from(now()), now());
        let boxes = strip(&[], ago(0), from, until, window.slots());
        assert_eq!(boxes.len(), window.slots() as usize);
        assert_eq!((boxes[0].from, boxes.last().unwrap().until), (from, until));
        assert!(boxes.windows(2).all(|pair| pair[0].until == pair[1].from));
        assert!(boxes.iter().all(|slot| slot.unregistered == slot.from.age(slot.until)));
        assert_eq!(Window::parse(window.as_str()), Some(window));
    }
    assert_eq!(Window::parse("1h"), None);
    assert_eq!(strip(&[], now(), now(), now(), 48), []);
    assert_eq!(strip(&[], now(), ago(HOUR), now(), 0), []);
}

#[test]
fn the_boxes_of_each_window_have_the_promised_lengths() {
    let length = |window: Window| window.millis() / i64::from(window.slots());
    assert_eq!(Window::ALL.map(length), [30 * MINUTE, 2 * HOUR, 12 * HOUR]);
}

#[test]
fn availability_counts_the_time_in_which_it_was_listed() {
    let all = [span(60, 20, State::Connected), span(20, 10, State::NotConnected), span(10, 0, State::Hidden)];
    let sum = Availability::of(&all);
    let expected = Availability { connected: 40 * MINUTE, listed: 50 * MINUTE, losses: 1 };
    assert_eq!((sum, sum.permille()), (expected, Some(800)));
    assert_eq!(Availability::of(&[]).permille(), None);
    assert_eq!(Availability::of(&all[2..]).permille(), None);
    assert_eq!(Availability::of(&all[..1]).permille(), Some(1_000));
    assert_eq!(Availability::of(&all[1..]), Availability { connected: 0, listed: 10 * MINUTE, losses: 0 });
}

#[test]
fn a_hundred_percent_is_said_only_without_any_loss() {
    let spans = [
        Span { from: ago(30 * DAY), until: ago(1), state: State::Connected },
        Span { from: ago(1), until: now(), state: State::NotConnected },
    ];
    assert_eq!(Availability::of(&spans).permille(), Some(999));
}
