//! What one request of a delegate costs, without the network: credential, body, heartbeat, all of it together.

#[path = "house/credential.rs"]
mod credential;

use std::borrow::Cow;
use std::hint::black_box;
use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use server::agent::jwe::Jwe;
use server::agent::wire;
use server::application::Parts;
use server::clock::Clock;
use server::config::{Config, Options, ServeOptions};
use server::roster::report::Report;
use server::store;
use server::store::access::Change;
use server::tokens::issue::{create_scope, token_row};
use server::tokens::key::TokenKey;
use server::tokens::vault::Vault;
use server::tokens::{Caller, KnownToken};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

use self::credential::{JWE, TOKEN};

const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);
const HEARTBEAT: &str = include_str!("../../fixtures/agent/go-heartbeat.json");
const JAVA_REGISTER: &str = include_str!("../../fixtures/agent/java-register.json");

/// The whole server over a database in a folder of its own, with one account and its token.
struct House {
    runtime: Runtime,
    parts: Parts,
    _folder: tempfile::TempDir,
}

fn house() -> House {
    let runtime = Runtime::new().expect("runtime");
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite://{}", folder.path().join("rollcall.db").display());
    let parts = runtime.block_on(async {
        let store = store::open(&url).await.expect("store");
        store.migrate().await.expect("schema");
        let vault = Arc::new(Vault::from_key([7; 32]));
        let scope: Scope = "ACC".parse().expect("scope");
        create_scope(&*store, &vault, &scope, NOON).await.expect("scope");
        let key = TokenKey::parse(TOKEN).expect("token");
        let row = token_row(&scope, "bench", &key, &vault, NOON).expect("token");
        store.commit(&[Change::InsertToken(row)]).await.expect("stored");
        let config = Config::load(Options::default(), ServeOptions::default()).expect("config");
        Parts::build(&config, store, vault, Clock::manual(NOON)).await.expect("parts")
    });
    House { runtime, parts, _folder: folder }
}

fn caller() -> Caller {
    let scope: Scope = "ACC".parse().expect("scope");
    let token = KnownToken::new("bench".into(), "bench".into(), Arc::new(scope), None);
    Caller { account: "ACC".into(), token: Arc::new(token) }
}

/// One of many instances, a hundred a group.
fn instance(number: u64) -> Report<'static> {
    Report {
        delegate_id: Some(Cow::Owned(format!("d-{number:08}"))),
        name: Some(Cow::Owned(format!("group-{:06}", number / 100))),
        host_name: Some(Cow::Owned(format!("host-{number:08}"))),
        kind: Some(Cow::Borrowed("KUBERNETES")),
        ng: Some(true),
        version: Some(Cow::Borrowed("26.09.89620")),
        ..Report::default()
    }
}

fn fill(house: &House, instances: u64) {
    let caller = caller();
    house.runtime.block_on(async {
        for chunk in 0..instances.div_ceil(1_000) {
            let reports: Vec<Report<'static>> = (chunk * 1_000..(chunk + 1) * 1_000).map(instance).collect();
            let upserts = reports.iter().map(|report| house.parts.roster.upsert(&caller, report, NOON));
            for admitted in futures::future::join_all(upserts).await {
                admitted.expect("admitted");
            }
        }
    });
}

fn credentials(c: &mut Criterion) {
    let house = house();
    let mut group = c.benchmark_group("credential");
    group.bench_function("parse, decrypt and read the claims", |b| {
        let key =
            aes_gcm::KeyInit::new_from_slice(TokenKey::parse(TOKEN).expect("token").bytes()).expect("key");
        b.iter(|| {
            let mut jwe = Jwe::parse(black_box(JWE)).expect("form");
            assert!(jwe.open(&key));
            jwe.claims().expect("claims").exp
        });
    });
    group.bench_function("known already", |b| {
        b.iter(|| house.parts.tokens.authenticate("ACC", black_box(JWE), None, NOON).expect("good"));
    });
    group.finish();
}

fn body(c: &mut Criterion) {
    let mut group = c.benchmark_group("body");
    for (name, text) in [("Go heartbeat", HEARTBEAT), ("Java registration, 15 KB", JAVA_REGISTER)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                wire::report(black_box(text.as_bytes()), "ACC")
                    .expect("report")
                    .0
                    .tags
                    .map_or(0, |tags| tags.len())
            });
        });
    }
    group.finish();
}

fn heartbeat(c: &mut Criterion) {
    let mut group = c.benchmark_group("heartbeat");
    for instances in [1_000, 100_000] {
        let house = house();
        fill(&house, instances);
        let caller = caller();
        let mut number = 0;
        group.bench_function(format!("roster, {instances} instances"), |b| {
            b.iter_batched(
                || {
                    number = (number + 7_919) % instances;
                    instance(number)
                },
                |report| house.parts.roster.beat(&caller, &report, NOON.plus(1)).expect("known"),
                BatchSize::SmallInput,
            );
        });
    }
    let house = house();
    group.bench_function("whole request through the router", |b| {
        let send = || {
            let request = Request::post("/api/agent/delegates/heartbeat-with-polling?accountId=ACC")
                .header("authorization", format!("Delegate {JWE}"))
                .body(Body::from(HEARTBEAT))
                .expect("request");
            house.parts.router.clone().oneshot(request)
        };
        b.to_async(&house.runtime).iter(|| async {
            let answer = send().await.expect("infallible");
            assert!(answer.status().is_success());
        });
    });
    group.finish();
}

criterion_group!(benches, credentials, body, heartbeat);
criterion_main!(benches);
