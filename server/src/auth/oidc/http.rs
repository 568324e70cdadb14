//! How the provider is spoken to: no redirects, 10 seconds, 1 MiB, and nothing but TLS off this machine.

use std::pin::Pin;
use std::time::Duration;

use openidconnect::http::Response;
use openidconnect::url::Url;
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};

use super::{OidcError, config};

/// How long one request may take, its answer included.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Bytes that an answer may have.
const BODY_LIMIT: usize = 1 << 20;

/// Sends requests to the provider.
pub(super) struct Http {
    client: reqwest::Client,
    loopback: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    #[error("no answer")]
    Unreachable,
    #[error("an address without TLS")]
    Unsafe,
    #[error("an answer that is too long or malformed")]
    Malformed,
}

impl From<HttpError> for OidcError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Unreachable => Self::Unreachable,
            HttpError::Unsafe | HttpError::Malformed => Self::Unusable,
        }
    }
}

impl Http {
    /// Speaks to `http` addresses of this machine only if the provider is `loopback`.
    pub(super) fn new(loopback: bool) -> Result<Self, OidcError> {
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIME_LIMIT)
            .connect_timeout(TIME_LIMIT)
            .user_agent(concat!("rollcall/", env!("CARGO_PKG_VERSION")));
        if loopback {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|error| OidcError::Settings(format!("the client for HTTP cannot be set up: {error}")))?;
        Ok(Self { client, loopback })
    }

    /// Whether this address may be asked, or people be sent there.
    pub(super) fn allows(&self, url: &Url) -> bool {
        config::is_safe(url) && (url.scheme() == "https" || self.loopback)
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let url = Url::parse(&request.uri().to_string()).map_err(|_| HttpError::Malformed)?;
        if !self.allows(&url) {
            tracing::warn!(host = url.host_str(), "the identity provider names an address without TLS");
            return Err(HttpError::Unsafe);
        }
        let unreachable = |error: reqwest::Error| {
            let error = error.without_url();
            tracing::warn!(host = url.host_str(), cause = ?error, "the identity provider does not answer");
            HttpError::Unreachable
        };
        let request = reqwest::Request::try_from(request).map_err(|_| HttpError::Malformed)?;
        let mut answer = self.client.execute(request).await.map_err(unreachable)?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
            if body.len() + chunk.len() > BODY_LIMIT {
                return Err(HttpError::Malformed);
            }
            body.extend_from_slice(&chunk);
        }
        let mut response = Response::new(body);
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        Ok(response)
    }
}

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = HttpError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}
