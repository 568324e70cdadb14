//! Who calls: people by session, scripts by API key; what they may do is decided by `fleet::access`.

pub mod allowed;
pub mod api_key;
pub mod cookie;
pub mod directory;
pub mod embed_key;
pub mod identify;
pub mod limiter;
pub mod oidc;
pub mod password;
pub mod peer;
pub mod secret;
pub mod session;

use std::sync::Arc;

use fleet::access::Grants;

/// How somebody proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// A browser's cookie: needs a proof of origin for every change. Holds the hash of the session.
    Session(Arc<str>),
    /// An API key. Holds its public part.
    Key(Arc<str>),
    /// An embed key. Holds its public part.
    Embed(Arc<str>),
    /// Nobody in person: what is made with it is for everybody with the same rights.
    Rights,
}

/// Somebody who proved who they are.
#[derive(Clone, Debug)]
pub struct Identity {
    /// `users.id`.
    pub id: Arc<str>,
    /// What the audit log calls them.
    pub email: Arc<str>,
    /// For people; the e-mail if there is no name.
    pub name: Arc<str>,
    /// What they may do; with a key, what is left of it in the key's scope.
    pub grants: Grants,
    /// How they came in.
    pub via: Via,
    /// When the session ends, as of this request; none without one.
    pub ends: Option<session::Ends>,
}

impl Identity {
    /// Whether a browser's cookie proved it.
    #[must_use]
    pub fn is_session(&self) -> bool {
        matches!(self.via, Via::Session(_))
    }
}

/// Why a credential does not tell who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// No cookie and no key, or a cookie of no session.
    #[error("sign in, or send an API key in the header x-api-key")]
    Missing,
    /// The session ended.
    #[error("the session has ended; sign in again")]
    SessionEnded,
    /// No such key.
    #[error("the API key is not valid")]
    InvalidKey,
    /// The key is past its end.
    #[error("the API key is out of date")]
    ExpiredKey,
    /// Too many requests with this key or session.
    #[error("too many requests at once")]
    TooMany {
        /// Whole seconds until the next one is taken.
        retry_after: u64,
    },
    /// The store cannot be read, so nobody can tell.
    #[error("sign-in cannot be checked for now")]
    Unavailable,
}

impl AuthError {
    /// The next request is taken in so many milliseconds.
    fn too_many(wait: i64) -> Self {
        Self::TooMany { retry_after: u64::try_from(wait).unwrap_or(0).div_ceil(1_000).max(1) }
    }
}
