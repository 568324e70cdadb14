//! What the server answered, and whether it is what the protocol says (`agent-protocol 4`, `7.4`).

use hyper::HeaderMap;
use hyper::body::Bytes;
use serde_json::{Map, Value};

/// Keys of every wrapped answer (`agent-protocol 4.1`).
const ENVELOPE: [&str; 3] = ["metaData", "resource", "responseMessages"];
/// Keys of the answer to a registration (`agent-protocol 4.2`).
const REGISTERED: [&str; 5] = ["action", "delegateId", "delegateRandomToken", "migrateUrl", "sequenceNum"];
/// Keys of the answer to a heartbeat (`agent-protocol 4.3`).
const BEATEN: [&str; 6] =
    ["delegateId", "delegateRandomToken", "jreVersion", "sequenceNumber", "status", "useCdn"];
/// The words that an answer to a heartbeat may hold.
const STATUS_WORDS: [&str; 4] = ["DELETED", "DISABLED", "ENABLED", "WAITING_FOR_APPROVAL"];

/// A raw answer over REST.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// HTTP headers.
    pub headers: HeaderMap,
    /// Body, decompressed.
    pub body: Bytes,
}

/// How an answer breaks the protocol. It names keys and codes, never values that could be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Another status than expected.
    #[error("status {status}{code}, expected {expected}")]
    Status {
        /// What came.
        status: u16,
        /// ` (CODE)` of the error body, or nothing.
        code: String,
        /// What the protocol says.
        expected: u16,
    },
    /// The body is no JSON object, or empty.
    #[error("the body is not a JSON object ({bytes} bytes, content type {kind})")]
    NotJson {
        /// Length of the body.
        bytes: usize,
        /// Its declared type.
        kind: String,
    },
    /// Missing, additional or renamed keys.
    #[error("{place} has the keys {found:?}, expected exactly {expected:?}")]
    Keys {
        /// Which object.
        place: &'static str,
        /// Keys that came.
        found: Vec<String>,
        /// Keys of the protocol.
        expected: Vec<&'static str>,
    },
    /// A value that must not be there.
    #[error("{0}")]
    Value(&'static str),
}

/// What a Java delegate does when it reads certain words (`agent-protocol 4.6`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Stops taking work and closes its connection for good.
    SelfDestruct,
    /// No work and no heartbeats until it is restarted.
    Freeze,
}

impl Answer {
    /// Whether the status is 2xx.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }

    /// The body as text; bytes that are no UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON, if it is.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The id given at registration, read as the agents read it: status 2xx and a text in `resource.delegateId`.
    #[must_use]
    pub fn delegate_id(&self) -> Option<String> {
        let value = self.json().filter(|_| self.is_success())?;
        value["resource"]["delegateId"].as_str().filter(|id| !id.is_empty()).map(str::to_owned)
    }

    /// What a Java delegate does on this answer: words of an error, or the status `DELETED` of a heartbeat.
    #[must_use]
    pub fn reaction(&self) -> Option<Reaction> {
        if self.is_success() {
            let deleted = self.json().is_some_and(|value| value["resource"]["status"] == "DELETED");
            return deleted.then_some(Reaction::SelfDestruct);
        }
        reaction(&self.text())
    }

    /// Checks an answer to a registration, whole; gives the delegate id.
    ///
    /// # Errors
    /// The first rule that the answer breaks.
    pub fn check_registered(&self) -> Result<String, Violation> {
        let resource = self.resource()?;
        keys("resource", &resource, &REGISTERED)?;
        for absent in ["action", "migrateUrl", "sequenceNum", "delegateRandomToken"] {
            if !resource[absent].is_null() {
                return Err(Violation::Value(
                    "action, migrateUrl, sequenceNum and delegateRandomToken must be null",
                ));
            }
        }
        match resource["delegateId"].as_str() {
            Some(id) if !id.is_empty() => Ok(id.to_owned()),
            _ => Err(Violation::Value("resource.delegateId must be a text that is not empty")),
        }
    }

    /// Checks an answer to a heartbeat, whole; gives the status word.
    ///
    /// # Errors
    /// The first rule that the answer breaks.
    pub fn check_beat(&self, delegate_id: &str) -> Result<String, Violation> {
        let resource = self.resource()?;
        keys("resource", &resource, &BEATEN)?;
        if resource["delegateId"] != delegate_id {
            return Err(Violation::Value("resource.delegateId is not the id of the heartbeat"));
        }
        let absent = ["jreVersion", "delegateRandomToken", "sequenceNumber"];
        if absent.iter().any(|key| !resource[*key].is_null()) || resource["useCdn"] != false {
            return Err(Violation::Value(
                "jreVersion, delegateRandomToken and sequenceNumber must be null, useCdn false",
            ));
        }
        match resource["status"].as_str() {
            Some(word) if STATUS_WORDS.contains(&word) => Ok(word.to_owned()),
            _ => Err(Violation::Value("resource.status is none of the four words")),
        }
    }

