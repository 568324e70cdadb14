//! Transitions (`product 3.6`).

use std::sync::Arc;

use fleet::history::Turn;
use fleet::time::Timestamp;
use server::store::{Batch, Cause, HistoryWanted, State, StoreError, Transition};

use crate::fixture::{Fixture, Loaded, at, group};

/// An instance of `acme` falls silent at `seconds`.
pub(crate) fn transition(group: &str, instance: &str, seconds: i64) -> Transition {
    Transition {
        account: "acme".into(),
        group: group.into(),
        instance: instance.into(),
        at: at(seconds),
        from: Some(State::Connected),
        to: State::NotConnected,
        cause: Cause::Silence,
        note: "".into(),
        silence: None,
    }
}

async fn add(fixture: &Fixture, transitions: Vec<Transition>) {
    fixture.write(Batch { transitions, ..Batch::default() }).await;
}

/// Stores groups, each given with its owner.
async fn known(fixture: &Fixture, groups: &[(&str, &str)]) {
    let groups = groups.iter().map(|(owner, id)| Arc::new(group(owner, id))).collect();
    fixture.write(Batch { groups, ..Batch::default() }).await;
}

async fn seconds(fixture: &Fixture, instance: Option<&str>, limit: u32) -> Vec<i64> {
    let lines = fixture.store.transitions("acme", "edge", instance, limit).await.unwrap();
    lines.iter().map(|line| (line.at.millis() - at(0).millis()) / 1_000).collect()
}

pub(crate) async fn newest_comes_first(fixture: Fixture) {
    let lines = vec![
        Transition {
            from: None,
            to: State::Connected,
            cause: Cause::Registered,
            ..transition("edge", "a", 1)
        },
        transition("edge", "a", 3),
        Transition {
            from: Some(State::Connected),
            to: State::Connected,
            cause: Cause::Version,
            note: "26.09.89620 -> 26.10.90107".into(),
            ..transition("edge", "b", 2)
        },
    ];
    add(&fixture, lines.clone()).await;
    let told = fixture.store.transitions("acme", "edge", None, 10).await.unwrap();
    assert_eq!(told, [lines[1].clone(), lines[2].clone(), lines[0].clone()]);
}

pub(crate) async fn changes_of_one_millisecond_keep_their_order(fixture: Fixture) {
    let causes = [
        Cause::Registered,
        Cause::Silence,
        Cause::Goodbye,
        Cause::Return,
        Cause::LongPause,
        Cause::Version,
        Cause::Deleted,
        Cause::Retention,
    ];
    let states = [State::Connected, State::NotConnected, State::Hidden];
    let line = |(number, &cause): (usize, &Cause)| Transition {
        from: (number > 0).then(|| states[(number + 2) % 3]),
        to: states[number % 3],
        cause,
        ..transition("edge", "a", 5)
    };
    let lines: Vec<_> = causes.iter().enumerate().map(line).collect();
    add(&fixture, lines[..3].to_vec()).await;
    add(&fixture, lines[3..].to_vec()).await;
    let told = fixture.store.transitions("acme", "edge", None, 100).await.unwrap();
    assert!(told.iter().eq(lines.iter().rev()), "{told:?}");
}

pub(crate) async fn a_limit_cuts_the_oldest(fixture: Fixture) {
    add(&fixture, (1..=5).map(|second| transition("edge", "a", second)).collect()).await;
    assert_eq!(seconds(&fixture, None, 2).await, [5, 4]);
    assert_eq!(seconds(&fixture, Some("a"), 3).await, [5, 4, 3]);
    assert_eq!(seconds(&fixture, None, 0).await, [0; 0]);
    assert_eq!(seconds(&fixture, None, u32::MAX).await, [5, 4, 3, 2, 1]);
}

pub(crate) async fn an_instance_has_its_own_history(fixture: Fixture) {
    let foreign = Transition { account: "beta".into(), ..transition("edge", "a", 4) };
    let lines =
        vec![transition("edge", "a", 1), transition("edge", "b", 2), transition("west", "a", 3), foreign];
    add(&fixture, lines).await;
    assert_eq!(seconds(&fixture, None, 10).await, [2, 1]);
    assert_eq!(seconds(&fixture, Some("a"), 10).await, [1]);
    assert_eq!(seconds(&fixture, Some("never"), 10).await, [0; 0]);
}

