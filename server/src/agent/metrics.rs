//! What the agent protocol counts (`product 13.2`).

use std::collections::HashSet;
use std::sync::Arc;

use axum::http::StatusCode;
use parking_lot::Mutex;
use prometheus::{IntCounter, IntCounterVec, IntGauge, Opts, Registry};

use super::error::AgentError;
use super::wire::Dropped;

/// How many different templates of unknown paths are told apart; the rest count as `other`.
pub const MAX_TEMPLATES: usize = 200;

/// Segments of a template.
const MAX_SEGMENTS: usize = 8;

/// Words of agents' paths; every other segment may be an id or a secret.
const WORDS: [&str; 34] = [
    "account",
    "acquire",
    "agent",
    "api",
    "configuration",
    "connectionHeartbeat",
    "daemons",
    "delegate",
    "delegate-auth",
    "delegateScriptsNg",
    "delegates",
    "executions",
    "heartbeat-with-polling",
    "infra-download",
    "jreVersion",
    "list",
    "logging-token",
    "ng",
    "perpetual-task",
    "profile",
    "properties",
    "reconcile",
    "register",
    "report",
    "response",
    "status",
    "stream",
    "task-events",
    "tasks",
    "unregister",
    "upgrade",
    "upgrade-check",
    "v2",
    "version",
];

/// A family of requests, as the metrics name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// `POST .../register`.
    Register,
    /// `POST .../heartbeat-with-polling`.
    Heartbeat,
    /// `POST .../unregister`.
    Unregister,
    /// `GET .../task-events`.
    TaskEvents,
    /// Calls about tasks that never were.
    Tasks,
    /// `POST .../register-delegate-capacity/{id}`.
    Capacity,
    /// Calls of 3.x runners.
    Runner,
    /// Side calls of Java delegates.
    Side,
    /// `GET /api/upgrade-check/...`.
    Upgrade,
    /// WebSocket handshakes.
    Stream,
    /// Everything that is not known or not served.
    Unknown,
}

impl Endpoint {
    const ALL: [Self; 11] = [
        Self::Register,
        Self::Heartbeat,
        Self::Unregister,
        Self::TaskEvents,
        Self::Tasks,
        Self::Capacity,
        Self::Runner,
        Self::Side,
        Self::Upgrade,
        Self::Stream,
        Self::Unknown,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Heartbeat => "heartbeat",
            Self::Unregister => "unregister",
            Self::TaskEvents => "task_events",
            Self::Tasks => "tasks",
            Self::Capacity => "capacity",
            Self::Runner => "runner",
            Self::Side => "side",
            Self::Upgrade => "upgrade_check",
            Self::Stream => "stream",
            Self::Unknown => "unknown",
        }
    }
}

/// The counters of the agent protocol; clones share them.
#[derive(Clone, Debug)]
pub struct AgentMetrics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    requests: IntCounterVec,
    /// The usual answer of each endpoint, found without hashing labels.
    fine: [IntCounter; Endpoint::ALL.len()],
    refusals: IntCounterVec,
    dropped_fields: IntCounterVec,
    dropped_frames: IntCounterVec,
    unknown_paths: IntCounterVec,
    templates: Mutex<HashSet<Box<str>>>,
    connections: IntGauge,
}

