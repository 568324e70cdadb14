//! What the flusher costs: heartbeats and registrations of one batch, and the load at a start, on both databases.
//!
//! PostgreSQL runs without `fsync`, `SQLite` as it always does: compare each with itself.

#[path = "../tests/support/postgres.rs"]
mod postgres;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fleet::delegate::{DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport};
use fleet::time::Timestamp;
use fleet::version::Version;
use server::store::{
    Alias, Batch, Beat, Cause, InstanceRow, LoadSink, SharedStore, State, Tombstone, Transition, open,
};
use tokio::runtime::Runtime;

/// Instances that are stored before anything is measured.
const STORED: u64 = 100_000;
/// Instances of one group.
const MEMBERS: u64 = 100;
/// Heartbeats of one batch.
const BEATS: u64 = 10_000;
/// Registrations of one batch.
const REGISTRATIONS: u64 = 1_000;

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000_i64.saturating_add_unsigned(millis))
}

fn id(number: u64) -> Arc<str> {
    // Scattered like random ids, so that neighbours in a batch are none in the index.
    format!("{:022x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).into()
}

fn group_id(number: u64) -> Arc<str> {
    format!("group-{:06}", number / MEMBERS).into()
}

fn group(number: u64, account: &str) -> GroupFacts {
    let id = group_id(number);
    GroupFacts {
        scope: Arc::new(account.parse().expect("a scope")),
        name: Arc::clone(&id),
        identifier: Arc::clone(&id),
        id,
        kind: DelegateType::Kubernetes,
        family: Family::Java,
        description: "".into(),
        tags: ["linux".into(), "eu-west".into()].into(),
        first_seen: at(0),
        last_active: at(0),
        upgrader_seen: None,
        by_choice: false,
        approval: fleet::delegate::Approval::Approved,
        returned_at: None,
        token_name: "default_token".into(),
    }
}

fn instance(number: u64) -> InstanceFacts {
    InstanceFacts {
        id: id(number),
        group: group_id(number),
        host_name: format!("delegate-7f9c6d5b8-{number:06}").into(),
        ip: format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255).into(),
        ng: true,
        kind: DelegateType::Kubernetes,
        family: Family::Java,
        version: Some(Arc::new(Version::parse("26.09.89620"))),
        version_since: at(0),
        tags: ["linux".into(), "eu-west".into()].into(),
        transport: Transport::WebSocket,
        token: "token".into(),
        immutable: Some(true),
        registered_at: at(0),
        goodbye_at: None,
        capacity: None,
        clock_skew: Some(12),
        incomplete: false,
        double_seen: None,
        heartbeat_as_object: true,
        details: Arc::new(Details {
            task_types: 490,
            connection: Some((&*id(!number)).into()),
            ..Details::default()
        }),
    }
}

/// The registrations of `first` and those after it, each with its line of history.
fn registrations(first: u64, count: u64) -> Batch {
    let account: Arc<str> = "acme".into();
    let numbers = first..first + count;
    let transition = |number| Transition {
        account: Arc::clone(&account),
        group: group_id(number),
        instance: id(number),
        at: at(number),
        from: None,
        to: State::Connected,
        cause: Cause::Registered,
        note: "".into(),
        silence: None,
    };
    let row = |number| InstanceRow {
        account: Arc::clone(&account),
        facts: Arc::new(instance(number)),
        last_heartbeat: Some(at(0)),
    };
    let groups = numbers.clone().step_by(usize::try_from(MEMBERS).expect("a small number"));
    Batch {
        groups: groups.map(|number| Arc::new(group(number, &account))).collect(),
        instances: numbers.clone().map(row).collect(),
        transitions: numbers.map(transition).collect(),
        ..Batch::default()
    }
}

/// Heartbeats of every tenth stored instance, `round` milliseconds after the first ones.
fn heartbeats(round: u64) -> Batch {
    let account: Arc<str> = "acme".into();
    let beat =
        |number| Beat { account: Arc::clone(&account), id: id(number * (STORED / BEATS)), at: at(round) };
    Batch { beats: (0..BEATS).map(beat).collect(), ..Batch::default() }
}

/// Keeps nothing; counts.
#[derive(Default)]
struct Counter(u64);

impl LoadSink for Counter {
    fn group(&mut self, facts: GroupFacts) {
        black_box(facts);
    }

    fn instance(&mut self, _: &str, facts: InstanceFacts, _: Option<Timestamp>) {
        black_box(facts);
        self.0 += 1;
    }

    fn alias(&mut self, _: Alias) {}

    fn tombstone(&mut self, _: Tombstone) {}
}

async fn filled(url: &str) -> SharedStore {
    let store = open(url).await.expect("a store");
    store.migrate().await.expect("a schema");
    for first in (0..STORED).step_by(10_000) {
        store.write(&registrations(first, 10_000)).await.expect("a fleet");
    }
    store
}

fn measure(criterion: &mut Criterion, runtime: &Runtime, store: &SharedStore) {
    let kind = store.kind();
    let write = |batch: Batch| async move { store.write(&batch).await.expect("a written batch") };

    let mut group = criterion.benchmark_group("load");
    group.sample_size(10).throughput(Throughput::Elements(STORED));
    group.bench_function(BenchmarkId::new(kind, STORED), |bencher| {
        bencher.to_async(runtime).iter(|| async {
            let mut counter = Counter::default();
            store.load(at(0), &mut counter).await.expect("a fleet");
            assert_eq!(counter.0, STORED);
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("flush");
    group.sample_size(20).measurement_time(Duration::from_secs(8));
    group.throughput(Throughput::Elements(BEATS));
    let mut round = 0;
    group.bench_function(BenchmarkId::new(format!("{kind}/heartbeats"), BEATS), |bencher| {
        let next = || {
            round += 1;
            heartbeats(round)
        };
        bencher.to_async(runtime).iter_batched(next, write, BatchSize::PerIteration);
    });
    group.throughput(Throughput::Elements(REGISTRATIONS));
    let mut first = STORED;
    group.bench_function(BenchmarkId::new(format!("{kind}/registrations"), REGISTRATIONS), |bencher| {
        let next = || {
            first += REGISTRATIONS;
            registrations(first, REGISTRATIONS)
        };
        bencher.to_async(runtime).iter_batched(next, write, BatchSize::PerIteration);
    });
    group.finish();
}

fn flush(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = format!("sqlite://{}", folder.path().join("fleet.db").display());
    for url in [sqlite, runtime.block_on(postgres::fresh_database())] {
        let store = runtime.block_on(filled(&url));
        measure(criterion, &runtime, &store);
        runtime.block_on(store.close());
    }
}

criterion_group!(benches, flush);
criterion_main!(benches);
