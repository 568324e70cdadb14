//! The Helm chart and the Terraform module on top of it (`product 16.3`).

use std::fmt::Write as _;

use super::environment::beside;
use super::node::{Node, map};
use super::quote::{hcl, shell};
use super::{File, Install, Permission, Plan, Step};

/// Where the chart comes from.
const REPOSITORY: &str = "https://app.harness.io/storage/harness-download/delegate-helm-chart/";
/// The Terraform module.
const MODULE: &str = "harness/harness-delegate/kubernetes";

/// `values.yaml` and the command that installs the chart with it.
pub(super) fn plan(install: &Install) -> Plan {
    let release = shell(&install.name);
    let upgrade = format!(
        "helm upgrade --install {release} harness-delegate/harness-delegate-ng \\\n  --namespace {} --create-namespace --values values.yaml",
        shell(&install.namespace)
    );
    let update = Step::run(
        "Name the newer image and upgrade the release",
        "Change delegateDockerImage in values.yaml, then run this again.",
        upgrade.clone(),
    );
    Plan {
        files: vec![File {
            name: "values.yaml",
            language: "yaml",
            text: values(install).yaml(),
            secret: true,
        }],
        steps: vec![
            Step::run(
                "Add the chart repository",
                "",
                format!("helm repo add harness-delegate {REPOSITORY}\nhelm repo update harness-delegate"),
            ),
            Step::run("Install the chart", "Run it beside values.yaml.", upgrade),
        ],
        update: if install.upgraded() { Vec::new() } else { vec![update] },
        notes: vec![
            "The chart encodes the token once more, so it stands here in the form that the Tokens page shows.",
        ],
    }
}

fn values(install: &Install) -> Node {
    let mut values = map! {
        "accountId" => &install.account,
        "delegateToken" => install.token(),
        "delegateName" => &install.name,
        "managerEndpoint" => &install.manager,
        "delegateDockerImage" => &install.image,
    };
    for (key, value) in common(install) {
        values.push(key, value);
    }
    values
}

/// The values that are no variable of the Terraform module.
fn common(install: &Install) -> Vec<(&'static str, Node)> {
    let permission = match install.permission {
        Permission::ClusterAdmin => "CLUSTER_ADMIN",
        Permission::ClusterViewer => "CLUSTER_VIEWER",
        Permission::NamespaceAdmin => "NAMESPACE_ADMIN",
    };
    let variables = beside(install);
    let variables = variables.iter().map(|(name, value)| map! { "name" => *name, "value" => value });
    let mut values: Vec<(&'static str, Node)> = vec![
        ("delegateType", "HELM_DELEGATE".into()),
        ("nextGen", true.into()),
        ("replicas", install.replicas.into()),
        ("cpu", 1_u32.into()),
        ("memory", 2048_u32.into()),
        ("tags", install.tags.join(",").into()),
        ("description", Node::from(&install.description)),
        ("k8sPermissionsType", permission.into()),
        ("pollForTasks", if install.polling { "true" } else { "false" }.into()),
        ("javaOpts", "-Xms64M".into()),
        ("custom_envs", Node::List(variables.collect())),
        ("upgrader", map! { "enabled" => install.upgraded() }),
    ];
    if let Some(proxy) = &install.proxy {
        values.extend([
            ("proxyHost", Node::from(&proxy.host)),
            ("proxyPort", proxy.port.to_string().into()),
            ("proxyScheme", Node::from(&proxy.scheme)),
            ("proxyManager", "true".into()),
            ("noProxy", Node::from(&proxy.except)),
        ]);
    }
    values
}

/// `main.tf` and the commands that apply it.
pub(super) fn terraform(install: &Install) -> Plan {
    let apply = "terraform init\nterraform apply".to_owned();
    let update = Step::run(
        "Name the newer image and apply again",
        "Change delegate_image in main.tf.",
        "terraform apply".to_owned(),
    );
    Plan {
        files: vec![File { name: "main.tf", language: "hcl", text: module(install), secret: true }],
        steps: vec![Step::run("Apply the module", "Run it in the folder of main.tf.", apply)],
        update: if install.upgraded() { Vec::new() } else { vec![update] },
        notes: vec![
            "The provider reads ~/.kube/config; change it if your cluster is reached in another way.",
            "Terraform keeps the token in its state: keep that where you keep secrets.",
        ],
    }
}

fn module(install: &Install) -> String {
    let mut text = String::from(
        "provider \"helm\" {\n  kubernetes {\n    config_path = \"~/.kube/config\"\n  }\n}\n\nmodule \"delegate\" {\n",
    );
    let mut line = |key: &str, value: &str| {
        // Writing into a text cannot fail.
        let _ = writeln!(text, "  {key} = {}", hcl(value));
    };
    line("source", MODULE);
    line("account_id", &install.account);
    line("delegate_token", install.token());
    line("delegate_name", &install.name);
    line("deploy_mode", "KUBERNETES");
    line("namespace", &install.namespace);
    line("manager_endpoint", &install.manager);
    line("delegate_image", &install.image);
    text.push_str("  values = yamlencode(");
    write_hcl(&Node::Map(common(install)), &mut text, 2);
    text.push_str(")\n}\n");
    text
}

/// A tree as an expression of the Terraform language.
fn write_hcl(node: &Node, text: &mut String, depth: usize) {
    let margin = " ".repeat(depth + 2);
    match node {
        Node::Text(value) | Node::Block(value) => text.push_str(&hcl(value)),
        Node::Number(number) => text.push_str(&number.to_string()),
        Node::Bool(yes) => text.push_str(&yes.to_string()),
        Node::List(items) => {
            text.push_str("[\n");
            for item in items {
                text.push_str(&margin);
                write_hcl(item, text, depth + 2);
                text.push_str(",\n");
            }
            text.push_str(&" ".repeat(depth));
            text.push(']');
        }
        Node::Map(entries) => {
            text.push_str("{\n");
            for (key, value) in entries {
                text.push_str(&margin);
                text.push_str(key);
                text.push_str(" = ");
                write_hcl(value, text, depth + 2);
                text.push('\n');
            }
            text.push_str(&" ".repeat(depth));
            text.push('}');
        }
    }
}
