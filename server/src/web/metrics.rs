//! Series of the fleet and of the server itself (`product 13.2`, P32).

use std::fmt::{Display, Write as _};

use fleet::access::Grants;
use fleet::scope::Scope;
use fleet::upgrade::State;
use fleet::view::GroupView;
use prometheus::{Encoder as _, TextEncoder};

use super::AppState;

/// What the reader may see, in Prometheus text format.
pub(super) async fn render(state: &AppState, grants: &Grants) -> String {
    let mut text = String::new();
    let accounts: Vec<Scope> =
        state.roster.accounts().iter().filter_map(|account| Scope::new(account, None, None).ok()).collect();
    let (seen, hidden): (Vec<_>, Vec<_>) = accounts.into_iter().partition(|account| grants.see_all(account));
    fleet_series(state, &seen, &mut text).await;
    // Figures of the server as a whole would tell of accounts that the reader does not see.
    if !hidden.is_empty() {
        return text;
    }
    server_series(state, &mut text);
    node_series(state, &mut text).await;
    mirror_series(state, &mut text).await;
    let mut counters = Vec::new();
    if TextEncoder::new().encode(&state.registry.gather(), &mut counters).is_ok() {
        text.push_str(&String::from_utf8_lossy(&counters));
    }
    text
}

/// A family of series: its lines follow its head, as the format demands.
struct Series {
    text: String,
    name: &'static str,
}

