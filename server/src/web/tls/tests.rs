use std::fs;
use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, WebSocketUpgrade};
use axum::http::Version;
use axum::routing::get;
use futures::{SinkExt as _, StreamExt as _};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::tungstenite::Message;

use super::*;
use crate::web::listen::Listening;

/// A certificate for `localhost` with its key, both in PEM.
fn certificate() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("certificate");
    (made.cert.pem(), made.signing_key.serialize_pem())
}

fn files(folder: &TempDir) -> TlsFiles {
    TlsFiles { cert: folder.path().join("cert.pem"), key: folder.path().join("key.pem") }
}

fn write(files: &TlsFiles, (cert, key): &(String, String)) {
    fs::write(&files.cert, cert).expect("write");
    fs::write(&files.key, key).expect("write");
}

struct Server {
    address: SocketAddr,
    end: Arc<Notify>,
    task: JoinHandle<Result<(), TlsError>>,
}

async fn start(files: TlsFiles, router: Router, drain: Duration) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
    let address = listener.local_addr().expect("address");
    let end = Arc::new(Notify::new());
    let ended = Arc::clone(&end);
    let task = tokio::spawn(async move {
        let exchange = Exchange::open(files)?;
        let tls = Some(exchange.acceptor.clone());
        let listening = Listening { listener, tls, service: router, limit: 100, drain };
        tokio::select! {
            () = listening.serve(async move { ended.notified().await }) => {}
            () = exchange.certificates.watch(Duration::from_millis(20)) => {}
        }
        Ok(())
    });
    Server { address, end, task }
}

impl Server {
    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address.port())
    }
}

/// A client that trusts this certificate alone and opens a new connection each time.
fn client(cert: &str) -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .resolve("localhost", "127.0.0.1:0".parse().expect("address"))
        .tls_built_in_root_certs(false)
        .add_root_certificate(reqwest::Certificate::from_pem(cert.as_bytes()).expect("certificate"))
        .pool_max_idle_per_host(0)
        .timeout(Duration::from_secs(20))
        .build()
        .expect("client")
}

fn whoami() -> Router {
    Router::new().route(
        "/whoami",
        get(|ConnectInfo(client): ConnectInfo<SocketAddr>| async move { client.ip().to_string() }),
    )
}

const SHORT: Duration = Duration::from_secs(5);

#[tokio::test]
async fn requests_are_served_to_who_trusts_the_certificate() {
    let folder = tempfile::tempdir().expect("folder");
    let made = certificate();
    write(&files(&folder), &made);
    let server = start(files(&folder), whoami(), SHORT).await;

    let answer = client(&made.0).get(server.url("/whoami")).send().await.expect("answer");
    assert_eq!(answer.version(), Version::HTTP_2);
    assert_eq!(answer.text().await.expect("text"), "127.0.0.1");

    let stranger = client(&certificate().0).get(server.url("/whoami")).send().await;
    assert!(stranger.is_err_and(|error| error.is_connect()));

    let plain = reqwest::Client::builder().no_proxy().build().expect("client");
    let plain = plain.get(server.url("/whoami").replace("https", "http")).send().await;
    assert!(plain.is_err(), "nothing is served without TLS");

    server.end.notify_one();
    server.task.await.expect("task").expect("ended well");
}

#[tokio::test]
async fn a_websocket_runs_over_tls() {
    let folder = tempfile::tempdir().expect("folder");
    let made = certificate();
    write(&files(&folder), &made);
    let echo = |upgrade: WebSocketUpgrade| async move {
        upgrade.on_upgrade(|mut socket| async move {
            while let Some(Ok(message)) = socket.next().await {
                if socket.send(message).await.is_err() {
                    break;
                }
            }
        })
    };
    let server = start(files(&folder), Router::new().route("/echo", get(echo)), SHORT).await;

    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(made.0.as_bytes()).expect("certificate")).expect("root");
    let config = ClientConfig::builder_with_provider(certificates::provider())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(server.address).await.expect("connect");
    let name = ServerName::try_from("localhost").expect("name");
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("handshake");
    let (mut socket, _) =
        tokio_tungstenite::client_async("wss://localhost/echo", stream).await.expect("upgrade");
    socket.send(Message::text("hello")).await.expect("send");
    assert_eq!(socket.next().await.expect("message").expect("message"), Message::text("hello"));
}

