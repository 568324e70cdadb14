//! Requests to the server under test: pooled HTTP/1.1 connections, bounded in number, counted.

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use flate2::read::GzDecoder;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use crate::answer::Answer;
use crate::base::Base;
use crate::jwe::JweError;
use crate::stats::{Call, Stats};

/// Answers above this size are given up; the longest of the protocol has less than 1 KiB.
const MAX_ANSWER: usize = 1 << 20;
/// Idle connections are dropped before a server that keeps them for 75 s does it (`agent-protocol 2.11`).
const IDLE: Duration = Duration::from_mins(1);
/// A wait for a free connection that is worth telling.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// Sends requests; clones share connections and counters.
#[derive(Clone)]
pub struct Http {
    inner: Arc<Inner>,
}

struct Inner {
    base: Base,
    client: Client<HttpConnector, Full<Bytes>>,
    permits: Semaphore,
    stats: Arc<Stats>,
}

/// Why a request got no answer. Never holds a URL, a header or a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No connection to the server.
    #[error("cannot connect to the server")]
    Connect,
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
    /// The connection ended inside a request or an answer.
    #[error("the connection broke")]
    Broken,
    /// The answer is longer than 1 MiB, or its compression is broken.
    #[error("the answer is too long or unreadable")]
    Unreadable,
    /// The upgrade to a stream was refused with this status.
    #[error("the stream was refused with status {0}")]
    Refused(u16),
    /// The server closed the stream, with this close code if it gave one.
    #[error("the stream was closed ({0:?})")]
    Closed(Option<u16>),
    /// The credential cannot be made.
    #[error(transparent)]
    Credential(#[from] JweError),
    /// A name or id does not fit into a request.
    #[error("a value does not fit into a request")]
    Request,
    /// A heartbeat or goodbye of a delegate that has no id yet.
    #[error("not registered yet")]
    NotRegistered,
}

impl CallError {
    /// One word for counting.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            Self::Connect => "connect".to_owned(),
            Self::Timeout => "timeout".to_owned(),
            Self::Broken => "broken".to_owned(),
            Self::Unreadable => "unreadable".to_owned(),
            Self::Refused(status) => status.to_string(),
            Self::Closed(Some(code)) => format!("closed-{code}"),
            Self::Closed(None) => "closed".to_owned(),
            Self::Credential(_) | Self::Request | Self::NotRegistered => "unsent".to_owned(),
        }
    }
}

/// One request before it is sent.
#[derive(Debug)]
pub struct Outgoing {
    /// What it is for.
    pub call: Call,
    /// HTTP method.
    pub method: Method,
    /// Path and query, appended to the manager URL.
    pub path: String,
    /// Headers of the client family.
    pub headers: Vec<(&'static str, String)>,
    /// JSON text, if the method takes one.
    pub body: Option<Vec<u8>>,
    /// How long the client family waits.
    pub timeout: Duration,
}

impl Http {
    /// At most `connections` requests at a time, each on a connection of its own that is kept for the next one.
    #[must_use]
    pub fn new(base: Base, connections: usize, stats: Arc<Stats>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(Duration::from_secs(10)));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(connections)
            .http1_title_case_headers(true)
            .build(connector);
        let permits = Semaphore::new(connections.clamp(1, Semaphore::MAX_PERMITS));
        Self { inner: Arc::new(Inner { base, client, permits, stats }) }
    }

    /// Where requests go.
    #[must_use]
    pub fn base(&self) -> &Base {
        &self.inner.base
    }

    /// The shared counters.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.inner.stats
    }

    /// Sends one request and reads the whole answer. Redirects are not followed.
    ///
    /// # Errors
    /// No answer, or one that cannot be read.
    pub async fn send(&self, outgoing: Outgoing) -> Result<Answer, CallError> {
        let (call, limit) = (outgoing.call, outgoing.timeout);
        let request = self.request(outgoing)?;
        let _permit = self.permit().await?;
        let start = Instant::now();
        let outcome = timeout(limit, self.exchange(request)).await.unwrap_or(Err(CallError::Timeout));
        match &outcome {
            Ok(answer) => self.stats().answered(call, answer.status, start.elapsed()),
            Err(error) => self.stats().unanswered(call, &error.cause()),
        }
        outcome
    }

    /// Waits until a request may be made.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, CallError> {
        let start = Instant::now();
        let permit = self.inner.permits.acquire().await.map_err(|_| CallError::Connect)?;
        if start.elapsed() > LONG_WAIT {
            self.stats().waited();
        }
        Ok(permit)
    }

    fn request(&self, outgoing: Outgoing) -> Result<Request<Full<Bytes>>, CallError> {
        let uri = format!("{}{}", self.inner.base.text(), outgoing.path);
        let mut builder = Request::builder().method(outgoing.method).uri(uri);
        for (name, value) in outgoing.headers {
            let name = HeaderName::try_from(name).map_err(|_| CallError::Request)?;
            let mut value = HeaderValue::try_from(value).map_err(|_| CallError::Request)?;
            value.set_sensitive(true);
            builder = builder.header(name, value);
        }
        if outgoing.body.is_some() {
            builder = builder.header(CONTENT_TYPE, "application/json");
        }
        let body = Full::new(outgoing.body.map(Bytes::from).unwrap_or_default());
        builder.body(body).map_err(|_| CallError::Request)
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Answer, CallError> {
        let response = self.inner.client.request(request).await;
        let response = response
            .map_err(|error| if error.is_connect() { CallError::Connect } else { CallError::Broken })?;
        read(response).await
    }
}

/// Reads and unpacks an answer.
async fn read(response: Response<Incoming>) -> Result<Answer, CallError> {
    let (head, body) = response.into_parts();
    let collected = Limited::new(body, MAX_ANSWER).collect().await;
    let packed = collected.map_err(|_| CallError::Broken)?.to_bytes();
    let is_packed = head.headers.get(CONTENT_ENCODING).is_some_and(|value| value == "gzip");
    let body = if is_packed { unpack(&packed)? } else { packed };
    Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
}

fn unpack(packed: &[u8]) -> Result<Bytes, CallError> {
    let mut plain = Vec::new();
    let limit = u64::try_from(MAX_ANSWER).unwrap_or(u64::MAX);
    let read = GzDecoder::new(packed).take(limit + 1).read_to_end(&mut plain);
    match read {
        Ok(length) if length <= MAX_ANSWER => Ok(plain.into()),
        _ => Err(CallError::Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_packed_answer_is_unpacked_up_to_its_limit() {
        assert_eq!(unpack(&packed(b"{}")).unwrap().as_ref(), b"{}");
        assert_eq!(unpack(&packed(&vec![b' '; MAX_ANSWER])).unwrap().len(), MAX_ANSWER);
        assert_eq!(unpack(&packed(&vec![b' '; MAX_ANSWER + 1])), Err(CallError::Unreadable));
        assert_eq!(unpack(b"no gzip"), Err(CallError::Unreadable));
    }
}