impl Series {
    fn new(name: &'static str, kind: &str, help: &str) -> Self {
        Self { text: format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"), name }
    }

    /// A line without labels whose name goes on, as those of a summary do.
    fn part(&mut self, suffix: &str, value: impl Display) {
        let _ = writeln!(self.text, "{}{suffix} {value}", self.name);
    }

    fn line(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(self.name);
        for (place, (label, content)) in labels.iter().enumerate() {
            self.text.push(if place == 0 { '{' } else { ',' });
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{label}=\"{}\"", escape(content));
        }
        let _ = writeln!(self.text, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }
}

async fn fleet_series(state: &AppState, accounts: &[Scope], text: &mut String) {
    let mut instances =
        Series::new("rollcall_delegate_instances", "gauge", "Visible instances by status, whole account.");
    let mut connected =
        Series::new("rollcall_delegate_connected", "gauge", "Connected instances of a group.");
    let mut age = Series::new(
        "rollcall_delegate_last_heartbeat_age_seconds",
        "gauge",
        "Age of the newest heartbeat of a group.",
    );
    let mut expiry = Series::new(
        "rollcall_delegate_expiry_seconds",
        "gauge",
        "Time until the first connected instance of a group expires; negative once it has.",
    );
    let mut upgrade =
        Series::new("rollcall_auto_upgrade_state", "gauge", "1 for the state that a group is in.");
    for scope in accounts {
        let account = scope.account();
        let Ok(shared) = state.roster.snapshot(scope, true, state.clock.now()).await else { continue };
        let snapshot = &shared.snapshot;
        let counts = &snapshot.counts;
        for (status, count) in [
            ("expired", counts.expired),
            ("near_expiry", counts.near_expiry),
            ("unsupported", counts.unsupported),
            ("active", counts.active),
            ("unknown", counts.unknown),
            ("unreachable", counts.unreachable),
        ] {
            instances.line(&[("account", account), ("status", status)], count);
        }
        for group in &snapshot.groups {
            let scope = group.facts.scope.to_string();
            let mut labels = vec![("group", &*group.facts.name), ("scope", &*scope)];
            // One of ours may have the same name in the same scope.
            labels.extend(group.source.as_deref().map(|source| ("mirror", &*source.name)));
            connected.line(&labels, group.rollup.counts.connected);
            if let Some(at) = group.rollup.last_heartbeat {
                age.line(&labels, at.age(snapshot.as_of) / 1_000);
            }
            if let Some(at) = group.rollup.expires_at {
                expiry.line(&labels, snapshot.as_of.age(at) / 1_000);
            }
            labels.push(("state", state_of(group)));
            upgrade.line(&labels, 1);
        }
    }
    for series in [instances, connected, age, expiry, upgrade] {
        text.push_str(&series.text);
    }
}

fn server_series(state: &AppState, text: &mut String) {
    let figures = state.roster.flush_figures();
    let (groups, instances) = state.roster.size();
    let viewers = super::MAX_VIEWERS - state.viewers.available_permits();
    let mut gauge = |name, help, value: &dyn Display| {
        let mut series = Series::new(name, "gauge", help);
        series.line(&[], value);
        text.push_str(&series.text);
    };
    gauge("rollcall_roster_groups", "Groups in memory, hidden ones included.", &groups);
    gauge("rollcall_roster_instances", "Instances in memory, hidden ones included.", &instances);
    gauge(
        "rollcall_unflushed_heartbeats",
        "Instances with a heartbeat that is not yet stored.",
        &figures.dirty,
    );
    gauge("rollcall_unflushed_history", "Lines of history that wait to be stored.", &figures.history);
    gauge("rollcall_write_queue", "Changes that wait for their commit.", &figures.queue);
    gauge("rollcall_unsaved_instances", "Instances with facts that are not yet stored.", &figures.unsaved);
    gauge("rollcall_live_viewers", "Open live streams of pages.", &viewers);
    let last = figures.flushed_at / 1_000;
    gauge(
        "rollcall_last_flush_timestamp_seconds",
        "When changes were last stored; 0 before the first.",
        &last,
    );
    gauge(
        "rollcall_journal_settled_timestamp_seconds",
        "When this node last settled the journal of heartbeats; its start before the first time.",
        &(state.roster.settled_at().millis() / 1_000),
    );
    gauge(
        "rollcall_scheduling_lag_seconds",
        "How late work gets its turn; pages are turned away above 1.",
        &state.load.lag().as_secs_f64(),
    );
    let mut commits =
        Series::new("rollcall_commit_seconds", "summary", "Time that commits of the fleet took.");
    commits.part("_sum", figures.committing.as_secs_f64());
    commits.part("_count", figures.commits);
    text.push_str(&commits.text);
    let mut dropped = Series::new(
        "rollcall_history_dropped_total",
        "counter",
        "Lines of history that found no room while the store was away.",
    );
    dropped.line(&[], figures.history_dropped);
    text.push_str(&dropped.text);
    let mut shed = Series::new(
        "rollcall_pages_turned_away_total",
        "counter",
        "Pages and answers that were refused because delegates go first.",
    );
    shed.line(&[], state.load.turned_away());
    text.push_str(&shed.text);
}

/// What this node knows of the others on its database.
async fn node_series(state: &AppState, text: &mut String) {
    // Where only one node is possible, or the store is away, this one is all that is known.
    let nodes = state.store.nodes().await.map_or(1, |nodes| nodes.len().max(1));
    let now = state.clock.now();
    let deaf = state.roster.deaf_since(now).map_or(0, |since| since.age(now) / 1_000);
    for (name, help, value) in [
        ("rollcall_nodes", "Nodes that serve this database.", i64::try_from(nodes).unwrap_or(i64::MAX)),
        (
            "rollcall_deaf_seconds",
            "For how long this node has not known what the others hear; 0 while it does.",
            deaf,
        ),
    ] {
        let mut series = Series::new(name, "gauge", help);
        series.line(&[], value);
        text.push_str(&series.text);
    }
}

/// How mirrored servers are read (`product 13`).
async fn mirror_series(state: &AppState, text: &mut String) {
    // While the store is away nothing is read from them either; other figures tell of that.
    let rows = state.store.mirrors().await.unwrap_or_default();
    let now = state.clock.now();
    let mut up =
        Series::new("rollcall_mirror_up", "gauge", "1 while the last look at a mirrored server was good.");
    let mut age = Series::new(
        "rollcall_mirror_last_success_age_seconds",
        "gauge",
        "Age of the last good list of a mirrored server; before the first, that of the mirror.",
    );
    for row in &rows {
        let labels = [("account", &*row.account), ("mirror", &*row.name)];
        up.line(&labels, u8::from(row.trouble.is_none() && row.as_of.is_some()));
        age.line(&labels, row.as_of.unwrap_or(row.created_at).age(now) / 1_000);
    }
    for series in [up, age] {
        text.push_str(&series.text);
    }
}

const fn state_of(group: &GroupView) -> &'static str {
    match group.rollup.auto_upgrade.state {
        State::On => "on",
        State::Off => "off",
        State::Detecting => "detecting",
        State::Synchronizing => "synchronizing",
        State::Unknown => "unknown",
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_heads_come_once() {
        let mut series = Series::new("x_total", "counter", "Help.");
        series.line(&[("group", "a\"b\\c\nd"), ("scope", "acme")], 3);
        series.line(&[], 4);
        assert_eq!(
            series.text,
            "# HELP x_total Help.\n# TYPE x_total counter\n\
             x_total{group=\"a\\\"b\\\\c\\nd\",scope=\"acme\"} 3\nx_total 4\n"
        );
    }
}
