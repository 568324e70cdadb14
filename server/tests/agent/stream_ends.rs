//! Frames that do not count, and how a WebSocket ends (agent-protocol 7.3, 7.5).

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use server::agent::AgentSettings;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::error::Error;

use crate::stream::{FRAME, Socket, ack, end, hear, open, query, say};
use crate::token_shortcuts::TokenShortcuts as _;
use crate::world::{NOW, V1, V1_EXP, V2, World, eventually, fixture};

const POLICY: u16 = 1008;

async fn connected(world: &World) -> Socket {
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    socket
}

#[tokio::test]
async fn without_a_token_no_frame_counts_until_one_brings_it() {
    let world = World::new().await;
    let mut socket = open(world.listen().await, "delegateId=&token=").await;
    let bare = FRAME.replace(V2, "");
    say(&mut socket, &bare).await;
    say(&mut socket, &FRAME.replace(r#""token":"#, r#""tokenless":"#)).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()), "the first answer is for the third frame");
    assert!(world.metrics().contains(r#"rollcall_agent_dropped_frames_total{reason="no_token"} 2"#));
    say(&mut socket, &bare).await;
    say(&mut socket, FRAME).await;
    hear(&mut socket).await;
    assert!(world.metrics().contains(r#"rollcall_agent_dropped_frames_total{reason="no_token"} 3"#));
}

#[tokio::test]
async fn a_connection_that_never_brings_a_token_is_closed() {
    let world =
        World::with(AgentSettings { token_wait: Duration::from_millis(20), ..AgentSettings::default() })
            .await;
    let address = world.listen().await;
    let mut silent = open(address, "").await;
    assert_eq!(end(&mut silent).await, (Vec::new(), POLICY));
    let mut proven = open(address, &query(V2)).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    say(&mut proven, FRAME).await;
    assert_eq!(hear(&mut proven).await, ack(NOW.millis()), "a valid handshake has no such end");
}

#[tokio::test]
async fn a_frame_with_an_invalid_token_ends_the_connection_without_a_word() {
    let world = World::new().await;
    for bad in ["nonsense".to_owned(), format!("{V2}x"), V2.replace("UPdet", "UPdeu")] {
        let mut socket = connected(&world).await;
        say(&mut socket, &FRAME.replace(V2, &bad)).await;
        assert_eq!(end(&mut socket).await, (Vec::new(), POLICY));
    }
}

#[tokio::test]
async fn a_frame_with_an_expired_token_ends_the_connection_without_a_word() {
    let world = World::new().await;
    let mut socket = open(world.listen().await, &query(V1)).await;
    let frame = FRAME.replace(V2, V1);
    world.clock.advance(V1_EXP + 299_999 - NOW.millis());
    say(&mut socket, &frame).await;
    hear(&mut socket).await;
    world.clock.advance(1);
    say(&mut socket, &frame).await;
    assert_eq!(end(&mut socket).await, (Vec::new(), POLICY));
}

#[tokio::test]
async fn a_revoked_token_destroys_and_closes_every_connection_at_once() {
    let world = World::new().await;
    let mut sockets = Vec::new();
    for _ in 0..5 {
        sockets.push(connected(&world).await);
    }
    let mut fresh = open(world.listen().await, &query(V2)).await;
    let mut nameless = open(world.listen().await, &format!("token={V2}")).await;
    world.store.revoke_token(&"ACC".parse().unwrap(), "edge", NOW).await.unwrap();
    world.reload().await;
    // No frame is needed to learn it.
    for socket in &mut sockets {
        assert_eq!(end(socket).await, (vec!["[SELF_DESTRUCT]d-java-0001".to_owned()], POLICY));
    }
    assert_eq!(end(&mut fresh).await, (vec!["[SELF_DESTRUCT]d-java-0001".to_owned()], POLICY));
    // Without an id the frame would destroy the whole account.
    assert_eq!(end(&mut nameless).await, (Vec::new(), POLICY));
}

#[tokio::test]
async fn a_frame_of_a_token_that_is_revoked_by_its_date_destroys() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    let token = world.tokens.authenticate("ACC", V2, None, NOW).unwrap().token;
    token.set_revoke_after(Some(NOW.plus(1)));
    world.clock.advance(1);
    say(&mut socket, FRAME).await;
    assert_eq!(end(&mut socket).await, (vec!["[SELF_DESTRUCT]d-java-0001".to_owned()], POLICY));
}

#[tokio::test]
async fn frames_of_another_account_are_dropped() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    for _ in 0..4 {
        say(&mut socket, &FRAME.replace("ACC", "OTHER")).await;
    }
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    assert_eq!(world.instances().await.len(), 1);
}

#[tokio::test]
async fn ids_that_could_do_harm_in_a_frame_are_never_repeated() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    for id in ["INVALID_TOKEN", "a\\\"b", "", "two words"] {
        say(&mut socket, &FRAME.replace("d-java-0001", id)).await;
    }
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
}

#[tokio::test]
async fn three_unreadable_frames_in_a_row_close_and_two_do_not() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(256 * 1024));
    for _ in 0..2 {
        say(&mut socket, "not json").await;
        say(&mut socket, &large).await;
        say(&mut socket, FRAME).await;
        assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    }
    for text in ["[]", "x", &large] {
        say(&mut socket, text).await;
    }
    assert_eq!(end(&mut socket).await, (Vec::new(), POLICY));
    let metrics = world.metrics();
    assert!(metrics.contains(r#"rollcall_agent_dropped_frames_total{reason="too_large"} 3"#));
    assert!(metrics.contains(r#"rollcall_agent_dropped_frames_total{reason="not_json"} 4"#));
}

#[tokio::test]
async fn a_frame_of_exactly_256_kibibytes_counts() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    let padding = 256 * 1024 - FRAME.len() - r#""x":"","#.len();
    let frame = FRAME.replacen('{', &format!(r#"{{"x":"{}","#, "x".repeat(padding)), 1);
    assert_eq!(frame.len(), 256 * 1024);
    say(&mut socket, &frame).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
}

#[tokio::test]
async fn t22_while_tokens_cannot_be_checked_frames_are_dropped_and_the_connection_stays() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    world.tokens.doubt();
    say(&mut socket, &FRAME.replace(V2, &V2.replace("UPdet", "UPdeu"))).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    assert!(world.metrics().contains(r#"rollcall_agent_dropped_frames_total{reason="unavailable"} 1"#));
}

#[tokio::test]
async fn the_number_of_connections_is_bounded() {
    let world = World::with(AgentSettings { stream_limit: 2, ..AgentSettings::default() }).await;
    let address = world.listen().await;
    let (first, second) = (open(address, &query(V2)).await, open(address, &query(V2)).await);
    let url = format!("ws://{address}/stream/delegate/ACC?{}", query(V2));
    match connect_async(&url).await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 503),
        other => panic!("not refused: {:?}", other.map(|_| "open")),
    }
    assert!(world.metrics().contains("rollcall_ws_connections 2"));
    drop(first);
    // The place is free again as soon as the server has noticed.
    eventually(async || connect_async(&url).await.is_ok()).await;
    drop(second);
}

#[tokio::test]
async fn a_server_that_stops_says_goodbye() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    world.shutdown.cancel();
    assert_eq!(end(&mut socket).await, (Vec::new(), 1001));
    eventually(async || world.metrics().contains("rollcall_ws_connections 0")).await;
}

#[tokio::test]
async fn a_lost_connection_is_no_disconnect() {
    let world = World::new().await;
    drop(connected(&world).await);
    eventually(async || world.metrics().contains("rollcall_ws_connections 0")).await;
    let instance = world.instance().await;
    assert_eq!(instance.assessment.connectivity, fleet::health::Connectivity::Connected);
}

#[tokio::test]
async fn no_frame_brings_the_server_down() {
    let world = World::new().await;
    let address = world.listen().await;
    let mut runner = TestRunner::deterministic();
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let damage = (0..FRAME.len(), any::<u8>());
    for _ in 0..200 {
        let mut socket = open(address, &query(V2)).await;
        let (at, byte) = damage.new_tree(&mut runner).unwrap().current();
        let mut damaged = FRAME.as_bytes().to_vec();
        damaged[at] = byte;
        let noise = bytes.new_tree(&mut runner).unwrap().current();
        for frame in [noise.clone(), damaged, noise] {
            // The server may have closed already; what matters is that it lives.
            let _ = socket.send(Message::binary(frame)).await;
        }
        let _ = socket.close(None).await;
        while let Some(Ok(_)) = socket.next().await {}
    }
    assert_eq!(world.registered(fixture!("go-register.json")).await.len(), 22);
}

#[tokio::test]
async fn a_connection_that_never_stops_talking_is_closed() {
    let world = World::new().await;
    let mut socket = connected(&world).await;
    // A delegate sends one frame in 50 s.
    for _ in 0..600 {
        if socket.send(Message::Ping(Vec::new().into())).await.is_err() {
            break;
        }
    }
    let mut code = None;
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Close(frame) = message {
            code = frame.map(|frame| u16::from(frame.code));
        }
    }
    assert_eq!(code, Some(POLICY));
    assert!(world.metrics().contains(r#"rollcall_agent_dropped_frames_total{reason="too_many"} 1"#));
}
