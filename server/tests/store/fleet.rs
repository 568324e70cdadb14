//! Groups, instances, heartbeats, aliases, tombstones: what is kept, replaced and merged.

use std::sync::Arc;

use fleet::delegate::{Approval, DelegateType, Details, Family, GroupFacts, InstanceFacts, Transport};
use fleet::version::Version;
use server::store::access::Change;
use server::store::{Batch, StoreError, Tombstone};

use crate::fixture::{Fixture, alias, at, beat, group, instance, row, scope, small_fleet, tags};

pub(crate) async fn every_fact_of_a_group_comes_back(fixture: Fixture) {
    let full = GroupFacts {
        id: "g1".into(),
        scope: Arc::new(scope("acme/payments/checkout")),
        name: "edge-a".into(),
        identifier: "_edge_a".into(),
        kind: DelegateType::Kubernetes,
        family: Family::Java,
        description: "west wing".into(),
        tags: tags(&["linux", "gpu"]),
        first_seen: at(1),
        last_active: at(2),
        upgrader_seen: Some(at(3)),
        by_choice: true,
        approval: Approval::Pending,
        returned_at: Some(at(4)),
        token_name: "default_token/payments/checkout".into(),
    };
    let bare = GroupFacts { tags: tags(&[]), upgrader_seen: None, ..group("beta", "g2") };
    let groups = vec![Arc::new(full.clone()), Arc::new(bare.clone())];
    fixture.write(Batch { groups, ..Batch::default() }).await;
    assert_eq!(fixture.load().await.groups, [full, bare]);
}

pub(crate) async fn a_group_keeps_the_approval_of_its_first_row(fixture: Fixture) {
    let put = |approval, returned: Option<i64>| {
        let facts = GroupFacts { approval, returned_at: returned.map(at), ..group("acme", "edge") };
        Batch { groups: vec![Arc::new(facts)], ..Batch::default() }
    };
    let stored = async || {
        let groups = fixture.load().await.groups;
        (groups[0].approval, groups[0].returned_at)
    };
    let mut together = put(Approval::Pending, Some(1));
    together.append(put(Approval::Approved, Some(2)));
    fixture.write(together).await;
    assert_eq!(stored().await, (Approval::Pending, Some(at(2))), "the return is the latest");
    for (approval, returned) in [(Approval::Approved, Some(3)), (Approval::Rejected, None)] {
        fixture.write(put(approval, returned)).await;
        assert_eq!(stored().await, (Approval::Pending, Some(at(3))));
    }
    for (sql, approval) in [
        ("UPDATE delegate_groups SET approval = 'APPROVED'", Approval::Approved),
        ("UPDATE delegate_groups SET approval = 'REJECTED'", Approval::Rejected),
    ] {
        fixture.tamper(sql).await;
        fixture.write(put(Approval::Pending, None)).await;
        assert_eq!(stored().await.0, approval);
    }
}

pub(crate) async fn every_fact_of_an_instance_comes_back(fixture: Fixture) {
    let full = InstanceFacts {
        id: "a".into(),
        group: "edge".into(),
        host_name: "edge-7f9c-x2x4q".into(),
        ip: "10.1.2.3".into(),
        ng: false,
        kind: DelegateType::Helm,
        family: Family::Java,
        version: Some(Arc::new(Version::parse("26.10.90107.minimal"))),
        version_since: at(4),
        tags: tags(&["gpu"]),
        transport: Transport::WebSocket,
        token: "token-7".into(),
        immutable: Some(true),
        registered_at: at(5),
        goodbye_at: Some(at(6)),
        capacity: Some(12),
        clock_skew: Some(-1_500),
        incomplete: true,
        double_seen: Some(at(7)),
        heartbeat_as_object: false,
        details: Arc::new(Details {
            task_types: 490,
            location: Some("/opt/agent".into()),
            profile: Some("p".into()),
            size: Some("LAPTOP".into()),
            legacy_group: Some("old".into()),
            sequence: Some("1".into()),
            connection: Some("c".into()),
            previous_connection: Some("b".into()),
        }),
    };
    let bare = InstanceFacts { version: None, tags: tags(&[]), ip: "".into(), ..instance("edge", "b") };
    let groups = vec![Arc::new(group("acme", "edge"))];
    let instances = vec![row("acme", full.clone(), Some(at(8))), row("acme", bare.clone(), None)];
    fixture.write(Batch { groups, instances, ..Batch::default() }).await;
    let expected = [("acme".to_owned(), full, Some(at(8))), ("acme".to_owned(), bare, None)];
    assert_eq!(fixture.load().await.instances, expected);
}

