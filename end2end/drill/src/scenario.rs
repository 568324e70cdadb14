//! Which delegates are played and how they behave, as a TOML file says it.

use fleet::delegate::MAX_NAME;
use fleet::scope::Scope;
use serde::Deserialize;

use crate::client::Kind;
use crate::span::Span;

/// The longest list of replicas of one group.
pub const MAX_REPLICAS: u32 = 100_000;

/// A whole play: `[[scope]]` tables with `[[scope.group]]` tables inside.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Host names, addresses and the like follow from it: the same seed gives the same pods.
    #[serde(default)]
    pub seed: u64,
    /// One entry per token.
    #[serde(default, rename = "scope")]
    pub scopes: Vec<ScopePlan>,
}

/// The groups that register with the token of one scope.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopePlan {
    /// `acme/payments/checkout`; a token of exactly this scope is needed.
    pub path: Scope,
    /// Its groups.
    #[serde(default, rename = "group")]
    pub groups: Vec<Group>,
}

/// All delegates of one name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Delegate name.
    pub name: String,
    /// Family and transport.
    pub client: Kind,
    /// Word of `delegateType`: `KUBERNETES` unless said otherwise, always `DOCKER` for Go clients and runners.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// How many processes.
    #[serde(default = "one")]
    pub replicas: u32,
    /// Dealt out to the replicas in turn; an empty text is a version that is not reported.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Custom tags of all replicas.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Additional tags, dealt out to the replicas in turn.
    #[serde(default)]
    pub member_tags: Vec<Vec<String>>,
    /// Shown in the details of a Java delegate.
    #[serde(default)]
    pub description: Option<String>,
    /// Stages of a runner, builds of a Go client.
    #[serde(default)]
    pub capacity: Option<u32>,
    /// Whether an upgrader asks beside it.
    #[serde(default)]
    pub upgrader: bool,
    /// With what a process makes itself known.
    #[serde(default)]
    pub first: First,
    /// What the replicas do.
    #[serde(default)]
    pub behaviour: Behaviour,
    /// How many replicas do it, counted from the last one; the others are steady. All if absent.
    #[serde(default)]
    pub behaving: Option<u32>,
}

/// The first call of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum First {
    /// It registers.
    #[default]
    Register,
    /// It beats under an id of its own, as a process does whose row the server has lost.
    Heartbeat,
}

/// What a replica does over time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Behaviour {
    /// Beats until the end.
    #[default]
    Steady,
    /// Beats, then is never heard of again.
    Silent {
        /// Counted from its start.
        after: Span,
    },
    /// Beats and is silent in turn, under the same id.
    Flapping {
        /// How long it beats.
        up: Span,
        /// How long it is silent.
        down: Span,
    },
    /// New pods replace the replicas one by one for ever; the old pod says goodbye when the new one is there.
    Churn {
        /// Time between two replacements inside the group.
        every: Span,
    },
    /// New pods with another version replace the replicas once, one by one.
    Rollout {
        /// Time between two replacements inside the group.
        every: Span,
        /// The version of the new pods.
        to: String,
    },
    /// Beats so rarely that it is mostly called late.
    Late {
        /// Time between two heartbeats.
        #[serde(default = "four_minutes")]
        every: Span,
    },
    /// Beats, then says goodbye for good. A Go client has none and just ends.
    Goodbye {
        /// Counted from its start.
        after: Span,
    },
    /// A first-generation Java agent: short acknowledgements, and an upgrader that does not know its name.
    Old,
}

const fn one() -> u32 {
    1
}

const fn four_minutes() -> Span {
    Span::seconds(240)
}

/// Why a file is no scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// Not the expected TOML.
    #[error("{0}")]
    Form(String),
    /// A group that no client family could be.
    #[error("group {group:?} of {scope}: {problem}")]
    Group {
        /// Its scope.
        scope: String,
        /// Its name.
        group: String,
        /// What is wrong.
        problem: &'static str,
    },
}

