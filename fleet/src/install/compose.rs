//! A Compose file for one host with Docker (`management-api 2.9`).

use super::environment;
use super::node::{Node, map};
use super::{File, Install};

/// The delegate as a service. There is no upgrader in it: that one does not know Compose (`product 16.4`).
#[must_use]
pub fn compose(install: &Install) -> File {
    let mut variables = environment::of(install, "DOCKER");
    variables.push(("DELEGATE_TOKEN", install.token().to_owned()));
    // A dollar sign would be taken for a variable of the shell.
    let literal = |value: String| Node::from(value.replace('$', "$$"));
    let variables = variables.into_iter().map(|(name, value)| (name, literal(value))).collect();
    let service = map! {
        "image" => &install.image,
        "container_name" => &install.name,
        "user" => "1001",
        "restart" => "always",
        "stop_grace_period" => "600s",
        "cpus" => 1_u32,
        "mem_limit" => "2g",
        "environment" => Node::Map(variables),
    };
    let text = map! { "services" => map! { "delegate" => service } }.yaml();
    File { name: "docker-compose.yaml", language: "yaml", text, secret: true }
}
