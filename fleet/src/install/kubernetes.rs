//! The Kubernetes manifest (`product 16.2`).

use super::environment::{self, Variable, token_name};
use super::node::{Node, list, map};
use super::{File, Install, Permission, Plan, Step, upgrader};
use crate::update::set_image;

/// Manifest and the command that applies it.
pub(super) fn plan(install: &Install) -> Plan {
    let mut objects = vec![namespace(install), service_account(install)];
    objects.extend(binding(install));
    objects.extend([secret(install), deployment(install), autoscaler(install)]);
    if install.upgraded() {
        objects.extend(upgrader::objects(install));
    }
    let mut notes = vec![
        "The container runs as root, so that it can install software at its start. With another runAsUser it cannot.",
        "In one cluster raise replicas; a second delegate of the same name elsewhere leads to duplicated and failed work.",
    ];
    if install.permission == Permission::NamespaceAdmin {
        notes.push("With namespace admin, install one delegate per namespace that it works in.");
    }
    let update = if install.upgraded() { Vec::new() } else { update(install) };
    Plan {
        files: vec![manifest(&objects)],
        steps: vec![Step::run("Apply the manifest", "", "kubectl apply -f harness-delegate.yml".to_owned())],
        update,
        notes,
    }
}

/// All objects in one file.
pub(super) fn manifest(objects: &[Node]) -> File {
    let texts: Vec<String> = objects.iter().map(Node::yaml).collect();
    File { name: "harness-delegate.yml", language: "yaml", text: texts.join("---\n"), secret: true }
}

/// How a newer image gets into the cluster by hand.
pub(super) fn update(install: &Install) -> Vec<Step> {
    let command = set_image(&install.name, &install.namespace, &install.image);
    vec![Step::run("Set the newer image", "Put its version in place of the one in the command.", command)]
}

pub(super) fn namespace(install: &Install) -> Node {
    map! {
        "apiVersion" => "v1",
        "kind" => "Namespace",
        "metadata" => map! { "name" => &install.namespace },
    }
}

/// Name and namespace of one of its objects.
pub(super) fn metadata(install: &Install, name: &str) -> Node {
    map! {
        "name" => name,
        "namespace" => &install.namespace,
        "labels" => label(install),
    }
}

fn label(install: &Install) -> Node {
    map! { "harness.io/name" => &install.name }
}

fn service_account(install: &Install) -> Node {
    map! {
        "apiVersion" => "v1",
        "kind" => "ServiceAccount",
        "metadata" => metadata(install, &install.name),
    }
}

/// What it may do: in the whole cluster, or in its own namespace by a role of its own.
fn binding(install: &Install) -> Vec<Node> {
    let subjects = list![map! {
        "kind" => "ServiceAccount",
        "name" => &install.name,
        "namespace" => &install.namespace,
    }];
    let cluster = |role: &'static str| {
        map! {
            "apiVersion" => "rbac.authorization.k8s.io/v1",
            "kind" => "ClusterRoleBinding",
            "metadata" => map! {
                "name" => format!("{}-{}-{role}", install.namespace, install.name),
                "labels" => label(install),
            },
            "subjects" => subjects.clone(),
            "roleRef" => map! {
                "apiGroup" => "rbac.authorization.k8s.io",
                "kind" => "ClusterRole",
                "name" => role,
            },
        }
    };
    match install.permission {
        Permission::ClusterAdmin => vec![cluster("cluster-admin")],
        Permission::ClusterViewer => vec![cluster("view")],
        Permission::NamespaceAdmin => {
            let name = format!("{}-namespace-admin", install.name);
            let every = || list!["*"];
            let rules = list![map! { "apiGroups" => every(), "resources" => every(), "verbs" => every() }];
            vec![role(install, &name, rules), role_binding(install, &name, subjects)]
        }
    }
}

/// A role in the namespace.
pub(super) fn role(install: &Install, name: &str, rules: Node) -> Node {
    map! {
        "apiVersion" => "rbac.authorization.k8s.io/v1",
        "kind" => "Role",
        "metadata" => metadata(install, name),
        "rules" => rules,
    }
}

/// Gives the role of the same name.
pub(super) fn role_binding(install: &Install, name: &str, subjects: Node) -> Node {
    map! {
        "apiVersion" => "rbac.authorization.k8s.io/v1",
        "kind" => "RoleBinding",
        "metadata" => metadata(install, name),
        "subjects" => subjects,
        "roleRef" => map! {
            "apiGroup" => "rbac.authorization.k8s.io",
            "kind" => "Role",
            "name" => name,
        },
    }
}