impl Scenario {
    /// Reads and checks a scenario file.
    ///
    /// # Errors
    /// Unknown keys or values, or a group that cannot be played.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        let scenario: Self = toml::from_str(text).map_err(|error| ScenarioError::Form(error.to_string()))?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Every group with its scope.
    pub fn groups(&self) -> impl Iterator<Item = (&Scope, &Group)> {
        self.scopes.iter().flat_map(|plan| plan.groups.iter().map(move |group| (&plan.path, group)))
    }

    /// Processes that run at the same time.
    #[must_use]
    pub fn instances(&self) -> u64 {
        self.groups().map(|(_, group)| u64::from(group.replicas)).sum()
    }

    /// Whether every group could be a group of real agents.
    pub(crate) fn check(&self) -> Result<(), ScenarioError> {
        for (scope, group) in self.groups() {
            if let Some(problem) = group.problem() {
                let (scope, group) = (scope.to_string(), group.name.clone());
                return Err(ScenarioError::Group { scope, group, problem });
            }
        }
        Ok(())
    }
}

impl Group {
    /// One steady replica with the default of everything.
    #[must_use]
    pub fn new(name: &str, client: Kind) -> Self {
        Self {
            name: name.to_owned(),
            client,
            kind: None,
            replicas: 1,
            versions: Vec::new(),
            tags: Vec::new(),
            member_tags: Vec::new(),
            description: None,
            capacity: None,
            upgrader: false,
            first: First::default(),
            behaviour: Behaviour::default(),
            behaving: None,
        }
    }

    /// The word of `delegateType`.
    #[must_use]
    pub fn kind(&self) -> &str {
        let usual = if self.is_java() { "KUBERNETES" } else { "DOCKER" };
        self.kind.as_deref().unwrap_or(usual)
    }

    /// Whether this replica follows the behaviour of the group, or is one of the steady ones.
    #[must_use]
    pub fn behaves(&self, replica: u32) -> bool {
        self.behaving.is_none_or(|count| replica >= self.replicas.saturating_sub(count))
    }

    /// The version of a replica at the start; none when it is not reported.
    #[must_use]
    pub fn version(&self, replica: u32) -> Option<&str> {
        let version = in_turn(&self.versions, replica)?;
        (!version.is_empty()).then_some(version)
    }

    /// The custom tags of a replica.
    pub fn tags(&self, replica: u32) -> impl Iterator<Item = &str> {
        let own = in_turn(&self.member_tags, replica).map(Vec::as_slice).unwrap_or_default();
        self.tags.iter().chain(own).map(String::as_str)
    }

    const fn is_java(&self) -> bool {
        matches!(self.client, Kind::JavaStream | Kind::JavaRest)
    }

    /// What is wrong with it, if anything.
    fn problem(&self) -> Option<&'static str> {
        let reports_version = self.versions.iter().any(|version| !version.is_empty());
        let is_zero = |span: &Span| span.0.is_zero();
        if self.name.chars().count() > MAX_NAME {
            return Some("the name is longer than 256 characters");
        }
        if self.replicas > MAX_REPLICAS {
            return Some("there are more than 100,000 replicas");
        }
        if !self.is_java() && self.kind() != "DOCKER" {
            return Some("Go clients and runners always have the type DOCKER");
        }
        match &self.behaviour {
            Behaviour::Rollout { .. } if self.client == Kind::Go => {
                Some("a Go client has no version to roll out")
            }
            _ if self.client == Kind::Go && reports_version => Some("a Go client sends no version"),
            Behaviour::Old if !self.is_java() => Some("only Java agents have a first generation"),
            Behaviour::Flapping { up, down } if is_zero(up) || is_zero(down) => {
                Some("up and down must not be zero")
            }
            Behaviour::Churn { every } | Behaviour::Rollout { every, .. } | Behaviour::Late { every }
                if is_zero(every) =>
            {
                Some("every must not be zero")
            }
            _ => None,
        }
    }
}

fn in_turn<T>(values: &[T], replica: u32) -> Option<&T> {
    let replica = usize::try_from(replica).unwrap_or_default();
    values.get(replica.checked_rem(values.len())?)
}

#[cfg(test)]
mod tests;
