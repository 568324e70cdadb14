//! Serves over TLS: certificates from files, read again when they change.

mod certificates;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;
use tower::Service;

pub use certificates::Certificates;

/// How often the files are looked at.
const CHECK_EVERY: Duration = Duration::from_secs(20);
/// How long a client may take until it and this server have agreed on keys.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes at once; whoever comes later waits in the queue of the system.
const MAX_HANDSHAKES: usize = 512;
/// How long to wait when the system gives no more connections.
const PAUSE: Duration = Duration::from_secs(1);

/// Where certificate and key are, both in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those between it and the root.
    pub cert: PathBuf,
    /// Its private key: PKCS #8, PKCS #1 or SEC 1, without a password.
    pub key: PathBuf,
}

/// Why there can be no TLS. Names the file; holds no key material.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is missing or cannot be read.
    #[error("tls: {} cannot be read: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A file has no certificate in it, or a broken one.
    #[error("tls: {} holds no certificate in PEM that can be used", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// A file has no private key in it, or one that is of no use.
    #[error("tls: {} holds no private key in PEM without a password that can be used", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The two do not belong together.
    #[error("tls: the key in {} does not belong to the certificate in {}", key.display(), cert.display())]
    Mismatch {
        /// File of the key.
        key: PathBuf,
        /// File of the certificate.
        cert: PathBuf,
    },
    /// The protocol cannot be set up.
    #[error("tls: {0}")]
    Setup(#[from] rustls::Error),
    /// The listener failed.
    #[error("tls: the listener failed: {0}")]
    Listener(#[from] io::Error),
}

/// Serves HTTP/1.1 and HTTP/2 over TLS until `ended`, then lets open requests end for `drain`.
///
/// Handlers find the client in `ConnectInfo<SocketAddr>`. Changed files are taken over within a minute; while they
/// cannot be used, the certificate before them stays. [`Certificates::open`] tells beforehand whether they can be.
///
/// # Errors
/// The files cannot be used at the start, or the listener is of no use.
pub async fn serve<S>(
    listener: TcpListener,
    service: S,
    files: TlsFiles,
    ended: impl Future<Output = ()> + Send + 'static,
    drain: Duration,
) -> Result<(), TlsError>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    serve_checking_every(CHECK_EVERY, listener, service, files, ended, drain).await
}

async fn serve_checking_every<S>(
    every: Duration,
    listener: TcpListener,
    service: S,
    files: TlsFiles,
    ended: impl Future<Output = ()> + Send + 'static,
    drain: Duration,
) -> Result<(), TlsError>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let certificates = Arc::new(Certificates::open(files)?);
    let listener = TlsListener::start(listener, server_config(&certificates)?)?;
    let (stopping, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let serve = axum::serve(listener, PerConnection(service)).with_graceful_shutdown(async move {
        ended.await;
        drop(stopping);
    });
    let late = async {
        let _ = (&mut stopped).await;
        tokio::time::sleep(drain).await;
    };
    tokio::select! {
        served = async { serve.await } => served?,
        () = late => tracing::warn!("requests were still open after {} s", drain.as_secs()),
        () = certificates.watch(every) => {}
    }
    Ok(())
}

fn server_config(certificates: &Arc<Certificates>) -> Result<Arc<ServerConfig>, TlsError> {
    let mut config = ServerConfig::builder_with_provider(certificates::provider())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::clone(certificates) as _);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Hands out connections whose handshake is done, so that a slow one holds up nobody.
struct TlsListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
    // Ends with the listener, and its handshakes with it.
    _tasks: JoinSet<()>,
}

impl TlsListener {
    fn start(listener: TcpListener, config: Arc<ServerConfig>) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (sender, ready) = mpsc::channel(1);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, TlsAcceptor::from(config), sender));
        Ok(Self { ready, address, _tasks: tasks })
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            // The task that accepts ends with this listener only.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    ready: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let places = Arc::new(Semaphore::new(MAX_HANDSHAKES));
    let mut handshakes = JoinSet::new();
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        while handshakes.try_join_next().is_some() {}
        let (stream, address) = match listener.accept().await {
            Ok(connection) => connection,
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let (acceptor, ready) = (acceptor.clone(), ready.clone());
        handshakes.spawn(async move {
            let shaken = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await;
            // Port scanners and plain HTTP end here; they are no news.
            if let Ok(Ok(stream)) = shaken {
                let _ = ready.send((stream, address)).await;
            }
            drop(place);
        });
    }
}

/// Gives each connection the service, with the client's address in every request.
#[derive(Clone)]
struct PerConnection<S>(S);

impl<S: Clone> Service<IncomingStream<'_, TlsListener>> for PerConnection<S> {
    type Response = WithClient<S>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<WithClient<S>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, stream: IncomingStream<'_, TlsListener>) -> Self::Future {
        let client = *stream.remote_addr();
        std::future::ready(Ok(WithClient { service: self.0.clone(), client }))
    }
}

/// See [`PerConnection`].
#[derive(Clone)]
struct WithClient<S> {
    service: S,
    client: SocketAddr,
}

impl<S: Service<Request>> Service<Request> for WithClient<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> S::Future {
        request.extensions_mut().insert(ConnectInfo(self.client));
        self.service.call(request)
    }
}

#[cfg(test)]
mod tests;
