//! The WebSocket of Java delegates, from handshake to acknowledgement (agent-protocol 7.1 to 7.4).

use std::net::SocketAddr;

use fleet::delegate::Transport;
use futures::{SinkExt as _, StreamExt as _};
use server::agent::{AgentSettings, UnknownId};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::world::{NOW, V1, V2, World, body, fixture};

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// The frame of the fixture.
pub(crate) const FRAME: &str = fixture!("java-ws-heartbeat.txt");
/// The query of a delegate that has registered.
pub(crate) fn query(jwe: &str) -> String {
    format!(
        "delegateId=d-java-0001&delegateTokenName=&delegateConnectionId=c&token={jwe}&sequenceNum=&version=26.09.89620&X-Atmosphere-Framework=4"
    )
}

pub(crate) async fn open(address: SocketAddr, query: &str) -> Socket {
    connect_async(format!("ws://{address}/stream/delegate/ACC?{query}")).await.unwrap().0
}

pub(crate) async fn say(socket: &mut Socket, text: &str) {
    socket.send(Message::text(text)).await.unwrap();
}

/// The next text; anything else would be a surprise.
pub(crate) async fn hear(socket: &mut Socket) -> String {
    match socket.next().await {
        Some(Ok(Message::Text(text))) => text.as_str().to_owned(),
        other => panic!("no text: {other:?}"),
    }
}

/// The close code that ends the connection; texts on the way are returned.
pub(crate) async fn end(socket: &mut Socket) -> (Vec<String>, u16) {
    let mut texts = Vec::new();
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => texts.push(text.as_str().to_owned()),
            Some(Ok(Message::Close(Some(frame)))) => return (texts, frame.code.into()),
            other => panic!("no close: {other:?}"),
        }
    }
}

/// The acknowledgement of the fixture's frame at this instant.
pub(crate) fn ack(millis: i64) -> String {
    fixture!("ws-ack.txt").replace("1700000000123", &millis.to_string())
}

/// Status and body of a refused handshake.
async fn refused(url: String) -> (u16, Vec<u8>) {
    match connect_async(url).await {
        Err(Error::Http(response)) => (response.status().as_u16(), response.into_body().unwrap_or_default()),
        other => panic!("not refused: {:?}", other.map(|_| "open")),
    }
}

#[tokio::test]
async fn t10_a_heartbeat_is_acknowledged_byte_for_byte() {
    let world = World::new().await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    world.clock.advance(50_000);
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis() + 50_000));
}

#[tokio::test]
async fn a_java_delegate_registers_and_beats_over_its_socket() {
    let world = World::new().await;
    let id = world.registered(fixture!("java-register.json")).await;
    world.clock.advance(50_000);
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, &FRAME.replace("d-java-0001", &id)).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis() + 50_000).replace("d-java-0001", &id));
    let instance = world.instance().await;
    assert_eq!(*instance.facts.id, *id);
    assert_eq!(instance.last_heartbeat, Some(NOW.plus(50_000)));
    assert_eq!(instance.facts.transport, Transport::WebSocket);
    assert!(world.metrics().contains("rollcall_ws_connections 1"));
}

