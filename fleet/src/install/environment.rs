//! The variables that delegates read (`product 16.1`, `16.6`).

use super::{Install, Platform};

/// Name and value of one variable.
pub(super) type Variable = (&'static str, String);

/// The variable that holds the token of a delegate on this platform.
pub(super) const fn token_name(platform: Platform) -> &'static str {
    match platform {
        Platform::RunnerKubernetes => "HARNESS_DELEGATE_TOKEN",
        Platform::RunnerEcs | Platform::RunnerFargate | Platform::RunnerProgram => "HARNESS_TOKEN",
        _ => "DELEGATE_TOKEN",
    }
}

/// Everything but the token, for a delegate that reports this type; 3.x has names of its own and no type.
pub(super) fn of(install: &Install, kind: &'static str) -> Vec<Variable> {
    if install.platform.is_runner() { runner(install) } else { classic(install, kind) }
}

fn classic(install: &Install, kind: &'static str) -> Vec<Variable> {
    let mut variables = vec![
        ("ACCOUNT_ID", install.account.clone()),
        ("MANAGER_HOST_AND_PORT", install.manager.clone()),
        ("DELEGATE_NAME", install.name.clone()),
        ("DELEGATE_TYPE", kind.to_owned()),
        ("NEXT_GEN", "true".to_owned()),
    ];
    if install.platform.is_cluster() {
        variables.push(("DEPLOY_MODE", "KUBERNETES".to_owned()));
        variables.push(("DELEGATE_NAMESPACE", install.namespace.clone()));
    }
    variables.push(("DELEGATE_TAGS", install.tags.join(",")));
    variables.push(("DELEGATE_DESCRIPTION", install.description.clone()));
    variables.extend(beside(install));
    if install.polling {
        variables.push(("POLL_FOR_TASKS", "true".to_owned()));
    }
    variables.push(("JAVA_OPTS", "-Xms64M".to_owned()));
    variables.extend(proxy(install));
    variables
}

/// Placement and logs: what a chart or module has no value of its own for.
pub(super) fn beside(install: &Install) -> Vec<Variable> {
    let mut variables = Vec::new();
    if let Some(organization) = &install.organization {
        variables.push(("DELEGATE_ORG_IDENTIFIER", organization.clone()));
    }
    if let Some(project) = &install.project {
        variables.push(("DELEGATE_PROJECT_IDENTIFIER", project.clone()));
    }
    let logs = format!("{}/log-service/", install.manager.trim_end_matches('/'));
    variables.push(("LOG_STREAMING_SERVICE_URL", logs));
    variables.push(("STACK_DRIVER_LOGGING_ENABLED", "false".to_owned()));
    variables
}

fn proxy(install: &Install) -> Vec<Variable> {
    let Some(proxy) = &install.proxy else { return Vec::new() };
    let mut variables = vec![
        ("PROXY_HOST", proxy.host.clone()),
        ("PROXY_PORT", proxy.port.to_string()),
        ("PROXY_SCHEME", proxy.scheme.clone()),
        ("PROXY_MANAGER", "true".to_owned()),
    ];
    if !proxy.except.is_empty() {
        variables.push(("NO_PROXY", proxy.except.clone()));
    }
    variables
}

fn runner(install: &Install) -> Vec<Variable> {
    let [url, name, tags] = if install.platform == Platform::RunnerKubernetes {
        ["HARNESS_MANAGER_HOST_AND_PORT", "HARNESS_DELEGATE_NAME", "HARNESS_DELEGATE_TAGS"]
    } else {
        ["HARNESS_URL", "HARNESS_NAME", "HARNESS_TAGS"]
    };
    vec![
        ("HARNESS_ACCOUNT_ID", install.account.clone()),
        (url, install.manager.clone()),
        (name, install.name.clone()),
        (tags, install.tags.join(",")),
    ]
}
