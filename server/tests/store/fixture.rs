//! A fresh store, facts to put in, and what comes out of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use fleet::delegate::{DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport};
use fleet::history::Turn;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::version::Version;
use server::store::{
    Alias, Batch, Beat, InstanceRow, LoadSink, NewScope, SharedStore, StoreError, TokenRow, TokenStatus,
    Tombstone, open,
};
use sqlx::{Connection, PgConnection, SqliteConnection};
use tempfile::TempDir;

/// An open, migrated store with its URL.
pub(crate) struct Fixture {
    pub(crate) store: SharedStore,
    pub(crate) url: String,
    _folder: Option<TempDir>,
}

impl Fixture {
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("fleet.db").display());
        Self::of(url, Some(folder)).await
    }

    pub(crate) async fn postgres() -> Self {
        Self::of(crate::server::fresh_database().await, None).await
    }

    /// An empty one of a kind, `sqlite` or `postgres`.
    pub(crate) async fn fresh(kind: &str) -> Self {
        if kind == "sqlite" { Self::sqlite().await } else { Self::postgres().await }
    }

    async fn of(url: String, folder: Option<TempDir>) -> Self {
        let store = open(&url).await.unwrap();
        store.migrate().await.unwrap();
        Self { store, url, _folder: folder }
    }

    /// The same database once more.
    pub(crate) async fn again(&self) -> SharedStore {
        open(&self.url).await.unwrap()
    }

    pub(crate) async fn write(&self, batch: Batch) {
        self.store.write(&batch).await.unwrap();
    }

    pub(crate) async fn load(&self) -> Loaded {
        Loaded::of(&self.store, Timestamp::from_millis(i64::MIN)).await.unwrap()
    }

    /// Changes the database behind the store's back.
    pub(crate) async fn tamper(&self, sql: &'static str) {
        if self.store.kind() == "sqlite" {
            let mut connection = SqliteConnection::connect(&self.url).await.unwrap();
            sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        } else {
            let mut connection = PgConnection::connect(&self.url).await.unwrap();
            sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        }
    }
}

/// Everything that a load hands over, in the order of keys.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Loaded {
    pub(crate) groups: Vec<GroupFacts>,
    pub(crate) instances: Vec<(String, InstanceFacts, Option<Timestamp>)>,
    pub(crate) aliases: Vec<Alias>,
    pub(crate) tombstones: Vec<Tombstone>,
    pub(crate) turns: Vec<(String, String, Turn)>,
    pub(crate) shared: Shared,
}

/// What the sink shared; equal to everything, so that results compare by their facts.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    texts: HashSet<Arc<str>>,
    versions: HashMap<String, Arc<Version>>,
    pub(crate) tag_lists: usize,
}

impl PartialEq for Shared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Loaded {
    pub(crate) async fn of(store: &SharedStore, since: Timestamp) -> Result<Self, StoreError> {
        let mut loaded = Self::default();
        store.load(since, &mut loaded).await?;
        loaded.groups.sort_by_key(|group| (group.scope.clone(), group.id.clone()));
        loaded.instances.sort_by_key(|(account, facts, _)| (account.clone(), facts.id.clone()));
        loaded.aliases.sort_by_key(|alias| (alias.account.clone(), alias.alias.clone()));
        loaded
            .tombstones
            .sort_by_key(|stone| (stone.account.clone(), stone.group.clone(), stone.instance.clone()));
        Ok(loaded)
    }

    pub(crate) fn heartbeat(&self, account: &str, id: &str) -> Option<Timestamp> {
        let found = self.instances.iter().find(|(owner, facts, _)| owner == account && &*facts.id == id);
        found.unwrap_or_else(|| panic!("no instance {id}")).2
    }

    pub(crate) fn ids(&self) -> Vec<&str> {
        self.instances.iter().map(|(_, facts, _)| &*facts.id).collect()
    }
}

