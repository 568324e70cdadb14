//! The client families, one step at a time: each method makes one call and gives the raw answer.

use std::sync::Arc;
use std::time::Duration;

use fleet::time::Timestamp;
use form_urlencoded::byte_serialize;
use hyper::Method;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

pub use go::Go;
pub use java::JavaRest;
pub use runner::Runner;
pub use stream::JavaStream;
pub use upgrader::{Upgrader, UpgraderCall};

use crate::answer::Answer;
use crate::credential::{Credential, Shape};
use crate::http::{CallError, Http, Outgoing};
use crate::profile::Profile;
use crate::stats::Call;
use crate::token::Token;

mod go;
mod java;
mod runner;
mod stream;
mod upgrader;

/// Registration, the same path for all families.
const REGISTER: &str = "/api/agent/delegates/register";
/// REST heartbeat.
const HEARTBEAT: &str = "/api/agent/delegates/heartbeat-with-polling";
/// Planned goodbye.
const UNREGISTER: &str = "/api/agent/delegates/unregister";

/// How long Go clients and runners wait for a heartbeat (`agent-protocol 5`).
const GO_HEARTBEAT: Duration = Duration::from_secs(15);
/// How long Go clients and runners wait for everything else.
const GO_OTHER: Duration = Duration::from_secs(30);

/// A client family with its transport.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Go polling client.
    Go,
    /// 3.x runner.
    Runner,
    /// Java delegate over a WebSocket.
    JavaStream,
    /// Java delegate that polls over REST.
    JavaRest,
}

/// What all families have: who they are, where they report to, the id they were given.
#[derive(Debug)]
struct Agent {
    http: Http,
    profile: Profile,
    credential: Credential,
    id: Mutex<Option<Arc<str>>>,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").field("base", self.base()).finish_non_exhaustive()
    }
}

impl Agent {
    fn new(http: Http, profile: Profile, token: Token, shape: Shape) -> Self {
        let credential = Credential::new(shape, Arc::clone(&profile.account), token);
        Self { http, profile, credential, id: Mutex::new(None) }
    }

    fn id(&self) -> Option<Arc<str>> {
        self.id.lock().clone()
    }

    fn known_id(&self) -> Result<Arc<str>, CallError> {
        self.id().ok_or(CallError::NotRegistered)
    }

    fn set_id(&self, id: &str) {
        *self.id.lock() = Some(id.into());
    }

    fn authorization(&self, now: Timestamp) -> Result<(&'static str, String), CallError> {
        Ok(("Authorization", format!("Delegate {}", self.credential.text(now)?)))
    }

    /// `path` with the account as its query.
    fn path(&self, path: &str) -> String {
        format!("{path}?accountId={}", escape(&self.profile.account))
    }

    /// Sends a registration and keeps the id that it gives.
    async fn register(&self, outgoing: Outgoing) -> Result<Answer, CallError> {
        let answer = self.http.send(outgoing).await?;
        if let Some(id) = answer.delegate_id() {
            self.set_id(&id);
        }
        Ok(answer)
    }

    /// A request in the manner of the Go families.
    fn go_request(
        &self,
        call: Call,
        path: String,
        body: Option<Vec<u8>>,
        now: Timestamp,
    ) -> Result<Outgoing, CallError> {
        let headers = vec![
            ("User-Agent", "Go-http-client/1.1".to_owned()),
            self.authorization(now)?,
            ("Accept-Encoding", "gzip".to_owned()),
        ];
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let timeout = if call == Call::Heartbeat { GO_HEARTBEAT } else { GO_OTHER };
        Ok(Outgoing { call, method, path, headers, body, timeout })
    }
}

/// Escapes a value for a query or a path segment.
fn escape(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}
