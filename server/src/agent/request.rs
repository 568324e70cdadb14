//! What all agent calls have in common: account, credential, body, answer.

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use axum::response::{IntoResponse as _, Response};
use tokio::time::timeout;

use super::error::{AgentError, is_dangerous};
use super::metrics::Endpoint;
use super::wire::NotUnderstood;
use super::{AgentState, query};
use crate::roster::report::Report;
use crate::tokens::Caller;

/// The longest body, in bytes (`agent-protocol 2.11`).
pub(super) const MAX_BODY: usize = 1024 * 1024;

/// How long a body may take to arrive.
const BODY_WITHIN: Duration = Duration::from_secs(30);

/// Index hint of newer agents (`agent-protocol 1.9`).
const TOKEN_HASH: HeaderName = HeaderName::from_static("delegatetokenhash");
/// The scheme word of the Authorization header, in any case (A2).
const SCHEME: &str = "delegate";

impl AgentState {
    /// Who calls (`agent-protocol 1.6`).
    pub(super) fn caller(&self, parts: &Parts) -> Result<Caller, AgentError> {
        let account = account(parts)?;
        self.verify(&account, credential(&parts.headers).unwrap_or_default(), &parts.headers, || {
            self.source(parts)
        })
    }

    /// Checks a credential that came in any way; `headers` may hold a hint.
    pub(super) fn verify(
        &self,
        account: &str,
        jwe: &str,
        headers: &HeaderMap,
        source: impl FnOnce() -> Option<IpAddr>,
    ) -> Result<Caller, AgentError> {
        let hint = headers.get(TOKEN_HASH).and_then(|hint| hint.to_str().ok());
        let verdict = self.tokens.authenticate(account, jwe, hint, self.clock.now());
        verdict.map_err(|error| {
            let (error, source) = (AgentError::from(error), source());
            // What the store cannot tell is nobody's fault.
            if error != AgentError::Unavailable && !self.0.pace.stranger(source, self.clock.now()) {
                self.metrics.refused(AgentError::TooMany);
                return AgentError::TooMany;
            }
            self.metrics.refused(error);
            self.turned_away(account, error, source, None);
            error
        })
    }

    /// Who calls, and the whole body. The credential comes first, so that strangers cannot make us read.
    pub(super) async fn open(&self, request: Request) -> Result<(Caller, Bytes), AgentError> {
        let (parts, body) = request.into_parts();
        let caller = self.caller(&parts)?;
        Ok((caller, whole(body).await?))
    }

    /// Who calls with a request whose body does not matter; it is read so that the connection can be used again.
    pub(super) async fn admit(&self, request: Request) -> Result<Caller, AgentError> {
        Ok(self.open(request).await?.0)
    }

    /// Makes and counts the answer.
    pub(super) fn answer(&self, endpoint: Endpoint, result: Result<Response, AgentError>) -> Response {
        let response = result.into_response();
        self.metrics.answered(endpoint, response.status());
        response
    }
}

impl From<NotUnderstood> for AgentError {
    fn from(_: NotUnderstood) -> Self {
        Self::InvalidRequest
    }
}

/// The account of the query.
fn account(parts: &Parts) -> Result<Cow<'_, str>, AgentError> {
    let account = query::value(parts.uri.query(), "accountId");
    account.filter(|account| !account.is_empty()).ok_or(AgentError::InvalidRequest)
}

/// The credential of the Authorization header (`agent-protocol 1.3`).
fn credential(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, jwe) = value.trim_start().split_once(' ')?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| jwe.trim())
}

/// The whole body, up to the limit.
pub(super) async fn whole(body: Body) -> Result<Bytes, AgentError> {
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(AgentError::TooLarge);
    }
    // What fails here is either too long without having said so, or cut off, and then nobody reads the answer.
    match timeout(BODY_WITHIN, to_bytes(body, MAX_BODY)).await {
        Ok(read) => read.map_err(|_| AgentError::TooLarge),
        Err(_) => Err(AgentError::InvalidRequest),
    }
}

/// Refuses an id that would stop a delegate wherever it is shown to one (`agent-protocol 4.7`).
pub(super) fn harmless(report: &Report<'_>) -> Result<(), AgentError> {
    match &report.delegate_id {
        Some(id) if is_dangerous(id) => Err(AgentError::InvalidRequest),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn read(value: &'static str) -> Option<String> {
        let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
        credential(&headers).map(ToOwned::to_owned)
    }

    #[test]
    fn the_scheme_word_comes_in_any_case_with_any_run_of_spaces() {
        for value in ["Delegate a.b", "delegate   a.b", "DELEGATE a.b ", " Delegate a.b"] {
            assert_eq!(read(value).as_deref(), Some("a.b"), "{value}");
        }
    }

    #[test]
    fn other_schemes_are_no_credential() {
        for value in ["", "Delegate", "Delegatea.b", "Bearer a.b", "DelegateAuth2 a.b", "a.b"] {
            assert_eq!(read(value), None, "{value}");
        }
        assert_eq!(read("Delegate ").as_deref(), Some(""));
        assert_eq!(credential(&HeaderMap::new()), None);
    }
}
