//! Saved filters.

use server::store::StoreError;
use server::store::access::{Change, SavedFilterRow};

use crate::access::user;
use crate::audit::commit;
use crate::fixture::{Fixture, at, scope};

fn saved(id: &str, owner: &str, name: &str) -> SavedFilterRow {
    SavedFilterRow {
        id: id.into(),
        scope: scope("acme/payments"),
        owner: owner.into(),
        name: name.into(),
        everyone: false,
        query: "health=expired&delegateTags=a%26b".into(),
        created_at: at(1),
        changed_at: at(1),
    }
}

pub(crate) async fn saved_filters_come_back_change_and_go(fixture: Fixture) {
    let (mine, theirs) = (saved("f1", "u1", "Ä 'late' one"), saved("f2", "u2", "Ä 'late' one"));
    let people = [Change::InsertUser(user("u1")), Change::InsertUser(user("u2"))];
    commit(&fixture, &people).await;
    let before = fixture.store.revisions().await.unwrap();
    commit(&fixture, &[Change::InsertSavedFilter(mine.clone()), Change::InsertSavedFilter(theirs.clone())])
        .await;
    assert_ne!(fixture.store.revisions().await.unwrap(), before, "other nodes learn of it");
    assert_eq!(fixture.again().await.access().await.unwrap().saved_filters, [mine.clone(), theirs.clone()]);

    let changed = SavedFilterRow {
        name: "all".into(),
        everyone: true,
        query: "search=x".into(),
        changed_at: at(5),
        ..mine.clone()
    };
    commit(&fixture, &[Change::ChangeSavedFilter(changed.clone())]).await;
    assert_eq!(fixture.store.access().await.unwrap().saved_filters, [changed, theirs.clone()]);

    let gone = Change::RemoveSavedFilter("f1".into());
    commit(&fixture, std::slice::from_ref(&gone)).await;
    assert_eq!(fixture.store.access().await.unwrap().saved_filters, [theirs]);
    for change in [gone, Change::ChangeSavedFilter(mine)] {
        let refused = fixture.store.commit(std::slice::from_ref(&change)).await;
        assert!(matches!(refused, Err(StoreError::Missing(_))), "{change:?}: {refused:?}");
    }
}

pub(crate) async fn a_saved_filter_has_a_name_of_its_own_for_its_owner_and_scope(fixture: Fixture) {
    commit(&fixture, &[Change::InsertUser(user("u1")), Change::InsertUser(user("u2"))]).await;
    let first = saved("f1", "u1", "late");
    let elsewhere = SavedFilterRow { scope: scope("acme"), ..saved("f2", "u1", "late") };
    let theirs = saved("f3", "u2", "late");
    let other = saved("f4", "u1", "early");
    for row in [first, elsewhere, theirs, other.clone()] {
        commit(&fixture, &[Change::InsertSavedFilter(row)]).await;
    }
    let rival = Change::InsertSavedFilter(saved("f5", "u1", "late"));
    let renamed = Change::ChangeSavedFilter(SavedFilterRow { name: "late".into(), ..other });
    for change in [rival, renamed] {
        let refused = fixture.store.commit(std::slice::from_ref(&change)).await;
        assert!(matches!(refused, Err(StoreError::Exists(_))), "{change:?}: {refused:?}");
    }
}