#[tokio::test]
async fn a_changed_certificate_is_taken_over_while_serving() {
    let folder = tempfile::tempdir().expect("folder");
    let (first, second) = (certificate(), certificate());
    let paths = files(&folder);
    write(&paths, &first);
    let server = start(paths.clone(), whoami(), SHORT).await;
    client(&first.0).get(server.url("/whoami")).send().await.expect("with the first");

    write(&paths, &second);
    let taken_over = async {
        while client(&second.0).get(server.url("/whoami")).send().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), taken_over).await.expect("with the second");
    assert!(client(&first.0).get(server.url("/whoami")).send().await.is_err());
}

#[tokio::test]
async fn files_that_cannot_be_used_change_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let (first, second) = (certificate(), certificate());
    let paths = files(&folder);
    write(&paths, &first);
    let certificates = Certificates::open(paths.clone()).expect("certificates");
    let in_force = || certificates.current().cert.clone();
    let before = in_force();
    assert!(!certificates.refresh().expect("same"));

    fs::write(&paths.cert, &second.0).expect("write");
    assert!(matches!(certificates.refresh(), Err(TlsError::Mismatch { .. })), "half exchanged");
    assert_eq!(in_force(), before);
    fs::write(&paths.key, &second.1).expect("write");
    assert!(certificates.refresh().expect("second"));
    assert_ne!(in_force(), before);
}

#[test]
fn errors_name_the_file_and_what_is_wrong_with_it() {
    let folder = tempfile::tempdir().expect("folder");
    let paths = files(&folder);
    let (first, second) = (certificate(), certificate());
    let error = || Certificates::open(paths.clone()).expect_err("refused").to_string();

    assert!(error().contains("cert.pem cannot be read"), "{}", error());
    fs::write(&paths.cert, &first.0).expect("write");
    assert!(error().contains("key.pem cannot be read"), "{}", error());
    for broken in ["", "not PEM", &first.1] {
        write(&paths, &(broken.to_owned(), first.1.clone()));
        assert!(error().contains("cert.pem holds no certificate"), "{}", error());
    }
    for broken in ["", "not PEM", &first.0] {
        write(&paths, &(first.0.clone(), broken.to_owned()));
        assert!(error().contains("key.pem holds no private key"), "{}", error());
    }
    write(&paths, &(first.0, second.1));
    assert!(error().contains("key.pem does not belong to the certificate in"), "{}", error());
}

/// Says when a request has come, and answers when told to.
#[derive(Default)]
struct Gate {
    begun: Notify,
    release: Notify,
}

impl Gate {
    fn router(self: &Arc<Self>) -> Router {
        let gate = Arc::clone(self);
        let handler = move || {
            let gate = Arc::clone(&gate);
            async move {
                gate.begun.notify_one();
                gate.release.notified().await;
                "done"
            }
        };
        Router::new().route("/", get(handler))
    }
}

#[tokio::test]
async fn open_requests_end_but_not_for_ever() {
    let folder = tempfile::tempdir().expect("folder");
    let made = certificate();
    write(&files(&folder), &made);
    let gate = Arc::new(Gate::default());

    let server = start(files(&folder), gate.router(), Duration::from_mins(1)).await;
    let request = tokio::spawn(client(&made.0).get(server.url("/")).send());
    gate.begun.notified().await;
    server.end.notify_one();
    gate.release.notify_one();
    assert_eq!(request.await.expect("task").expect("answer").text().await.expect("text"), "done");
    server.task.await.expect("task").expect("drained");

    let server = start(files(&folder), gate.router(), Duration::from_millis(50)).await;
    let hanging = tokio::spawn(client(&made.0).get(server.url("/")).send());
    gate.begun.notified().await;
    server.end.notify_one();
    server.task.await.expect("task").expect("gave up");
    hanging.abort();
}
