//! What an agent is told when something is wrong (`agent-protocol 4.5` to `4.7`).
//!
//! Java delegates search these texts for words that stop them for good. So every body is a constant: nothing that
//! a client sent can get into one.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::roster::RosterError;
use crate::tokens::book::AuthError;

/// Header that carries the code.
pub const ERROR_HEADER: HeaderName = HeaderName::from_static("x-harness-error");

/// Texts that make a Java delegate destroy or freeze itself (`agent-protocol 4.6`).
pub const DANGEROUS_WORDS: [&str; 5] = [
    "INVALID_TOKEN",
    "EXPIRED_TOKEN",
    "REVOKED_TOKEN",
    "Revoked Delegate Token",
    "Duplicate delegate with same",
];

/// Every way to refuse an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AgentError {
    /// No token of the account opens the credential. Dangerous.
    InvalidToken,
    /// The token was revoked. Dangerous.
    RevokedToken,
    /// The credential is out of date. Dangerous.
    ExpiredToken,
    /// The gateway's word about a client certificate is not accepted.
    InvalidAgentMtlsAuthority,
    /// No credential, or an unreadable one (A2).
    NotAuthenticated,
    /// The source address is not on the list of the account.
    AccessDenied,
    /// Unknown path.
    NotFound,
    /// A body, query or path that makes no sense.
    InvalidRequest,
    /// A body above the limit.
    TooLarge,
    /// More than one address or one token may ask for.
    TooMany,
    /// Tokens or rows cannot be read or stored for now (A4).
    Unavailable,
    /// Everything else.
    Internal,
}

/// The body of 4.5 around a code and its message.
macro_rules! body {
    ($code:literal, $message:literal) => {
        concat!(
            r#"{"metaData":null,"resource":null,"responseMessages":[{"code":""#,
            $code,
            r#"","level":"ERROR","message":""#,
            $message,
            r#"","exception":null,"failureTypes":[]}]}"#
        )
    };
}

impl AgentError {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::InvalidToken,
        Self::RevokedToken,
        Self::ExpiredToken,
        Self::InvalidAgentMtlsAuthority,
        Self::NotAuthenticated,
        Self::AccessDenied,
        Self::NotFound,
        Self::InvalidRequest,
        Self::TooLarge,
        Self::TooMany,
        Self::Unavailable,
        Self::Internal,
    ];

    /// The code of 4.5.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidToken => "INVALID_TOKEN",
            Self::RevokedToken => "REVOKED_TOKEN",
            Self::ExpiredToken => "EXPIRED_TOKEN",
            Self::InvalidAgentMtlsAuthority => "INVALID_AGENT_MTLS_AUTHORITY",
            Self::NotAuthenticated => "NOT_AUTHENTICATED",
            Self::AccessDenied => "ACCESS_DENIED",
            Self::NotFound => "NOT_FOUND",
            Self::InvalidRequest | Self::TooLarge => "INVALID_REQUEST",
            Self::TooMany => "TOO_MANY_REQUESTS",
            Self::Unavailable => "UNAVAILABLE",
            Self::Internal => "UNKNOWN_ERROR",
        }
    }

    /// The status of 4.5.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidToken
            | Self::RevokedToken
            | Self::ExpiredToken
            | Self::InvalidAgentMtlsAuthority
            | Self::NotAuthenticated => StatusCode::UNAUTHORIZED,
            Self::AccessDenied => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::InvalidRequest => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// When to come again, in seconds, where that helps. The families of agents have their own waits; tools in between
    /// read this.
    const fn retry_after(self) -> Option<u16> {
        match self {
            Self::TooMany => Some(10),
            Self::Unavailable => Some(5),
            _ => None,
        }
    }

    /// The whole body, byte for byte.
    #[must_use]
    pub const fn body(self) -> &'static str {
        match self {
            Self::InvalidToken => body!("INVALID_TOKEN", "Token is not valid."),
            Self::RevokedToken => body!("REVOKED_TOKEN", "Token was revoked."),
            Self::ExpiredToken => body!("EXPIRED_TOKEN", "Token is out of date."),
            Self::InvalidAgentMtlsAuthority => {
                body!("INVALID_AGENT_MTLS_AUTHORITY", "Client certificate is not accepted.")
            }
            Self::NotAuthenticated => body!("NOT_AUTHENTICATED", "Credentials are missing or unreadable."),
            Self::AccessDenied => body!("ACCESS_DENIED", "Source address is not allowed."),
            Self::NotFound => body!("NOT_FOUND", "Nothing here."),
            Self::InvalidRequest | Self::TooLarge => body!("INVALID_REQUEST", "Request is not understood."),
            Self::TooMany => body!("TOO_MANY_REQUESTS", "Try again later."),
            Self::Unavailable => body!("UNAVAILABLE", "Try again."),
            Self::Internal => body!("UNKNOWN_ERROR", "Internal error."),
        }
    }

    /// The answer without a body, for a refused WebSocket (`agent-protocol 7.1`, A11).
    #[must_use]
    pub fn empty(self) -> Response {
        self.status().into_response()
    }
}

impl IntoResponse for AgentError {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body()));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ERROR_HEADER, HeaderValue::from_static(self.code()));
        if let Some(seconds) = self.retry_after() {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<AuthError> for AgentError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Malformed => Self::NotAuthenticated,
            AuthError::Invalid => Self::InvalidToken,
            AuthError::Revoked => Self::RevokedToken,
            AuthError::Expired => Self::ExpiredToken,
            AuthError::Unavailable => Self::Unavailable,
        }
    }
}

impl From<RosterError> for AgentError {
    fn from(error: RosterError) -> Self {
        match error {
            RosterError::BadId => Self::InvalidRequest,
            RosterError::NotStored | RosterError::NotReady => Self::Unavailable,
        }
    }
}

/// Whether a text would stop a Java delegate that reads it.
#[must_use]
pub fn is_dangerous(text: &str) -> bool {
    DANGEROUS_WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_that_of_the_fixture() {
        let fixture = include_str!("../../../fixtures/agent/error-invalid-token.json");
        assert_eq!(AgentError::InvalidToken.body(), fixture.trim_end());
    }

    #[test]
    fn t3_dangerous_words_only_in_the_three_intended_answers() {
        let intended = [AgentError::InvalidToken, AgentError::RevokedToken, AgentError::ExpiredToken];
        for error in AgentError::ALL {
            let response = error.into_response();
            let headers = format!("{:?}", response.headers());
            let dangerous = is_dangerous(error.body()) || is_dangerous(&headers);
            assert_eq!(dangerous, intended.contains(&error), "{error:?}");
        }
    }

    #[test]
    fn t2_every_body_has_exactly_the_keys_of_the_envelope_and_its_own_code() {
        for error in AgentError::ALL {
            let body: serde_json::Value = serde_json::from_str(error.body()).unwrap();
            let expected = serde_json::json!({
                "metaData": null,
                "resource": null,
                "responseMessages": [{
                    "code": error.code(),
                    "level": "ERROR",
                    "message": body["responseMessages"][0]["message"].as_str().unwrap(),
                    "exception": null,
                    "failureTypes": [],
                }],
            });
            assert_eq!(body, expected);
            assert_eq!(error.into_response().headers()[ERROR_HEADER], error.code());
        }
    }

    #[test]
    fn all_five_texts_are_known() {
        for text in [
            "a EXPIRED_TOKEN b",
            "Duplicate delegate with same delegateId:1 and connectionId:2 exists",
            "xRevoked Delegate Tokenx",
        ] {
            assert!(is_dangerous(text));
        }
        assert!(!is_dangerous("invalid_token d-go-0001"));
    }
}
