//! One open WebSocket, from its first frame to its close.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::ws::{CloseCode, CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::http::HeaderMap;
use tokio::time::{Instant, sleep_until, timeout};

use super::frames::{acknowledgement, self_destruct};
use super::{MAX_FRAME, Seat, usable};
use crate::agent::error::AgentError;
use crate::agent::{AgentState, UnknownId, wire};
use crate::roster::report::Report;
use crate::roster::{Admitted, AgentStatus, RosterError};
use crate::tokens::Caller;

/// Unusable frames in a row that close the connection (`agent-protocol 7.3`).
const MAX_BAD: u8 = 3;
/// Messages that one connection may send within [`WINDOW`]: delegates send one every 50 s.
const MAX_MESSAGES: u32 = 500;
/// The time in which messages are counted.
const WINDOW: Duration = Duration::from_secs(10);
/// A connection without a valid frame for so long is dead: delegates send one every 50 s.
const IDLE: Duration = Duration::from_mins(10);
/// How long one frame may take to be sent.
const SENDING: Duration = Duration::from_secs(10);
/// How long the other side may take to answer a close.
const CLOSING: Duration = Duration::from_secs(2);

/// The other side, as the handshake showed it.
pub(super) struct Peer {
    pub(super) account: Box<str>,
    /// Its address, if that is known.
    pub(super) source: Option<IpAddr>,
}

/// The state of one connection.
pub(super) struct Session {
    agent: AgentState,
    peer: Peer,
    /// The last proven credential.
    caller: Option<Caller>,
    /// The delegate's own id, once it is known.
    id: Option<Box<str>>,
    bad: u8,
    /// Messages since the window began.
    messages: u32,
    window: Instant,
    deadline: Instant,
    _seat: Seat,
}

/// What a frame leads to.
enum Step {
    Nothing,
    Send(String),
    End(Ending),
}

/// How a connection ends.
enum Ending {
    /// The other side is gone.
    Gone,
    Close(CloseCode),
    /// `[SELF_DESTRUCT]` for this delegate, then a close.
    SelfDestruct,
}

impl Session {
    pub(super) fn new(
        agent: AgentState,
        peer: Peer,
        caller: Option<Caller>,
        id: Option<Box<str>>,
        seat: Seat,
    ) -> Self {
        let wait = if caller.is_some() { IDLE } else { agent.settings.token_wait };
        let now = Instant::now();
        let (messages, window, deadline) = (0, now, now + wait);
        Self { agent, peer, caller, id, bad: 0, messages, window, deadline, _seat: seat }
    }

    /// Serves the connection until one side ends it.
    pub(super) async fn run(mut self, mut socket: WebSocket) {
        let code = match self.serve(&mut socket).await {
            Ending::Gone => return,
            Ending::Close(code) => code,
            Ending::SelfDestruct => {
                tracing::info!(
                    account = &*self.peer.account,
                    id = self.id.as_deref().unwrap_or_default(),
                    "WebSocket delegate told to destroy itself"
                );
                if let Some(frame) = self_destruct(self.id.as_deref().unwrap_or_default()) {
                    send(&mut socket, Message::text(frame)).await;
                }
                close_code::POLICY
            }
        };
        let frame = CloseFrame { code, reason: Utf8Bytes::default() };
        if send(&mut socket, Message::Close(Some(frame))).await {
            // Closing at once would throw away what the other side has not read yet.
            let drained = async { while let Some(Ok(_)) = socket.recv().await {} };
            let _ = timeout(CLOSING, drained).await;
        }
    }

    async fn serve(&mut self, socket: &mut WebSocket) -> Ending {
        let agent = self.agent.clone();
        loop {
            let token = self.caller.as_ref().map(|caller| caller.token.clone());
            let revoked = async {
                match &token {
                    Some(token) => token.revoked().await,
                    None => std::future::pending().await,
                }
            };
            let message = tokio::select! {
                biased;
                () = agent.shutdown.cancelled() => return Ending::Close(close_code::AWAY),
                () = revoked => return Ending::SelfDestruct,
                () = sleep_until(self.deadline) => return Ending::Close(close_code::POLICY),
                message = socket.recv() => message,
            };
            if self.is_flooded() {
                self.dropped("too_many");
                return Ending::Close(close_code::POLICY);
            }
            let step = match message {
                Some(Ok(Message::Text(text))) => self.frame(text.as_bytes()).await,
                Some(Ok(Message::Binary(bytes))) => self.frame(&bytes).await,
                // Pings are answered below this layer.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Step::Nothing,
                Some(Ok(Message::Close(_))) | None => Step::End(Ending::Gone),
                Some(Err(_)) => Step::End(Ending::Close(close_code::SIZE)),
            };
            match step {
                Step::Nothing => {}
                Step::Send(text) => {
                    if !send(socket, Message::text(text)).await {
                        return Ending::Gone;
                    }
                }
                Step::End(ending) => return ending,
            }
        }
    }