/// The token in its outer form: Kubernetes decodes what stands under `data`, so the container sees hexadecimal
/// (`agent-protocol 1.2`).
pub(super) fn secret(install: &Install) -> Node {
    token_secret(install, &format!("{}-account-token", install.name), token_name(install.platform))
}

pub(super) fn token_secret(install: &Install, name: &str, variable: &'static str) -> Node {
    map! {
        "apiVersion" => "v1",
        "kind" => "Secret",
        "metadata" => metadata(install, name),
        "type" => "Opaque",
        "data" => map! { variable => install.token() },
    }
}

fn deployment(install: &Install) -> Node {
    let annotations = map! {
        "prometheus.io/scrape" => "true",
        "prometheus.io/port" => "3460",
        "prometheus.io/path" => "/api/metrics",
    };
    let mut container = container(install, &environment::of(install, "KUBERNETES"), "2048Mi");
    container.push("ports", list![map! { "name" => "metrics", "containerPort" => 3460_u32 }]);
    container.push("livenessProbe", probe(3460, "/api/health", 10, 10, 3));
    container.push("startupProbe", probe(3460, "/api/health", 30, 10, 15));
    container.push("securityContext", map! { "allowPrivilegeEscalation" => false, "runAsUser" => 0_u32 });
    workload(install, annotations, 120, container)
}

/// The deployment around a container, which carries the name that upgraders look for.
pub(super) fn workload(install: &Install, annotations: Node, ready: u32, container: Node) -> Node {
    let mut metadata_of_pods = map! { "labels" => label(install) };
    if annotations != Node::Map(Vec::new()) {
        metadata_of_pods.push("annotations", annotations);
    }
    let mut pod = map! { "terminationGracePeriodSeconds" => 600_u32, "restartPolicy" => "Always" };
    if install.platform.has_permission() {
        pod.push("serviceAccountName", &install.name);
    }
    pod.push("containers", list![container]);
    map! {
        "apiVersion" => "apps/v1",
        "kind" => "Deployment",
        "metadata" => metadata(install, &install.name),
        "spec" => map! {
            "replicas" => install.replicas,
            "minReadySeconds" => ready,
            "selector" => map! { "matchLabels" => label(install) },
            "template" => map! { "metadata" => metadata_of_pods, "spec" => pod },
        },
    }
}

/// Name, image, resources and variables; the token comes out of its secret.
pub(super) fn container(install: &Install, variables: &[Variable], memory: &'static str) -> Node {
    let env = variables.iter().map(|(name, value)| map! { "name" => *name, "value" => value });
    map! {
        "name" => "delegate",
        "image" => &install.image,
        "imagePullPolicy" => "Always",
        "resources" => map! {
            "limits" => map! { "memory" => memory },
            "requests" => map! { "cpu" => "500m", "memory" => memory },
        },
        "envFrom" => list![map! {
            "secretRef" => map! { "name" => format!("{}-account-token", install.name) },
        }],
        "env" => env.collect::<Vec<Node>>(),
    }
}

pub(super) fn probe(port: u32, path: &'static str, delay: u32, period: u32, failures: u32) -> Node {
    map! {
        "httpGet" => map! { "path" => path, "port" => port },
        "initialDelaySeconds" => delay,
        "periodSeconds" => period,
        "failureThreshold" => failures,
    }
}

/// Holds the number of replicas; whoever raises the maximum gets growth by memory (`product 9.6`).
fn autoscaler(install: &Install) -> Node {
    map! {
        "apiVersion" => "autoscaling/v2",
        "kind" => "HorizontalPodAutoscaler",
        "metadata" => metadata(install, &install.name),
        "spec" => map! {
            "scaleTargetRef" => map! {
                "apiVersion" => "apps/v1",
                "kind" => "Deployment",
                "name" => &install.name,
            },
            "minReplicas" => install.replicas,
            "maxReplicas" => install.replicas,
            "metrics" => list![map! {
                "type" => "Resource",
                "resource" => map! {
                    "name" => "memory",
                    "target" => map! { "type" => "Utilization", "averageUtilization" => 70_u32 },
                },
            }],
        },
    }
}
