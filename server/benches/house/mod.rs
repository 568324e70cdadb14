//! `rollcall serve` in a process of its own, over a database with many delegates.

pub(crate) mod credential;
pub(crate) mod wrk;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fleet::access::{Reach, Resources};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use reqwest::{Client, RequestBuilder};
use server::application::Parts;
use server::auth::session::Origin;
use server::clock::Clock;
use server::config::{Config, Options, ServeOptions};
use server::deeds::Actor;
use server::deeds::people::{self, NewAssignment, NewPerson};
use server::roster::report::Report;
use server::store;
use server::store::access::Change;
use server::tokens::issue::{create_scope, token_row};
use server::tokens::key::TokenKey;
use server::tokens::vault::Vault;
use server::tokens::{Caller, KnownToken};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use credential::{JWE, TOKEN};

/// Dealt out in turn.
pub(crate) const VERSIONS: [&str; 4] = ["26.09.89620", "26.11.90604", "26.06.89201", "25.12.87602"];
/// Instances of one group.
pub(crate) const MEMBERS: u32 = 100;
/// People with the same role; one person has room for a part of the viewers only.
const PEOPLE: usize = 10;
/// Ticks of processor time in a second, on every Linux there is.
const TICKS: f64 = 100.0;

/// The server and what it takes to ask it.
pub(crate) struct House {
    /// Connections for short requests.
    pub(crate) client: Client,
    /// Of people who are signed in.
    pub(crate) cookies: Vec<String>,
    /// Delegates in the database.
    pub(crate) instances: u32,
    /// From the start of the process to the first answer.
    pub(crate) started_in: Duration,
    address: String,
    /// Requests so far.
    asked: AtomicUsize,
    process: Child,
    url: String,
    folder: Arc<tempfile::TempDir>,
}

impl House {
    /// Fills an empty database, SQLite in a folder of its own unless a URL is given; then starts the server on it.
    pub(crate) async fn build(instances: u32, url: Option<String>) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("folder"));
        let own = || format!("sqlite://{}", folder.path().join("rollcall.db").display());
        let url = url.unwrap_or_else(own);
        let secrets = fill(&url, &master(&folder), instances).await;
        let cookies = secrets.iter().map(|secret| format!("rollcall_session={secret}")).collect();
        Self::start(instances, url, folder, cookies).await
    }

    /// Another node on the same database, which is PostgreSQL.
    pub(crate) async fn another(&self) -> Self {
        Self::start(self.instances, self.url.clone(), Arc::clone(&self.folder), self.cookies.clone()).await
    }

    async fn start(
        instances: u32,
        url: String,
        folder: Arc<tempfile::TempDir>,
        cookies: Vec<String>,
    ) -> Self {
        let started = Instant::now();
        let mut process = Command::new(env!("CARGO_BIN_EXE_rollcall"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("ROLLCALL_DATABASE", &url)
            .env("ROLLCALL_MASTER_KEY_FILE", master(&folder))
            .env("ROLLCALL_LOG", "error")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("server");
        let mut lines = BufReader::new(process.stdout.take().expect("output")).lines();
        let address = lines.next_line().await.expect("output").expect("address");
        let started_in = started.elapsed();
        let client = Client::new();
        let asked = AtomicUsize::new(0);
        let house = Self { client, cookies, instances, started_in, address, asked, process, url, folder };
        let page = house.get(&house.client, "/a/ACC/delegates").send().await.expect("page");
        assert!(page.status().is_success(), "{}", page.status());
        house
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    /// A request of somebody who is signed in, each time of another one.
    pub(crate) fn get(&self, client: &Client, path: &str) -> RequestBuilder {
        let person = self.asked.fetch_add(1, Ordering::Relaxed) % self.cookies.len();
        client.get(format!("{}{path}", self.address)).header("cookie", &self.cookies[person])
    }

    /// Sends heartbeats at this pace for so long, and gives how many were answered; with `changes` an instance changes
    /// its version every second.
    pub(crate) async fn beat(&self, per_second: u32, lasting: Duration, changes: bool) -> u64 {
        let started = Instant::now();
        let mut ticks = tokio::time::interval(Duration::from_millis(20));
        let (mut sent, mut answered, mut upgrades) = (0_u32, 0, 0);
        let mut open = tokio::task::JoinSet::new();
        while started.elapsed() < lasting {
            ticks.tick().await;
            let due = (f64::from(per_second) * started.elapsed().as_secs_f64()).floor();
            while f64::from(sent) < due {
                let number = sent.wrapping_mul(7_919) % self.instances;
                open.spawn(self.heartbeat(number, version(number)));
                sent += 1;
            }
            if changes && started.elapsed().as_secs() > upgrades {
                upgrades = started.elapsed().as_secs();
                open.spawn(self.heartbeat(0, VERSIONS[usize::from(upgrades % 2 == 0)]));
            }
            while let Some(done) = open.try_join_next() {
                answered += u64::from(done.expect("heartbeat"));
            }
        }
        while let Some(done) = open.join_next().await {
            answered += u64::from(done.expect("heartbeat"));
        }
        assert_eq!(answered, u64::from(sent) + upgrades, "every heartbeat is answered");
        answered
    }

    fn heartbeat(&self, number: u32, version: &str) -> impl Future<Output = bool> + Send + 'static {
        let body = format!(
            "{{\"accountId\":\"ACC\",\"delegateName\":\"group-{:06}\",\"delegateId\":\"d-{number:08}\",\"delegateType\":\
             \"KUBERNETES\",\"ng\":true,\"pollingModeEnabled\":true,\"hostName\":\"host-{number:08}\",\"version\":\"{version}\",\
             \"heartbeatAsObject\":true}}",
            number / MEMBERS
        );
        let url = format!("{}/api/agent/delegates/heartbeat-with-polling?accountId=ACC", self.address);
        let request = self.client.post(url).header("authorization", format!("Delegate {JWE}")).body(body);
        async move { request.send().await.is_ok_and(|answer| answer.status().is_success()) }
    }

    /// Memory of the server, in KiB.
    pub(crate) fn rss(&self) -> u64 {
        self.status("VmRSS:")
    }

    /// The most memory since [`House::forget_peak`], in KiB.
    pub(crate) fn peak(&self) -> u64 {
        self.status("VmHWM:")
    }

    /// Lets the peak begin anew.
    pub(crate) fn forget_peak(&self) {
        std::fs::write(self.proc("clear_refs"), "5").expect("reset");
    }

    /// Processor time of the server so far.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(self.proc("stat")).expect("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
        let ticks = |at: usize| fields[at].parse::<f64>().expect("ticks");
        Duration::from_secs_f64((ticks(11) + ticks(12)) / TICKS)
    }

    fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(self.proc("status")).expect("status");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("line");
        line.trim().trim_end_matches(" kB").parse().expect("number")
    }

    fn proc(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.process.id().expect("a running server")))
    }

    /// Ends the server.
    pub(crate) async fn end(mut self) {
        self.process.kill().await.expect("end");
    }
}

