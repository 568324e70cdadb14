//! Credentials as the client families make and re-make them (`agent-protocol 1.5`).

use std::sync::Arc;

use base64::Engine as _;
use fleet::time::{MINUTE, SECOND, Timestamp};
use parking_lot::Mutex;
use serde::Serialize;

use crate::jwe::{self, JweError};
use crate::token::{Token, hex};

/// Go and 3.x: valid for 20 minutes, ...
const GO_LIFE: i64 = 20 * MINUTE;
/// ... re-made every 10 minutes.
const GO_REMAKE: i64 = 10 * MINUTE;
/// Java: valid for 30 minutes, ...
const JAVA_LIFE: i64 = 30 * MINUTE;
/// ... reused until 5 minutes before expiry.
const JAVA_MARGIN: i64 = 5 * MINUTE;

/// How a family writes its credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Go clients and 3.x runners.
    Go,
    /// The Java delegate.
    Java {
        /// Its host name, the `iss` claim.
        issuer: Arc<str>,
        /// `scheme://host:port` of the manager, the `aud` claim.
        audience: Arc<str>,
    },
}

/// The credential of one process, made when it is first needed and again when its family would.
#[derive(Debug)]
pub struct Credential {
    shape: Shape,
    account: Arc<str>,
    token: Token,
    current: Mutex<Option<Made>>,
}

/// One credential, and when it has to be replaced.
struct Made {
    text: Arc<str>,
    until: Timestamp,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").field("until", &self.until).finish_non_exhaustive()
    }
}

/// Members in the alphabetical order of the Go encoder.
#[derive(Serialize)]
struct GoClaims<'a> {
    aud: [&'static str; 1],
    exp: i64,
    iat: i64,
    iss: &'static str,
    jti: String,
    sub: &'a str,
}

#[derive(Serialize)]
struct JavaClaims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    exp: i64,
    nbf: i64,
    iat: i64,
    jti: String,
}

impl Credential {
    /// A credential that is not made yet.
    #[must_use]
    pub const fn new(shape: Shape, account: Arc<str>, token: Token) -> Self {
        Self { shape, account, token, current: Mutex::new(None) }
    }

    /// The token it is made from.
    #[must_use]
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// The JWE to send at `now`.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn text(&self, now: Timestamp) -> Result<Arc<str>, JweError> {
        let mut current = self.current.lock();
        if let Some(made) = current.as_ref().filter(|made| now < made.until) {
            return Ok(Arc::clone(&made.text));
        }
        let (header, claims, life) = self.claims(now);
        let text: Arc<str> = jwe::seal(&self.token, header, &claims, rand::random())?.into();
        *current = Some(Made { text: Arc::clone(&text), until: now.plus(life) });
        Ok(text)
    }

    /// Header, claims, and for how many milliseconds the credential is sent.
    fn claims(&self, now: Timestamp) -> (&'static str, String, i64) {
        let iat = now.millis() / SECOND;
        let (sub, jti) = (&*self.account, random_uuid());
        match &self.shape {
            Shape::Go => {
                let exp = iat + GO_LIFE / SECOND;
                let claims = GoClaims { aud: ["audience"], exp, iat, iss: "issuer", jti, sub };
                (jwe::GO_HEADER, json(&claims), GO_REMAKE)
            }
            Shape::Java { issuer, audience } => {
                let exp = iat + JAVA_LIFE / SECOND;
                let claims = JavaClaims { iss: issuer, sub, aud: audience, exp, nbf: iat, iat, jti };
                // The Java library escapes slashes; no other member can hold one.
                (jwe::JAVA_HEADER, json(&claims).replace('/', "\\/"), JAVA_LIFE - JAVA_MARGIN)
            }
        }
    }
}

/// JSON of a value that has no keys but names.
fn json(claims: &impl Serialize) -> String {
    serde_json::to_string(claims).unwrap_or_default()
}

/// A random UUID, version 4.
fn random_uuid() -> String {
    let mut bytes: [u8; 16] = rand::random();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// What a Java process calls its connection: base64 of a UUID, one per process.
#[must_use]
pub fn connection_id() -> String {
    let mut bytes: [u8; 16] = rand::random();
    // Version 1: made from time and place.
    bytes[6] = bytes[6] & 0x0f | 0x10;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_795_205_861_500);

    fn credential(shape: Shape) -> Credential {
        Credential::new(shape, "ACC".into(), Token::parse("00112233445566778899aabbccddeeff").unwrap())
    }

    fn java() -> Shape {
        Shape::Java { issuer: "pod-1".into(), audience: "https://mgr.example:443".into() }
    }

    fn claims(credential: &Credential, now: Timestamp) -> (String, Value) {
        let text = jwe::open(credential.token(), &credential.text(now).unwrap()).unwrap();
        let value = serde_json::from_str(&text).unwrap();
        (text, value)
    }

    #[test]
    fn go_claims_have_the_observed_members_in_the_observed_order() {
        let (text, claims) = claims(&credential(Shape::Go), START);
        let start = r#"{"aud":["audience"],"exp":1795207061,"iat":1795205861,"iss":"issuer","jti":""#;
        assert!(text.starts_with(start) && text.ends_with(r#"","sub":"ACC"}"#), "{text}");
        assert_eq!(claims["jti"].as_str().unwrap().len(), 36);
    }

    #[test]
    fn java_claims_name_host_and_manager() {
        let (text, claims) = claims(&credential(java()), START);
        assert!(text.contains(r#""aud":"https:\/\/mgr.example:443""#), "{text}");
        assert_eq!(claims["iss"], "pod-1");
        assert_eq!(claims["exp"].as_i64().unwrap(), 1_795_205_861 + 1_800);
        assert_eq!(claims["nbf"], claims["iat"]);
    }

    #[test]
    fn go_remakes_after_ten_minutes_and_java_five_minutes_before_expiry() {
        for (shape, minutes) in [(Shape::Go, 10), (java(), 25)] {
            let credential = credential(shape);
            let first = credential.text(START).unwrap();
            assert_eq!(credential.text(START.plus(minutes * MINUTE - 1)).unwrap(), first);
            assert_ne!(credential.text(START.plus(minutes * MINUTE)).unwrap(), first);
        }
    }

    #[test]
    fn a_connection_id_is_a_uuid_in_url_safe_base64() {
        let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(connection_id()).unwrap();
        assert_eq!((bytes.len(), bytes[6] >> 4, bytes[8] >> 6), (16, 1, 2));
    }

    #[test]
    fn debug_output_holds_no_secret() {
        let credential = credential(Shape::Go);
        let text = credential.text(START).unwrap();
        let shown = format!("{credential:?}");
        assert!(!shown.contains(&*text) && !shown.contains("00112233"), "{shown}");
    }
}