pub(crate) async fn a_group_keeps_its_earliest_and_latest_times(fixture: Fixture) {
    let times = [(10, 50, Some(30)), (20, 40, Some(20)), (5, 45, None), (15, 60, Some(31))];
    let mut seen = Vec::new();
    for (first, last, upgrader) in times {
        let facts = GroupFacts {
            first_seen: at(first),
            last_active: at(last),
            upgrader_seen: upgrader.map(at),
            returned_at: upgrader.map(at),
            ..group("acme", "edge")
        };
        fixture.write(Batch { groups: vec![Arc::new(facts)], ..Batch::default() }).await;
        let stored = &fixture.load().await.groups[0];
        seen.push((stored.first_seen, stored.last_active, stored.upgrader_seen));
        assert_eq!(stored.returned_at, stored.upgrader_seen);
    }
    let expected = [(10, 50, 30), (10, 50, 30), (5, 50, 30), (5, 60, 31)];
    assert_eq!(seen, expected.map(|(first, last, upgrader)| (at(first), at(last), Some(at(upgrader)))));
}

pub(crate) async fn an_instance_keeps_its_first_registration(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    for (registered, kept) in [(10, 0), (-10, -10), (0, -10)] {
        let facts = InstanceFacts { registered_at: at(registered), ..instance("edge", "a") };
        fixture.write(Batch { instances: vec![row("acme", facts, None)], ..Batch::default() }).await;
        assert_eq!(fixture.load().await.instances[0].1.registered_at, at(kept));
    }
}

pub(crate) async fn an_instance_is_replaced_as_a_whole(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    let gone = InstanceFacts {
        goodbye_at: Some(at(90)),
        capacity: Some(1),
        immutable: Some(false),
        ..instance("edge", "a")
    };
    fixture.write(Batch { instances: vec![row("acme", gone, None)], ..Batch::default() }).await;
    let moved = InstanceFacts { version: None, tags: tags(&["new"]), ..instance("west", "a") };
    let groups = vec![Arc::new(group("acme", "west"))];
    let instances = vec![row("acme", moved.clone(), Some(at(120)))];
    fixture.write(Batch { groups, instances, ..Batch::default() }).await;
    assert_eq!(fixture.load().await.instances[0], ("acme".to_owned(), moved, Some(at(120))));
}

pub(crate) async fn heartbeats_only_move_forward(fixture: Fixture) {
    let mut batch = small_fleet();
    batch.instances[0].last_heartbeat = None;
    fixture.write(batch).await;
    assert_eq!(fixture.load().await.heartbeat("acme", "a"), None);
    for (sent, kept) in [(50, 50), (70, 70), (60, 70), (70, 70), (71, 71)] {
        fixture.write(Batch { beats: vec![beat("acme", "a", at(sent))], ..Batch::default() }).await;
        assert_eq!(fixture.load().await.heartbeat("acme", "a"), Some(at(kept)));
    }
    for (sent, kept) in [(None, 71), (Some(65), 71), (Some(80), 80)] {
        let instances = vec![row("acme", instance("edge", "a"), sent.map(at))];
        fixture.write(Batch { instances, ..Batch::default() }).await;
        assert_eq!(fixture.load().await.heartbeat("acme", "a"), Some(at(kept)));
    }
    assert_eq!(fixture.load().await.heartbeat("acme", "b"), Some(at(60)), "the neighbour stays as it is");
}

