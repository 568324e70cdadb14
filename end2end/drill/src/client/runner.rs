//! The 3.x runner (`agent-protocol 13.3`).

use std::sync::Arc;

use fleet::time::Timestamp;

use super::{Agent, HEARTBEAT, REGISTER, UNREGISTER, escape};
use crate::answer::Answer;
use crate::body;
use crate::credential::Shape;
use crate::http::{CallError, Http, Outgoing};
use crate::profile::Profile;
use crate::stats::Call;
use crate::token::Token;

/// A 3.x runner.
#[derive(Debug)]
pub struct Runner {
    agent: Agent,
}

impl Runner {
    /// A runner that is not registered yet.
    #[must_use]
    pub fn new(http: Http, profile: Profile, token: Token) -> Self {
        Self { agent: Agent::new(http, profile, token, Shape::Go) }
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
        let body = body::runner(self.profile(), None, now);
        let path = self.agent.path(REGISTER);
        self.agent.register(self.request(Call::Register, path, Some(body), now)?).await
    }

    /// One heartbeat.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn beat(&self, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let body = body::runner(self.profile(), Some(&id), now);
        self.send(Call::Heartbeat, self.agent.path(HEARTBEAT), Some(body), now).await
    }

    /// Asks for runner events.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn poll(&self, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let path = self.agent.path(&format!("/api/executions/{}/runner-events", escape(&id)));
        self.send(Call::Poll, path, None, now).await
    }

    /// Tells which daemons it runs: none.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn reconcile(&self, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let path = self.agent.path(&format!("/api/daemons/{}/reconcile", escape(&id)));
        self.send(Call::Poll, path, Some(b"{\"data\":[]}\n".to_vec()), now).await
    }

    /// Unregisters.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn goodbye(&self, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let body = body::runner_goodbye(self.profile(), &id);
        self.send(Call::Goodbye, self.agent.path(UNREGISTER), Some(body), now).await
    }

    async fn send(
        &self,
        call: Call,
        path: String,
        body: Option<Vec<u8>>,
        now: Timestamp,
    ) -> Result<Answer, CallError> {
        self.agent.http.send(self.request(call, path, body, now)?).await
    }

    fn request(
        &self,
        call: Call,
        path: String,
        body: Option<Vec<u8>>,
        now: Timestamp,
    ) -> Result<Outgoing, CallError> {
        let mut request = self.agent.go_request(call, path, body, now)?;
        request.headers.push(("delegateTokenHash", self.agent.credential.token().hash()));
        Ok(request)
    }
}
