//! What outlives a process, and what several of them do at once.

use std::sync::Arc;

use server::store::{Batch, Cause, State, StoreError, Transition};

use crate::fixture::{Fixture, Loaded, alias, at, beat, group, instance, new_scope, row, small_fleet};
use crate::history::transition;
use crate::shortcuts::Shortcuts as _;

/// A change of every kind.
async fn fill(fixture: &Fixture) {
    let mut batch = small_fleet();
    batch.aliases = vec![alias("acme", "x", "a")];
    batch.transitions = vec![transition("edge", "a", 1)];
    fixture.write(batch).await;
    fixture.store.create_scopes(&[new_scope("acme")]).await.unwrap();
    fixture.store.put_catalog("{}", at(1)).await.unwrap();
    fixture.store.put_setting(None, "a", Some("b"), at(1)).await.unwrap();
    fixture.write(Batch { beats: vec![beat("acme", "b", at(100))], ..Batch::default() }).await;
}

async fn assert_filled(fixture: &Fixture) {
    let store = fixture.again().await;
    assert_eq!(store.pending_migrations().await.unwrap(), 0);
    let loaded = Loaded::of(&store, at(0)).await.unwrap();
    assert_eq!(loaded.ids(), ["a", "b"]);
    assert_eq!(loaded.heartbeat("acme", "b"), Some(at(100)));
    assert_eq!(loaded.aliases.len(), 1);
    assert_eq!(store.transitions("acme", "edge", None, 10).await.unwrap(), [transition("edge", "a", 1)]);
    assert_eq!(store.tokens().await.unwrap(), [new_scope("acme").token]);
    assert_eq!(store.catalog().await.unwrap().as_deref(), Some("{}"));
    assert_eq!(store.settings().await.unwrap().len(), 1);
}

pub(crate) async fn a_reopened_store_holds_everything(fixture: Fixture) {
    fill(&fixture).await;
    fixture.store.close().await;
    assert_filled(&fixture).await;
}

pub(crate) async fn a_store_dropped_without_close_loses_nothing(mut fixture: Fixture) {
    fill(&fixture).await;
    fixture.store = fixture.again().await;
    assert_filled(&fixture).await;
}

pub(crate) async fn a_closed_store_is_unavailable(fixture: Fixture) {
    fixture.store.close().await;
    fixture.store.close().await;
    assert!(matches!(fixture.store.ping().await, Err(StoreError::Unavailable(_))));
    assert!(matches!(fixture.store.write(&small_fleet()).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(Loaded::of(&fixture.store, at(0)).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(fixture.store.tokens().await, Err(StoreError::Unavailable(_))));
}

pub(crate) async fn two_stores_write_side_by_side(fixture: Fixture) {
    const ROUNDS: i64 = 25;
    let other = fixture.again().await;
    fixture.write(small_fleet()).await;
    let work = async |name: &str, store: &server::store::SharedStore| {
        for round in 0..ROUNDS {
            let line =
                Transition { to: State::Hidden, cause: Cause::Goodbye, ..transition("edge", name, round) };
            let batch = Batch {
                groups: vec![Arc::new(group("acme", "edge"))],
                instances: vec![row("acme", instance("edge", &format!("{name}{round}")), None)],
                beats: vec![beat("acme", "a", at(100 + round)), beat("acme", "b", at(200 - round))],
                transitions: vec![line],
                ..Batch::default()
            };
            store.write(&batch).await.unwrap();
        }
    };
    tokio::join!(work("one", &fixture.store), work("two", &other), work("three", &fixture.store));
    let loaded = fixture.load().await;
    assert_eq!(loaded.instances.len(), 2 + 3 * usize::try_from(ROUNDS).unwrap());
    assert_eq!(loaded.heartbeat("acme", "a"), Some(at(100 + ROUNDS - 1)));
    assert_eq!(loaded.heartbeat("acme", "b"), Some(at(200)));
    let lines = other.transitions("acme", "edge", None, 1_000).await.unwrap();
    assert_eq!(lines.len(), 3 * usize::try_from(ROUNDS).unwrap());
}

pub(crate) async fn a_store_that_answers_can_be_pinged(fixture: Fixture) {
    fixture.store.ping().await.unwrap();
    fixture.write(small_fleet()).await;
    fixture.store.ping().await.unwrap();
    assert_eq!(fixture.load().await.instances.len(), 2, "a ping changes nothing");
}
