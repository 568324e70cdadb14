//! The audit log: deeds, and what delegates did.

use std::collections::BTreeMap;
use std::sync::Arc;

use server::store::access::{AuditRow, AuditWanted, Change, DeedsWanted};
use server::store::{Batch, Cause, State, Transition};

use crate::fixture::{Fixture, at, group, scope};

pub(crate) fn line(number: i64, action: &'static str, place: Option<&str>) -> AuditRow {
    AuditRow {
        at: at(number),
        actor_id: "u".into(),
        actor: "Alex_1@acme.example".into(),
        action,
        resource: "token",
        name: "edge".to_owned(),
        scope: place.map(scope),
        summary: format!("line {number}"),
        before: BTreeMap::from([("a".to_owned(), "1".to_owned())]),
        after: BTreeMap::new(),
        request_id: "r".to_owned(),
    }
}

pub(crate) fn wanted(place: Option<&str>) -> AuditWanted {
    AuditWanted {
        scope: place.map(scope),
        below: false,
        server: false,
        actor: String::new(),
        action: String::new(),
        resource: String::new(),
        from: at(0),
        to: at(1_000_000),
        behind: None,
        limit: 100,
    }
}

pub(crate) async fn commit(fixture: &Fixture, changes: &[Change]) {
    fixture.store.commit(changes).await.unwrap();
}

pub(crate) async fn summaries(fixture: &Fixture, wanted: &AuditWanted) -> Vec<String> {
    fixture.store.audit(wanted).await.unwrap().into_iter().map(|line| line.summary).collect()
}

pub(crate) async fn the_audit_log_is_read_by_scope_words_and_time(fixture: Fixture) {
    let lines = [
        line(1, "token.create", None),
        line(2, "token.create", Some("acme")),
        line(3, "token.revoke", Some("acme/payments")),
        line(4, "token.create", Some("acme/payments/checkout")),
        line(5, "token.create", Some("other")),
        AuditRow { actor: "SYSTEM".into(), resource: "user", ..line(6, "user.create", Some("acme")) },
    ];
    commit(&fixture, &lines.map(Change::Audit)).await;
    let ask = async |wanted: AuditWanted| summaries(&fixture, &wanted).await;
    let acme = || wanted(Some("acme"));
    assert_eq!(ask(acme()).await, ["line 6", "line 2"]);
    assert_eq!(ask(AuditWanted { below: true, ..acme() }).await, ["line 6", "line 4", "line 3", "line 2"]);
    let payments = || AuditWanted { below: true, ..wanted(Some("acme/payments")) };
    assert_eq!(ask(payments()).await, ["line 4", "line 3"]);
    assert_eq!(ask(AuditWanted { below: true, ..wanted(Some("acme/payments/checkout")) }).await, ["line 4"]);
    assert_eq!(ask(wanted(None)).await.len(), 6);
    assert_eq!(ask(AuditWanted { server: true, ..acme() }).await, ["line 6", "line 2", "line 1"]);
    assert_eq!(ask(AuditWanted { action: "token.revoke".to_owned(), ..payments() }).await, ["line 3"]);
    assert_eq!(ask(AuditWanted { resource: "user".to_owned(), ..acme() }).await, ["line 6"]);
    assert_eq!(ask(AuditWanted { actor: "ALEX_1".to_owned(), ..acme() }).await, ["line 2"]);
    assert_eq!(ask(AuditWanted { actor: "alex%".to_owned(), ..acme() }).await, Vec::<String>::new());
    assert_eq!(ask(AuditWanted { from: at(3), to: at(4), ..payments() }).await, ["line 3"]);
    assert_eq!(ask(AuditWanted { limit: 1, ..acme() }).await, ["line 6"]);
    let first = fixture.store.audit(&AuditWanted { limit: 1, ..acme() }).await.unwrap().remove(0);
    assert_eq!(first.before, lines_before());
    assert_eq!(ask(AuditWanted { behind: Some((first.at, first.id)), ..acme() }).await, ["line 2"]);
    commit(&fixture, &[Change::PurgeAudit(at(6))]).await;
    assert_eq!(ask(wanted(None)).await, ["line 6"]);
}

fn lines_before() -> BTreeMap<String, String> {
    BTreeMap::from([("a".to_owned(), "1".to_owned())])
}

pub(crate) async fn what_delegates_did_is_in_the_audit_log_by_system(fixture: Fixture) {
    let facts = Arc::new(group("acme/payments", "edge"));
    let transition = |number, cause| Transition {
        account: "acme".into(),
        group: Arc::clone(&facts.id),
        instance: "i1".into(),
        at: at(number),
        from: None,
        to: State::Connected,
        cause,
        note: "1 -> 2".into(),
        silence: None,
    };
    let batch = Batch {
        groups: vec![Arc::clone(&facts)],
        transitions: vec![
            transition(1, Cause::Registered),
            transition(2, Cause::Silence),
            transition(3, Cause::Return),
            transition(4, Cause::Version),
        ],
        ..Batch::default()
    };
    fixture.store.write(&batch).await.unwrap();
    let found = fixture.store.audit(&wanted(Some("acme/payments"))).await.unwrap();
    let told: Vec<_> =
        found.iter().map(|line| (line.actor.as_str(), line.action.as_str(), line.name.as_str())).collect();
    let expected =
        ["delegate.version", "delegate.return", "delegate.register"].map(|action| ("SYSTEM", action, "edge"));
    assert_eq!(told, expected);
    assert!(summaries(&fixture, &wanted(Some("acme"))).await.is_empty());
}

pub(crate) async fn deeds_on_a_delegate_are_found_by_its_name(fixture: Fixture) {
    let deed = |number, resource, name: &str, place| AuditRow {
        resource,
        name: name.to_owned(),
        ..line(number, "delegate.delete", Some(place))
    };
    let lines = [
        deed(1, "delegate", "edge", "acme"),
        deed(2, "instance", "edge / pod-1", "acme"),
        deed(3, "delegate", "edge-2", "acme"),
        deed(4, "token", "edge", "acme"),
        deed(5, "delegate", "edge", "acme/payments"),
        deed(6, "instance", "edge / pod-2", "acme"),
    ];
    commit(&fixture, &lines.map(Change::Audit)).await;
    let ask = async |name, prefix, until, limit| {
        let scope = scope("acme");
        let wanted = DeedsWanted { scope: &scope, name, prefix, until: at(until), limit };
        let found = fixture.store.deeds_on(&wanted).await.unwrap();
        found.into_iter().map(|line| line.summary).collect::<Vec<_>>()
    };
    assert_eq!(ask("edge", "edge / ", 9, 10).await, ["line 6", "line 2", "line 1"]);
    assert_eq!(ask("edge", "edge / ", 2, 10).await, ["line 2", "line 1"]);
    assert_eq!(ask("edge", "edge / ", 9, 1).await, ["line 6"]);
    assert_eq!(ask("edge / pod-1", "edge / id-1", 9, 10).await, ["line 2"]);
    assert_eq!(ask("%", "%", 9, 10).await, Vec::<String>::new());
}