pub(crate) async fn a_batch_written_again_adds_nothing(fixture: Fixture) {
    let lines = vec![transition("edge", "a", 1), transition("edge", "a", 2)];
    add(&fixture, lines.clone()).await;
    add(&fixture, [lines, vec![transition("edge", "a", 3)]].concat()).await;
    assert_eq!(seconds(&fixture, None, 10).await, [3, 2, 1]);
}

pub(crate) async fn an_unreadable_state_is_told(fixture: Fixture) {
    add(&fixture, vec![transition("edge", "a", 1)]).await;
    fixture.tamper("UPDATE transitions SET from_state = 'asleep'").await;
    match fixture.store.transitions("acme", "edge", None, 10).await {
        Err(StoreError::Corrupt { table: "transitions", what }) => assert_eq!(what, "from_state"),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn history_is_read_within_a_time(fixture: Fixture) {
    let lines = (1..=5).flat_map(|second| [transition("edge", "a", second), transition("edge", "b", second)]);
    add(&fixture, lines.collect()).await;
    let read = async |instance, from, until, limit| {
        let (account, group) = ("acme", "edge");
        let wanted = HistoryWanted { account, group, instance, from: at(from), until: at(until), limit };
        let found = fixture.store.history(&wanted).await.unwrap();
        found.iter().map(|line| (line.at.millis() - at(0).millis()) / 1_000).collect::<Vec<_>>()
    };
    assert_eq!(read(None, 2, 3, 10).await, [3, 3, 2, 2]);
    assert_eq!(read(Some("a"), 2, 4, 10).await, [4, 3, 2]);
    assert_eq!(read(Some("a"), 2, 4, 2).await, [4, 3]);
    assert_eq!(read(Some("a"), 6, 9, 10).await, [0; 0]);
    assert_eq!(read(Some("a"), 4, 2, 10).await, [0; 0]);
}

pub(crate) async fn old_history_goes_in_batches(fixture: Fixture) {
    let foreign = Transition { account: "beta".into(), ..transition("edge", "a", 1) };
    add(&fixture, (1..=5).map(|second| transition("edge", "a", second)).chain([foreign]).collect()).await;
    let purge = async |before: Timestamp, limit| fixture.store.purge_history(before, limit).await.unwrap();
    assert_eq!(purge(at(4), 3).await, 3);
    assert_eq!(purge(at(4), 3).await, 1);
    assert_eq!(purge(at(4), 3).await, 0);
    assert_eq!(seconds(&fixture, None, 10).await, [5, 4], "one of that very instant stays");
    assert!(fixture.store.transitions("beta", "edge", None, 10).await.unwrap().is_empty());
}

pub(crate) async fn changes_of_state_are_told_oldest_first_since_a_time(fixture: Fixture) {
    let first = Transition { from: None, to: State::Connected, ..transition("edge", "a", 5) };
    let version = Transition { to: State::Connected, cause: Cause::Version, ..transition("edge", "a", 5) };
    let back = |seconds| Transition {
        from: Some(State::NotConnected),
        to: State::Connected,
        cause: Cause::Return,
        ..transition("edge", "a", seconds)
    };
    let foreign = Transition { account: "beta".into(), ..transition("west", "a", 6) };
    // An instance of a mirrored server, whose group is not stored.
    let mirrored = transition("far", "a", 6);
    let own = [back(7), transition("edge", "a", 5), transition("edge", "b", 4)];
    let lines = own.into_iter().chain([first, version, foreign, mirrored]).collect();
    known(&fixture, &[("acme", "edge"), ("beta", "west")]).await;
    add(&fixture, lines).await;
    let mut told = Loaded::default();
    fixture.store.turns(at(5), &mut told).await.unwrap();
    let turn =
        |account: &str, seconds, to| (account.to_owned(), "a".to_owned(), Turn { at: at(seconds), to });
    let expected = [
        turn("acme", 5, State::NotConnected),
        turn("beta", 6, State::NotConnected),
        turn("acme", 7, State::Connected),
    ];
    assert_eq!(told.turns, expected);
}

pub(crate) async fn an_unreadable_change_is_told(fixture: Fixture) {
    known(&fixture, &[("acme", "edge")]).await;
    add(&fixture, vec![transition("edge", "a", 1)]).await;
    fixture.tamper("UPDATE transitions SET to_state = 'asleep'").await;
    match fixture.store.turns(at(0), &mut Loaded::default()).await {
        Err(StoreError::Corrupt { table: "transitions", what }) => assert_eq!(what, "to_state"),
        other => panic!("{other:?}"),
    }
}
