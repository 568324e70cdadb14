//! What the host program of a Go client is given (`product 16.9`).

use super::node::{Node, map};
use super::{File, Install, Plan, Step, TOKEN_PLACEHOLDER, inner_form};

/// The five values; the token in hexadecimal form, since this client may read no other (`agent-protocol 1.2`).
pub(super) fn plan(install: &Install) -> Plan {
    let token = install.token.as_deref().and_then(inner_form);
    let values = map! {
        "accountId" => &install.account,
        "managerUrl" => &install.manager,
        "token" => token.as_deref().unwrap_or(TOKEN_PLACEHOLDER),
        "name" => &install.name,
        "tags" => install.tags.iter().map(Node::from).collect::<Vec<Node>>(),
    };
    Plan {
        files: vec![File {
            name: "delegate-values.json",
            language: "json",
            text: values.json(),
            secret: true,
        }],
        steps: vec![Step::told(
            "Give these values to the program that runs the client",
            "It decides what its settings are called. The token stands here in hexadecimal form.",
        )],
        update: Vec::new(),
        notes: vec![
            "The client reports no version, says no goodbye and has no upgrader: the program around it owns its life.",
        ],
    }
}