    /// Checks an answer with `resource` null, such as that to a goodbye.
    ///
    /// # Errors
    /// The first rule that the answer breaks.
    pub fn check_empty(&self) -> Result<(), Violation> {
        let envelope = self.envelope()?;
        let is_empty = envelope["resource"].is_null();
        is_empty.then_some(()).ok_or(Violation::Value("resource must be null"))
    }

    /// Checks an idle answer: status 200 and exactly `{key: []}`.
    ///
    /// # Errors
    /// The first rule that the answer breaks.
    pub fn check_idle(&self, key: &'static str) -> Result<(), Violation> {
        let object = self.object(200)?;
        keys("the answer", &object, &[key])?;
        let is_empty = object[key].as_array().is_some_and(Vec::is_empty);
        is_empty.then_some(()).ok_or(Violation::Value("an idle answer must hold an empty list"))
    }

    fn resource(&self) -> Result<Map<String, Value>, Violation> {
        match self.envelope()?.remove("resource") {
            Some(Value::Object(resource)) => Ok(resource),
            _ => Err(Violation::Value("resource must be an object")),
        }
    }

    fn envelope(&self) -> Result<Map<String, Value>, Violation> {
        let envelope = self.object(200)?;
        keys("the envelope", &envelope, &ENVELOPE)?;
        Ok(envelope)
    }

    fn object(&self, expected: u16) -> Result<Map<String, Value>, Violation> {
        if self.status != expected {
            return Err(Violation::Status { status: self.status, code: self.error_code(), expected });
        }
        match self.json() {
            Some(Value::Object(object)) => Ok(object),
            _ => Err(Violation::NotJson { bytes: self.body.len(), kind: self.content_type() }),
        }
    }

    /// ` (CODE)` of an error body; codes are upper-case words, so that nothing else can slip into a message.
    fn error_code(&self) -> String {
        let json = self.json().unwrap_or_default();
        let code = json["responseMessages"][0]["code"].as_str().unwrap_or_default();
        let is_code = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if is_code { format!(" ({code})") } else { String::new() }
    }

    fn content_type(&self) -> String {
        let kind = self.headers.get("content-type").and_then(|value| value.to_str().ok());
        kind.unwrap_or("none").to_owned()
    }
}

/// What a Java delegate does when it reads `text` in an error body or a frame.
#[must_use]
pub fn reaction(text: &str) -> Option<Reaction> {
    if text.contains("INVALID_TOKEN") || text.contains("Duplicate delegate with same delegateId:") {
        return Some(Reaction::SelfDestruct);
    }
    let freezing = ["EXPIRED_TOKEN", "REVOKED_TOKEN", "Revoked Delegate Token"];
    freezing.iter().any(|word| text.contains(word)).then_some(Reaction::Freeze)
}

/// Whether `frame` acknowledges a heartbeat of `delegate_id`, in either form, byte for byte (`agent-protocol 7.4`).
#[must_use]
pub fn is_ack(frame: &str, delegate_id: &str) -> bool {
    let long = format!(
        r#"{{"eventType":"DelegateHeartbeatResponseStreaming","delegateId":"{delegate_id}","responseSentAt":"#
    );
    let sent_at = frame.strip_prefix(&long).and_then(|rest| rest.strip_suffix('}'));
    let is_long =
        sent_at.is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    is_long || frame.strip_prefix("[X]") == Some(delegate_id)
}

/// Whether `frame` tells this process to destroy itself.
#[must_use]
pub fn is_self_destruct(frame: &str, delegate_id: &str, connection_id: &str) -> bool {
    let Some(target) = frame.strip_prefix("[SELF_DESTRUCT]") else { return false };
    let of_process =
        target.strip_prefix(delegate_id).and_then(|rest| rest.strip_prefix('-')) == Some(connection_id);
    target.is_empty() || target == delegate_id || of_process
}

fn keys(
    place: &'static str,
    object: &Map<String, Value>,
    expected: &[&'static str],
) -> Result<(), Violation> {
    let exact = object.len() == expected.len() && expected.iter().all(|key| object.contains_key(*key));
    if exact {
        return Ok(());
    }
    let mut found: Vec<String> = object.keys().cloned().collect();
    found.sort_unstable();
    Err(Violation::Keys { place, found, expected: expected.to_vec() })
}

#[cfg(test)]
mod tests;
