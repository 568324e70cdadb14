//! ECS on EC2 and Fargate, classic image and 3.x (`product 16.5`, `16.6`, `16.8`).

use super::environment::{self, token_name};
use super::node::{Node, list, map};
use super::quote::shell;
use super::{File, Install, Plan, Platform, Step};

/// The container inside the task.
const CONTAINER: &str = "harness-delegate";
/// What stands in place of an ARN, subnet or group that was not given.
const ROLE_PLACEHOLDER: &str = "<EXECUTION_ROLE_ARN>";

/// Task definition, the service file of Fargate, and the commands in their order.
pub(super) fn plan(install: &Install) -> Plan {
    let fargate = install.platform.is_fargate();
    let mut files = vec![File {
        name: "task-definition.json",
        language: "json",
        text: task(install).json(),
        secret: install.aws.secret.is_none(),
    }];
    if fargate {
        files.push(File {
            name: "service.json",
            language: "json",
            text: service(install).json(),
            secret: false,
        });
    }
    let mut notes = vec![
        "There is no automatic update on ECS: bring a newer image every 3 to 6 months.",
        "One shared log group avoids the limits of CloudWatch: 5 new groups and 50 new streams a second, 800 writes a second and group.",
    ];
    if fargate {
        notes.push("Fargate stops tasks that go over their memory or CPU.");
        notes.push(
            "The log group must exist before the task starts, else it ends with ResourceInitializationError.",
        );
        if install.aws.subnets.len() < 2 {
            notes.push("Name at least two subnets in different availability zones, each with a way out.");
        }
    }
    if install.platform.is_classic() {
        notes.push("It reports the type DOCKER; the tag tells Rollcall that it runs on ECS.");
    }
    Plan { files, steps: steps(install), update: update(install), notes }
}

/// Family of the task definition.
const fn family(platform: Platform) -> &'static str {
    match platform {
        Platform::RunnerEcs => "harness-delegate-task",
        Platform::RunnerFargate => "harness-delegate-fargate-task",
        _ => "harness-delegate-task-spec",
    }
}

/// CPU and memory: the classic image gets more on Fargate, which stops what goes over it.
const fn size(platform: Platform) -> (u32, u32) {
    match platform {
        Platform::Fargate => (1024, 6144),
        _ => (1024, 2048),
    }
}

fn task(install: &Install) -> Node {
    let (aws, fargate) = (&install.aws, install.platform.is_fargate());
    let (cpu, memory) = size(install.platform);
    let (network, compatibility) = if fargate { ("awsvpc", "FARGATE") } else { ("bridge", "EC2") };
    let mut task = map! {
        "family" => family(install.platform),
        "networkMode" => network,
        "requiresCompatibilities" => list![compatibility],
        "cpu" => cpu.to_string(),
        "memory" => memory.to_string(),
    };
    // Fargate pulls images and writes logs with it; any task reads secrets with it.
    if fargate || aws.secret.is_some() || !aws.execution_role.is_empty() {
        let role = if aws.execution_role.is_empty() { ROLE_PLACEHOLDER } else { &aws.execution_role };
        task.push("executionRoleArn", role);
    }
    task.push("containerDefinitions", list![container(install, cpu, memory)]);
    task
}

fn container(install: &Install, cpu: u32, memory: u32) -> Node {
    let token = token_name(install.platform);
    let mut variables = environment::of(install, "DOCKER");
    if install.aws.secret.is_none() {
        variables.push((token, install.token().to_owned()));
    }
    let variables = variables.iter().map(|(name, value)| map! { "name" => *name, "value" => value });
    let mut container = map! {
        "name" => CONTAINER,
        "image" => &install.image,
        "essential" => true,
        "cpu" => cpu,
        "memory" => memory,
        "stopTimeout" => 120_u32,
        "environment" => variables.collect::<Vec<Node>>(),
    };
    if let Some(secret) = &install.aws.secret {
        container.push("secrets", list![map! { "name" => token, "valueFrom" => secret }]);
    }
    container.push(
        "logConfiguration",
        map! {
            "logDriver" => "awslogs",
            "options" => map! {
                "awslogs-group" => &install.aws.log_group,
                "awslogs-region" => &install.aws.region,
                "awslogs-stream-prefix" => &install.name,
            },
        },
    );
    container
}

fn service(install: &Install) -> Node {
    let aws = &install.aws;
    let texts = |given: &[String], placeholder: &'static str| {
        if given.is_empty() { list![placeholder] } else { Node::List(given.iter().map(Node::from).collect()) }
    };
    map! {
        "cluster" => &aws.cluster,
        "serviceName" => &install.name,
        "taskDefinition" => family(install.platform),
        "desiredCount" => install.replicas,
        "launchType" => "FARGATE",
        "platformVersion" => "LATEST",
        "schedulingStrategy" => "REPLICA",
        "networkConfiguration" => map! {
            "awsvpcConfiguration" => map! {
                "subnets" => texts(&aws.subnets, "<SUBNET_ID>"),
                "securityGroups" => texts(&aws.security_groups, "<SECURITY_GROUP_ID>"),
                "assignPublicIp" => if aws.public_ip { "ENABLED" } else { "DISABLED" },
            },
        },
    }
}

fn steps(install: &Install) -> Vec<Step> {
    let aws = &install.aws;
    let region = format!("--region {}", shell(&aws.region));
    let (cluster, name) = (shell(&aws.cluster), shell(&install.name));
    let mut steps = vec![Step::run(
        "Create the cluster",
        "Skip this if it is there already.",
        format!("aws ecs create-cluster {region} --cluster-name {cluster}"),
    )];
    if install.platform.is_fargate() {
        steps.push(Step::told(
            "Have the execution role ready",
            "It is trusted by ecs-tasks.amazonaws.com; what it may do stands in the checklist below.",
        ));
    }
    steps.push(Step::run(
        "Create the log group",
        "Before anything starts; an error that it exists already is no harm.",
        format!("aws logs create-log-group {region} --log-group-name {}", shell(&aws.log_group)),
    ));
    steps.push(Step::run(
        "Register the task definition",
        "Run it beside task-definition.json.",
        register(install),
    ));
    steps.push(if install.platform.is_fargate() {
        Step::run(
            "Create the service",
            "Run it beside service.json.",
            format!("aws ecs create-service {region} --cli-input-json file://service.json"),
        )
    } else {
        Step::run(
            "Create the service",
            "",
            format!(
                "aws ecs create-service {region} --cluster {cluster} --service-name {name} \\\n  --task-definition {} --desired-count {} --launch-type EC2",
                family(install.platform),
                install.replicas
            ),
        )
    });
    steps.push(Step::run(
        "Look at the service",
        "If its task does not start, read stoppedReason of the stopped task.",
        format!("aws ecs describe-services {region} --cluster {cluster} --services {name}"),
    ));
    steps
}

fn register(install: &Install) -> String {
    format!(
        "aws ecs register-task-definition --region {} --cli-input-json file://task-definition.json",
        shell(&install.aws.region)
    )
}

/// A newer image by hand (`product 16.6`).
fn update(install: &Install) -> Vec<Step> {
    let aws = &install.aws;
    vec![
        Step::run(
            "Name the newer image and register again",
            "Change image in task-definition.json.",
            register(install),
        ),
        Step::run(
            "Roll it out",
            "",
            format!(
                "aws ecs update-service --region {} --cluster {} --service {} \\\n  --task-definition {} --force-new-deployment",
                shell(&aws.region),
                shell(&aws.cluster),
                shell(&install.name),
                family(install.platform)
            ),
        ),
    ]
}
