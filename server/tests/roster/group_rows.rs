//! Two nodes write rows of one group: what one says of it is not undone by what the other still holds.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fleet::time::MINUTE;
use server::roster::RosterError;
use server::roster::report::Goodbye;

use crate::support::{House, caller, pod};

/// The tags of the only group.
async fn tags_of(house: &House) -> Vec<String> {
    let view = house.view("acme", true).await;
    view.snapshot.groups[0].facts.tags.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn neither_upgrader_nor_goodbye_at_a_node_that_lags_bring_old_tags_back() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    let old = pod("edge", "edge-b", "10.0.0.2");
    a.register(&caller, &report).await;
    let id = a.register(&caller, &old).await.id;
    b.follow().await;
    let moved = server::roster::report::Report { tags: Some(vec![Cow::Borrowed("us")]), ..report };
    a.register(&caller, &moved).await;
    b.clock.advance(MINUTE);
    b.roster.upgrader_seen(&caller, Some("edge"), b.now());
    let goodbye = Goodbye { delegate_id: Some(Cow::Borrowed(&id)), ..Goodbye::default() };
    b.roster.unregister(&caller, &goodbye, b.now()).await.expect("stored");
    for _ in 0..400 {
        a.follow().await;
        let view = a.view("acme", true).await;
        if view.snapshot.groups[0].facts.upgrader_seen.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    b.follow().await;
    assert_eq!((tags_of(&a).await, tags_of(&b).await), (vec!["us".to_owned()], vec!["us".to_owned()]));
}

#[tokio::test]
async fn a_registration_that_waits_for_the_store_keeps_its_tags_against_older_news() {
    let (a, b) = House::pair().await;
    let (caller, report) = (caller("acme"), pod("edge", "edge-a", "10.0.0.1"));
    a.register(&caller, &report).await;
    b.follow().await;
    a.store.away.store(true, Ordering::Relaxed);
    let moved = server::roster::report::Report { tags: Some(vec![Cow::Borrowed("us")]), ..report.clone() };
    let refused = a.roster.register(&caller, &moved, a.now()).await;
    assert_eq!(refused.unwrap_err(), RosterError::NotStored);
    // The other one tells the group as it knows it.
    b.register(&caller, &pod("edge", "edge-b", "10.0.0.2")).await;
    a.store.away.store(false, Ordering::Relaxed);
    a.follow().await;
    assert_eq!(tags_of(&a).await, ["us"]);
    for _ in 0..400 {
        b.follow().await;
        if tags_of(&b).await == ["us"] {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the tags never reached the other node");
}
