//! Delegate 3.x on Kubernetes and as a program (`product 16.6`).

use super::environment::{self, token_name};
use super::kubernetes::{container, manifest, namespace, probe, secret, update, workload};
use super::node::{Node, list, map};
use super::quote::{env_file, shell};
use super::{File, Install, Plan, Step};

/// What is true of every 3.x delegate.
const BETA: &str =
    "Delegate 3.x is a closed beta of its maker. Its image is another one than the classic image.";
/// It has no upgrader anywhere.
const BY_HAND: &str = "There is no automatic update for 3.x.";

/// Manifest and the command that applies it.
pub(super) fn kubernetes(install: &Install) -> Plan {
    let mut container = container(install, &environment::of(install, ""), "256Mi");
    container.push("ports", list![map! { "name" => "health", "containerPort" => 3000_u32 }]);
    container.push("livenessProbe", probe(3000, "/health", 10, 10, 3));
    container.push("startupProbe", probe(3000, "/health", 10, 10, 15));
    let workload = workload(install, Node::Map(Vec::new()), 10, container);
    Plan {
        files: vec![manifest(&[namespace(install), secret(install), workload])],
        steps: vec![Step::run("Apply the manifest", "", "kubectl apply -f harness-delegate.yml".to_owned())],
        update: update(install),
        notes: vec![BETA, BY_HAND],
    }
}

/// Environment file and the commands of the program.
pub(super) fn program(install: &Install) -> Plan {
    let mut variables = environment::of(install, "");
    variables.push((token_name(install.platform), install.token().to_owned()));
    let lines = variables.iter().map(|(name, value)| format!("{name}={}\n", env_file(value)));
    let command = [
        ("--account", install.account.as_str()),
        ("--token", install.token()),
        ("--url", &install.manager),
        ("--name", &install.name),
        ("--tags", &install.tags.join(",")),
    ]
    .iter()
    .map(|(option, value)| format!("{option} {}", shell(value)))
    .collect::<Vec<_>>()
    .join(" \\\n  ");
    Plan {
        files: vec![
            File { name: "delegate.env", language: "env", text: lines.collect(), secret: true },
            File {
                name: "install.sh",
                language: "sh",
                text: format!("#!/bin/sh\nset -eu\n\n./delegate install {command}\n"),
                secret: true,
            },
        ],
        steps: vec![
            Step::told(
                "Get the program",
                "There are builds for Linux, macOS and Windows on arm64 and amd64.",
            ),
            Step::run(
                "Run it in the foreground",
                "It reads delegate.env.",
                "./delegate server --env-file delegate.env".to_owned(),
            ),
            Step::run("Or install it as a service", "", "sh install.sh".to_owned()),
            Step::run("See that it is well", "", "curl --silent http://localhost:3000/health".to_owned()),
        ],
        update: vec![Step::told(
            "Replace the program",
            "Stop it, put the newer build in its place, start it again.",
        )],
        notes: vec![BETA, BY_HAND],
    }
}
