//! Names, tags and the identity of groups and instances (agent-protocol 0.3, 3.1, 8; product 10.2).

use fleet::delegate::{
    DelegateType, Family, clean_tags, family, free_identifier, group_identifier, group_name, hint, identity,
    implicit_tag, is_delegate_id, is_regular_name, replica_set, short_codes,
};

use crate::support::texts;

const ACCOUNT: &str = "zEaAk-FLS425IEO7OLzMUg";

/// Whether the same instance is recognised when it comes again with another host name or address.
fn survives(kind: &str, ng: bool, first: (&str, &str), again: (&str, &str)) -> bool {
    let of = |(host, ip): (&str, &str)| identity(ACCOUNT, ng, &DelegateType::from(kind), host, ip);
    of(first) == of(again)
}

#[test]
fn a_vm_or_docker_agent_is_its_host_name_and_its_private_address() {
    for kind in ["DOCKER", "SHELL_SCRIPT", "", "FUTURE_KIND"] {
        assert!(survives(kind, true, ("build-1", "10.0.0.7"), ("build-1", "10.0.0.7")), "{kind}");
        assert!(!survives(kind, true, ("build-1", "10.0.0.7"), ("build-1", "10.0.0.8")), "{kind}");
        assert!(!survives(kind, true, ("build-1", "10.0.0.7"), ("build-2", "10.0.0.7")), "{kind}");
    }
}

#[test]
fn a_kubernetes_pod_keeps_its_row_with_a_new_address() {
    for kind in ["KUBERNETES", "HELM_DELEGATE", "CE_KUBERNETES"] {
        assert!(survives(kind, true, ("edge-a-7c9-x2", "10.0.0.7"), ("edge-a-7c9-x2", "10.9.9.9")), "{kind}");
        assert!(
            !survives(kind, true, ("edge-a-7c9-x2", "10.0.0.7"), ("edge-a-7c9-y3", "10.0.0.7")),
            "{kind}"
        );
    }
}

#[test]
fn the_address_of_a_first_generation_kubernetes_agent_counts() {
    assert!(!survives("KUBERNETES", false, ("pod", "10.0.0.7"), ("pod", "10.0.0.8")));
    assert!(survives("HELM_DELEGATE", false, ("pod", "10.0.0.7"), ("pod", "10.0.0.8")));
}

#[test]
fn an_ecs_task_is_its_host_name() {
    assert!(survives("ECS", true, ("task-host", "10.0.0.7"), ("task-host", "10.0.0.8")));
    assert!(!survives("ECS", true, ("task-host", "10.0.0.7"), ("other-host", "10.0.0.7")));
}

#[test]
fn an_invented_address_does_not_count() {
    assert!(survives("DOCKER", true, ("dlite-vm", "fake-1.2.3.4"), ("dlite-vm", "fake-9.9.9.9")));
    assert!(!survives("DOCKER", true, ("dlite-vm", "fake-1.2.3.4"), ("dlite-vm", "10.0.0.7")));
}

#[test]
fn a_host_name_with_the_short_code_of_the_account_is_enough() {
    // The first six characters, zeaak-, cannot be one part of a host name; the first six letters are zeaakf.
    assert_eq!(short_codes(ACCOUNT), ["zeaak-", "zeaakf"]);
    assert_eq!(short_codes("k1mpYS7x9q"), ["k1mpys", "kmpysx"]);
    let same = |account, host| {
        let of = |ip| identity(account, true, &DelegateType::Docker, host, ip);
        of("10.0.0.7") == of("10.0.0.8")
    };
    assert!(same(ACCOUNT, "test-zeaakf"));
    assert!(same(ACCOUNT, "Test-ZEAAKF-0"));
    assert!(same("k1mpYS7x9q", "test-k1mpys"));
    assert!(same("k1mpYS7x9q", "test-kmpysx"));
    assert!(!same(ACCOUNT, "testzeaakf"));
    assert!(!same(ACCOUNT, "test-zeaak"));
    assert!(!same("k1mpYS7x9q", "test-k1mpysx"));
}

#[test]
fn an_account_too_short_for_a_code_has_none() {
    let of = |ip| identity("acme", true, &DelegateType::Docker, "build-acme-1", ip);
    assert_ne!(of("10.0.0.7"), of("10.0.0.8"));
    let nameless = |ip| identity("1234567", true, &DelegateType::Docker, "a--b", ip);
    assert_ne!(nameless("10.0.0.7"), nameless("10.0.0.8"));
}

#[test]
fn generations_never_share_an_identity() {
    let of = |ng| identity(ACCOUNT, ng, &DelegateType::Ecs, "host", "10.0.0.7");
    assert_ne!(of(true), of(false));
}

#[test]
fn the_family_is_told_from_the_registration() {
    assert_eq!(family(true, "runner-host", true, false), Family::Runner);
    assert_eq!(family(true, "dlite-host", false, true), Family::Runner, "the runner flag wins");
    assert_eq!(family(false, "dlite-host", true, false), Family::Go);
    assert_eq!(family(false, "host", false, true), Family::Go);
    assert_eq!(family(false, "host", false, false), Family::Java);
    assert_eq!(family(false, "host", true, true), Family::Java);
}

