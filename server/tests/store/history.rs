//! Transitions (`product 3.6`).

use server::store::{Batch, Cause, State, StoreError, Transition};

use crate::fixture::{Fixture, at};

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
    }
}

async fn add(fixture: &Fixture, transitions: Vec<Transition>) {
    fixture.write(Batch { transitions, ..Batch::default() }).await;
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
