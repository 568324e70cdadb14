//! Accepts connections, with and without TLS, and keeps each of them within bounds.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tower::{Service, ServiceExt as _};

/// Connections that may be open at once, where the system allows as many files.
pub const MAX_CONNECTIONS: usize = 250_000;
/// Files that are left for everything that is no connection.
const OTHER_FILES: u64 = 500;
/// How long a request's head may take, and a connection stay idle: longer than the pause between two heartbeats.
const HEAD_WITHIN: Duration = Duration::from_mins(2);
/// The longest head of a request, in bytes. A JWE takes about 1 KiB of it.
const MAX_HEAD: usize = 64 * 1024;
/// How long a client may take until it and this server have agreed on keys.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Requests that one connection may have open at once.
const MAX_STREAMS: u32 = 256;
/// How long nothing may be heard from a client until it is asked whether it is there.
const ASK_AFTER: Duration = Duration::from_mins(1);
/// How often it is asked again.
const ASK_EVERY: Duration = Duration::from_secs(15);
/// A client that does not take what it is sent for so long, or does not answer, is gone, or as good as gone.
const UNREAD: Duration = Duration::from_mins(2);

// The system counts both from the last sign of life. With a shorter time one lost question would end a good connection:
// questions of thousands of quiet connections go out in the same moment, and loopback alone drops all beyond a thousand.
const _: () = assert!(UNREAD.as_secs() >= ASK_AFTER.as_secs() + 4 * ASK_EVERY.as_secs());
/// How long to wait when the system gives no more connections.
const PAUSE: Duration = Duration::from_secs(1);

/// The answer where there is no room for a connection.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// What listens.
pub struct Listening<S> {
    /// Where connections come in.
    pub listener: TcpListener,
    /// Agrees on keys; plain HTTP without.
    pub tls: Option<TlsAcceptor>,
    /// Answers requests; handlers find the client in `ConnectInfo<SocketAddr>`.
    pub service: S,
    /// Connections that may be open at once.
    pub limit: usize,
    /// How long open requests may take to end.
    pub drain: Duration,
}

impl<S> Listening<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    /// Serves HTTP/1.1 and HTTP/2 until `ended`, then lets open requests end.
    pub async fn serve(self, ended: impl Future<Output = ()>) {
        let graceful = GracefulShutdown::new();
        let seats = Arc::new(Semaphore::new(self.limit));
        let mut ended = std::pin::pin!(ended);
        loop {
            let accepted = tokio::select! {
                () = &mut ended => break,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, client)) => match Arc::clone(&seats).try_acquire_owned() {
                    Ok(seat) => self.take(stream, client, seat, graceful.watcher()),
                    Err(_) => self.refuse(stream),
                },
                // The client is gone already.
                Err(error) if is_about_one(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        drop(self.listener);
        if tokio::time::timeout(self.drain, graceful.shutdown()).await.is_err() {
            tracing::warn!("requests were still open after {} s", self.drain.as_secs());
        }
    }

    fn take(&self, stream: TcpStream, client: SocketAddr, seat: OwnedSemaphorePermit, watcher: Watcher) {
        if let Err(error) = bound(&stream) {
            tracing::debug!(%error, "a connection without bounds of the system");
        }
        let (service, tls) = (self.service.clone(), self.tls.clone());
        tokio::spawn(async move {
            match tls {
                None => converse(stream, client, service, watcher).await,
                Some(tls) => {
                    let shaken = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await;
                    // Port scanners and plain HTTP end here; they are no news.
                    if let Ok(Ok(stream)) = shaken {
                        converse(stream, client, service, watcher).await;
                    }
                }
            }
            drop(seat);
        });
    }

    fn refuse(&self, mut stream: TcpStream) {
        if self.tls.is_none() {
            tokio::spawn(async move {
                let _ = tokio::time::timeout(PAUSE, stream.write_all(FULL)).await;
            });
        }
    }
}

/// Serves one connection to its end.
async fn converse<I, S>(io: I, client: SocketAddr, service: S, watcher: Watcher)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(MAX_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(ASK_AFTER)
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX));
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(client));
        service.clone().oneshot(request)
    });
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(io), service).into_owned();
    // How a connection ends is the client's affair.
    let _ = watcher.watch(connection).await;
}

/// Has the system cut what nobody reads any more, and what only looks open.
fn bound(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(ASK_AFTER).with_interval(ASK_EVERY))?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNREAD))?;
    Ok(())
}

/// Whether an error of accepting concerns the one connection alone.
fn is_about_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// How many connections this process may have, after asking the system for as many as it gives.
#[must_use]
pub fn room() -> usize {
    use rlimit::Resource;
    let wanted = MAX_CONNECTIONS as u64 + OTHER_FILES;
    // Who runs as root may raise what the system allows; everybody else may use all of it.
    let raised = Resource::NOFILE.set(wanted, wanted).map(|()| wanted);
    let files = raised.or_else(|_| rlimit::increase_nofile_limit(wanted)).unwrap_or_else(|error| {
        tracing::warn!(%error, "the limit of open files stays as it is");
        Resource::NOFILE.get().map_or(1_024, |(soft, _)| soft)
    });
    usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(MAX_CONNECTIONS).clamp(64, MAX_CONNECTIONS)
}

#[cfg(test)]
mod tests;
