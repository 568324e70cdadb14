//! One host with Docker or Podman (`product 16.4`).

use super::environment::{self, Variable};
use super::quote::shell;
use super::{File, Install, Plan, SCHEDULE, Step, UPGRADER_IMAGE};
use crate::update::stop_container;

/// The script that starts the delegate, and its upgrader in automatic mode.
pub(super) fn plan(install: &Install) -> Plan {
    let mut text = String::from("#!/bin/sh\nset -eu\n\n");
    text.push_str(&delegate(install));
    if install.upgraded() {
        text.push('\n');
        text.push_str(&upgrader(install));
    }
    let name = shell(&install.name);
    let again = format!("{}\nsh docker-run.sh", stop_container(&install.name));
    let mut notes = vec![
        "Never run two delegates on one host. For a second one take a second host.",
        "With Podman run the same commands with podman in place of docker; there is no upgrader then.",
        "The container runs as user 1001 and is started again at every boot.",
    ];
    if install.upgraded() {
        notes.push(
            "The upgrader needs the Docker socket. It replaces the delegate when a newer image is out and stops the old \
             container within an hour. It does not pull from private registries, and not for Compose or Swarm.",
        );
    }
    let update = Step::run(
        "Stop the old container and start the newer image",
        "Change the image in docker-run.sh first.",
        again,
    );
    Plan {
        files: vec![File { name: "docker-run.sh", language: "sh", text, secret: true }],
        steps: vec![
            Step::run("Run the script on the host", "", "sh docker-run.sh".to_owned()),
            Step::run("Look at what the container says", "", format!("docker logs --follow {name}")),
        ],
        update: if install.upgraded() { Vec::new() } else { vec![update] },
        notes,
    }
}

fn delegate(install: &Install) -> String {
    let mut variables = environment::of(install, "DOCKER");
    variables.push(("DELEGATE_TOKEN", install.token().to_owned()));
    let options = ["--cpus=1", "--memory=2g", "--user=1001", "--restart=always", "--stop-timeout=600"];
    run(&install.name, &options, &variables, &install.image)
}

fn upgrader(install: &Install) -> String {
    let variables = [
        ("ACCOUNT_ID", install.account.clone()),
        ("MANAGER_HOST_AND_PORT", install.manager.clone()),
        ("UPGRADER_WORKLOAD_NAME", install.name.clone()),
        ("UPGRADER_TOKEN", install.token().to_owned()),
        ("SCHEDULE", SCHEDULE.to_owned()),
    ];
    let options = ["--restart=always", "--volume=/var/run/docker.sock:/var/run/docker.sock"];
    run(&format!("{}-upgrader", install.name), &options, &variables, UPGRADER_IMAGE)
}

/// One command, an option a line.
fn run(name: &str, options: &[&str], variables: &[Variable], image: &str) -> String {
    let mut words = vec!["docker run --detach".to_owned(), format!("--name={}", shell(name))];
    words.extend(options.iter().map(|option| (*option).to_owned()));
    words
        .extend(variables.iter().map(|(name, value)| format!("--env {}", shell(&format!("{name}={value}")))));
    words.push(shell(image));
    let mut text = words.join(" \\\n  ");
    text.push('\n');
    text
}
