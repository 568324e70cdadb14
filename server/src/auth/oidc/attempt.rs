//! A sign-in that is under way, sealed into a cookie so that strangers cannot fill this server's memory with them.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fleet::time::Timestamp;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::OidcError;
use crate::tokens::vault::Vault;

/// How long a sign-in may take, in seconds.
pub const MAX_AGE_SECONDS: i64 = 600;
/// Bytes of the path that is gone to afterwards; a cookie holds 4096.
const MAX_NEXT: usize = 1800;
/// What is sealed here cannot be passed off as something else.
const PURPOSE: &str = "rollcall oidc attempt 1";

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

/// Closes and opens attempts under the master key: the answer may come to another node than the one that began.
pub(super) struct Seal(pub(super) Arc<Vault>);

impl Seal {
    pub(super) fn close(&self, attempt: &Attempt) -> String {
        // That cannot fail; nothing sealed is nothing that opens.
        let plain = Zeroizing::new(serde_json::to_string(attempt).unwrap_or_default());
        URL_SAFE_NO_PAD.encode(self.0.seal_text(&plain, PURPOSE))
    }

    pub(super) fn open(&self, cookie: &str, now: Timestamp) -> Result<Attempt, OidcError> {
        let attempt = self.unseal(cookie).ok_or(OidcError::UnknownAttempt)?;
        if now.millis() - attempt.at > MAX_AGE_SECONDS * 1000 {
            return Err(OidcError::LapsedAttempt);
        }
        Ok(attempt)
    }

    fn unseal(&self, cookie: &str) -> Option<Attempt> {
        let sealed = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        serde_json::from_str(&self.0.unseal_text(&sealed, PURPOSE).ok()?).ok()
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
