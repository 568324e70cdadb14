//! What several nodes on one PostgreSQL database tell each other.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fleet::delegate::{GroupFacts, InstanceFacts};
use fleet::time::Timestamp;
use fleet::version::Version;
use server::store::access::Change;
use server::store::{Alias, Batch, Followed, LoadSink, SharedStore, Silence, State, Tombstone, Transition};

use crate::fixture::{Fixture, Loaded, alias, at, beat, instance, row, small_fleet};
use crate::history::transition;

/// What was told, in words.
#[derive(Debug, Default)]
struct Told {
    rows: Loaded,
    words: BTreeSet<String>,
}

impl LoadSink for Told {
    fn intern(&mut self, text: &str) -> Arc<str> {
        self.rows.intern(text)
    }

    fn intern_version(&mut self, text: &str) -> Arc<Version> {
        self.rows.intern_version(text)
    }

    fn intern_tags(&mut self, tags: Vec<String>) -> Arc<[Arc<str>]> {
        self.rows.intern_tags(tags)
    }

    fn group(&mut self, facts: GroupFacts) {
        self.words.insert(format!("group {}", facts.id));
    }

    fn instance(&mut self, account: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        let last = last_heartbeat.map_or(0, |last| at(0).age(last) / 1_000);
        self.words.insert(format!("instance {account} {} heard at {last}", facts.id));
    }

    fn alias(&mut self, alias: Alias) {
        self.words.insert(format!("alias {} of {}", alias.alias, alias.id));
    }

    fn tombstone(&mut self, tombstone: Tombstone) {
        self.words.insert(format!("tombstone {} {}", tombstone.group, tombstone.instance));
    }

    fn removed(&mut self, _: &str, instance: &str) {
        self.words.insert(format!("removed {instance}"));
    }

    fn beat(&mut self, account: &str, instance: &str, time: Timestamp) {
        self.words.insert(format!("beat {account} {instance} at {}", at(0).age(time) / 1_000));
    }

    fn deed(&mut self, account: &str) {
        self.words.insert(format!("a deed in {account}"));
    }

    fn token_use(&mut self, token: &str, time: Timestamp) {
        self.words.insert(format!("use {token} at {}", at(0).age(time) / 1_000));
    }
}

async fn follow(node: &SharedStore, after: i64) -> (Followed, Vec<String>) {
    let mut told = Told::default();
    let followed = node.follow(after, &mut told).await.unwrap();
    (followed, told.words.into_iter().collect())
}

fn heard(id: &str, seconds: i64) -> Batch {
    Batch { beats: vec![beat("acme", id, at(seconds))], ..Batch::default() }
}

fn tombstone(group: &str, instance: &str) -> Tombstone {
    Tombstone {
        account: "acme".into(),
        group: group.into(),
        instance: instance.into(),
        at: at(5),
        by: "admin@example.com".into(),
        lifted_at: None,
    }
}

#[tokio::test]
async fn what_others_changed_is_told_as_it_is_now_and_own_changes_are_not() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    fixture.write(small_fleet()).await;
    fixture.write(heard("a", 100)).await;
    fixture.write(heard("a", 90)).await;
    let along = Batch {
        aliases: vec![alias("acme", "second", "a")],
        tombstones: vec![tombstone("edge", "b")],
        token_uses: vec![("token".into(), at(7))],
        ..Batch::default()
    };
    fixture.write(along).await;
    let (followed, words) = follow(&other, 0).await;
    assert_eq!(followed, Followed::UpTo(4));
    assert!(words.contains(&"beat acme a at 100".to_owned()), "{words:?}");
    for word in [
        "instance acme a heard at 60",
        "beat acme b at 60",
        "alias second of a",
        "group edge",
        "tombstone edge b",
        "use token at 7",
    ] {
        assert!(words.iter().any(|told| told == word), "{word}: {words:?}");
    }
    assert_eq!(follow(&other, 4).await, (Followed::UpTo(4), Vec::new()), "once");
    assert_eq!(follow(&fixture.store, 0).await, (Followed::UpTo(4), Vec::new()), "not to itself");
}

#[tokio::test]
async fn an_instance_that_came_and_went_is_told_as_removed() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    fixture.write(small_fleet()).await;
    fixture.write(Batch { removed: vec![("acme".into(), "a".into())], ..Batch::default() }).await;
    let (_, words) = follow(&other, 0).await;
    assert!(words.contains(&"removed a".to_owned()), "{words:?}");
    assert!(!words.iter().any(|word| word.starts_with("instance acme a ")), "{words:?}");
}