impl AgentMetrics {
    /// Counters that `registry` exposes.
    ///
    /// # Errors
    /// The registry holds such counters already.
    pub fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let counters = |name: &str, help: &str, labels: &[&str]| {
            let counters = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(counters.clone()))?;
            Ok::<_, prometheus::Error>(counters)
        };
        let requests =
            counters("rollcall_agent_requests_total", "Requests of delegates", &["endpoint", "code"])?;
        let refusals =
            counters("rollcall_agent_auth_failures_total", "Refused credentials of delegates", &["code"])?;
        let dropped_fields =
            counters("rollcall_agent_dropped_fields_total", "Fields dropped for their type", &["field"])?;
        let dropped_frames = counters(
            "rollcall_agent_dropped_frames_total",
            "WebSocket frames that did not count",
            &["reason"],
        )?;
        let unknown_paths =
            counters("rollcall_agent_unknown_paths_total", "Requests for paths not served", &["template"])?;
        let connections =
            IntGauge::new("rollcall_ws_connections", "Open WebSocket connections of delegates")?;
        registry.register(Box::new(connections.clone()))?;
        let fine = Endpoint::ALL.map(|endpoint| requests.with_label_values(&[endpoint.name(), "200"]));
        let templates = Mutex::default();
        let inner = Inner {
            requests,
            fine,
            refusals,
            dropped_fields,
            dropped_frames,
            unknown_paths,
            templates,
            connections,
        };
        Ok(Self(Arc::new(inner)))
    }

    /// Counts an answered request.
    pub fn answered(&self, endpoint: Endpoint, status: StatusCode) {
        if status == StatusCode::OK {
            self.0.fine[endpoint as usize].inc();
        } else {
            self.0.requests.with_label_values(&[endpoint.name(), status.as_str()]).inc();
        }
    }

    /// Counts a refused credential.
    pub fn refused(&self, error: AgentError) {
        self.0.refusals.with_label_values(&[error.code()]).inc();
    }

    /// Counts the fields of a body that were dropped.
    pub fn dropped(&self, dropped: Dropped) {
        for key in dropped.keys() {
            self.0.dropped_fields.with_label_values(&[key.name()]).inc();
        }
    }

    /// Counts a frame that did not count as a heartbeat; `reason` is one of few words.
    pub fn dropped_frame(&self, reason: &'static str) {
        self.0.dropped_frames.with_label_values(&[reason]).inc();
    }

    /// Counts a request for a path that is not served, by its template.
    pub fn unknown_path(&self, path: &str) {
        let template = template(path);
        let mut templates = self.0.templates.lock();
        let known = templates.contains(&*template);
        if !known && templates.len() < MAX_TEMPLATES {
            templates.insert(template.as_str().into());
        }
        let full = !known && !templates.contains(&*template);
        drop(templates);
        self.0.unknown_paths.with_label_values(&[if full { "other" } else { &template }]).inc();
    }

    /// Open WebSocket connections.
    #[must_use]
    pub fn connections(&self) -> &IntGauge {
        &self.0.connections
    }
}

/// The path with `{}` for every segment that is no word of the protocol.
fn template(path: &str) -> String {
    let mut segments = path.split('/').skip(1);
    let mut template = String::new();
    for segment in segments.by_ref().take(MAX_SEGMENTS) {
        template.push('/');
        template.push_str(if segment.is_empty() || WORDS.contains(&segment) { segment } else { "{}" });
    }
    if segments.next().is_some() {
        template.push_str("/...");
    }
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(registry: &Registry) -> String {
        prometheus::TextEncoder::new().encode_to_string(&registry.gather()).unwrap()
    }

    #[test]
    fn templates_hold_no_ids() {
        assert_eq!(template("/api/agent/delegates/d-1/profile"), "/api/agent/delegates/{}/profile");
        assert_eq!(template("/api/agent/delegates//task-events"), "/api/agent/delegates//task-events");
        assert_eq!(template("/stream/delegate/ACC/eyJh.x"), "/stream/delegate/{}/{}");
        assert_eq!(template("/a/b/c/d/e/f/g/h/i/j"), "/{}/{}/{}/{}/{}/{}/{}/{}/...");
        assert_eq!(template(""), "");
    }

    #[test]
    fn the_number_of_templates_is_bounded() {
        let registry = Registry::new();
        let metrics = AgentMetrics::new(&registry).unwrap();
        for first in WORDS {
            for second in WORDS {
                metrics.unknown_path(&format!("/{first}/{second}"));
            }
        }
        metrics.unknown_path("/account/account");
        let text = text(&registry);
        let lines = text.lines().filter(|line| line.starts_with("rollcall_agent_unknown_paths_total"));
        assert_eq!(lines.count(), MAX_TEMPLATES + 1);
        assert!(text.contains("{template=\"/account/account\"} 2"));
    }

    #[test]
    fn requests_are_counted_by_endpoint_and_code() {
        let registry = Registry::new();
        let metrics = AgentMetrics::new(&registry).unwrap();
        metrics.answered(Endpoint::Heartbeat, StatusCode::OK);
        metrics.answered(Endpoint::Heartbeat, StatusCode::OK);
        metrics.answered(Endpoint::Register, StatusCode::BAD_REQUEST);
        metrics.refused(AgentError::ExpiredToken);
        let text = text(&registry);
        for line in [
            "rollcall_agent_requests_total{code=\"200\",endpoint=\"heartbeat\"} 2",
            "rollcall_agent_requests_total{code=\"400\",endpoint=\"register\"} 1",
            "rollcall_agent_auth_failures_total{code=\"EXPIRED_TOKEN\"} 1",
            "rollcall_ws_connections 0",
        ] {
            assert!(text.contains(line), "{line}");
        }
        assert!(AgentMetrics::new(&registry).is_err());
    }

    #[test]
    fn endpoints_are_in_the_order_of_their_counters() {
        for (at, endpoint) in Endpoint::ALL.into_iter().enumerate() {
            assert_eq!(endpoint as usize, at);
        }
    }
}
