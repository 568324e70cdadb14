//! The conditions of a filter in people's words: one place for chips, the filter page and saved filters.

use fleet::delegate::{DelegateType, Transport};
use fleet::health::Status;
use fleet::query::{Availability, Filter, Generation, Health, InstanceStatus, Mark, Origin, Redundancy};
use fleet::summary::GroupConnectivity;
use fleet::upgrade::State;

use crate::components::cells::name::kind_words;
use crate::components::status;

/// One condition with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it says, such as `Type: Docker`.
    pub text: String,
    /// The parameter of a URL that says it.
    pub parameter: &'static str,
    /// Its value there.
    pub value: String,
    /// The filter without it.
    pub without: Filter,
}

/// Every condition of a filter, a list value by value, in the order of the URL.
#[must_use]
pub fn conditions(filter: &Filter) -> Vec<Condition> {
    let mut all = List { filter, conditions: Vec::new() };
    all.one("Health", "health", filter.health, Health::as_str, status::health_word, |f| f.health = None);
    all.text("Search", "search", filter.search.as_ref(), |f| f.search = None);
    all.one("Status", "status", filter.status, InstanceStatus::as_str, instance_word, |f| f.status = None);
    all.one(
        "Version status",
        "versionStatus",
        filter.version_status,
        Status::as_str,
        version_status_word,
        |f| {
            f.version_status = None;
        },
    );
    all.one("Auto-upgrade", "autoUpgrade", filter.auto_upgrade, State::as_str, upgrade_word, |f| {
        f.auto_upgrade = None;
    });
    all.text("Name", "delegateName", filter.name.as_ref(), |f| f.name = None);
    all.text("Identifier", "delegateGroupIdentifier", filter.identifier.as_ref(), |f| f.identifier = None);
    all.text("Description", "description", filter.description.as_ref(), |f| f.description = None);
    all.text("Type contains", "delegateType", filter.kind.as_ref(), |f| f.kind = None);
    all.several("Tag", "delegateTags", &filter.tags, Clone::clone, Clone::clone, |f| &mut f.tags);
    all.text("Host", "hostName", filter.host_name.as_ref(), |f| f.host_name = None);
    all.lists();
    all.one("Generation", "generation", filter.generation, Generation::as_str, generation_word, |f| {
        f.generation = None;
    });
    all.one("Transport", "transport", filter.transport, Transport::as_str, transport_word, |f| {
        f.transport = None;
    });
    all.one("Source", "source", filter.source, Origin::as_str, source_word, |f| f.source = None);
    let availability = filter.availability;
    all.one(
        "Availability",
        "delegateInstanceFilter",
        availability,
        Availability::as_str,
        availability_word,
        |f| {
            f.availability = None;
        },
    );
    let expires = filter.expires.map(|day| (format!("Expires in the week of {day}"), day.to_string()));
    all.whole("expires", expires, |f| f.expires = None);
    let silent = filter.silent.map(|at| {
        let at = at.to_utc();
        (
            format!("Silent around {}", at.format("%Y-%m-%d %H:%M UTC")),
            at.format("%Y-%m-%dT%H:%MZ").to_string(),
        )
    });
    all.whole("silent", silent, |f| f.silent = None);
    all.conditions
}

struct List<'a> {
    filter: &'a Filter,
    conditions: Vec<Condition>,
}

