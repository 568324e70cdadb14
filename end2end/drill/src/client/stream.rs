//! The Java delegate over a WebSocket (`agent-protocol 7`).

use std::sync::Arc;
use std::time::Duration;

use fleet::time::Timestamp;
use futures::{SinkExt as _, StreamExt as _};
use hyper::header::{HeaderName, HeaderValue};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::escape;
use super::java::Java;
use crate::answer::Answer;
use crate::body;
use crate::http::{CallError, Http};
use crate::profile::Profile;
use crate::stats::Call;
use crate::token::Token;

/// How long opening a stream may take.
const OPEN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long one step waits for the acknowledgement of its frame.
const ACK_TIMEOUT: Duration = Duration::from_secs(15);
/// Frames of the server are short; the default of 128 KiB per connection would not fit 20,000 of them.
const BUFFER: usize = 4 << 10;
/// The longest frame that is read.
const MAX_FRAME: usize = 64 << 10;

type Socket = WebSocketStream<TcpStream>;

/// A Java delegate in its default mode.
#[derive(Debug)]
pub struct JavaStream {
    java: Java,
    socket: Option<Box<Socket>>,
}

impl JavaStream {
    /// A delegate that is neither registered nor connected yet.
    #[must_use]
    pub fn new(http: Http, profile: Profile, token: Token) -> Self {
        Self { java: Java::new(http, profile, token, false), socket: None }
    }

    /// Who it says it is.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        self.java.profile()
    }

    /// The id it was given or told.
    #[must_use]
    pub fn delegate_id(&self) -> Option<Arc<str>> {
        self.java.agent.id()
    }

    /// What it calls its process.
    #[must_use]
    pub fn connection_id(&self) -> &str {
        &self.java.connection_id
    }

    /// Lets it go on under an id of an earlier registration.
    pub fn set_delegate_id(&self, id: &str) {
        self.java.agent.set_id(id);
    }

    /// Registers once over REST and keeps the id.
    ///
    /// # Errors
    /// No answer. An answer of any status is no error.
    pub async fn register(&self, now: Timestamp) -> Result<Answer, CallError> {
        self.java.register(now).await
    }

    /// Opens the stream; an open one is dropped first.
    ///
    /// # Errors
    /// No connection, or a refusal with its status.
    pub async fn connect(&mut self, now: Timestamp) -> Result<(), CallError> {
        self.socket = None;
        let request = self.handshake(now)?;
        let http = &self.java.agent.http;
        let permit = http.permit().await?;
        let start = Instant::now();
        let opened = timeout(OPEN_TIMEOUT, open(&http.base().authority(), request)).await;
        drop(permit);
        match opened.unwrap_or(Err(CallError::Timeout)) {
            Ok(socket) => {
                http.stats().answered(Call::Other, 101, start.elapsed());
                self.socket = Some(Box::new(socket));
                Ok(())
            }
            Err(error) => {
                http.stats().unanswered(Call::Other, &error.cause());
                Err(error)
            }
        }
    }

    /// Sends one heartbeat frame, over a new stream if none is open, and gives the next frame of the server.
    ///
    /// # Errors
    /// Not registered, no stream, or no frame within 15 s.
    pub async fn beat(&mut self, now: Timestamp) -> Result<String, CallError> {
        if self.socket.is_none() {
            self.connect(now).await?;
        }
        let start = Instant::now();
        let stepped = timeout(ACK_TIMEOUT, async {
            self.send_beat(now).await?;
            self.next_frame().await
        });
        let outcome = stepped.await.unwrap_or(Err(CallError::Timeout));
        self.count(&outcome, start.elapsed());
        outcome
    }

    /// Counts a frame and how long its acknowledgement took.
    pub fn count(&self, outcome: &Result<String, CallError>, took: Duration) {
        let stats = self.java.agent.http.stats();
        match outcome {
            Ok(_) => stats.answered(Call::Heartbeat, 200, took),
            Err(error) => stats.unanswered(Call::Heartbeat, &error.cause()),
        }
    }

    /// Sends one heartbeat frame over the open stream.
    ///
    /// # Errors
    /// Not registered, or no stream.
    pub async fn send_beat(&mut self, now: Timestamp) -> Result<(), CallError> {
        let id = self.java.agent.known_id()?;
        let jwe = self.java.agent.credential.text(now)?;
        let frame = body::java_frame(self.java.profile(), &self.java.connection_id, &id, &jwe, now);
        let Some(socket) = &mut self.socket else { return Err(CallError::Closed(None)) };
        let sent = socket.send(Message::text(frame)).await;
        if sent.is_err() {
            self.socket = None;
        }
        sent.map_err(|_| CallError::Broken)
    }

    /// Waits for the next text frame; pings are answered on the way.
    ///
    /// # Errors
    /// The stream is closed, with the close code if there was one.
    pub async fn next_frame(&mut self) -> Result<String, CallError> {
        let Some(socket) = &mut self.socket else { return Err(CallError::Closed(None)) };
        let end = loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(Message::Close(frame))) => {
                    break CallError::Closed(frame.map(|frame| frame.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) => break CallError::Broken,
                None => break CallError::Closed(None),
            }
        };
        self.socket = None;
        Err(end)
    }

    /// Drops the stream without a closing frame, as a lost network does.
    pub fn drop_stream(&mut self) {
        self.socket = None;
    }

    /// Unregisters over REST and closes the stream.
    ///
    /// # Errors
    /// Not registered, or no answer.
    pub async fn goodbye(&mut self, now: Timestamp) -> Result<Answer, CallError> {
        let answer = self.java.goodbye(now).await;
        if let Some(mut socket) = self.socket.take() {
            // The server may have closed it already.
            let _ = timeout(ACK_TIMEOUT, socket.close()).await;
        }
        answer
    }

    /// The upgrade request. Its query holds the credential; it must not be printed.
    fn handshake(&self, now: Timestamp) -> Result<Request, CallError> {
        let agent = &self.java.agent;
        let base = agent.http.base().stream_text();
        let id = agent.id();
        let url = format!(
            "{base}/stream/delegate/{}?delegateId={}&delegateTokenName=&delegateConnectionId={}&token={}\
             &sequenceNum=&delegateToken=&version={}",
            escape(&agent.profile.account),
            escape(id.as_deref().unwrap_or_default()),
            self.java.connection_id,
            agent.credential.text(now)?,
            escape(agent.profile.version.as_deref().unwrap_or_default()),
        );
        let mut request = url.into_client_request().map_err(|_| CallError::Request)?;
        for (name, value) in self.java.headers() {
            let name = HeaderName::try_from(name).map_err(|_| CallError::Request)?;
            let value = HeaderValue::try_from(value).map_err(|_| CallError::Request)?;
            request.headers_mut().insert(name, value);
        }
        Ok(request)
    }
}

/// Connects and upgrades. Errors are mapped by kind, because their texts may hold the address with its query.
async fn open(authority: &str, request: Request) -> Result<Socket, CallError> {
    let stream = TcpStream::connect(authority).await.map_err(|_| CallError::Connect)?;
    stream.set_nodelay(true).map_err(|_| CallError::Connect)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_message_size(Some(MAX_FRAME))
        .max_frame_size(Some(MAX_FRAME));
    match client_async_with_config(request, stream, Some(config)).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(CallError::Refused(response.status().as_u16())),
        Err(_) => Err(CallError::Broken),
    }
}