impl LoadSink for Loaded {
    fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.shared.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.shared.texts.insert(Arc::clone(&text));
        text
    }

    fn intern_version(&mut self, text: &str) -> Arc<Version> {
        let versions = &mut self.shared.versions;
        Arc::clone(versions.entry(text.to_owned()).or_insert_with(|| Arc::new(Version::parse(text))))
    }

    fn intern_tags(&mut self, tags: Vec<String>) -> Arc<[Arc<str>]> {
        self.shared.tag_lists += 1;
        tags.into_iter().map(|tag| self.intern(&tag)).collect()
    }

    fn group(&mut self, facts: GroupFacts) {
        assert!(self.instances.is_empty() && self.aliases.is_empty(), "a group after instances or aliases");
        self.groups.push(facts);
    }

    fn instance(&mut self, account: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        let known = |group: &&GroupFacts| group.scope.account() == account && group.id == facts.group;
        assert!(self.groups.iter().any(|group| known(&group)), "an instance before its group");
        assert!(self.aliases.is_empty(), "an instance after aliases");
        self.instances.push((account.to_owned(), facts, last_heartbeat));
    }

    fn alias(&mut self, alias: Alias) {
        self.aliases.push(alias);
    }

    fn tombstone(&mut self, tombstone: Tombstone) {
        self.tombstones.push(tombstone);
    }

    fn turn(&mut self, account: &str, instance: &str, turn: Turn) {
        self.turns.push((account.to_owned(), instance.to_owned(), turn));
    }
}

/// The instant `seconds` after the beginning of these tests' time.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000 + seconds * 1_000)
}

pub(crate) fn scope(text: &str) -> Scope {
    text.parse().unwrap()
}

pub(crate) fn tags(list: &[&str]) -> Arc<[Arc<str>]> {
    list.iter().map(|&tag| tag.into()).collect()
}

/// A group of the id, which also is its name.
pub(crate) fn group(owner: &str, id: &str) -> GroupFacts {
    GroupFacts {
        id: id.into(),
        scope: Arc::new(scope(owner)),
        name: id.into(),
        identifier: format!("_{id}").into(),
        kind: DelegateType::Docker,
        family: Family::Go,
        description: "".into(),
        tags: tags(&["linux", "eu"]),
        first_seen: at(0),
        last_active: at(60),
        upgrader_seen: None,
        by_choice: false,
        approval: fleet::delegate::Approval::Approved,
        returned_at: None,
        token_name: "default_token".into(),
    }
}

/// An instance of a group.
pub(crate) fn instance(group: &str, id: &str) -> InstanceFacts {
    InstanceFacts {
        id: id.into(),
        group: group.into(),
        host_name: format!("dlite-{id}").into(),
        ip: "10.0.0.1".into(),
        ng: true,
        kind: DelegateType::Docker,
        family: Family::Go,
        version: Some(Arc::new(Version::parse("26.09.89620"))),
        version_since: at(0),
        tags: tags(&["linux", "eu"]),
        transport: Transport::Polling,
        token: "token-1".into(),
        immutable: None,
        registered_at: at(0),
        goodbye_at: None,
        capacity: None,
        clock_skew: None,
        incomplete: false,
        double_seen: None,
        heartbeat_as_object: true,
        details: Arc::new(Details::default()),
    }
}

pub(crate) fn row(account: &str, facts: InstanceFacts, last_heartbeat: Option<Timestamp>) -> InstanceRow {
    InstanceRow { account: account.into(), facts: Arc::new(facts), last_heartbeat }
}

pub(crate) fn beat(account: &str, id: &str, at: Timestamp) -> Beat {
    Beat { account: account.into(), id: id.into(), at }
}

pub(crate) fn alias(account: &str, alias: &str, id: &str) -> Alias {
    Alias { account: account.into(), alias: alias.into(), id: id.into() }
}

/// The group `edge` of `acme` with the instances `a` and `b`, both of which beat at 60 s.
pub(crate) fn small_fleet() -> Batch {
    Batch {
        groups: vec![Arc::new(group("acme", "edge"))],
        instances: vec![
            row("acme", instance("edge", "a"), Some(at(60))),
            row("acme", instance("edge", "b"), Some(at(60))),
        ],
        ..Batch::default()
    }
}

pub(crate) fn token(owner: &str, name: &str) -> TokenRow {
    TokenRow {
        id: format!("id of {name} in {owner}").into(),
        scope: Arc::new(scope(owner)),
        name: name.into(),
        sealed: vec![0, 1, 2, 0xff],
        hash: "9d5c66162adf75e9258f8e30054d3d507c4e1f65c9511d6104c37d62a76bb04f".into(),
        status: TokenStatus::Active,
        created_at: at(0),
        created_by: None,
        revoke_after: None,
        revoked_at: None,
        last_used: None,
    }
}

pub(crate) fn new_scope(owner: &str) -> NewScope {
    NewScope { scope: scope(owner), created_at: at(0), token: token(owner, "default_token") }
}
