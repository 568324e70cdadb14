//! What the rules cost: one instance, the summary of a large fleet, one page of it.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use fleet::catalog::Catalog;
use fleet::chart::Charts;
use fleet::delegate::{
    DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport, group_identifier,
};
use fleet::health::Judge;
use fleet::policy::Policy;
use fleet::query::{Query, facets, select};
use fleet::scope::Scope;
use fleet::time::{SECOND, Timestamp};
use fleet::version::Version;
use fleet::view::{GroupView, Snapshot};

/// 2026-11-20 12:00 UTC, the instant that the sample catalog is about.
const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);

type Group = (Arc<GroupFacts>, Vec<(Arc<InstanceFacts>, Option<Timestamp>)>);

fn catalog() -> Catalog {
    Catalog::import(include_str!("../../fixtures/catalog.json")).expect("the sample catalog is correct")
}

/// So many groups of so many instances, over all versions of the catalog and one without a version.
fn fleet(catalog: &Catalog, groups: usize, members: usize) -> Vec<Group> {
    let scope = Arc::new("acme".parse::<Scope>().expect("a scope"));
    let tags: Arc<[Arc<str>]> = ["eu-west", "linux", "team:payments"].map(Arc::from).into();
    let details = Arc::new(Details::default());
    (0..groups)
        .map(|number| {
            let group = group(number, &scope, &tags);
            let version =
                catalog.entries.get(number % (catalog.entries.len() + 1)).map(|entry| &entry.version);
            let members = (0..members).map(|member| instance(&group, member, version, &tags, &details));
            let members = members.map(Arc::new).enumerate().map(|(member, facts)| {
                let age = i64::try_from((number + member) % 400).unwrap_or(0) * SECOND;
                (facts, Some(NOW.plus(-age)))
            });
            let members = members.collect();
            (Arc::new(group), members)
        })
        .collect()
}

fn group(number: usize, scope: &Arc<Scope>, tags: &Arc<[Arc<str>]>) -> GroupFacts {
    // Spread over the alphabet, so that no order is given away.
    let name = format!("delegate-{:06}", number.wrapping_mul(7_919) % 1_000_003);
    GroupFacts {
        id: format!("group-{number}").into(),
        scope: Arc::clone(scope),
        identifier: group_identifier(&name).into(),
        name: name.into(),
        kind: DelegateType::Kubernetes,
        family: Family::Java,
        description: "".into(),
        tags: Arc::clone(tags),
        first_seen: NOW.plus(-1_000_000_000),
        last_active: NOW,
        upgrader_seen: Some(NOW),
        by_choice: false,
        approval: fleet::delegate::Approval::Approved,
        returned_at: None,
        token_name: "default_token".into(),
    }
}

fn instance(
    group: &GroupFacts,
    member: usize,
    version: Option<&Arc<Version>>,
    tags: &Arc<[Arc<str>]>,
    details: &Arc<Details>,
) -> InstanceFacts {
    InstanceFacts {
        id: format!("{}-{member}", group.id).into(),
        group: Arc::clone(&group.id),
        host_name: format!("{}-7c9d5b6f4-x{member:04}", group.name).into(),
        ip: "10.0.0.7".into(),
        ng: true,
        kind: DelegateType::Kubernetes,
        family: Family::Java,
        version: version.map(Arc::clone),
        version_since: NOW.plus(-1_000_000_000),
        tags: Arc::clone(tags),
        transport: Transport::WebSocket,
        token: "token-1".into(),
        immutable: Some(true),
        registered_at: NOW.plus(-1_000_000_000),
        goodbye_at: None,
        capacity: None,
        clock_skew: None,
        incomplete: false,
        double_seen: None,
        heartbeat_as_object: true,
        details: Arc::clone(details),
    }
}

/// What the server does for every page: assess everything, sort, add up.
fn snapshot(catalog: &Catalog, policy: &Policy, groups: Vec<Group>) -> Snapshot {
    let latest = catalog.latest(None, None, NOW);
    let mut judge = Judge::new(catalog, latest.clone(), policy, NOW);
    let views =
        groups.into_iter().filter_map(|(group, members)| GroupView::build(group, members, &mut judge));
    Snapshot::new("acme".parse().expect("a scope"), true, NOW, latest, views.collect())
}

fn assess(criterion: &mut Criterion) {
    let (catalog, policy) = (catalog(), Policy::default());
    let mut judge = Judge::new(&catalog, catalog.latest(None, None, NOW), &policy, NOW);
    let versions: Vec<&Arc<Version>> = catalog.entries.iter().map(|entry| &entry.version).collect();
    let mut turn = 0;
    criterion.bench_function("assess one instance", |bencher| {
        bencher.iter(|| {
            turn = (turn + 1) % versions.len();
            judge.assess(black_box(Some(NOW.plus(-30 * SECOND))), Some(versions[turn]))
        });
    });
}

fn summary(criterion: &mut Criterion) {
    let (catalog, policy) = (catalog(), Policy::default());
    let mut bench = criterion.benchmark_group("summary");
    bench.sample_size(10);
    for (groups, members) in [(10_000, 10), (100_000, 10)] {
        let fleet = fleet(&catalog, groups, members);
        bench.bench_function(BenchmarkId::from_parameter(groups * members), |bencher| {
            bencher.iter_batched(
                || fleet.clone(),
                |fleet| snapshot(&catalog, &policy, fleet),
                BatchSize::PerIteration,
            );
        });
    }
    bench.finish();
}

fn page(criterion: &mut Criterion) {
    let (catalog, policy) = (catalog(), Policy::default());
    let snapshot = snapshot(&catalog, &policy, fleet(&catalog, 100_000, 3));
    let mut bench = criterion.benchmark_group("page of 100000 groups");
    for (name, query) in [
        ("first", ""),
        ("card", "health=expired"),
        ("by name", "sort=-name&page=500"),
        ("by version", "sort=version&page=500"),
        ("search for a name", "search=delegate-0001"),
        ("search for nothing there", "search=nowhere"),
    ] {
        let query = Query::parse(query).expect("a query");
        bench.bench_function(name, |bencher| {
            bencher.iter(|| select(black_box(&snapshot), &query));
        });
    }
    bench.finish();
}

fn choices(criterion: &mut Criterion) {
    let (catalog, policy) = (catalog(), Policy::default());
    let snapshot = snapshot(&catalog, &policy, fleet(&catalog, 100_000, 3));
    let mut bench = criterion.benchmark_group("facets of 100000 groups");
    bench.sample_size(20);
    for (name, query) in [("no filter", ""), ("card and tag", "health=expired&delegateTags=linux")] {
        let query = Query::parse(query).expect("a query");
        bench.bench_function(name, |bencher| {
            bencher.iter(|| facets(black_box(&snapshot), &query));
        });
    }
    bench.finish();
}

fn charts(criterion: &mut Criterion) {
    let (catalog, policy) = (catalog(), Policy::default());
    let mut bench = criterion.benchmark_group("charts");
    for (groups, members) in [(10_000, 10), (100_000, 1)] {
        let snapshot = snapshot(&catalog, &policy, fleet(&catalog, groups, members));
        bench.bench_function(BenchmarkId::new("groups", groups), |bencher| {
            bencher.iter(|| Charts::of(black_box(&snapshot)));
        });
    }
    bench.finish();
}

criterion_group!(benches, assess, summary, page, choices, charts);
criterion_main!(benches);
