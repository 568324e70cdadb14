//! One call: the key, the limits, what a refusal means.

use std::fmt;
use std::time::Duration;

use chrono::DateTime;
use fleet::time::Timestamp;
use reqwest::header::{DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Method, Response, StatusCode, Url, redirect};
use serde_json::Value;
use zeroize::Zeroizing;

use super::ClientError;

/// How long a connection may take (`management-api 7.1`).
const CONNECT: Duration = Duration::from_secs(10);
/// How long a whole call may take (`management-api 7.1`).
const WHOLE: Duration = Duration::from_mins(1);
/// The longest answer that is read, in bytes (`management-api 7.1`).
const LONGEST: usize = 64 * 1024 * 1024;
const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// An API key. Never shown by `Debug`.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

impl Key {
    /// A key as it was issued; white space around it is dropped.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    /// The account in the key, where it has the usual form `pat.<account>.<id>.<secret>`; an account may hold dots.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        let (rest, _secret) = self.0.rsplit_once('.')?;
        let (rest, _id) = rest.rsplit_once('.')?;
        let (_kind, account) = rest.split_once('.')?;
        Some(account).filter(|account| !account.is_empty())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// A server that can be asked.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    key: Key,
}

/// What a call brought.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What was asked for.
    pub value: T,
    /// The server's clock, to the second; none if it does not tell.
    pub date: Option<Timestamp>,
}

impl<T> Answer<T> {
    pub(crate) fn try_map<U>(
        self,
        read: impl FnOnce(T) -> Result<U, ClientError>,
    ) -> Result<Answer<U>, ClientError> {
        Ok(Answer { value: read(self.value)?, date: self.date })
    }
}

impl Client {
    /// A client of the server at an address such as `https://rollcall.example` or
    /// `https://app.harness.io/gateway`.
    ///
    /// # Errors
    /// The address is none, or the key cannot be sent.
    pub fn new(base: &str, key: Key) -> Result<Self, ClientError> {
        let wrong = || ClientError::Address(shown(base));
        let base = Url::parse(base.trim().trim_end_matches('/')).map_err(|_| wrong())?;
        let fits = matches!(base.scheme(), "http" | "https") && base.has_host() && base.query().is_none();
        if !fits || !base.username().is_empty() || base.password().is_some() {
            return Err(wrong());
        }
        let mut value = HeaderValue::try_from(key.0.as_str()).map_err(|_| ClientError::Key)?;
        value.set_sensitive(true);
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(WHOLE)
            .redirect(redirect::Policy::none())
            .default_headers(HeaderMap::from_iter([(KEY, value)]))
            .build()?;
        Ok(Self { http, base, key })
    }

    /// The host that it asks.
    #[must_use]
    pub fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// The account that calls speak of unless they name another one.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        self.key.account()
    }

    /// Asks for JSON below the address.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Answer<Value>, ClientError> {
        let mut url = self.base.clone();
        match url.path_segments_mut() {
            Ok(mut segments) => segments.pop_if_empty().extend(path),
            Err(()) => return Err(ClientError::Address(shown(self.base.as_str()))),
        };
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.http.request(method, url);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let response = request.send().await?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_redirection() {
            return Err(ClientError::Redirected(status.as_u16()));
        }
        let text = read(response).await?;
        if !status.is_success() {
            return Err(self.failure(status, &headers, &text));
        }
        let read = aside(move || serde_json::from_slice(&text)).await?;
        Ok(Answer { value: read.map_err(|_| not_json(&headers))?, date: date(&headers) })
    }
}

/// Does what may take a while, such as reading a long answer, on a thread that nobody else waits for.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ClientError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| ClientError::Shape("it was not read".to_owned()))
}

impl Client {
    /// What a refusal says: short, and without the key, which a server may repeat.
    fn failure(&self, status: StatusCode, headers: &HeaderMap, text: &[u8]) -> ClientError {
        let body: Value = serde_json::from_slice(text).unwrap_or_default();
        let named = |key: &str| {
            let said = body.get(key).and_then(Value::as_str).unwrap_or_default();
            shown(&said.replace(&*self.key.0, "[key]"))
        };
        failure(status, headers, &named)
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, ClientError> {
    let mut text = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if text.len() + chunk.len() > LONGEST {
            return Err(ClientError::TooLarge(LONGEST));
        }
        text.extend_from_slice(&chunk);
    }
    Ok(text)
}

fn failure(status: StatusCode, headers: &HeaderMap, named: &dyn Fn(&str) -> String) -> ClientError {
    let message = match named("message") {
        message if message.is_empty() => "no reason is given".to_owned(),
        message => message,
    };
    let number = status.as_u16();
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ClientError::Refused { status: number, message },
        StatusCode::TOO_MANY_REQUESTS => {
            let after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            ClientError::TooMany { retry_after: after }
        }
        status if status.is_server_error() => ClientError::Server(number),
        _ => ClientError::Failed { status: number, code: named("code"), message },
    }
}

fn not_json(headers: &HeaderMap) -> ClientError {
    let kind = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or("nothing known");
    ClientError::Shape(format!("it is no JSON but {}", shown(kind)))
}

fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let text = headers.get(DATE)?.to_str().ok()?;
    Some(Timestamp::from_millis(DateTime::parse_from_rfc2822(text).ok()?.timestamp_millis()))
}

/// A text from outside, short enough for a message.
fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(300).collect()
}
