//! Reading the fleet at a start.

use std::sync::Arc;

use fleet::delegate::{GroupFacts, InstanceFacts};
use fleet::time::Timestamp;
use server::store::{Alias, Batch, LoadSink, StoreError, Tombstone};

use crate::fixture::{Fixture, Loaded, alias, at, beat, group, instance, row, small_fleet};

pub(crate) async fn instances_silent_since_the_cut_off_stay_behind(fixture: Fixture) {
    let cut_off = at(1_000);
    let mut batch = small_fleet();
    batch.instances = vec![
        row("acme", instance("edge", "before"), Some(cut_off.plus(-1))),
        row("acme", instance("edge", "exactly"), Some(cut_off)),
        row("acme", instance("edge", "after"), Some(cut_off.plus(1))),
    ];
    batch.aliases = vec![alias("acme", "x", "before")];
    fixture.write(batch).await;
    let loaded = Loaded::of(&fixture.store, cut_off).await.unwrap();
    assert_eq!(loaded.ids(), ["after", "exactly"]);
    assert_eq!(loaded.groups.len(), 1, "a group comes however long it is silent");
    assert_eq!(loaded.aliases.len(), 1, "an alias comes even without its instance");
    assert_eq!(Loaded::of(&fixture.store, cut_off.plus(2)).await.unwrap().ids(), [""; 0]);
}

pub(crate) async fn any_sign_of_life_counts(fixture: Fixture) {
    let signs = |id: &str, registered: i64, goodbye: Option<i64>| InstanceFacts {
        registered_at: at(registered),
        goodbye_at: goodbye.map(at),
        ..instance("edge", id)
    };
    let mut batch = small_fleet();
    batch.instances = vec![
        row("acme", signs("registered", 100, None), None),
        row("acme", signs("said-goodbye", 0, Some(100)), Some(at(99))),
        row("acme", signs("silent", 99, Some(99)), Some(at(99))),
        row("acme", signs("silent-from-the-first-day", 99, None), None),
    ];
    fixture.write(batch).await;
    assert_eq!(Loaded::of(&fixture.store, at(100)).await.unwrap().ids(), ["registered", "said-goodbye"]);
}

pub(crate) async fn groups_come_first_and_everything_once(fixture: Fixture) {
    let mut batch = Batch::default();
    for owner in ["acme", "acme/payments", "acme/payments/checkout", "beta"] {
        let id = owner.replace('/', "-");
        let account = owner.split('/').next().unwrap();
        batch.groups.push(Arc::new(group(owner, &id)));
        for number in 0..3 {
            let member = format!("{id}-{number}");
            batch.instances.push(row(account, instance(&id, &member), Some(at(number))));
            batch.aliases.push(alias(account, &format!("alias-{member}"), &member));
        }
        batch.tombstones.push(Tombstone {
            account: account.into(),
            group: id.into(),
            instance: "".into(),
            at: at(1),
            by: "someone".into(),
            lifted_at: None,
        });
    }
    fixture.write(batch.clone()).await;
    // The sink itself fails on a wrong order.
    let loaded = fixture.load().await;
    let counts = [loaded.groups.len(), loaded.instances.len(), loaded.aliases.len(), loaded.tombstones.len()];
    assert_eq!(counts, [4, 12, 12, 4]);
    let groups: Vec<_> = batch.groups.iter().map(|facts| (**facts).clone()).collect();
    assert_eq!(loaded.groups, groups);
}

pub(crate) async fn repeated_values_share_one_allocation(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    fixture.write(Batch { groups: vec![Arc::new(group("acme", "west"))], ..Batch::default() }).await;
    let loaded = fixture.load().await;
    let [(_, a, _), (_, b, _)] = &loaded.instances[..] else { panic!("two instances") };
    assert!(Arc::ptr_eq(&a.group, &b.group) && Arc::ptr_eq(&a.group, &loaded.groups[0].id));
    assert!(Arc::ptr_eq(&a.token, &b.token));
    assert!(Arc::ptr_eq(a.version.as_ref().unwrap(), b.version.as_ref().unwrap()));
    assert!(Arc::ptr_eq(&a.tags, &b.tags) && Arc::ptr_eq(&a.tags, &loaded.groups[0].tags));
    assert!(Arc::ptr_eq(&a.details, &b.details));
    assert!(Arc::ptr_eq(&loaded.groups[0].scope, &loaded.groups[1].scope));
    assert_eq!(loaded.shared.tag_lists, 1, "a list is parsed once");
}

