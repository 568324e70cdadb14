use axum::Router;
use axum::body::Bytes;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;

struct Server {
    address: SocketAddr,
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

async fn start(limit: usize) -> Server {
    let router = Router::new()
        .route(
            "/whoami",
            get(|ConnectInfo(client): ConnectInfo<SocketAddr>| async move { client.ip().to_string() }),
        )
        .route("/length", post(|body: Bytes| async move { body.len().to_string() }));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
    let address = listener.local_addr().expect("address");
    let (end, ended) = oneshot::channel();
    let listening = Listening { listener, tls: None, service: router, limit, drain: Duration::from_secs(5) };
    let task = tokio::spawn(listening.serve(async move {
        let _ = ended.await;
    }));
    Server { address, end, task }
}

async fn ask(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = vec![0; 4_096];
    let length = stream.read(&mut answer).await.expect("answer");
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

const WHO: &str = "GET /whoami HTTP/1.1\r\nhost: a\r\n\r\n";

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other_and_knows_its_client() {
    let server = start(10).await;
    let mut stream = TcpStream::connect(server.address).await.expect("connect");
    for _ in 0..2 {
        let answer = ask(&mut stream, WHO).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("127.0.0.1"), "{answer}");
    }
    server.end.send(()).expect("running");
    server.task.await.expect("ends although an idle connection is open");
}

#[tokio::test]
async fn who_finds_no_room_is_told_when_to_come_again() {
    let server = start(1).await;
    let mut first = TcpStream::connect(server.address).await.expect("connect");
    assert!(ask(&mut first, WHO).await.starts_with("HTTP/1.1 200"));
    let mut second = TcpStream::connect(server.address).await.expect("connect");
    let mut answer = String::new();
    second.read_to_string(&mut answer).await.expect("answer");
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 5"), "{answer}");
    drop(first);
    // The seat is free again once the server has noticed.
    loop {
        let mut third = TcpStream::connect(server.address).await.expect("connect");
        if ask(&mut third, WHO).await.starts_with("HTTP/1.1 200") {
            break;
        }
    }
}

#[tokio::test]
async fn a_head_beyond_the_bounds_is_refused_and_the_connection_ends() {
    let server = start(10).await;
    let mut stream = TcpStream::connect(server.address).await.expect("connect");
    let long = format!("GET /whoami HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "y".repeat(2 * MAX_HEAD));
    // It may be refused before all of it is sent.
    let _ = stream.write_all(long.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn an_open_request_may_end_after_the_signal() {
    let server = start(10).await;
    let mut stream = TcpStream::connect(server.address).await.expect("connect");
    let head = "POST /length HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\nexpect: 100-continue\r\n\r\n";
    assert!(ask(&mut stream, head).await.starts_with("HTTP/1.1 100"));
    server.end.send(()).expect("running");
    tokio::task::yield_now().await;
    let answer = ask(&mut stream, "body").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with('4'), "{answer}");
    server.task.await.expect("ended");
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody listens any more");
}
