//! A batch as a whole: order inside it, all or nothing, size.

use std::sync::Arc;

use fleet::delegate::{GroupFacts, InstanceFacts};
use fleet::time::Timestamp;
use server::store::{Batch, StoreError};

use crate::fixture::{Fixture, Loaded, alias, at, beat, group, instance, new_scope, row, small_fleet, tags};
use crate::history::transition;

pub(crate) async fn an_empty_batch_is_no_change(fixture: Fixture) {
    fixture.write(Batch::default()).await;
    assert_eq!(fixture.load().await, Loaded::default());
}

/// Several batches as one whose rows follow each other.
fn joined(batches: &[Batch]) -> Batch {
    let mut all = Batch::default();
    for batch in batches {
        all.append(batch.clone());
    }
    all
}

pub(crate) async fn repeated_keys_act_one_after_the_other(fixture: Fixture) {
    let steps = |account: &str| {
        let step = |first, last, upgrader: Option<i64>, registered, beats: Option<i64>, tag: &str| Batch {
            groups: vec![Arc::new(GroupFacts {
                first_seen: at(first),
                last_active: at(last),
                upgrader_seen: upgrader.map(at),
                tags: tags(&[tag]),
                ..group(account, "edge")
            })],
            instances: vec![row(
                account,
                InstanceFacts { registered_at: at(registered), tags: tags(&[tag]), ..instance("edge", "a") },
                beats.map(at),
            )],
            aliases: vec![alias(account, "x", tag)],
            beats: vec![beat(account, "a", at(last))],
            ..Batch::default()
        };
        [
            step(5, 9, Some(3), 4, Some(7), "one"),
            step(3, 20, None, 2, None, "two"),
            step(4, 8, Some(1), 6, Some(12), "three"),
        ]
    };
    for step in steps("single") {
        fixture.write(step).await;
    }
    fixture.write(joined(&steps("together"))).await;
    let loaded = fixture.load().await;
    let facts = |account: &str| {
        let group = loaded.groups.iter().find(|group| group.scope.account() == account).unwrap();
        let (_, instance, heartbeat) =
            loaded.instances.iter().find(|(owner, ..)| owner == account).unwrap().clone();
        let alias = loaded.aliases.iter().find(|alias| &*alias.account == account).unwrap();
        let times = (group.first_seen, group.last_active, group.upgrader_seen);
        (times, group.tags.clone(), instance, heartbeat, alias.id.clone())
    };
    let together = facts("together");
    assert_eq!(together, facts("single"));
    let (times, list, member, heartbeat, id) = together;
    assert_eq!(times, (at(3), at(20), Some(at(3))));
    assert_eq!((member.registered_at, heartbeat), (at(2), Some(at(20))));
    assert_eq!((list, &*id), (tags(&["three"]), "three"));
}

pub(crate) async fn put_in_and_removed_is_gone(fixture: Fixture) {
    let mut batch = small_fleet();
    batch.removed = vec![("acme".into(), "a".into())];
    batch.beats = vec![beat("acme", "a", at(99))];
    fixture.write(batch).await;
    assert_eq!(fixture.load().await.ids(), ["b"]);
}

/// Writes `bad` on top of the small fleet together with changes of every kind, and sees none of them.
async fn leaves_nothing(fixture: &Fixture, bad: Batch) {
    fixture.write(small_fleet()).await;
    let before = fixture.load().await;
    let mut batch = Batch {
        groups: vec![Arc::new(group("acme", "other"))],
        instances: vec![row("acme", instance("edge", "c"), Some(at(70)))],
        aliases: vec![alias("acme", "x", "a")],
        beats: vec![beat("acme", "a", at(500))],
        transitions: vec![transition("edge", "a", 1)],
        ..Batch::default()
    };
    batch.append(bad);
    assert!(matches!(fixture.store.write(&batch).await, Err(StoreError::Database(_))));
    assert_eq!(fixture.load().await, before);
    assert_eq!(fixture.store.transitions("acme", "edge", None, 10).await.unwrap(), []);
    fixture.write(Batch { beats: vec![beat("acme", "a", at(600))], ..Batch::default() }).await;
    assert_eq!(fixture.load().await.heartbeat("acme", "a"), Some(at(600)), "the next batch is written");
}

