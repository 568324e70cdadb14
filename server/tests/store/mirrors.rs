//! Mirrors and their lists.

use fleet::mirror::Trouble;
use fleet::time::{MINUTE, Timestamp};
use server::store::access::Change;
use server::store::mirrors::{Kept, Look, MirrorChange, MirrorRow};
use server::store::{Store, StoreError};

use crate::fixture::Fixture;

const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);

fn mirror(id: &str, account: &str, name: &str) -> MirrorRow {
    MirrorRow {
        id: id.into(),
        account: account.into(),
        name: name.into(),
        url: "https://other.example/gateway".into(),
        scopes: vec!["acme/payments".parse().expect("a scope"), "acme".parse().expect("a scope")],
        sealed: vec![0, 1, 255],
        created_at: NOW,
        created_by: Some("alex@acme.example".into()),
        tried_at: None,
        trouble: None,
        detail: "".into(),
        as_of: None,
        skipped: 0,
        due_at: NOW,
        memory: "".into(),
    }
}

async fn change(store: &dyn Store, change: MirrorChange) -> Result<(), StoreError> {
    store.commit(&[Change::Mirror(change)]).await
}

fn look(at: Timestamp, trouble: Option<Trouble>) -> Look {
    let detail = trouble.map_or("", |_| "why").into();
    Look { at, trouble, detail, due_at: at.plus(MINUTE), memory: "{}".into() }
}

pub(crate) async fn a_mirror_is_kept_with_its_last_good_list(fixture: Fixture) {
    let store = &*fixture.store;
    let row = mirror("m1", "acme", "vendor");
    change(store, MirrorChange::Insert(row.clone())).await.expect("inserted");
    assert_eq!(store.mirrors().await.expect("read"), std::slice::from_ref(&row));
    assert_eq!(store.mirror_list("m1").await.expect("read"), None);

    let kept = Kept { skipped: 2, body: "[1]".into() };
    let looked =
        MirrorChange::Looked { id: "m1".into(), lease: NOW, look: look(NOW, None), list: Some(kept) };
    change(store, looked).await.expect("looked");
    let later = NOW.plus(MINUTE);
    let failed = MirrorChange::Looked {
        id: "m1".into(),
        lease: NOW.plus(MINUTE),
        look: look(later, Some(Trouble::Refused)),
        list: None,
    };
    change(store, failed).await.expect("looked");
    let found = store.mirrors().await.expect("read").remove(0);
    assert_eq!((found.as_of, found.skipped, found.tried_at), (Some(NOW), 2, Some(later)), "the list stays");
    assert_eq!((found.trouble, &*found.detail), (Some(Trouble::Refused), "why"));
    assert_eq!((found.due_at, &*found.memory), (later.plus(MINUTE), "{}"));
    assert_eq!(store.mirror_list("m1").await.expect("read").as_deref(), Some("[1]"));

    let newer = MirrorChange::Looked {
        id: "m1".into(),
        lease: later.plus(MINUTE),
        look: look(later, None),
        list: Some(Kept { skipped: 0, body: "[2]".into() }),
    };
    change(store, newer).await.expect("looked");
    assert_eq!(store.mirror_list("m1").await.expect("read").as_deref(), Some("[2]"));
    change(store, MirrorChange::Remove("m1".into())).await.expect("removed");
    assert_eq!(store.mirrors().await.expect("read"), []);
    assert_eq!(store.mirror_list("m1").await.expect("read"), None, "its list goes with it");
}

pub(crate) async fn one_node_takes_a_look(fixture: Fixture) {
    let store = &*fixture.store;
    change(store, MirrorChange::Insert(mirror("m1", "acme", "vendor"))).await.expect("inserted");
    let claim = |was| MirrorChange::Claim { id: "m1".into(), was, due_at: NOW.plus(MINUTE) };
    change(store, claim(NOW)).await.expect("the first one");
    assert!(matches!(change(store, claim(NOW)).await, Err(StoreError::Missing(_))));
    change(
        store,
        MirrorChange::Claim { id: "m1".into(), was: NOW.plus(MINUTE), due_at: NOW.plus(2 * MINUTE) },
    )
    .await
    .expect("when that one went away");
    let late =
        MirrorChange::Looked { id: "m1".into(), lease: NOW.plus(MINUTE), look: look(NOW, None), list: None };
    assert!(matches!(change(store, late).await, Err(StoreError::Missing(_))), "it came back too late");
}

pub(crate) async fn names_are_unique_in_their_account(fixture: Fixture) {
    let store = &*fixture.store;
    change(store, MirrorChange::Insert(mirror("m1", "acme", "vendor"))).await.expect("inserted");
    let same = change(store, MirrorChange::Insert(mirror("m2", "acme", "vendor"))).await;
    assert!(matches!(same, Err(StoreError::Exists(what)) if what == "a mirror vendor"));
    change(store, MirrorChange::Insert(mirror("m3", "other", "vendor"))).await.expect("elsewhere");
    let gone = MirrorChange::Looked { id: "m9".into(), lease: NOW, look: look(NOW, None), list: None };
    assert!(matches!(change(store, gone).await, Err(StoreError::Missing(_))));
    assert!(matches!(change(store, MirrorChange::Remove("m9".into())).await, Err(StoreError::Missing(_))));
}

pub(crate) async fn the_key_of_a_mirror_is_sealed_anew_once(fixture: Fixture) {
    let store = &*fixture.store;
    change(store, MirrorChange::Insert(mirror("m1", "acme", "vendor"))).await.expect("inserted");
    let reseal = |was: &[u8], sealed: &[u8]| MirrorChange::Reseal {
        id: "m1".into(),
        was: was.into(),
        sealed: sealed.into(),
    };
    change(store, reseal(&[0, 1, 255], &[9])).await.expect("sealed");
    change(store, reseal(&[0, 1, 255], &[8])).await.expect("passed over");
    assert_eq!(store.mirrors().await.expect("read")[0].sealed, [9]);
}
