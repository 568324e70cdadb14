//! Why a state is what it is: the rule, what was compared, what would change it, and when it changes by itself
//! (`product 3`, `5.7`, `7`, `19`).
//!
//! Nothing is decided here. An explanation is made of what the rules have decided, so that it cannot say otherwise.

mod auto_upgrade;
mod connectivity;
mod span;
mod status;
mod version;

pub use auto_upgrade::{auto_upgrade, chosen};
pub use connectivity::{connectivity, group_connectivity};
pub use span::{age, span};
pub use status::{group_status, version_status};
pub use version::{group_version, version};

use std::sync::Arc;

use chrono::NaiveDate;

use crate::catalog::{Origin, Origins};
use crate::mirror::Source;
use crate::overrides::Override;
use crate::policy::Policy;
use crate::scope::Scope;
use crate::time::Timestamp;
use crate::version::{Line, Version};

/// One state, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation<T> {
    /// What the rules decided.
    pub outcome: T,
    /// How the comparison ended, in one sentence.
    pub because: String,
    /// The rule with the thresholds that are in force.
    pub rule: Vec<String>,
    /// What was compared.
    pub facts: Vec<Fact>,
    /// The conditions in the order in which they are tried; the one that decided is met.
    pub checks: Vec<Check>,
    /// What would change it.
    pub changes: Vec<String>,
    /// What the passing of time alone changes, soonest first.
    pub due: Vec<Due>,
    /// What people often take it for.
    pub notes: Vec<String>,
}

impl<T> Explanation<T> {
    fn new(outcome: T, because: impl Into<String>) -> Self {
        let (rule, facts, checks) = (Vec::new(), Vec::new(), Vec::new());
        let (changes, due, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { outcome, because: because.into(), rule, facts, checks, changes, due, notes }
    }

    fn fact(&mut self, label: &'static str, value: impl Into<Value>) -> &mut Self {
        self.facts.push(Fact { label, value: value.into() });
        self
    }

    /// When the state changes by itself; none if it never does.
    #[must_use]
    pub fn due_at(&self) -> Option<Timestamp> {
        self.due.iter().filter(|due| due.changes_state).map(|due| due.at).min()
    }

    /// The value of this fact.
    #[must_use]
    pub fn value(&self, label: &str) -> Option<&Value> {
        self.facts.iter().find(|fact| fact.label == label).map(|fact| &fact.value)
    }
}

/// Of a group or instance that another server tells of: what was compared there is known there alone (`management-api 7`).
#[must_use]
pub fn told<T>(outcome: T, source: &Source) -> Explanation<T> {
    let mut explained = Explanation::new(outcome, format!("The mirrored server {} says so.", source.name));
    explained.fact("As of", source.as_of);
    explained.rule = vec![
        "What a mirrored server says is shown as it says it. A version is judged by the rules here where it says nothing of it."
            .to_owned(),
    ];
    explained.changes = vec!["The mirrored server says something else.".to_owned()];
    if source.trouble.is_some() {
        explained.notes =
            vec!["The mirrored server cannot be read at the moment: this may be old.".to_owned()];
    }
    explained
}

/// One thing that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub label: &'static str,
    /// Its value.
    pub value: Value,
}

/// What a fact says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An instant.
    At(Timestamp),
    /// A day.
    Day(NaiveDate),
    /// Anything else.
    Text(String),
}

impl From<Timestamp> for Value {
    fn from(at: Timestamp) -> Self {
        Self::At(at)
    }
}

impl From<NaiveDate> for Value {
    fn from(day: NaiveDate) -> Self {
        Self::Day(day)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The state that it leads to.
    pub leads_to: &'static str,
    /// The condition.
    pub condition: String,
    /// Whether it decided; those before it did not hold, those after it were not tried.
    pub met: bool,
}

/// A change that time alone brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The first millisecond of the new state.
    pub at: Timestamp,
    /// What it becomes.
    pub what: String,
    /// Whether the explained state itself changes, rather than something that follows from it.
    pub changes_state: bool,
}

/// What the rules rest on beside the delegate itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// The settings in force.
    pub policy: Policy,
    /// The instant of every figure.
    pub now: Timestamp,
    /// When the server started, while silence proves little (`product 3.7`).
    pub restarted_at: Option<Timestamp>,
    /// Where the latest versions come from.
    pub origins: Origins,
    /// The scope whose `versions.latest` is in force.
    pub pinned_at: Option<Scope>,
    /// The ring of the account.
    pub ring: Option<String>,
    /// What the catalog calls latest, whatever ring and setting say.
    pub public: Option<Arc<Version>>,
    /// Overrides that reach the scope and hold now, in the order in which they are tried.
    pub overrides: Vec<(Scope, Override)>,
}

impl Ground {
    /// Where the latest version of a line comes from, such as `the setting versions.latest of acme/payments`.
    #[must_use]
    pub fn origin_text(&self, line: Line) -> String {
        match self.origins.of(line) {
            Origin::Setting => self.pinned_at.as_ref().map_or_else(
                || "the setting versions.latest".to_owned(),
                |scope| format!("the setting versions.latest of {scope}"),
            ),
            Origin::Ring => self.ring.as_ref().map_or_else(
                || "the ring of the account".to_owned(),
                |ring| format!("ring {ring} of the account"),
            ),
            Origin::Catalog => "the version catalog".to_owned(),
            Origin::Released => "the newest release in the version catalog".to_owned(),
            Origin::Nowhere => "nowhere: no catalog entry and no setting names one".to_owned(),
        }
    }
}