pub(crate) async fn a_taken_group_name_leaves_nothing_of_the_batch(fixture: Fixture) {
    let twin = GroupFacts { name: "edge".into(), ..group("acme", "twin") };
    leaves_nothing(&fixture, Batch { groups: vec![Arc::new(twin)], ..Batch::default() }).await;
}

pub(crate) async fn a_taken_identifier_leaves_nothing_of_the_batch(fixture: Fixture) {
    let twin = GroupFacts { identifier: "_edge".into(), ..group("acme", "twin") };
    leaves_nothing(&fixture, Batch { groups: vec![Arc::new(twin)], ..Batch::default() }).await;
}

pub(crate) async fn an_instance_without_group_leaves_nothing_of_the_batch(fixture: Fixture) {
    let lost = row("acme", instance("never", "d"), None);
    leaves_nothing(&fixture, Batch { instances: vec![lost], ..Batch::default() }).await;
}

pub(crate) async fn twenty_thousand_rows_fit_in_one_batch(fixture: Fixture) {
    const COUNT: i64 = 20_000;
    let id = |number: i64| format!("instance-{number:05}");
    let mut batch = Batch { groups: vec![Arc::new(group("acme", "edge"))], ..Batch::default() };
    for number in 0..COUNT {
        batch.instances.push(row("acme", instance("edge", &id(number)), Some(at(0))));
        // Against the order of the keys, and every third one twice.
        batch.beats.push(beat("acme", &id(COUNT - 1 - number), at(number)));
        if number % 3 == 0 {
            batch.beats.push(beat("acme", &id(COUNT - 1 - number), at(number + 1)));
        }
    }
    fixture.write(batch).await;
    let loaded = fixture.load().await;
    assert_eq!(loaded.instances.len(), usize::try_from(COUNT).unwrap());
    for (number, (_, facts, heartbeat)) in (0..COUNT).zip(&loaded.instances) {
        let sent = COUNT - 1 - number;
        assert_eq!(*facts.id, *id(number));
        assert_eq!(*heartbeat, Some(at(if sent % 3 == 0 { sent + 1 } else { sent })));
    }
}

pub(crate) async fn uses_of_tokens_move_forward_without_a_revision(fixture: Fixture) {
    let new = new_scope("acme");
    let id = Arc::clone(&new.token.id);
    fixture.store.create_scopes(&[new]).await.unwrap();
    let revisions = fixture.store.revisions().await.unwrap();
    let used = async |times: &[i64]| -> Option<Timestamp> {
        let mut token_uses: Vec<_> = times.iter().map(|&time| (Arc::clone(&id), at(time))).collect();
        token_uses.push(("never".into(), at(1)));
        fixture.write(Batch { token_uses, ..Batch::default() }).await;
        fixture.store.tokens().await.unwrap()[0].last_used
    };
    assert_eq!(used(&[5]).await, Some(at(5)));
    assert_eq!(used(&[4]).await, Some(at(5)));
    assert_eq!(used(&[7, 9, 8]).await, Some(at(9)));
    let tokens = async || fixture.store.revisions().await.unwrap().tokens;
    assert_eq!(tokens().await, revisions.tokens);
}

pub(crate) async fn a_group_that_comes_along_is_inserted_or_moved_forward_and_never_overwritten(
    fixture: Fixture,
) {
    let tagged = |tag: &str, upgrader: i64| {
        let upgrader_seen = Some(at(upgrader));
        GroupFacts { tags: tags(&[tag]), upgrader_seen, ..group("acme", "edge") }
    };
    let along = |facts: GroupFacts| Batch { companions: vec![Arc::new(facts)], ..Batch::default() };
    fixture.write(along(tagged("first", 1))).await;
    assert_eq!(fixture.load().await.groups, [tagged("first", 1)]);
    fixture.write(Batch { groups: vec![Arc::new(tagged("second", 2))], ..Batch::default() }).await;
    fixture.write(along(tagged("first", 3))).await;
    assert_eq!(
        fixture.load().await.groups,
        [tagged("second", 3)],
        "its tags are news, the upgrader called later"
    );
    let both = Batch { groups: vec![Arc::new(tagged("third", 3))], ..along(tagged("first", 4)) };
    fixture.write(both).await;
    assert_eq!(fixture.load().await.groups, [tagged("third", 4)]);
}