/// Where the master key of a house is.
fn master(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("master.key")
}

/// An account with its token, its delegates and its people; gives the secrets of their sessions.
async fn fill(url: &str, master: &Path, instances: u32) -> Vec<String> {
    let clock = Clock::system();
    let now = clock.now();
    let store = store::open(url).await.expect("store");
    store.migrate().await.expect("schema");
    let vault = Arc::new(Vault::open_or_create(master).expect("key").vault);
    let scope: Scope = "ACC".parse().expect("scope");
    create_scope(&*store, &vault, &scope, now).await.expect("scope");
    let row =
        token_row(&scope, "bench", &TokenKey::parse(TOKEN).expect("token"), &vault, now).expect("token");
    // Heartbeats say what registrations said: nothing but their time is news.
    let token = KnownToken::new(Arc::clone(&row.id), Arc::clone(&row.name), Arc::new(scope.clone()), None);
    let document = include_str!("../../../fixtures/catalog.json").to_owned();
    store
        .commit(&[Change::InsertToken(row), Change::PutCatalog { document, at: now }])
        .await
        .expect("stored");
    let config = Config::load(Options::default(), ServeOptions::default()).expect("config");
    let parts = Parts::build(&config, store, vault, clock).await.expect("parts");
    let mut secrets = Vec::new();
    for number in 0..PEOPLE {
        secrets.push(viewer(&parts, number, scope.clone(), now).await);
    }
    let caller = Caller { account: "ACC".into(), token: Arc::new(token) };
    for chunk in 0..instances / 1_000 {
        let reports: Vec<Report<'static>> = (chunk * 1_000..(chunk + 1) * 1_000).map(instance).collect();
        // Heartbeats keep the ids that they bring.
        let registered = reports.iter().map(|report| parts.roster.upsert(&caller, report, now));
        for admitted in futures::future::join_all(registered).await {
            admitted.expect("admitted");
        }
    }
    parts.shut_down().await;
    secrets
}

async fn viewer(parts: &Parts, number: usize, scope: Scope, now: Timestamp) -> String {
    let auth = &parts.state.auth;
    let new = NewPerson { email: format!("viewer{number}@bench.example"), ..NewPerson::default() };
    let actor = Actor::command_line();
    let (user, mut changes) =
        people::create(&auth.directory.tables(), &actor, None, &new, now).expect("somebody");
    let role =
        NewAssignment { role: "operator".to_owned(), reach: Reach::Scope(scope), resources: Resources::All };
    changes.extend(people::assign(&auth.directory.tables(), &actor, &user, &role, now).expect("role"));
    parts.state.change_access(&changes).await.expect("stored");
    let (secret, session) = auth.new_session(&user, &Origin::default());
    parts.store.commit(&session).await.expect("session");
    secret.to_string()
}

/// What an instance runs from first to last.
fn version(number: u32) -> &'static str {
    VERSIONS[number as usize % VERSIONS.len()]
}

fn instance(number: u32) -> Report<'static> {
    Report {
        delegate_id: Some(Cow::Owned(format!("d-{number:08}"))),
        name: Some(Cow::Owned(format!("group-{:06}", number / MEMBERS))),
        host_name: Some(Cow::Owned(format!("host-{number:08}"))),
        kind: Some(Cow::Borrowed("KUBERNETES")),
        ng: Some(true),
        tags: Some(vec![Cow::Borrowed("eu-west"), Cow::Borrowed("linux")]),
        version: Some(Cow::Borrowed(version(number))),
        polling: Some(true),
        ..Report::default()
    }
}
