//! The upgrader beside a delegate (`agent-protocol 10`).

use fleet::time::Timestamp;

use super::{Agent, escape};
use crate::answer::Answer;
use crate::credential::Shape;
use crate::http::{CallError, Http};
use crate::profile::Profile;
use crate::stats::Call;
use crate::token::Token;

/// Which of its calls an upgrader makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpgraderCall {
    /// `delegate-v2`, with the name of the workload.
    Named,
    /// The old `delegate` call, without a name.
    Unnamed,
}

/// The upgrader of one delegate name.
#[derive(Debug)]
pub struct Upgrader {
    agent: Agent,
}

impl Upgrader {
    /// The upgrader of the workload `name`.
    #[must_use]
    pub fn new(http: Http, account: &str, name: &str, token: Token) -> Self {
        let profile = Profile::new(account, name, &format!("{name}-upgrader"), "");
        Self { agent: Agent::new(http, profile, token, Shape::Go) }
    }

    /// Asks whether the delegate image should change; `image` is a full reference.
    ///
    /// # Errors
    /// No answer.
    pub async fn ask(&self, call: UpgraderCall, image: &str, now: Timestamp) -> Result<Answer, CallError> {
        let end = match call {
            UpgraderCall::Named => "delegate-v2",
            UpgraderCall::Unnamed => "delegate",
        };
        let path = self.agent.path(&format!("/api/upgrade-check/{end}"));
        let mut path = format!("{path}&currentDelegateImageTag={}", escape(image));
        if call == UpgraderCall::Named {
            path = format!("{path}&delegateGroupName={}", escape(&self.agent.profile.name));
        }
        self.agent.http.send(self.agent.go_request(Call::Other, path, None, now)?).await
    }

    /// Asks whether the upgrader itself should change.
    ///
    /// # Errors
    /// No answer.
    pub async fn ask_for_itself(&self, image: &str, now: Timestamp) -> Result<Answer, CallError> {
        let path = self.agent.path("/api/upgrade-check/upgrader");
        let path = format!("{path}&currentUpgraderImageTag={}", escape(image));
        self.agent.http.send(self.agent.go_request(Call::Other, path, None, now)?).await
    }
}
