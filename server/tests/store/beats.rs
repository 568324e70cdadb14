//! Heartbeats between their journal and the rows of instances.

use fleet::time::DAY;
use server::store::{Batch, StoreError};

use crate::fixture::{Fixture, Loaded, at, beat, instance, row, small_fleet};

async fn hear(fixture: &Fixture, id: &str, seconds: i64) {
    fixture.write(Batch { beats: vec![beat("acme", id, at(seconds))], ..Batch::default() }).await;
}

pub(crate) async fn what_was_settled_may_be_forgotten(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    assert_eq!(fixture.store.newest_beats().await.unwrap(), 0);
    hear(&fixture, "a", 100).await;
    let mark = fixture.store.newest_beats().await.unwrap();
    hear(&fixture, "b", 200).await;
    fixture.store.settle(&[beat("acme", "a", at(100))]).await.unwrap();
    assert_eq!(fixture.store.forget_beats(mark, 10).await.unwrap(), 1);
    let loaded = fixture.load().await;
    assert_eq!(loaded.heartbeat("acme", "a"), Some(at(100)), "from its row");
    assert_eq!(loaded.heartbeat("acme", "b"), Some(at(200)), "from a batch behind the mark");
}

pub(crate) async fn what_was_forgotten_unsettled_is_lost(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    let before = fixture.load().await.heartbeat("acme", "a");
    hear(&fixture, "a", 100).await;
    fixture.store.forget_beats(i64::MAX, 10).await.unwrap();
    assert_eq!(
        fixture.load().await.heartbeat("acme", "a"),
        before,
        "or the tests beside this one show nothing"
    );
}

pub(crate) async fn rows_only_move_forward_and_unknown_ones_are_passed_over(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    let settle = [beat("acme", "a", at(300)), beat("acme", "never", at(300)), beat("beta", "a", at(300))];
    fixture.store.settle(&settle).await.unwrap();
    fixture.store.settle(&[beat("acme", "a", at(299))]).await.unwrap();
    fixture.store.settle(&[beat("acme", "a", at(298)), beat("acme", "a", at(297))]).await.unwrap();
    fixture.store.settle(&[]).await.unwrap();
    let loaded = fixture.load().await;
    assert_eq!(loaded.heartbeat("acme", "a"), Some(at(300)));
    assert_eq!(loaded.instances.len(), small_fleet().instances.len());
}

pub(crate) async fn batches_go_oldest_first_and_some_at_a_time(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    for second in 100..105 {
        hear(&fixture, "a", second).await;
    }
    hear(&fixture, "b", 50).await;
    let mark = fixture.store.newest_beats().await.unwrap() - 1;
    assert_eq!(fixture.store.forget_beats(mark, 3).await.unwrap(), 3);
    assert_eq!(fixture.load().await.heartbeat("acme", "a"), Some(at(104)));
    assert_eq!(fixture.store.forget_beats(mark, 3).await.unwrap(), 2);
    assert_eq!(fixture.store.forget_beats(mark, 3).await.unwrap(), 0);
    assert_eq!(fixture.store.newest_beats().await.unwrap(), mark + 1);
}

pub(crate) async fn an_instance_whose_row_lags_behind_is_as_alive_as_its_last_heartbeat(fixture: Fixture) {
    let old = at(0).plus(-90 * DAY);
    let mut batch = small_fleet();
    batch.instances = ["alive", "silent"]
        .map(|id| {
            let mut facts = instance("edge", id);
            facts.registered_at = old;
            row("acme", facts, Some(old))
        })
        .into();
    fixture.write(batch).await;
    hear(&fixture, "alive", 10).await;
    assert_eq!(Loaded::of(&fixture.store, at(10)).await.unwrap().ids(), ["alive"]);
    assert_eq!(Loaded::of(&fixture.store, at(11)).await.unwrap().ids(), [""; 0]);
}

pub(crate) async fn a_batch_that_is_cut_off_is_told(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    hear(&fixture, "a", 100).await;
    let cut = match fixture.store.kind() {
        "sqlite" => "UPDATE heartbeats SET entries = CAST(substr(entries, 2) AS BLOB)",
        _ => "UPDATE heartbeats SET entries = substr(entries, 2)",
    };
    fixture.tamper(cut).await;
    let read = Loaded::of(&fixture.store, at(0)).await;
    assert!(matches!(read, Err(StoreError::Corrupt { table: "heartbeats", .. })), "{read:?}");
}
