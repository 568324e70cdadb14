//! A sign-in that is under way, sealed into a cookie so that strangers cannot fill this server's memory with them.

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes256Gcm, KeyInit as _, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fleet::time::Timestamp;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::OidcError;

/// How long a sign-in may take, in seconds.
pub const MAX_AGE_SECONDS: i64 = 600;
/// Bytes of a nonce of the seal.
const NONCE_LEN: usize = 12;
/// Bytes of the path that is gone to afterwards; a cookie holds 4096.
const MAX_NEXT: usize = 1800;
/// What is sealed here cannot be passed off as something else.
const PURPOSE: &[u8] = b"rollcall oidc attempt 1";

/// What must be known again when the answer comes.
#[derive(Serialize, Deserialize)]
pub(super) struct Attempt {
    pub(super) state: String,
    pub(super) nonce: String,
    pub(super) verifier: String,
    pub(super) next: String,
    /// Milliseconds since 1970.
    pub(super) at: i64,
}

/// Closes and opens attempts under a key that ends with the process.
pub(super) struct Seal(Aes256Gcm);

impl Seal {
    pub(super) fn random() -> Self {
        let key = Zeroizing::new(rand::random::<[u8; 32]>());
        Self(Aes256Gcm::new((&*key).into()))
    }

    pub(super) fn close(&self, attempt: &Attempt) -> String {
        let nonce: [u8; NONCE_LEN] = rand::random();
        // Neither can fail for texts of this size; nothing sealed is nothing that opens.
        let plain = Zeroizing::new(serde_json::to_vec(attempt).unwrap_or_default());
        let payload = Payload { msg: &plain, aad: PURPOSE };
        let sealed = self.0.encrypt(&nonce.into(), payload).unwrap_or_default();
        URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())
    }

    pub(super) fn open(&self, cookie: &str, now: Timestamp) -> Result<Attempt, OidcError> {
        let attempt = self.unseal(cookie).ok_or(OidcError::UnknownAttempt)?;
        if now.millis() - attempt.at > MAX_AGE_SECONDS * 1000 {
            return Err(OidcError::LapsedAttempt);
        }
        Ok(attempt)
    }

    fn unseal(&self, cookie: &str) -> Option<Attempt> {
        let bytes = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let (nonce, msg) = bytes.split_at_checked(NONCE_LEN)?;
        let payload = Payload { msg, aad: PURPOSE };
        let plain = self.0.decrypt(Nonce::from_slice(nonce), payload).map(Zeroizing::new).ok()?;
        serde_json::from_slice(&plain).ok()
    }
}

/// The path if it is one on this server, else `/`. Browsers read `//host` and `/\host` as another server, and drop
/// control characters first.
pub(super) fn own_path(next: &str) -> &str {
    let own = next.starts_with('/')
        && !next[1..].starts_with(['/', '\\'])
        && !next.chars().any(char::is_control)
        && next.len() <= MAX_NEXT;
    if own { next } else { "/" }
}
