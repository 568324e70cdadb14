//! By hand: the commands of each platform, with the delegate's own names (`product 7`).

use fleet::delegate::{DelegateType, Family, GroupFacts};
use fleet::update::{Update, by_hand};

use crate::support::{catalog, group, now, texts, version};

const OLD: &str = "26.05.89004";
const NEWEST: &str = "26.11.90604";

fn told(facts: &GroupFacts, runs: &str) -> Update {
    let latest = catalog().latest(None, None, now());
    by_hand(facts, Some(&version(runs)), &latest, Some("mirror.example/delegate"))
}

fn lines(facts: &GroupFacts) -> Vec<String> {
    told(facts, OLD).commands.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn kubernetes_sets_the_image_of_the_deployment_where_it_lives() {
    assert_eq!(
        lines(&group("edge")),
        [
            format!(
                "kubectl set image deployment/edge delegate=mirror.example/delegate:{NEWEST} --namespace harness-delegate-ng"
            ),
            "kubectl rollout status deployment/edge --namespace harness-delegate-ng".to_owned(),
        ]
    );
    let elsewhere = GroupFacts { tags: texts(&["eu", "namespace:agents"]), ..group("edge") };
    assert!(lines(&elsewhere).iter().all(|line| line.ends_with("--namespace agents")));
}

#[test]
fn helm_keeps_the_values_of_the_release() {
    let facts = GroupFacts { kind: DelegateType::Helm, ..group("edge") };
    let upgrade = format!(
        "helm upgrade edge harness-delegate/harness-delegate-ng --namespace harness-delegate-ng --reuse-values --set delegateDockerImage=mirror.example/delegate:{NEWEST}"
    );
    assert_eq!(lines(&facts)[0], upgrade);
}

#[test]
fn docker_gives_the_old_container_600_s_to_end_its_work() {
    let facts = GroupFacts { kind: DelegateType::Docker, ..group("edge") };
    assert_eq!(
        lines(&facts),
        [
            format!("docker pull mirror.example/delegate:{NEWEST}"),
            "docker stop --time 600 edge && docker rm edge".to_owned()
        ]
    );
}

#[test]
fn ecs_registers_the_task_anew_and_forces_a_deployment() {
    let facts = GroupFacts { kind: DelegateType::Ecs, ..group("edge") };
    let lines = lines(&facts);
    assert_eq!(lines[0], format!("mirror.example/delegate:{NEWEST}"));
    assert!(lines[2].ends_with("--force-new-deployment"), "{lines:?}");
}

#[test]
fn what_is_no_container_is_told_without_commands() {
    for facts in [
        GroupFacts { family: Family::Go, ..group("edge") },
        GroupFacts { kind: DelegateType::Shell, ..group("edge") },
        GroupFacts { kind: DelegateType::Docker, family: Family::Runner, ..group("edge") },
    ] {
        let update = told(&facts, OLD);
        assert!(!update.text.is_empty() && update.commands.is_empty(), "{update:?}");
    }
}

#[test]
fn the_newest_needs_no_command_and_minimal_stays_minimal() {
    let facts = group("edge");
    assert!(told(&facts, NEWEST).commands.is_empty());
    let minimal = told(&facts, &format!("{OLD}.minimal"));
    assert!(minimal.commands[0].1.contains(&format!("{NEWEST}.minimal")), "{minimal:?}");
    let latest = catalog().latest(None, None, now());
    assert!(by_hand(&facts, None, &latest, None).commands.is_empty());
}

#[test]
fn a_name_stays_a_name() {
    let named = |kind| lines(&GroupFacts { kind, ..group("x; rm -rf ~") }).remove(0);
    assert!(named(DelegateType::Kubernetes).starts_with("kubectl set image 'deployment/x; rm -rf ~' "));
    assert!(named(DelegateType::Helm).starts_with("helm upgrade 'x; rm -rf ~' "));
    let docker = lines(&GroupFacts { kind: DelegateType::Docker, ..group("x; rm -rf ~") });
    assert_eq!(docker[1], "docker stop --time 600 'x; rm -rf ~' && docker rm 'x; rm -rf ~'");
}