#[tokio::test]
async fn deeds_of_people_are_told_too() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    fixture.write(small_fleet()).await;
    let stone = tombstone("edge", "");
    let by_choice = Change::SetByChoice { account: "acme".into(), group: "edge".into(), by_choice: true };
    fixture.store.commit(&[Change::Bury(stone), by_choice]).await.unwrap();
    assert_eq!(
        follow(&other, 1).await,
        (
            Followed::UpTo(2),
            ["a deed in acme", "group edge", "tombstone edge "].map(ToOwned::to_owned).into()
        )
    );
}

#[tokio::test]
async fn who_missed_what_is_told_no_more_learns_that() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    for second in 1..=3 {
        fixture.write(heard("a", second)).await;
    }
    fixture.tamper("UPDATE news SET told_at = told_at - 3600000 WHERE number < 3").await;
    fixture.store.forget_news().await.unwrap();
    assert_eq!(follow(&other, 1).await, (Followed::TooFarBehind, Vec::new()));
    assert_eq!(follow(&other, 2).await.0, Followed::UpTo(3));
    fixture.tamper("DELETE FROM news").await;
    assert_eq!(follow(&other, 2).await.0, Followed::TooFarBehind);
    let mut loaded = Loaded::default();
    assert_eq!(other.load(at(0), &mut loaded).await.unwrap(), 3, "a load tells from where to follow");
}

#[tokio::test]
async fn a_deed_returns_when_every_other_node_follows_it() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    fixture.store.sign(0).await.unwrap();
    other.sign(0).await.unwrap();
    let signed = Arc::new(AtomicBool::new(false));
    let follower = tokio::spawn({
        let (other, signed) = (Arc::clone(&other), Arc::clone(&signed));
        async move {
            loop {
                if let (Followed::UpTo(number @ 1..), _) = follow(&other, 0).await {
                    signed.store(true, Ordering::SeqCst);
                    return other.sign(number).await.unwrap();
                }
                tokio::task::yield_now().await;
            }
        }
    });
    let setting =
        Change::PutSetting { scope: None, key: "a".to_owned(), value: Some("b".to_owned()), at: at(1) };
    fixture.store.commit(&[setting]).await.unwrap();
    assert!(signed.load(Ordering::SeqCst), "it came back before the other node knew");
    follower.await.unwrap();
    let applied: Vec<i64> = fixture.store.nodes().await.unwrap().iter().map(|node| node.applied).collect();
    assert_eq!(applied.iter().max(), Some(&1));
    other.sign_off().await.unwrap();
    assert_eq!(fixture.store.nodes().await.unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_waits_for_a_node_that_is_gone() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    other.sign(0).await.unwrap();
    fixture.tamper("UPDATE nodes SET seen_at = seen_at - 6000").await;
    assert_eq!(fixture.store.nodes().await.unwrap(), []);
    let setting = Change::PutSetting { scope: None, key: "a".to_owned(), value: None, at: at(1) };
    fixture.store.commit(&[setting]).await.unwrap();
    assert_eq!(fixture.store.revisions().await.unwrap().fleet, 1);
}

#[tokio::test]
async fn one_node_at_a_time_does_a_job() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    let held = fixture.store.alone("purge").await.unwrap();
    assert!(held.is_some());
    assert!(other.alone("purge").await.unwrap().is_none());
    assert!(other.alone("another").await.unwrap().is_some());
    drop(held);
    while other.alone("purge").await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_bell_rings_for_others_and_not_for_oneself() {
    use futures::StreamExt as _;
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    let (mut own, mut others) = (fixture.store.bell(), other.bell());
    // The first ring says that somebody listens from now on.
    own.next().await.unwrap();
    others.next().await.unwrap();
    fixture.write(small_fleet()).await;
    others.next().await.unwrap();
    assert!(futures::poll!(own.next()).is_pending());
}

#[tokio::test]
async fn writers_of_two_nodes_queue_up_and_never_deadlock() {
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    fixture.write(small_fleet()).await;
    let writer = |store: SharedStore, forward: bool| async move {
        for round in 0..50 {
            let mut ids = ["a", "b"];
            if !forward {
                ids.reverse();
            }
            let rows = ids.map(|id| row("acme", instance("edge", id), Some(at(round))));
            let batch = Batch { instances: rows.into(), ..Batch::default() };
            store.write(&batch).await.unwrap();
        }
    };
    tokio::join!(writer(Arc::clone(&fixture.store), true), writer(other, false));
    assert_eq!(fixture.store.revisions().await.unwrap().fleet, 101);
}

