//! Why a call failed.

/// What went wrong. Never holds the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The address of the server is none.
    #[error("{0} is not the address of a server: give one such as https://rollcall.example")]
    Address(String),
    /// The key cannot be sent.
    #[error("the API key holds a character that no key has")]
    Key,
    /// Nobody answers at the address.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The answer took too long.
    #[error("the server did not answer in time")]
    TimedOut,
    /// The server sends to another address; the key is not sent there.
    #[error("the server redirects ({0}): give the address that it redirects to")]
    Redirected(u16),
    /// More than a client wants to read.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
    /// The API key is unknown, has ended, or may not do this.
    #[error("the key is refused ({status}): {message}")]
    Refused {
        /// 401 or 403.
        status: u16,
        /// As the server says it.
        message: String,
    },
    /// The key was used too often.
    #[error("the server wants to be asked less often")]
    TooMany {
        /// After so many seconds, if the server says so.
        retry_after: Option<u64>,
    },
    /// The server refuses the call itself.
    #[error("the server refuses ({status}): {message}")]
    Failed {
        /// Another 4xx.
        status: u16,
        /// Stable, such as `ENTITY_NOT_FOUND`; empty where the server names none.
        code: String,
        /// As the server says it.
        message: String,
    },
    /// The server has a problem of its own.
    #[error("the server fails ({0})")]
    Server(u16),
    /// The answer is something else than what was asked for.
    #[error("the answer cannot be understood: {0}")]
    Shape(String),
}

impl ClientError {
    /// Whether the same call may succeed a while later.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::TimedOut | Self::TooMany { .. } | Self::Server(_))
    }
}

impl From<reqwest::Error> for ClientError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::TimedOut;
        }
        // The address may hold a password.
        let error = error.without_url();
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(deeper) = cause {
            text = deeper.to_string();
            cause = deeper.source();
        }
        Self::Unreachable(text)
    }
}
