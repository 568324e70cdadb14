//! Each fact of `product 16` in the file that it belongs to.

use fleet::install::{Choice, Plan, Platform, TOKEN_PLACEHOLDER, World, inner_form, plan};
use fleet::scope::Scope;

use crate::common::*;

fn has(text: &str, wanted: &[&str]) {
    for piece in wanted {
        assert!(text.contains(piece), "{piece} is missing in\n{text}");
    }
}

fn lacks(text: &str, unwanted: &[&str]) {
    for piece in unwanted {
        assert!(!text.contains(piece), "{piece} stands in\n{text}");
    }
}

fn commands(plan: &Plan) -> String {
    plan.steps.iter().filter_map(|step| step.command.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_manifest_follows_16_2() {
    let plan = planned("platform=kubernetes&name=edge-eu&tags=eu,%20linux,eu&description=a%20b");
    let text = &file(&plan, "harness-delegate.yml").text;
    has(
        text,
        &[
            "name: harness-delegate-ng",
            "name: edge-eu-account-token",
            &format!("DELEGATE_TOKEN: \"{OUTER}\""),
            "harness.io/name: edge-eu",
            "prometheus.io/port: \"3460\"",
            "prometheus.io/path: \"/api/metrics\"",
            "replicas: 1\n  minReadySeconds: 120",
            "terminationGracePeriodSeconds: 600",
            "memory: \"2048Mi\"",
            "runAsUser: 0",
            "initialDelaySeconds: 10\n            periodSeconds: 10\n            failureThreshold: 3",
            "initialDelaySeconds: 30\n            periodSeconds: 10\n            failureThreshold: 15",
            "minReplicas: 1\n  maxReplicas: 1",
            "name: DELEGATE_TAGS\n              value: \"eu,linux\"",
            "value: \"https://rollcall.example/log-service/\"",
            "name: STACK_DRIVER_LOGGING_ENABLED\n              value: \"false\"",
            "us-docker.pkg.dev/gar-prod-setup/harness-public/harness/delegate:26.11.90604",
        ],
    );
    lacks(text, &["StatefulSet", "PROXY_", "POLL_FOR_TASKS", "ORG_IDENTIFIER"]);
}

#[test]
fn automatic_and_by_hand_are_different_files_and_the_latter_has_no_upgrader() {
    for platform in [Platform::Kubernetes, Platform::Docker, Platform::Helm, Platform::Terraform] {
        let text = |rest: &str| {
            planned(&query(platform, rest)).files.iter().map(|file| file.text.clone()).collect::<String>()
        };
        let (automatic, by_hand) = (text("name=edge"), text("name=edge&upgrades=hand"));
        assert_ne!(automatic, by_hand);
        if matches!(platform, Platform::Kubernetes | Platform::Docker) {
            has(&automatic, &["UPGRADER_TOKEN", "edge-upgrader", "0 */1 * * *", "harness/upgrader:latest"]);
            lacks(&by_hand, &["pgrader", "UPGRADER", "CronJob"]);
        }
        assert!(planned(&query(platform, "upgrades=hand")).update.len() == 1, "told how to update");
        assert!(planned(&query(platform, "")).update.is_empty());
    }
    has(&file(&planned("platform=helm&upgrades=hand"), "values.yaml").text, &["upgrader:\n  enabled: false"]);
}

#[test]
fn the_upgrader_follows_16_7() {
    let plan = planned("platform=kubernetes&name=edge");
    has(
        &file(&plan, "harness-delegate.yml").text,
        &[
            "name: edge-upgrader-job",
            "concurrencyPolicy: Forbid",
            "startingDeadlineSeconds: 20",
            "mountPath: \"/etc/config\"",
            "config.yaml: |\n    mode: Delegate\n    dryRun: false\n    workloadName: edge\n",
            "    containerName: delegate\n    delegateConfig:\n      accountId: acme\n",
        ],
    );
}

#[test]
fn permissions_are_cluster_admin_cluster_viewer_or_a_namespace_role() {
    let text =
        |rest: &str| file(&planned(&query(Platform::Kubernetes, rest)), "harness-delegate.yml").text.clone();
    has(&text(""), &["kind: ClusterRoleBinding", "name: cluster-admin"]);
    has(&text("permission=cluster-viewer"), &["kind: ClusterRoleBinding", "name: view"]);
    let own = text("permission=namespace-admin&namespace=team-a");
    has(&own, &["kind: Role\n", "name: harness-delegate-namespace-admin", "namespace: team-a"]);
    lacks(&own, &["ClusterRole"]);
}

#[test]
fn helm_and_terraform_follow_16_3() {
    let plan = planned("platform=helm&name=edge&replicas=2&permission=cluster-viewer&namespace=ns");
    let values = &file(&plan, "values.yaml").text;
    has(
        values,
        &[
            "accountId: acme",
            &format!("delegateToken: \"{OUTER}\""),
            "delegateType: HELM_DELEGATE",
            "replicas: 2\ncpu: 1\nmemory: 2048",
            "k8sPermissionsType: CLUSTER_VIEWER",
        ],
    );
    has(
        &commands(&plan),
        &["harness-delegate/harness-delegate-ng", "--namespace ns", "--values values.yaml"],
    );
    let plan = planned("platform=terraform&name=edge");
    has(
        &file(&plan, "main.tf").text,
        &[
            "source = \"harness/harness-delegate/kubernetes\"",
            "delegate_name = \"edge\"",
            "provider \"helm\"",
        ],
    );
}

#[test]
fn docker_follows_16_4() {
    let plan = planned("platform=docker&name=edge&replicas=7");
    has(
        &file(&plan, "docker-run.sh").text,
        &[
            "--name=edge ",
            "--cpus=1",
            "--memory=2g",
            "--user=1001",
            "--restart=always",
            "--stop-timeout=600",
            "--env DELEGATE_TYPE=DOCKER",
            "--name=edge-upgrader",
            "/var/run/docker.sock",
            "--env UPGRADER_WORKLOAD_NAME=edge",
        ],
    );
    assert!(plan.notes.iter().any(|note| note.contains("podman")));
    assert!(plan.notes.iter().any(|note| note.contains("Never run two delegates on one host")));
}

#[test]
fn ecs_follows_16_5_and_16_6() {
    let plan = planned("platform=ecs&name=edge&tags=platform:other,eu&replicas=2");
    has(
        &file(&plan, "task-definition.json").text,
        &[
            "\"family\": \"harness-delegate-task-spec\"",
            "\"networkMode\": \"bridge\"",
            "\"EC2\"",
            "\"value\": \"platform:ecs,platform:other,eu\"",
            "\"DOCKER\"",
            "\"stopTimeout\": 120",
        ],
    );
    has(&commands(&plan), &["--desired-count 2 --launch-type EC2"]);
    let plan = planned("platform=3x-ecs&name=edge");
    has(
        &file(&plan, "task-definition.json").text,
        &[
            "\"family\": \"harness-delegate-task\"",
            "\"name\": \"harness-delegate\"",
            "\"cpu\": 1024",
            "\"memory\": 2048",
            "\"logDriver\": \"awslogs\"",
            "harness/delegate:3.0.0",
            "\"name\": \"HARNESS_TOKEN\"",
            "platform:ecs",
        ],
    );
}

#[test]
fn fargate_follows_16_5_and_16_6_and_its_commands_come_in_order() {
    let plan = planned(
        "platform=3x-fargate&name=edge&region=eu-west-1&role=arn:aws:iam::111122223333:role/r&subnets=subnet-1a,subnet-2b&groups=sg-1",
    );
    has(
        &file(&plan, "task-definition.json").text,
        &[
            "\"family\": \"harness-delegate-fargate-task\"",
            "\"networkMode\": \"awsvpc\"",
            "\"FARGATE\"",
            "\"executionRoleArn\": \"arn:aws:iam::111122223333:role/r\"",
            "platform:fargate",
        ],
    );
    has(
        &file(&plan, "service.json").text,
        &[
            "\"subnet-1a\",\n        \"subnet-2b\"",
            "\"assignPublicIp\": \"DISABLED\"",
            "\"platformVersion\": \"LATEST\"",
            "\"schedulingStrategy\": \"REPLICA\"",
            "\"launchType\": \"FARGATE\"",
        ],
    );
    let commands = commands(&plan);
    let places: Vec<_> =
        ["create-cluster", "create-log-group", "register-task", "create-service", "describe-services"]
            .iter()
            .map(|command| commands.find(command).unwrap_or_else(|| panic!("{command} in {commands}")))
            .collect();
    assert!(places.is_sorted(), "{commands}");
    let update: String = plan.update.iter().filter_map(|step| step.command.clone()).collect();
    has(&update, &["register-task-definition", "--force-new-deployment"]);
    assert!(plan.notes.iter().all(|note| !note.contains("at least two subnets")));
    let alone = planned("platform=fargate&subnets=subnet-1a");
    assert!(alone.notes.iter().any(|note| note.contains("at least two subnets")));
    has(&file(&alone, "task-definition.json").text, &["\"memory\": \"6144\""]);
}

#[test]
fn a_secret_takes_the_place_of_the_plain_token() {
    let arn = "arn:aws:secretsmanager:us-east-1:111122223333:secret:delegate-AbCdEf";
    for (platform, name) in [(Platform::Ecs, "DELEGATE_TOKEN"), (Platform::RunnerFargate, "HARNESS_TOKEN")] {
        let plan = planned(&query(platform, &format!("secret={arn}")));
        let task = file(&plan, "task-definition.json");
        has(
            &task.text,
            &[&format!("\"name\": \"{name}\",\n          \"valueFrom\": \"{arn}\""), "executionRoleArn"],
        );
        lacks(&task.text, &[OUTER, INNER]);
        assert!(!task.secret);
    }
}

#[test]
fn one_log_group_is_shared_unless_its_own_is_asked_for() {
    let text = |rest: &str| file(&planned(&query(Platform::Ecs, rest)), "task-definition.json").text.clone();
    has(&text("name=edge"), &["\"awslogs-group\": \"/ecs/harness-delegate\""]);
    has(&text("name=edge&logs=own"), &["\"awslogs-group\": \"/ecs/edge\""]);
}

#[test]
fn the_3x_files_use_the_names_of_their_pages() {
    let plan = planned("platform=3x-kubernetes&name=edge&tags=a");
    let text = &file(&plan, "harness-delegate.yml").text;
    has(
        text,
        &[
            "HARNESS_DELEGATE_TOKEN: ",
            "name: HARNESS_MANAGER_HOST_AND_PORT",
            "name: HARNESS_DELEGATE_NAME",
            "name: HARNESS_DELEGATE_TAGS",
            "path: \"/health\"",
            "port: 3000",
            "minReadySeconds: 10",
            "memory: \"256Mi\"",
        ],
    );
    lacks(text, &["CronJob", " ACCOUNT_ID"]);
    let plan = planned("platform=3x-program&name=edge&tags=a");
    has(
        &file(&plan, "delegate.env").text,
        &["HARNESS_ACCOUNT_ID=acme\n", "HARNESS_URL=https://rollcall.example\n"],
    );
    has(&file(&plan, "install.sh").text, &["./delegate install --account acme"]);
    has(&commands(&plan), &["server --env-file delegate.env"]);
    assert!(plan.notes.iter().any(|note| note.contains("closed beta")));
}

#[test]
fn the_go_client_gets_the_hexadecimal_form() {
    let plan = planned("platform=vm&name=pool");
    let text = &file(&plan, "delegate-values.json").text;
    has(text, &[INNER, "\"managerUrl\": \"https://rollcall.example\""]);
    lacks(text, &[OUTER]);
    assert_eq!(inner_form(OUTER).as_deref(), Some(INNER));
    for text in ["", "abc", INNER, &OUTER[4..], "????", "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmZ6"] {
        assert_eq!(inner_form(text), None, "{text}");
    }
}

#[test]
fn an_unknown_token_leaves_a_mark_in_every_file_that_would_hold_it() {
    let scope: Scope = "acme".parse().expect("a scope");
    let latest = latest();
    let world = World { scope: &scope, manager: MANAGER, latest: &latest, repository: None, token: None };
    for platform in Platform::ALL {
        let install = Choice::parse(&query(platform, "")).expect("choice").install(&world).expect("install");
        for file in plan(&install).files {
            assert_eq!(file.text.contains(TOKEN_PLACEHOLDER), file.secret, "{platform:?} {}", file.name);
        }
    }
}

#[test]
fn a_delegate_of_an_organization_or_project_says_where_it_belongs() {
    let install = install_in("acme/payments/checkout", "platform=docker").expect("install");
    let text = &plan(&install).files[0].text;
    has(text, &["DELEGATE_ORG_IDENTIFIER=payments", "DELEGATE_PROJECT_IDENTIFIER=checkout"]);
}

#[test]
fn a_proxy_is_written_with_the_variables_of_16_1() {
    let text =
        planned("platform=docker&proxy=http://proxy.example:3128&no_proxy=.corp.example&transport=polling")
            .files[0]
            .text
            .clone();
    has(
        &text,
        &[
            "PROXY_HOST=proxy.example",
            "PROXY_PORT=3128",
            "PROXY_SCHEME=http",
            "PROXY_MANAGER=true",
            "NO_PROXY=.corp.example",
            "POLL_FOR_TASKS=true",
        ],
    );
}

#[test]
fn the_server_may_name_another_repository_and_a_person_another_version() {
    let scope: Scope = "acme".parse().expect("a scope");
    let latest = latest();
    let repository = Some("mine.example:5000/delegate");
    let world = World { scope: &scope, manager: MANAGER, latest: &latest, repository, token: None };
    let image = |query: &str| Choice::parse(query).expect("choice").install(&world).expect("install").image;
    assert_eq!(image("platform=docker"), "mine.example:5000/delegate:26.11.90604");
    assert_eq!(
        image("platform=docker&version=26.09.89620.minimal"),
        "mine.example:5000/delegate:26.09.89620.minimal"
    );
}