/// A line of history that rests on a silence from second 100 to second 400.
fn line(instance: &str, to: State, followed: i64) -> Transition {
    let silence = Silence { after: at(100), before: at(400), followed };
    Transition { to, silence: Some(silence), ..transition("edge", instance, 400) }
}

#[tokio::test]
async fn a_silence_in_which_another_node_heard_the_instance_is_none() {
    let fixture = Fixture::postgres().await;
    fixture.write(small_fleet()).await;
    let other = fixture.again().await;
    // Ends are excluded: what was heard then is the silence's own beginning or end.
    for (id, second) in [("a", 100), ("a", 400), ("b", 399), ("b", 500)] {
        other.write(&heard(id, second)).await.unwrap();
    }
    let lost = ["a", "b"].map(|id| line(id, State::NotConnected, 1)).into();
    fixture.write(Batch { transitions: lost, ..Batch::default() }).await;
    let lines = fixture.store.transitions("acme", "edge", None, 10).await.unwrap();
    assert_eq!(lines.iter().map(|line| &*line.instance).collect::<Vec<_>>(), ["a"]);
    // What was known when it was noticed does not count again.
    fixture.write(Batch { transitions: vec![line("b", State::NotConnected, 5)], ..Batch::default() }).await;
    assert_eq!(fixture.store.transitions("acme", "edge", Some("b"), 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_node_that_missed_news_calls_nobody_lost_but_says_who_came_back() {
    let fixture = Fixture::postgres().await;
    fixture.write(small_fleet()).await;
    let other = fixture.again().await;
    other.write(&heard("a", 200)).await.unwrap();
    fixture.tamper("DELETE FROM news").await;
    other.write(&heard("b", 200)).await.unwrap();
    let lines = vec![
        line("a", State::NotConnected, 1),
        Transition { at: at(500), ..line("a", State::Connected, 1) },
        Transition { at: at(600), ..line("a", State::NotConnected, 2) },
    ];
    fixture.write(Batch { transitions: lines, ..Batch::default() }).await;
    let lines = fixture.store.transitions("acme", "edge", None, 10).await.unwrap();
    let kept: Vec<_> = lines.iter().map(|line| (at(0).age(line.at) / 1_000, line.to)).collect();
    assert_eq!(kept, [(600, State::NotConnected), (500, State::Connected)], "each by what it had followed");
}

#[tokio::test]
async fn a_database_that_has_lost_the_last_changes_is_read_anew() {
    let fixture = Fixture::postgres().await;
    fixture.write(small_fleet()).await;
    assert_eq!(follow(&fixture.again().await, 2).await, (Followed::TooFarBehind, Vec::new()));
}

#[tokio::test]
async fn a_goodbye_stays_until_a_later_heartbeat_unless_it_was_said_under_another_clock() {
    let fixture = Fixture::postgres().await;
    fixture.write(small_fleet()).await;
    let said = |goodbye: Option<i64>, heard: Option<i64>| {
        let facts = InstanceFacts { goodbye_at: goodbye.map(at), ..instance("edge", "a") };
        Batch { instances: vec![row("acme", facts, heard.map(at))], ..Batch::default() }
    };
    // What another node writes of it may rest on what it heard before the goodbye.
    for (goodbye, heard, kept) in [
        (Some(200), 190, Some(200)),
        (None, 199, Some(200)),
        (None, 80, Some(200)),
        (Some(150), 190, Some(200)),
        (Some(210), 190, Some(210)),
        (None, 210, None),
        (Some(220), 215, Some(220)),
        (None, 225, None),
        (Some(400), 230, Some(400)),
        (None, 279, None),
    ] {
        fixture.write(said(goodbye, Some(heard))).await;
        let stored = fixture.load().await.instances[0].1.goodbye_at;
        assert_eq!(stored, kept.map(at), "goodbye {goodbye:?}, heard {heard}");
    }
    fixture.write(said(Some(500), None)).await;
    fixture.write(said(None, None)).await;
    assert_eq!(fixture.load().await.instances[0].1.goodbye_at, None, "nothing was heard that it could cross");
}