    /// Counts a message of any kind; whether there were too many.
    fn is_flooded(&mut self) -> bool {
        if self.window.elapsed() >= WINDOW {
            (self.messages, self.window) = (0, Instant::now());
        }
        self.messages += 1;
        self.messages > MAX_MESSAGES
    }

    /// Takes one frame (`agent-protocol 7.3`).
    async fn frame(&mut self, bytes: &[u8]) -> Step {
        if bytes.len() > MAX_FRAME {
            return self.unusable("too_large");
        }
        let Ok((frame, dropped)) = wire::frame(bytes) else {
            return self.unusable("not_json");
        };
        self.bad = 0;
        self.agent.metrics.dropped(dropped);
        if frame.account.as_deref() != Some(&*self.peer.account) {
            return self.dropped("account");
        }
        let Some(token) = &frame.token else {
            return self.dropped("no_token");
        };
        let id = frame.report.delegate_id.as_deref().filter(|id| usable(id));
        if let Some(id) = id
            && self.id.as_deref() != Some(id)
        {
            self.id = Some(id.into());
        }
        let caller =
            match self.agent.verify(&self.peer.account, token, &HeaderMap::new(), || self.peer.source) {
                Ok(caller) => caller,
                Err(AgentError::RevokedToken) => return Step::End(Ending::SelfDestruct),
                Err(AgentError::Unavailable) => return self.dropped("unavailable"),
                Err(_) => return Step::End(Ending::Close(close_code::POLICY)),
            };
        self.deadline = Instant::now() + IDLE;
        let Some(id) = id else {
            self.caller = Some(caller);
            return self.dropped("id");
        };
        let step = self.beat(&caller, id, &frame.report).await;
        self.caller = Some(caller);
        step
    }

    /// Counts a heartbeat and acknowledges it under the delegate's own id.
    async fn beat(&self, caller: &Caller, id: &str, report: &Report<'_>) -> Step {
        let now = self.agent.clock.now();
        let roster = &self.agent.roster;
        let admitted = match roster.stream_beat(caller, report, now) {
            Some(admitted) => Ok(admitted),
            None if self.agent.settings.unknown_id == UnknownId::SelfDestruct => {
                return self_destruct(id).map_or(Step::Nothing, Step::Send);
            }
            None => match self.agent.admit_from(caller, self.peer.source) {
                Ok(()) => roster.placeholder(caller, report, now).await,
                Err(AgentError::TooMany) => return self.dropped("too_many"),
                Err(_) => return self.dropped("address"),
            },
        };
        match admitted {
            Ok(Admitted { status: AgentStatus::Deleted, .. }) => Step::End(Ending::SelfDestruct),
            Ok(admitted) => {
                tracing::debug!(account = &*self.peer.account, id, "heartbeat over WebSocket");
                // The time of the answer, which may have waited for the store.
                Step::Send(acknowledgement(id, admitted.heartbeat_as_object, self.agent.clock.now()))
            }
            Err(RosterError::BadId) => self.dropped("id"),
            Err(RosterError::NotStored | RosterError::NotReady) => self.dropped("unavailable"),
        }
    }

    /// A frame that does not count.
    fn dropped(&self, reason: &'static str) -> Step {
        self.agent.metrics.dropped_frame(reason);
        Step::Nothing
    }

    /// A frame that cannot even be read.
    fn unusable(&mut self, reason: &'static str) -> Step {
        self.bad += 1;
        match self.dropped(reason) {
            _ if self.bad >= MAX_BAD => Step::End(Ending::Close(close_code::POLICY)),
            step => step,
        }
    }
}

/// Whether a frame was sent in time.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(SENDING, socket.send(message)).await, Ok(Ok(())))
}
