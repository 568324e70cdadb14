use std::time::Duration;

use super::*;

const EXAMPLE: &str = r#"
    seed = 7

    [[scope]]
    path = "acme/payments"

      [[scope.group]]
      name = "payments-eu-k8s"
      client = "java-stream"
      replicas = 4
      versions = ["26.10.90212", "26.11.90604", ""]
      tags = ["eu"]
      member_tags = [["cluster:a"], ["cluster:b"]]
      description = "Payments in Europe"
      upgrader = true
      behaviour = { kind = "silent", after = 20 }
      behaving = 1

      [[scope.group]]
      name = "build-pool"
      client = "go"
      first = "heartbeat"
      behaviour = { kind = "flapping", up = "5m", down = 7.5 }

    [[scope]]
    path = "acme/payments/checkout"

      [[scope.group]]
      name = "checkout-runner"
      client = "runner"
      behaviour = { kind = "rollout", every = "1m", to = "3.1.0" }
"#;

#[test]
fn a_file_is_read_whole() {
    let scenario = Scenario::parse(EXAMPLE).unwrap();
    assert_eq!((scenario.seed, scenario.groups().count(), scenario.instances()), (7, 3, 6));
    let [first, second, third]: [&Group; 3] =
        scenario.groups().map(|(_, group)| group).collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(first.behaviour, Behaviour::Silent { after: Span::seconds(20) });
    assert_eq!((first.kind(), second.kind()), ("KUBERNETES", "DOCKER"));
    assert_eq!(second.first, First::Heartbeat);
    let down = Span(Duration::from_millis(7_500));
    assert_eq!(second.behaviour, Behaviour::Flapping { up: Span::seconds(300), down });
    assert_eq!(third.behaviour, Behaviour::Rollout { every: Span::seconds(60), to: "3.1.0".to_owned() });
}

#[test]
fn versions_and_member_tags_are_dealt_out_in_turn() {
    let scenario = Scenario::parse(EXAMPLE).unwrap();
    let group = &scenario.scopes[0].groups[0];
    let versions: Vec<_> = (0..4).map(|replica| group.version(replica)).collect();
    assert_eq!(versions, [Some("26.10.90212"), Some("26.11.90604"), None, Some("26.10.90212")]);
    assert_eq!(group.tags(3).collect::<Vec<_>>(), ["eu", "cluster:b"]);
    assert_eq!(scenario.scopes[0].groups[1].version(0), None);
}

#[test]
fn the_last_replicas_follow_the_behaviour() {
    let scenario = Scenario::parse(EXAMPLE).unwrap();
    let group = &scenario.scopes[0].groups[0];
    assert_eq!((0..4).map(|replica| group.behaves(replica)).collect::<Vec<_>>(), [false, false, false, true]);
    assert!(scenario.scopes[0].groups[1].behaves(0));
}

#[test]
fn late_means_four_minutes_unless_said_otherwise() {
    let group = |behaviour: &str| {
        let text = format!(
            "[[scope]]\npath = \"acme\"\n[[scope.group]]\nname = \"a\"\nclient = \"go\"\nbehaviour = {behaviour}"
        );
        Scenario::parse(&text).map(|scenario| scenario.scopes[0].groups[0].behaviour.clone())
    };
    assert_eq!(group("{ kind = \"late\" }"), Ok(Behaviour::Late { every: Span::seconds(240) }));
    assert!(matches!(group("{ kind = \"late\", every = 0 }"), Err(ScenarioError::Group { .. })));
    assert!(matches!(group("{ kind = \"silent\" }"), Err(ScenarioError::Form(_))));
    assert!(matches!(group("{ kind = \"silent\", after = 1, before = 2 }"), Err(ScenarioError::Form(_))));
}

#[test]
fn groups_that_no_family_could_be_are_refused() {
    for (from, to, word) in [
        ("client = \"go\"", "client = \"go\"\nversions = [\"26.11.90604\"]", "version"),
        ("client = \"go\"", "client = \"go\"\ntype = \"KUBERNETES\"", "DOCKER"),
        ("client = \"runner\"", "client = \"go\"", "roll out"),
        ("\"rollout\", every = \"1m\", to = \"3.1.0\"", "\"old\"", "generation"),
        ("down = 7.5", "down = 0", "zero"),
        ("replicas = 4", "replicas = 100001", "replicas"),
    ] {
        let error = Scenario::parse(&EXAMPLE.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(word), "{word}: {error}");
    }
}

#[test]
fn unknown_keys_scopes_and_clients_are_refused() {
    for (from, to) in [
        ("seed = 7", "sed = 7"),
        ("replicas = 4", "replica = 4"),
        ("\"java-stream\"", "\"java\""),
        ("\"acme/payments\"", "\"acme//payments\""),
    ] {
        let error = Scenario::parse(&EXAMPLE.replace(from, to));
        assert!(matches!(error, Err(ScenarioError::Form(_))), "{to}");
    }
}

#[test]
fn the_example_of_the_manual_is_a_scenario() {
    let manual = include_str!("../../README.md");
    let example = manual.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(Scenario::parse(example).unwrap().instances(), 10);
}
