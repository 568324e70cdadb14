//! The upgrader beside a Kubernetes delegate (`product 16.7`).

use super::kubernetes::{metadata, role, role_binding, token_secret};
use super::node::{Node, list, map};
use super::{Install, SCHEDULE, UPGRADER_IMAGE};

/// Its objects: what it may do, who it is, its token, its settings, and the job that runs it.
pub(super) fn objects(install: &Install) -> Vec<Node> {
    let name = |suffix: &str| format!("{}-upgrader-{suffix}", install.name);
    let (role_name, account, token, config) = (name("role"), name("account"), name("token"), name("config"));
    let subjects = list![map! {
        "kind" => "ServiceAccount",
        "name" => &account,
        "namespace" => &install.namespace,
    }];
    vec![
        role(install, &role_name, rules()),
        map! {
            "apiVersion" => "v1",
            "kind" => "ServiceAccount",
            "metadata" => metadata(install, &account),
        },
        role_binding(install, &role_name, subjects),
        token_secret(install, &token, "UPGRADER_TOKEN"),
        map! {
            "apiVersion" => "v1",
            "kind" => "ConfigMap",
            "metadata" => metadata(install, &config),
            "data" => map! { "config.yaml" => Node::Block(settings(install)) },
        },
        job(install, &name("job"), &account, &token, &config),
    ]
}

fn rules() -> Node {
    list![
        map! {
            "apiGroups" => list!["batch", "apps", "extensions"],
            "resources" => list!["cronjobs", "deployments"],
            "verbs" => list!["get", "list", "watch", "update", "patch"],
        },
        map! {
            "apiGroups" => list!["", "extensions", "apps"],
            "resources" => list!["pods", "replicasets"],
            "verbs" => list!["get", "list", "watch"],
        },
    ]
}

/// The file at `/etc/config`.
fn settings(install: &Install) -> String {
    map! {
        "mode" => "Delegate",
        "dryRun" => false,
        "workloadName" => &install.name,
        "namespace" => &install.namespace,
        "containerName" => "delegate",
        "delegateConfig" => map! {
            "accountId" => &install.account,
            "managerHost" => &install.manager,
        },
    }
    .yaml()
}

fn job(install: &Install, name: &str, account: &str, token: &str, config: &str) -> Node {
    let container = map! {
        "name" => "upgrader",
        "image" => UPGRADER_IMAGE,
        "imagePullPolicy" => "Always",
        "envFrom" => list![map! { "secretRef" => map! { "name" => token } }],
        "volumeMounts" => list![map! {
            "name" => "config-volume",
            "mountPath" => "/etc/config",
            "readOnly" => true,
        }],
    };
    let pod = map! {
        "serviceAccountName" => account,
        "restartPolicy" => "Never",
        "containers" => list![container],
        "volumes" => list![map! { "name" => "config-volume", "configMap" => map! { "name" => config } }],
    };
    map! {
        "apiVersion" => "batch/v1",
        "kind" => "CronJob",
        "metadata" => metadata(install, name),
        "spec" => map! {
            "schedule" => SCHEDULE,
            "concurrencyPolicy" => "Forbid",
            "startingDeadlineSeconds" => 20_u32,
            "jobTemplate" => map! {
                "spec" => map! { "template" => map! { "spec" => pod } },
            },
        },
    }
}
