//! Whose trouble it is, as far as that is known, and commands about it.

use super::shell::quote;
use crate::delegate::{DEFAULT_NAME, DelegateType, Family, GroupFacts, hint};
use crate::install::NAMESPACE;
use crate::view::GroupView;

/// Which way of questions fits (`product 17.2` to `17.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Pods: manifest, Helm, CE.
    Kubernetes,
    /// Containers on one host.
    Docker,
    /// Processes on a host: shell delegates and the client of virtual-machine runners.
    Machine,
    /// Tasks of ECS and Fargate.
    Ecs,
}

impl Platform {
    /// Every platform.
    pub const ALL: [Self; 4] = [Self::Kubernetes, Self::Docker, Self::Machine, Self::Ecs];

    /// The word in addresses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Docker => "docker",
            Self::Machine => "machine",
            Self::Ecs => "ecs",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kubernetes => "Kubernetes and Helm",
            Self::Docker => "Docker",
            Self::Machine => "Virtual machine",
            Self::Ecs => "ECS and Fargate",
        }
    }

    /// Reads the word of an address.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.as_str() == text)
    }

    /// The platform of a group: its type, unless a `platform:` tag says more (`agent-protocol 8.5`).
    #[must_use]
    pub fn of(facts: &GroupFacts) -> Self {
        let tag = hint(&facts.tags, "platform").unwrap_or_default().to_ascii_lowercase();
        match (&*tag, &facts.kind) {
            ("ecs" | "fargate", _) | (_, DelegateType::Ecs) => Self::Ecs,
            (_, kind) if kind.is_kubernetes() => Self::Kubernetes,
            ("kubernetes", _) => Self::Kubernetes,
            ("vm", _) | (_, DelegateType::Shell) => Self::Machine,
            _ if facts.family == Family::Go => Self::Machine,
            _ => Self::Docker,
        }
    }
}

/// Names for commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Delegate name.
    pub name: String,
    /// From a `namespace:` tag; the usual one without it.
    pub namespace: String,
    /// A host name: that of the instance heard last.
    pub host: Option<String>,
    /// Scheme and host under which delegates reach this server.
    pub manager: String,
    /// A 3.x delegate, whose health endpoint is another.
    pub runner: bool,
}

impl Subject {
    /// What is known of a group.
    #[must_use]
    pub fn of(group: &GroupView, manager: &str) -> Self {
        let newest = group.members.iter().max_by_key(|member| member.last_heartbeat);
        Self {
            name: group.facts.name.to_string(),
            namespace: hint(&group.facts.tags, "namespace").unwrap_or(NAMESPACE).to_owned(),
            host: newest.map(|member| member.facts.host_name.to_string()),
            manager: manager.to_owned(),
            runner: group.facts.family == Family::Runner,
        }
    }

    /// A delegate that never called.
    #[must_use]
    pub fn unknown(manager: &str) -> Self {
        Self {
            name: DEFAULT_NAME.to_owned(),
            namespace: NAMESPACE.to_owned(),
            host: None,
            manager: manager.to_owned(),
            runner: false,
        }
    }

    /// A command with its names in place, each quoted.
    #[must_use]
    pub fn fill(&self, template: &str) -> String {
        let health =
            if self.runner { "http://localhost:3000/health" } else { "http://localhost:3460/api/health" };
        let mut line = String::with_capacity(template.len() + 64);
        let mut rest = template;
        // One pass, so that a name that looks like a placeholder stays a name.
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            line.push_str(before);
            let value = [
                ("{name}", &*self.name),
                ("{namespace}", &self.namespace),
                ("{manager}", &self.manager),
                ("{health}", health),
                ("{pod}", self.host.as_deref().unwrap_or("POD")),
            ]
            .into_iter()
            .find_map(|(placeholder, value)| Some((from.strip_prefix(placeholder)?, value)));
            if let Some((after, value)) = value {
                line.push_str(&quote(value));
                rest = after;
            } else {
                line.push('{');
                rest = &from[1..];
            }
        }
        line.push_str(rest);
        line
    }
}