pub(crate) async fn heartbeats_of_unknown_instances_are_passed_over(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    let beats = vec![beat("acme", "never", at(90)), beat("beta", "a", at(90)), beat("acme", "b", at(90))];
    fixture.write(Batch { beats, ..Batch::default() }).await;
    let loaded = fixture.load().await;
    assert_eq!(loaded.ids(), ["a", "b"]);
    assert_eq!(loaded.heartbeat("acme", "a"), Some(at(60)));
    assert_eq!(loaded.heartbeat("acme", "b"), Some(at(90)));
}

pub(crate) async fn ids_are_unique_per_account_only(fixture: Fixture) {
    let other = Batch {
        groups: vec![Arc::new(group("beta", "edge"))],
        instances: vec![row("beta", instance("edge", "a"), Some(at(1)))],
        aliases: vec![alias("beta", "x", "a")],
        ..Batch::default()
    };
    fixture.write(small_fleet()).await;
    fixture.write(other).await;
    let removed = vec![("acme".into(), "a".into())];
    fixture.write(Batch { removed, ..Batch::default() }).await;
    let loaded = fixture.load().await;
    assert_eq!(loaded.groups.len(), 2);
    assert_eq!(loaded.heartbeat("beta", "a"), Some(at(1)));
    assert_eq!(loaded.ids(), ["b", "a"]);
    assert_eq!(loaded.aliases, [alias("beta", "x", "a")]);
}

pub(crate) async fn an_alias_is_replaced(fixture: Fixture) {
    fixture.write(small_fleet()).await;
    let aliases = vec![alias("acme", "x", "a"), alias("acme", "y", "a")];
    fixture.write(Batch { aliases, ..Batch::default() }).await;
    fixture.write(Batch { aliases: vec![alias("acme", "x", "b")], ..Batch::default() }).await;
    assert_eq!(fixture.load().await.aliases, [alias("acme", "x", "b"), alias("acme", "y", "a")]);
}

pub(crate) async fn a_removed_instance_takes_its_aliases_along(fixture: Fixture) {
    let mut batch = small_fleet();
    batch.aliases = vec![alias("acme", "x", "a"), alias("acme", "y", "b")];
    fixture.write(batch).await;
    // The placeholder `a` turns out to be `b`: its id becomes a second id of `b`.
    let batch = Batch {
        aliases: vec![alias("acme", "a", "b")],
        removed: vec![("acme".into(), "a".into()), ("acme".into(), "never".into())],
        ..Batch::default()
    };
    fixture.write(batch).await;
    let loaded = fixture.load().await;
    assert_eq!(loaded.ids(), ["b"]);
    assert_eq!(loaded.aliases, [alias("acme", "a", "b"), alias("acme", "y", "b")]);
}

pub(crate) async fn a_tombstone_is_replaced_and_lifted(fixture: Fixture) {
    let stone = |instance: &str, seconds, lifted: Option<i64>| Tombstone {
        account: "acme".into(),
        group: "edge".into(),
        instance: instance.into(),
        at: at(seconds),
        by: "someone@example.test".into(),
        lifted_at: lifted.map(at),
    };
    let tombstones = vec![stone("", 1, None), stone("a", 2, None)];
    fixture.write(Batch { tombstones, ..Batch::default() }).await;
    fixture.write(Batch { tombstones: vec![stone("a", 2, Some(9))], ..Batch::default() }).await;
    assert_eq!(fixture.load().await.tombstones, [stone("", 1, None), stone("a", 2, Some(9))]);
}