impl List<'_> {
    fn whole(
        &mut self,
        parameter: &'static str,
        said: Option<(String, String)>,
        drop: impl FnOnce(&mut Filter),
    ) {
        if let Some((text, value)) = said {
            let mut without = self.filter.clone();
            drop(&mut without);
            self.conditions.push(Condition { text, parameter, value, without });
        }
    }

    fn text(
        &mut self,
        term: &str,
        parameter: &'static str,
        text: Option<&String>,
        drop: impl FnOnce(&mut Filter),
    ) {
        self.whole(parameter, text.map(|text| (format!("{term}: {text}"), text.clone())), drop);
    }

    fn one<T: Copy>(
        &mut self,
        term: &str,
        parameter: &'static str,
        value: Option<T>,
        code: fn(T) -> &'static str,
        word: fn(T) -> &'static str,
        drop: impl FnOnce(&mut Filter),
    ) {
        let said = value.map(|value| (format!("{term}: {}", word(value)), code(value).to_owned()));
        self.whole(parameter, said, drop);
    }

    fn several<T: PartialEq>(
        &mut self,
        term: &str,
        parameter: &'static str,
        values: &[T],
        code: impl Fn(&T) -> String,
        word: impl Fn(&T) -> String,
        list: fn(&mut Filter) -> &mut Vec<T>,
    ) {
        for value in values {
            let said = (format!("{term}: {}", word(value)), code(value));
            self.whole(parameter, Some(said), |filter| list(filter).retain(|kept| kept != value));
        }
    }

    /// Conditions of which one value suffices.
    fn lists(&mut self) {
        let filter = self.filter;
        let code = |value: &GroupConnectivity| value.as_str().to_owned();
        let word = |value: &GroupConnectivity| connectivity_word(*value).to_owned();
        self.several("Connectivity", "connectivity", &filter.connectivity, code, word, |f| {
            &mut f.connectivity
        });
        self.several("Type", "type", &filter.types, Clone::clone, |text| type_word(text), |f| &mut f.types);
        let versions = &filter.versions;
        self.several(
            "Version",
            "version",
            versions,
            Clone::clone,
            |text| version_word(text),
            |f| &mut f.versions,
        );
        self.several("Token", "token", &filter.tokens, Clone::clone, Clone::clone, |f| &mut f.tokens);
        self.several("Scope", "scope", &filter.scopes, ToString::to_string, ToString::to_string, |f| {
            &mut f.scopes
        });
        let code = |value: &Redundancy| value.as_str().to_owned();
        let word = |value: &Redundancy| redundancy_word(*value).to_owned();
        self.several("Redundancy", "redundancy", &filter.redundancy, code, word, |f| &mut f.redundancy);
        let code = |value: &Mark| value.as_str().to_owned();
        let word = |value: &Mark| mark_word(*value).to_owned();
        self.several("Marked", "mark", &filter.marks, code, word, |f| &mut f.marks);
    }
}

/// A type as it was reported.
#[must_use]
pub fn type_word(text: &str) -> String {
    kind_words(&DelegateType::from(text)).1
}

/// A version, or that none is reported.
#[must_use]
pub fn version_word(text: &str) -> String {
    if text == "none" { "not reported".to_owned() } else { text.to_owned() }
}

/// How much of a group is connected.
#[must_use]
pub const fn connectivity_word(connectivity: GroupConnectivity) -> &'static str {
    match connectivity {
        GroupConnectivity::Connected => "connected",
        GroupConnectivity::Partial => "partially connected",
        GroupConnectivity::NotConnected => "not connected",
    }
}

/// How many connected instances a group can lean on.
#[must_use]
pub const fn redundancy_word(redundancy: Redundancy) -> &'static str {
    match redundancy {
        Redundancy::None => "nothing connected",
        Redundancy::Single => "one connected instance",
        Redundancy::Several => "several connected instances",
    }
}

/// What deserves a second look.
#[must_use]
pub const fn mark_word(mark: Mark) -> &'static str {
    match mark {
        Mark::Late => "late heartbeats",
        Mark::Unstable => "unstable",
        Mark::Differ => "members differ",
        Mark::Double => "possible double delegate",
        Mark::Incomplete => "identity incomplete",
        Mark::Pending => "pending approval",
        Mark::Returned => "returned after delete",
        Mark::ByChoice => "updated by hand on purpose",
        Mark::Clock => "clock off by more than a minute",
    }
}

/// Which generation.
#[must_use]
pub const fn generation_word(generation: Generation) -> &'static str {
    match generation {
        Generation::Classic => "classic",
        Generation::Runner => "3.x",
    }
}

/// How an instance reaches the server.
#[must_use]
pub const fn transport_word(transport: Transport) -> &'static str {
    match transport {
        Transport::Polling => "polling",
        Transport::WebSocket => "WebSocket",
    }
}

/// Ready for work, or expired.
#[must_use]
pub const fn availability_word(availability: Availability) -> &'static str {
    match availability {
        Availability::Available => "connected and not expired",
        Availability::Expired => "expired",
    }
}

/// Where a group is from.
#[must_use]
pub const fn source_word(source: Origin) -> &'static str {
    match source {
        Origin::Own => "registered here",
        Origin::Mirror => "mirrored from another server",
    }
}

/// On, off or detecting.
#[must_use]
pub const fn upgrade_word(state: State) -> &'static str {
    match state {
        State::On => "on",
        State::Off => "off",
        State::Detecting => "detecting",
        State::Synchronizing => "synchronizing",
        State::Unknown => "not known",
    }
}

const fn instance_word(status: InstanceStatus) -> &'static str {
    match status {
        InstanceStatus::Connected => "connected",
        InstanceStatus::Disconnected => "not connected",
        InstanceStatus::Enabled => "enabled",
        InstanceStatus::WaitingForApproval => "waiting for approval",
        InstanceStatus::Disabled => "disabled",
        InstanceStatus::Deleted => "deleted",
    }
}

const fn version_status_word(status: Status) -> &'static str {
    match status {
        Status::Expired => "expired",
        Status::Expiring => "near expiry",
        Status::Unsupported => "unsupported",
        Status::Active => "supported",
    }
}