#[test]
fn types_are_known_words_or_kept_as_text() {
    for word in ["KUBERNETES", "HELM_DELEGATE", "CE_KUBERNETES", "DOCKER", "ECS", "SHELL_SCRIPT"] {
        let kind = DelegateType::from(word);
        assert!(!matches!(kind, DelegateType::Other(_)), "{word}");
        assert_eq!(kind.as_str(), word);
    }
    assert_eq!(DelegateType::from("NOMAD").as_str(), "NOMAD");
    assert_eq!(DelegateType::from("").as_str(), "");
    let stored = serde_json::to_string(&DelegateType::from("NOMAD")).unwrap();
    assert_eq!(serde_json::from_str::<DelegateType>(&stored).unwrap(), DelegateType::Other("NOMAD".into()));
}

#[test]
fn helm_counts_as_kubernetes() {
    let pods = ["KUBERNETES", "HELM_DELEGATE", "CE_KUBERNETES"];
    assert!(pods.iter().all(|&word| DelegateType::from(word).is_kubernetes()));
    assert!(
        ["DOCKER", "ECS", "SHELL_SCRIPT", "X"].iter().all(|&word| !DelegateType::from(word).is_kubernetes())
    );
}

#[test]
fn a_blank_name_is_harness_delegate_and_a_long_one_is_cut() {
    assert_eq!(group_name(None), "harness-delegate");
    assert_eq!(group_name(Some("  ")), "harness-delegate");
    assert_eq!(group_name(Some(" Edge A ")), "Edge A");
    assert_eq!(group_name(Some(&"ä".repeat(300))), "ä".repeat(256));
}

#[test]
fn the_identifier_is_an_underscore_and_the_name_without_other_characters() {
    assert_eq!(group_identifier("edge-a"), "_edge_a");
    assert_eq!(group_identifier("Edge_1$.x y"), "_Edge_1$_x_y");
    assert_eq!(group_identifier("zürich"), "_z_rich");
}

#[test]
fn a_taken_identifier_gets_the_next_free_number() {
    assert_eq!(free_identifier("_edge_a", |_| false), "_edge_a");
    assert_eq!(free_identifier("_edge_a", |text| text == "_edge_a"), "_edge_a_2");
    let taken = ["_edge_a", "_edge_a_2", "_edge_a_4"];
    assert_eq!(free_identifier("_edge_a", |text| taken.contains(&text)), "_edge_a_3");
}

#[test]
fn the_implicit_tag_is_the_name_in_lower_case() {
    assert_eq!(implicit_tag("Edge-A"), "edge-a");
}

#[test]
fn tags_are_trimmed_and_kept_in_order_without_blanks_and_duplicates() {
    assert_eq!(clean_tags([""]), [""; 0]);
    assert_eq!(clean_tags([" eu ", "", "linux", "eu", "EU"]), ["eu", "linux", "EU"]);
    assert_eq!(clean_tags([&*"x".repeat(129)]), ["x".repeat(128)]);
    let many: Vec<String> = (0..250).map(|n| n.to_string()).collect();
    assert_eq!(clean_tags(many.iter().map(String::as_str)), many[..200]);
}

#[test]
fn hint_tags_are_read_by_their_key() {
    let tags = texts(&["eu", "platform:fargate", "cluster: c1 ", "namespace:", "clusters:c2"]);
    assert_eq!(hint(&tags, "platform"), Some("fargate"));
    assert_eq!(hint(&tags, "cluster"), Some("c1"));
    assert_eq!(hint(&tags, "namespace"), None);
    assert_eq!(hint(&tags, "eu"), None);
}

#[test]
fn an_id_has_1_to_64_letters_digits_dashes_and_underscores() {
    assert!(is_delegate_id("Zx1pQ0cXSTy7mN2vR8u-_w"));
    assert!(is_delegate_id(&"a".repeat(64)));
    assert!(!is_delegate_id(&"a".repeat(65)));
    for id in ["", "a b", "a/b", "ä", "a.b"] {
        assert!(!is_delegate_id(id), "{id}");
    }
}

#[test]
fn regular_names_are_lower_case_with_inner_dashes_and_no_number_at_the_ends() {
    for name in ["edge", "edge-a", "e2e-x", "a", &"a".repeat(63)] {
        assert!(is_regular_name(name), "{name}");
    }
    for name in
        ["", "Edge", "edge-1", "1edge", "-edge", "edge-", "edge_a", "edge a", "zürich", &"a".repeat(64)]
    {
        assert!(!is_regular_name(name), "{name}");
    }
}

#[test]
fn the_replica_set_is_the_second_last_dash_part() {
    assert_eq!(replica_set("edge-a-7c9d5b6f4-x2kqp"), Some("7c9d5b6f4"));
    assert_eq!(replica_set("edge-7c9d5b6f4-x2kqp"), Some("7c9d5b6f4"));
    assert_eq!(replica_set("edge-0"), None);
    assert_eq!(replica_set("edge"), None);
    assert_eq!(replica_set("edge--x"), None);
}
