//! The Go polling client (`agent-protocol 13.3`).

use std::sync::Arc;

use fleet::time::Timestamp;

use super::{Agent, HEARTBEAT, REGISTER, escape};
use crate::answer::Answer;
use crate::body;
use crate::credential::Shape;
use crate::http::{CallError, Http};
use crate::profile::Profile;
use crate::stats::Call;
use crate::token::Token;

/// A Go polling client. It has no goodbye: it always ends as silence.
#[derive(Debug)]
pub struct Go {
    agent: Agent,
    sends_hash: bool,
}

impl Go {
    /// A client that is not registered yet.
    #[must_use]
    pub fn new(http: Http, profile: Profile, token: Token) -> Self {
        Self { agent: Agent::new(http, profile, token, Shape::Go), sends_hash: false }
    }

    /// As newer clients do: the header `delegateTokenHash` without leading zeros (`agent-protocol 1.9`).
    #[must_use]
    pub fn with_token_hash(self) -> Self {
        Self { sends_hash: true, ..self }
    }

    /// Who it says it is.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.agent.profile
    }

    /// The id it was given or told.
    #[must_use]
    pub fn delegate_id(&self) -> Option<Arc<str>> {
        self.agent.id()
    }

    /// Lets it go on under an id of an earlier registration.
    pub fn set_delegate_id(&self, id: &str) {
        self.agent.set_id(id);
    }

    /// Registers once and keeps the id.
    ///
    /// # Errors
    /// No answer. An answer of any status is no error.
    pub async fn register(&self, now: Timestamp) -> Result<Answer, CallError> {
        let body = body::go(self.profile(), self.agent.credential.token(), None, now);
        let path = self.agent.path(REGISTER);
        self.agent.register(self.request(Call::Register, path, Some(body), now)?).await
    }

    /// One heartbeat.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn beat(&self, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let body = body::go(self.profile(), self.agent.credential.token(), Some(&id), now);
        let path = self.agent.path(HEARTBEAT);
        self.agent.http.send(self.request(Call::Heartbeat, path, Some(body), now)?).await
    }

    /// Asks for task events.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn poll(&self, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let path = self.agent.path(&format!("/api/agent/delegates/{}/task-events", escape(&id)));
        self.agent.http.send(self.request(Call::Poll, path, None, now)?).await
    }

    /// Tells how many builds it runs at a time.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn tell_capacity(&self, builds: u32, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let path =
            self.agent.path(&format!("/api/agent/delegates/register-delegate-capacity/{}", escape(&id)));
        let body = format!("{{\"maximumNumberOfBuilds\":{builds}}}\n").into_bytes();
        self.agent.http.send(self.request(Call::Other, path, Some(body), now)?).await
    }

    fn request(
        &self,
        call: Call,
        path: String,
        body: Option<Vec<u8>>,
        now: Timestamp,
    ) -> Result<crate::http::Outgoing, CallError> {
        let mut request = self.agent.go_request(call, path, body, now)?;
        if self.sends_hash {
            request.headers.push(("delegateTokenHash", self.agent.credential.token().stripped_hash()));
        }
        Ok(request)
    }
}
