//! A roster on a database of its own, or on one that it shares.

use std::borrow::Cow;
use std::sync::Arc;

use fleet::scope::Scope;
use fleet::time::Timestamp;
use server::clock::Clock;
use server::roster::report::Report;
use server::roster::{Admitted, Limits, Reference, Roster, RosterParts, SharedSnapshot};
use server::store::{self, SharedStore, Store as _};
use server::tokens::book::{EXP_LEEWAY_SECONDS, TokenBook};
use server::tokens::{Caller, KnownToken};
use std::sync::atomic::AtomicBool;

use crate::flaky::Flaky;
use crate::server_of_tests::fresh_database;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// 2026-11-20 12:00 UTC.
pub(crate) const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);

/// A running roster; dropped without a goodbye it is a killed one.
pub(crate) struct House {
    pub(crate) roster: Arc<Roster>,
    pub(crate) store: Arc<Flaky>,
    pub(crate) clock: Clock,
    pub(crate) folder: TempDir,
    pub(crate) url: String,
    stop: CancellationToken,
    flusher: JoinHandle<()>,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with_limits(Limits::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        Self::open(tempfile::tempdir().expect("folder"), Clock::manual(NOON), limits).await
    }

    async fn open(folder: TempDir, clock: Clock, limits: Limits) -> Self {
        let url = format!("sqlite://{}", folder.path().join("rollcall.db").display());
        Self::on(&url, folder, clock, limits).await
    }

    /// Two nodes on one PostgreSQL database, with one clock.
    pub(crate) async fn pair() -> (Self, Self) {
        let (url, clock) = (fresh_database().await, Clock::manual(NOON));
        let node = async || {
            let folder = tempfile::tempdir().expect("folder");
            Self::on(&url, folder, clock.clone(), Limits::default()).await
        };
        (node().await, node().await)
    }

    async fn on(url: &str, folder: TempDir, clock: Clock, limits: Limits) -> Self {
        let store = store::open(url).await.expect("store");
        store.migrate().await.expect("schema");
        let store = Arc::new(Flaky { inner: store, away: AtomicBool::new(false) });
        let stop = CancellationToken::new();
        let scopes =
            ["acme", "acme/payments", "acme/payments/checkout"].map(|text| text.parse().expect("scope"));
        let parts = RosterParts {
            store: Arc::clone(&store) as SharedStore,
            tokens: Arc::new(TokenBook::new(EXP_LEEWAY_SECONDS)),
            clock: clock.clone(),
            reference: Reference { scopes: scopes.into(), ..Reference::default() },
            limits,
            stop: stop.clone(),
        };
        let (roster, flusher) = Roster::start(parts).await.expect("roster");
        Self { roster, store, clock, folder, url: url.to_owned(), stop, flusher }
    }

    /// Ends without a last flush, then starts again on the same database.
    pub(crate) async fn kill_and_restart(self) -> Self {
        self.flusher.abort();
        let _ = self.flusher.await;
        drop((self.roster, self.store));
        Self::open(self.folder, self.clock, Limits::default()).await
    }

    /// Ends in order, then starts again on the same database.
    pub(crate) async fn restart(self) -> Self {
        self.stop.cancel();
        self.flusher.await.expect("flusher");
        self.store.close().await;
        drop(self.roster);
        Self::open(self.folder, self.clock, Limits::default()).await
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) async fn register(&self, caller: &Caller, report: &Report<'_>) -> Admitted {
        self.roster.register(caller, report, self.now()).await.expect("admitted")
    }

    /// Every visible delegate of an account.
    pub(crate) async fn view(&self, scope: &str, below: bool) -> Arc<SharedSnapshot> {
        let scope: Scope = scope.parse().expect("scope");
        self.roster.snapshot(&scope, below, self.now()).await.expect("snapshot")
    }

    /// Reads what other nodes did.
    pub(crate) async fn follow(&self) {
        self.roster.follow(self.now()).await.expect("followed");
    }

    /// Visible instances below an account.
    pub(crate) async fn instances(&self, account: &str) -> u64 {
        self.view(account, true).await.snapshot.counts.instances
    }
}

/// A process that calls with the token of `scope`.
pub(crate) fn caller(scope: &str) -> Caller {
    let scope: Scope = scope.parse().expect("scope");
    let account = scope.account().into();
    let token = KnownToken::new("token-id".into(), "edge".into(), Arc::new(scope), None);
    Caller { account, token: Arc::new(token) }
}

/// A classic pod.
pub(crate) fn pod(name: &'static str, host: &'static str, ip: &'static str) -> Report<'static> {
    Report {
        name: Some(name.into()),
        kind: Some("KUBERNETES".into()),
        host_name: Some(host.into()),
        ip: Some(ip.into()),
        ng: Some(true),
        polling: Some(false),
        version: Some("26.09.89620".into()),
        tags: Some(vec![Cow::Borrowed("eu"), Cow::Borrowed("edge")]),
        ..Report::default()
    }
}

/// A client on a virtual machine: no version, not exempt from the address rule.
pub(crate) fn machine(name: &'static str, host: &'static str, ip: &'static str) -> Report<'static> {
    Report { kind: Some("DOCKER".into()), version: None, polling: Some(true), ..pod(name, host, ip) }
}

/// The same report as a heartbeat under an id.
pub(crate) fn beat<'a>(report: &Report<'a>, id: &'a str) -> Report<'a> {
    Report { delegate_id: Some(Cow::Borrowed(id)), ..report.clone() }
}