pub(crate) async fn nonsense_in_a_row_is_told(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    let cases = [
        ("UPDATE instances SET family = 'COBOL' WHERE id = 'b'", "instances", "family"),
        ("UPDATE instances SET family = 'GO', transport = 'pigeon'", "instances", "transport"),
        ("UPDATE instances SET transport = 'polling', tags = '{'", "instances", "tags"),
        ("UPDATE instances SET tags = '[]', details = '{'", "instances", "details"),
        ("UPDATE delegate_groups SET tags = '[1]'", "delegate_groups", "tags"),
        ("UPDATE delegate_groups SET tags = '[]', project = 'p'", "delegate_groups", "account"),
        ("UPDATE delegate_groups SET project = '', family = ''", "delegate_groups", "family"),
        ("UPDATE delegate_groups SET family = 'GO', approval = ''", "delegate_groups", "approval"),
    ];
    for (sql, table, column) in cases {
        fixture.tamper(sql).await;
        match Loaded::of(&fixture.store, at(0)).await {
            Err(StoreError::Corrupt { table: told, what }) => assert_eq!((told, &*what), (table, column)),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

/// Writes a heartbeat into the database between the groups and the instances.
struct Disturber {
    inner: Loaded,
    disturb: Option<tokio::sync::oneshot::Sender<()>>,
    done: std::sync::mpsc::Receiver<()>,
}

impl LoadSink for Disturber {
    fn intern(&mut self, text: &str) -> Arc<str> {
        self.inner.intern(text)
    }

    fn intern_version(&mut self, text: &str) -> Arc<fleet::version::Version> {
        self.inner.intern_version(text)
    }

    fn intern_tags(&mut self, tags: Vec<String>) -> Arc<[Arc<str>]> {
        self.inner.intern_tags(tags)
    }

    fn group(&mut self, facts: GroupFacts) {
        if let Some(disturb) = self.disturb.take() {
            disturb.send(()).unwrap();
            self.done.recv().unwrap();
        }
        self.inner.group(facts);
    }

    fn instance(&mut self, account: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        self.inner.instance(account, facts, last_heartbeat);
    }

    fn alias(&mut self, alias: Alias) {
        self.inner.alias(alias);
    }

    fn tombstone(&mut self, tombstone: Tombstone) {
        self.inner.tombstone(tombstone);
    }
}

pub(crate) async fn a_load_sees_one_moment(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    let (disturb, disturbed) = tokio::sync::oneshot::channel();
    let (finished, done) = std::sync::mpsc::channel();
    let url = fixture.url.clone();
    // Another process, as it were: a thread with its own runtime and its own store.
    let other = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            disturbed.await.unwrap();
            let store = server::store::open(&url).await.unwrap();
            let groups = vec![Arc::new(group("acme", "late"))];
            let instances = vec![row("acme", instance("late", "z"), Some(at(60)))];
            let beats = vec![beat("acme", "a", at(999))];
            store.write(&Batch { groups, instances, beats, ..Batch::default() }).await.unwrap();
            store.close().await;
            finished.send(()).unwrap();
        });
    });
    let mut sink = Disturber { inner: Loaded::default(), disturb: Some(disturb), done };
    fixture.store.load(at(0), &mut sink).await.unwrap();
    other.join().unwrap();
    assert_eq!(sink.inner.groups.len(), 1);
    assert_eq!(sink.inner.instances.len(), 2, "an instance whose group came too late is not seen");
    assert_eq!(sink.inner.heartbeat("acme", "a"), Some(at(60)));
    assert_eq!(fixture.load().await.heartbeat("acme", "a"), Some(at(999)));
}