#[tokio::test]
async fn t12_booleans_of_frames_do_not_overwrite_what_was_registered() {
    let world = World::new().await;
    let id = world.registered(fixture!("java-register.json")).await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    let frame = FRAME.replace("d-java-0001", &id).replace("26.09.89620", "26.10.90107");
    assert!(frame.contains(r#""ng":false,"immutable":false"#));
    say(&mut socket, &frame.replacen('{', r#"{"hostName":"other","tags":["x"],"delegateName":"y","#, 1))
        .await;
    hear(&mut socket).await;
    let facts = world.instance().await.facts;
    assert_eq!((facts.ng, facts.immutable, &*facts.host_name), (true, Some(true), "edge-a-7c9d5b6f4-x2kqp"));
    assert_eq!(facts.tags.len(), 2);
    assert_eq!(facts.version.as_ref().unwrap().as_str(), "26.10.90107", "the version is taken");
}

#[tokio::test]
async fn the_short_acknowledgement_only_where_the_registration_asked_for_it() {
    let world = World::new().await;
    let id = world.registered(&body("n", "h", r#""heartbeatAsObject":false"#)).await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, &FRAME.replace("d-java-0001", &id)).await;
    assert_eq!(hear(&mut socket).await, format!("[X]{id}"));
    let id = world.registered(&body("n", "h2", "")).await;
    let frame = FRAME.replace("d-java-0001", &id);
    say(&mut socket, &frame.replace(r#""heartbeatAsObject":true"#, r#""heartbeatAsObject":false"#)).await;
    assert!(hear(&mut socket).await.starts_with(r#"{"eventType":"#));
}

#[tokio::test]
async fn an_unknown_id_is_kept_as_a_placeholder_until_it_registers() {
    let world = World::new().await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    let group = &world.groups("ACC").await[0];
    assert_eq!(&*group.facts.name, "unidentified");
    let facts = &group.members[0].facts;
    assert_eq!((&*facts.id, facts.incomplete), ("d-java-0001", true));
    assert_eq!(facts.version.as_ref().unwrap().as_str(), "26.09.89620");
    world.heartbeat(fixture!("java-heartbeat-rest.json")).await;
    let groups = world.groups("ACC").await;
    assert_eq!(groups.len(), 1);
    assert_eq!((&*groups[0].facts.name, groups[0].members[0].facts.incomplete), ("edge-a", false));
}

#[tokio::test]
async fn an_unknown_id_is_destroyed_where_that_is_set() {
    let world =
        World::with(AgentSettings { unknown_id: UnknownId::SelfDestruct, ..AgentSettings::default() }).await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, "[SELF_DESTRUCT]d-java-0001");
    assert!(world.instances().await.is_empty());
}

#[tokio::test]
async fn a_bad_credential_is_refused_before_the_upgrade_with_an_empty_body() {
    let world = World::new().await;
    world.issue("theirs", "OTHER", "ffeeddccbbaa99887766554433221100").await;
    world.reload().await;
    let address = world.listen().await;
    for (account, jwe) in [("ACC", "nonsense"), ("ACC", &*format!("{V2}x")), ("OTHER", V2)] {
        let url = format!("ws://{address}/stream/delegate/{account}?{}", query(jwe));
        assert_eq!(refused(url).await, (401, Vec::new()));
    }
    world.clock.advance(3_000_000_000);
    assert_eq!(refused(format!("ws://{address}/stream/delegate/ACC?{}", query(V1))).await, (401, Vec::new()));
    world.tokens.revoke("id-of-edge");
    assert_eq!(refused(format!("ws://{address}/stream/delegate/ACC?{}", query(V2))).await, (401, Vec::new()));
}

#[tokio::test]
async fn t22_a_server_without_tokens_refuses_with_503() {
    let world = World::unready(AgentSettings::default()).await;
    let address = world.listen().await;
    for jwe in [V2, ""] {
        let (status, body) = refused(format!("ws://{address}/stream/delegate/ACC?{}", query(jwe))).await;
        assert_eq!(status, 503);
        assert!(String::from_utf8(body).unwrap().contains("UNAVAILABLE"));
    }
}

#[tokio::test]
async fn t18_prefix_and_doubled_slashes_reach_the_socket() {
    let world = World::new().await;
    let address = world.listen().await;
    for prefix in ["", "/", "/gratis", "/gratis/"] {
        let url = format!("ws://{address}{prefix}/stream/delegate/ACC?{}", query(V2));
        let (mut socket, _) = connect_async(url).await.unwrap();
        say(&mut socket, FRAME).await;
        assert_eq!(hear(&mut socket).await, ack(NOW.millis()), "{prefix}");
    }
}

#[tokio::test]
async fn an_offered_sub_protocol_is_accepted_without_choosing_it() {
    let world = World::new().await;
    let address = world.listen().await;
    let mut request =
        format!("ws://{address}/stream/delegate/ACC?{}", query(V2)).into_client_request().unwrap();
    request.headers_mut().insert("sec-websocket-protocol", "json, xml".parse().unwrap());
    // This client insists on a choice, so the refusal is its own: the server has answered 101 without one.
    match connect_async(request).await {
        Ok((_, response)) => assert!(!response.headers().contains_key("sec-websocket-protocol")),
        Err(Error::Protocol(error)) => assert!(error.to_string().contains("SubProtocol"), "{error}"),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn pings_are_answered_and_binary_frames_are_read_like_text() {
    let world = World::new().await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    socket.send(Message::Ping(Bytes::from_static(b"hello"))).await.unwrap();
    assert!(matches!(socket.next().await, Some(Ok(Message::Pong(data))) if data.as_ref() == b"hello"));
    socket.send(Message::binary(FRAME.as_bytes().to_vec())).await.unwrap();
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
}
