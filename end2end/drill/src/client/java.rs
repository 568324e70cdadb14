//! The Java delegate: what both of its transports share, and polling over REST (`agent-protocol 13.3`).

use std::sync::Arc;
use std::time::Duration;

use fleet::time::Timestamp;
use hyper::Method;

use super::{Agent, HEARTBEAT, REGISTER, UNREGISTER, escape};
use crate::answer::Answer;
use crate::body;
use crate::credential::{Shape, connection_id};
use crate::http::{CallError, Http, Outgoing};
use crate::profile::Profile;
use crate::stats::Call;
use crate::token::Token;

/// How long polls may take (`agent-protocol 5`).
const POLL_TIMEOUT: Duration = Duration::from_secs(15);
/// How long other calls may take; its real limit is 5 minutes, too long for a fleet that is watched.
const TIMEOUT: Duration = Duration::from_mins(1);
/// What it calls itself before it has an id.
const UNREGISTERED: &str = "Unregistered";

/// One Java process, without its way to beat.
#[derive(Debug)]
pub(super) struct Java {
    pub(super) agent: Agent,
    pub(super) connection_id: String,
    polling: bool,
}

impl Java {
    pub(super) fn new(http: Http, profile: Profile, token: Token, polling: bool) -> Self {
        let issuer = Arc::clone(&profile.host_name);
        let audience = http.base().origin().into();
        let agent = Agent::new(http, profile, token, Shape::Java { issuer, audience });
        Self { agent, connection_id: connection_id(), polling }
    }

    pub(super) const fn profile(&self) -> &Profile {
        &self.agent.profile
    }

    pub(super) async fn register(&self, now: Timestamp) -> Result<Answer, CallError> {
        let body = body::java_register(self.profile(), &self.connection_id, self.polling, now);
        let path = self.agent.path(REGISTER);
        self.agent.register(self.request(Call::Register, path, Some(body), now)?).await
    }

    pub(super) async fn goodbye(&self, now: Timestamp) -> Result<Answer, CallError> {
        let id = self.agent.known_id()?;
        let body = body::java_goodbye(self.profile(), &id);
        let path = self.agent.path(UNREGISTER);
        self.agent.http.send(self.request(Call::Goodbye, path, Some(body), now)?).await
    }

    /// `User-Agent`, `accountId` and `delegateId`, on a stream as well.
    pub(super) fn headers(&self) -> Vec<(&'static str, String)> {
        let id = self.agent.id();
        vec![
            ("User-Agent", format!("delegate/{}", self.profile().version.as_deref().unwrap_or_default())),
            ("accountId", self.profile().account.as_ref().to_owned()),
            ("delegateId", id.as_deref().unwrap_or(UNREGISTERED).to_owned()),
        ]
    }

    fn request(
        &self,
        call: Call,
        path: String,
        body: Option<Vec<u8>>,
        now: Timestamp,
    ) -> Result<Outgoing, CallError> {
        let mut headers = self.headers();
        headers.push(("delegateTokenName", UNREGISTERED.to_owned()));
        headers.push(self.agent.authorization(now)?);
        headers.push(("Accept-Encoding", "gzip".to_owned()));
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let timeout = if call == Call::Poll { POLL_TIMEOUT } else { TIMEOUT };
        Ok(Outgoing { call, method, path, headers, body, timeout })
    }
}

/// A Java delegate with `POLL_FOR_TASKS=true`.
#[derive(Debug)]
pub struct JavaRest {
    java: Java,
}

impl JavaRest {
    /// A delegate that is not registered yet.
    #[must_use]
    pub fn new(http: Http, profile: Profile, token: Token) -> Self {
        Self { java: Java::new(http, profile, token, true) }
    }

    /// Who it says it is.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        self.java.profile()
    }

    /// The id it was given or told.
    #[must_use]
    pub fn delegate_id(&self) -> Option<Arc<str>> {
        self.java.agent.id()
    }

    /// Lets it go on under an id of an earlier registration.
    pub fn set_delegate_id(&self, id: &str) {
        self.java.agent.set_id(id);
    }

    /// Registers once and keeps the id.
    ///
    /// # Errors
    /// No answer. An answer of any status is no error.
    pub async fn register(&self, now: Timestamp) -> Result<Answer, CallError> {
        self.java.register(now).await
    }

    /// One heartbeat, with the credential repeated in its body.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn beat(&self, now: Timestamp) -> Result<Answer, CallError> {
        let java = &self.java;
        let id = java.agent.known_id()?;
        let jwe = java.agent.credential.text(now)?;
        let body = body::java_heartbeat(java.profile(), &java.connection_id, &id, &jwe);
        let path = java.agent.path(HEARTBEAT);
        java.agent.http.send(java.request(Call::Heartbeat, path, Some(body), now)?).await
    }

    /// Asks for task events.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn poll(&self, now: Timestamp) -> Result<Answer, CallError> {
        let agent = &self.java.agent;
        let id = agent.known_id()?;
        let path =
            agent.path(&format!("/api/agent/delegates/{}/task-events", escape(&id))) + "&syncOnly=false";
        agent.http.send(self.java.request(Call::Poll, path, None, now)?).await
    }

    /// Unregisters.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn goodbye(&self, now: Timestamp) -> Result<Answer, CallError> {
        self.java.goodbye(now).await
    }
}