pub(crate) async fn texts_from_outside_come_back_unchanged(fixture: Fixture) {
    let hostile = [
        "'; DROP TABLE instances; --",
        "\"quoted\" \\back\\slash\\ \\u0041 %s $1 ?",
        "{\"json\":[1,null]}",
        "naïve Ünïcødé 漢字 🦀 \u{202e}right\u{202c}",
        "tab\tnew\nline\r\u{1}\u{7f}\u{2028}",
        " spaces ",
        "<script>alert(1)</script>",
        "NULL",
        "\u{fffd}\u{10ffff}",
    ];
    let mut batch = Batch::default();
    for (number, &text) in hostile.iter().enumerate() {
        let id = format!("i{number}");
        let mut facts = group("acme", text);
        facts.description = text.into();
        facts.tags = tags(&[text, "plain"]);
        facts.token_name = text.into();
        facts.kind = DelegateType::from(text);
        batch.groups.push(Arc::new(facts));
        let mut facts = instance(text, &id);
        facts.host_name = text.into();
        facts.ip = text.into();
        facts.tags = tags(&[text]);
        facts.version = Some(Arc::new(Version::parse(text)));
        facts.details = Arc::new(Details { location: Some(text.into()), ..Details::default() });
        batch.instances.push(row("acme", facts, None));
    }
    fixture.write(batch.clone()).await;
    let loaded = fixture.load().await;
    for facts in &batch.groups {
        assert!(loaded.groups.contains(facts), "group {:?} of {:?}", facts, loaded.groups);
    }
    let instances: Vec<_> = loaded.instances.into_iter().map(|(_, facts, _)| facts).collect();
    let expected: Vec<_> = batch.instances.iter().map(|row| (*row.facts).clone()).collect();
    assert_eq!(instances, expected);
}

pub(crate) async fn nul_characters_become_replacement_characters(fixture: Fixture) {
    let mut facts = group("acme", "edge");
    facts.name = "a\0b".into();
    facts.tags = tags(&["t\0"]);
    let mut member = instance("edge", "a");
    member.host_name = "\0".into();
    member.details = Arc::new(Details { location: Some("/\0".into()), ..Details::default() });
    let instances = vec![row("acme", member, None)];
    fixture.write(Batch { groups: vec![Arc::new(facts)], instances, ..Batch::default() }).await;
    let loaded = fixture.load().await;
    assert_eq!(&*loaded.groups[0].name, "a\u{fffd}b");
    assert_eq!(&*loaded.instances[0].1.host_name, "\u{fffd}");
    // Lists and objects are JSON, which writes NUL in other characters.
    assert_eq!(loaded.groups[0].tags, tags(&["t\0"]));
    assert_eq!(loaded.instances[0].1.details.location.as_deref(), Some("/\0"));
}

pub(crate) async fn kinds_and_words_come_back(fixture: Fixture) {
    let kinds =
        ["KUBERNETES", "HELM_DELEGATE", "CE_KUBERNETES", "DOCKER", "ECS", "SHELL_SCRIPT", "NOMAD", ""];
    let families = [Family::Go, Family::Runner, Family::Java];
    let mut batch = Batch { groups: vec![Arc::new(group("acme", "edge"))], ..Batch::default() };
    for (number, kind) in kinds.iter().enumerate() {
        let facts = InstanceFacts {
            kind: DelegateType::from(*kind),
            family: families[number % families.len()],
            transport: if number % 2 == 0 { Transport::Polling } else { Transport::WebSocket },
            immutable: [None, Some(true), Some(false)][number % 3],
            ..instance("edge", &format!("i{number}"))
        };
        batch.instances.push(row("acme", facts, None));
    }
    fixture.write(batch.clone()).await;
    let loaded = fixture.load().await;
    assert_eq!(loaded.instances.len(), kinds.len());
    for (sent, (_, facts, _)) in batch.instances.iter().zip(&loaded.instances) {
        assert_eq!(&*sent.facts, facts);
    }
}

pub(crate) async fn a_choice_is_changed_by_people_alone(fixture: Fixture) {
    let put = async |by_choice| {
        let facts = GroupFacts { by_choice, ..group("acme", "edge") };
        fixture.write(Batch { groups: vec![Arc::new(facts)], ..Batch::default() }).await;
        fixture.load().await.groups[0].by_choice
    };
    let id = group("acme", "edge").id;
    let choose = async |by_choice| {
        let change = Change::SetByChoice { account: "acme".into(), group: Arc::clone(&id), by_choice };
        fixture.store.commit(&[change]).await
    };
    assert!(!put(false).await);
    assert!(!put(true).await, "the fleet's own writes leave it alone");
    choose(true).await.unwrap();
    assert!(put(false).await);
    assert!(matches!(choose(true).await, Err(StoreError::Missing(_))), "it is so already");
    choose(false).await.unwrap();
    assert!(!put(true).await);
}
