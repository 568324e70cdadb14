//! A self-test that people run: one delegate registers, beats once, and every answer is compared with the protocol.

use fleet::time::Timestamp;

use crate::answer::{self, Answer, Violation};
use crate::client::{Go, JavaRest, JavaStream, Kind, Runner};
use crate::http::{CallError, Http};
use crate::profile::Profile;
use crate::token::Token;

/// What failed, and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {problem}")]
pub struct CheckError {
    /// `register`, `heartbeat`, `poll`, `stream` or `goodbye`.
    pub step: &'static str,
    /// In words; holds no token and no credential.
    pub problem: String,
}

/// Registers one delegate of a family, beats and polls once; gives the delegate id.
///
/// `leave`: whether it says goodbye in the end. A Go client has no goodbye.
///
/// # Errors
/// The first step whose answer is not what the protocol says.
pub async fn check(
    http: Http,
    kind: Kind,
    profile: Profile,
    token: Token,
    leave: bool,
    now: Timestamp,
) -> Result<String, CheckError> {
    match kind {
        Kind::Go => {
            let go = Go::new(http, profile, token);
            let id = registered(go.register(now).await)?;
            beaten(go.beat(now).await, &id)?;
            idle(go.poll(now).await, "delegateTaskEvents")?;
            Ok(id)
        }
        Kind::Runner => {
            let runner = Runner::new(http, profile, token);
            let id = registered(runner.register(now).await)?;
            beaten(runner.beat(now).await, &id)?;
            idle(runner.poll(now).await, "delegateRunnerEvents")?;
            idle(runner.reconcile(now).await, "data")?;
            if leave {
                left(runner.goodbye(now).await)?;
            }
            Ok(id)
        }
        Kind::JavaRest => {
            let java = JavaRest::new(http, profile, token);
            let id = registered(java.register(now).await)?;
            beaten(java.beat(now).await, &id)?;
            idle(java.poll(now).await, "delegateTaskEvents")?;
            if leave {
                left(java.goodbye(now).await)?;
            }
            Ok(id)
        }
        Kind::JavaStream => {
            let mut java = JavaStream::new(http, profile, token);
            let id = registered(java.register(now).await)?;
            java.connect(now).await.map_err(|error| failed("stream", &error))?;
            acknowledged(java.beat(now).await, &id)?;
            if leave {
                left(java.goodbye(now).await)?;
            }
            Ok(id)
        }
    }
}

fn registered(outcome: Result<Answer, CallError>) -> Result<String, CheckError> {
    examined("register", outcome, Answer::check_registered)
}

fn beaten(outcome: Result<Answer, CallError>, id: &str) -> Result<(), CheckError> {
    let word = examined("heartbeat", outcome, |answer| answer.check_beat(id))?;
    if word == "ENABLED" {
        return Ok(());
    }
    let problem = format!("the server answers status {word}: the delegate is known, but not in service");
    Err(CheckError { step: "heartbeat", problem })
}

fn idle(outcome: Result<Answer, CallError>, key: &'static str) -> Result<(), CheckError> {
    examined("poll", outcome, |answer| answer.check_idle(key))
}

fn left(outcome: Result<Answer, CallError>) -> Result<(), CheckError> {
    examined("goodbye", outcome, Answer::check_empty)
}

fn acknowledged(outcome: Result<String, CallError>, id: &str) -> Result<(), CheckError> {
    let frame = outcome.map_err(|error| failed("heartbeat", &error))?;
    if answer::is_ack(&frame, id) {
        return Ok(());
    }
    let problem = "the frame that came is not the acknowledgement of this delegate".to_owned();
    Err(CheckError { step: "heartbeat", problem })
}

fn examined<T>(
    step: &'static str,
    outcome: Result<Answer, CallError>,
    check: impl FnOnce(&Answer) -> Result<T, Violation>,
) -> Result<T, CheckError> {
    let answer = outcome.map_err(|error| failed(step, &error))?;
    check(&answer).map_err(|violation| CheckError { step, problem: violation.to_string() })
}

fn failed(step: &'static str, error: &CallError) -> CheckError {
    CheckError { step, problem: error.to_string() }
}
