//! Delegates that wait, are turned away, or call from somewhere else (agent-protocol 4.3, 7.5, 9.4, 9.5).

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use fleet::delegate::Approval;
use fleet::policy::DeletedPolicy;
use fleet::time::DAY;
use server::agent::AgentSettings;
use server::roster::{Inherited, Reference};
use tokio_tungstenite::connect_async;

use crate::stream::{FRAME, ack, end, hear, open, query, say};
use crate::world::{HEARTBEAT, NOW, REGISTER, V2, World, body, eventually, fixture, request};

const POLICY: u16 = 1008;

impl World {
    fn set(&self, change: impl FnOnce(&mut Reference)) {
        let mut reference = (*self.roster.reference()).clone();
        change(&mut reference);
        self.roster.set_reference(reference);
    }

    fn refuse(&self) {
        self.set(|reference| {
            reference.deleted = Inherited { server: Some(DeletedPolicy::Refuse), ..Inherited::default() };
        });
    }

    /// Only these networks may register.
    fn allow_only(&self, networks: &str) {
        let list: Arc<[_]> = networks.split(' ').map(|network| network.parse().unwrap()).collect();
        self.set(|reference| reference.allowlists = [("ACC".to_owned(), list)].into());
    }

    /// The internal id of the only group.
    async fn group(&self) -> Arc<str> {
        Arc::clone(&self.groups("ACC").await[0].facts.id)
    }

    async fn delete(&self) {
        let group = self.group().await;
        let deletion = self.roster.deletion("ACC", &group, None, "a@example.com", self.clock.now()).unwrap();
        self.roster.apply_tombstone(&deletion.tombstone);
    }

    /// The status of a REST heartbeat under this id.
    async fn status(&self, id: &str) -> String {
        let heartbeat = body("edge", "edge-a", &format!(r#""delegateId":"{id}""#));
        let answer = self.heartbeat(&heartbeat).await.json();
        assert_eq!(answer["resource"]["delegateId"], id);
        answer["resource"]["status"].as_str().unwrap().to_owned()
    }

    /// The status code of a call from an address, with what proxies say.
    async fn from(&self, uri: &str, body: &str, peer: &str, forwarded: Option<&str>) -> (StatusCode, String) {
        let mut call = request("POST", uri, V2, body);
        let peer = SocketAddr::new(peer.parse().unwrap(), 40_000);
        call.extensions_mut().insert(ConnectInfo(peer));
        if let Some(forwarded) = forwarded {
            call.headers_mut().insert("x-forwarded-for", forwarded.parse().unwrap());
        }
        let answer = self.send(call).await;
        let code = if answer.status == StatusCode::OK { String::new() } else { answer.code() };
        (answer.status, code)
    }
}

#[tokio::test]
async fn t13_a_delegate_that_waits_is_told_so_until_it_is_approved_or_rejected() {
    let world = World::new().await;
    world.set(|reference| {
        reference.approval = Inherited { server: Some(true), ..Inherited::default() };
    });
    let id = world.registered(&body("edge", "edge-a", "")).await;
    assert_eq!(world.status(&id).await, "WAITING_FOR_APPROVAL");
    let group = world.group().await;
    world.roster.set_approval("ACC", &group, Approval::Approved, NOW);
    assert_eq!(world.status(&id).await, "ENABLED");
    world.roster.set_approval("ACC", &group, Approval::Rejected, NOW);
    assert_eq!(world.status(&id).await, "DISABLED");
    let fresh = world.registered(&body("edge", "edge-a", "")).await;
    assert_ne!(fresh, id);
    assert_eq!(world.status(&fresh).await, "DISABLED");
    assert!(world.groups("ACC").await.is_empty());
}

#[tokio::test]
async fn a_rejected_delegate_is_acknowledged_over_its_socket_and_not_listed() {
    let world = World::new().await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    world.roster.set_approval("ACC", &world.group().await, Approval::Rejected, NOW);
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()), "it keeps running, unused");
    assert!(world.groups("ACC").await.is_empty());
}

#[tokio::test]
async fn a_deleted_delegate_that_is_refused_is_told_deleted() {
    let world = World::new().await;
    let id = world.registered(&body("edge", "edge-a", "")).await;
    world.refuse();
    world.delete().await;
    let fresh = world.registered(&body("edge", "edge-a", "")).await;
    assert_eq!((fresh.len(), fresh == id), (22, false));
    for sent in [&*id, &*fresh, "d-unknown"] {
        assert_eq!(world.status(sent).await, "DELETED", "{sent}");
    }
    assert!(world.groups("ACC").await.is_empty());
    assert_eq!(world.roster.refusals("ACC").len(), 1);
}

#[tokio::test]
async fn a_deleted_delegate_that_may_come_back_is_enabled_by_its_next_call() {
    let world = World::new().await;
    let id = world.registered(&body("edge", "edge-a", "")).await;
    world.delete().await;
    assert!(world.groups("ACC").await.is_empty());
    assert_eq!(world.status(&id).await, "ENABLED");
    assert_eq!(world.groups("ACC").await[0].facts.returned_at, Some(NOW));
}

#[tokio::test]
async fn frames_of_a_refused_delegate_destroy_it_under_its_own_and_under_a_fresh_id() {
    let world = World::new().await;
    let register = fixture!("java-register.json");
    let id = world.registered(register).await;
    world.refuse();
    world.delete().await;
    let fresh = world.registered(register).await;
    let address = world.listen().await;
    for sent in [id, fresh] {
        let mut socket = open(address, &query(V2)).await;
        say(&mut socket, &FRAME.replace("d-java-0001", &sent)).await;
        assert_eq!(end(&mut socket).await, (vec![format!("[SELF_DESTRUCT]{sent}")], POLICY));
    }
    assert!(world.groups("ACC").await.is_empty(), "not even a placeholder is listed");
}

#[tokio::test]
async fn who_is_not_on_the_list_cannot_register_and_is_told_neutrally() {
    let world = World::new().await;
    world.allow_only("192.0.2.0/24 2001:db8::/32");
    let denied = (StatusCode::FORBIDDEN, "ACCESS_DENIED".to_owned());
    let taken = (StatusCode::OK, String::new());
    let register = body("edge", "edge-a", "");
    for (peer, expected) in [
        ("192.0.2.255", &taken),
        ("::ffff:192.0.2.1", &taken),
        ("2001:db8::1", &taken),
        ("192.0.3.0", &denied),
        ("::1", &denied),
    ] {
        assert_eq!(&world.from(REGISTER, &register, peer, None).await, expected, "{peer}");
    }
    assert_eq!(
        world.from(REGISTER, &register, "198.51.100.1", Some("192.0.2.1")).await,
        denied,
        "no proxy of ours"
    );
    assert_eq!(
        world.register(&register).await.status,
        StatusCode::FORBIDDEN,
        "an unknown address is on no list"
    );
}

#[tokio::test]
async fn heartbeats_are_checked_only_where_they_make_a_row() {
    let world = World::new().await;
    let known = world.registered(&body("edge", "edge-a", "")).await;
    world.allow_only("192.0.2.0/24");
    let beat = |id: &str| body("edge", "edge-b", &format!(r#""delegateId":"{id}""#));
    assert_eq!(world.from(HEARTBEAT, &beat(&known), "198.51.100.1", None).await.0, StatusCode::OK);
    assert_eq!(world.from(HEARTBEAT, &beat("d-new"), "198.51.100.1", None).await.0, StatusCode::FORBIDDEN);
    assert_eq!(world.instances().await.len(), 1);
    assert_eq!(world.from(HEARTBEAT, &beat("d-new"), "192.0.2.1", None).await.0, StatusCode::OK);
    assert_eq!(world.instances().await.len(), 2);
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_last_untrusted_hop_counts() {
    let trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
    let world = World::with(AgentSettings { trusted_proxies, ..AgentSettings::default() }).await;
    world.allow_only("192.0.2.0/24");
    let register = body("edge", "edge-a", "");
    for (forwarded, status) in [
        (Some("192.0.2.1"), StatusCode::OK),
        (Some("198.51.100.1, 192.0.2.1, 10.0.0.2"), StatusCode::OK),
        (Some("192.0.2.1, 198.51.100.1"), StatusCode::FORBIDDEN),
        (Some("nonsense"), StatusCode::FORBIDDEN),
        (None, StatusCode::FORBIDDEN),
    ] {
        let answer = world.from(REGISTER, &register, "10.0.0.1", forwarded).await;
        assert_eq!(answer.0, status, "{forwarded:?}");
    }
}

#[tokio::test]
async fn a_blocked_source_is_told_once_a_day() {
    let world = World::new().await;
    world.allow_only("192.0.2.0/24");
    let register = body("edge", "edge-a", "");
    for peer in ["198.51.100.1", "198.51.100.1", "198.51.100.2"] {
        world.from(REGISTER, &register, peer, None).await;
    }
    let told = || {
        let blocked = world.agent.take_blocked().into_iter();
        blocked.map(|blocked| (blocked.account.to_string(), blocked.address, blocked.at)).collect::<Vec<_>>()
    };
    let line = |last: u8, at| ("ACC".to_owned(), Some(IpAddr::from([198, 51, 100, last])), at);
    assert_eq!(told(), [line(1, NOW), line(2, NOW)]);
    world.from(REGISTER, &register, "198.51.100.1", None).await;
    assert_eq!(told(), []);
    world.clock.advance(DAY);
    world.from(REGISTER, &register, "198.51.100.1", None).await;
    assert_eq!(told(), [line(1, NOW.plus(DAY))]);
}

#[tokio::test]
async fn frames_from_elsewhere_make_no_placeholder() {
    let world = World::new().await;
    world.allow_only("192.0.2.0/24");
    let address = world.listen().await;
    let mut socket = open(address, &query(V2)).await;
    say(&mut socket, FRAME).await;
    let dropped = r#"rollcall_agent_dropped_frames_total{reason="address"} 1"#;
    eventually(async || world.metrics().contains(dropped)).await;
    world.allow_only("127.0.0.0/8");
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()), "the first answer is for the second frame");
    assert_eq!(world.instances().await.len(), 1);
    assert_eq!(world.agent.take_blocked()[0].address, Some(IpAddr::from([127, 0, 0, 1])));
}

#[tokio::test]
async fn a_token_that_is_due_is_revoked_over_both_transports() {
    let world = World::new().await;
    let mut socket = open(world.listen().await, &query(V2)).await;
    say(&mut socket, FRAME).await;
    assert_eq!(hear(&mut socket).await, ack(NOW.millis()));
    let token = world.tokens.authenticate("ACC", V2, None, NOW).unwrap().token;
    token.set_revoke_after(Some(NOW.plus(60_000)));
    world.clock.advance(59_999);
    assert!(world.tokens.due(world.clock.now()).is_empty());
    world.clock.advance(1);
    assert_eq!(
        world.heartbeat(&body("edge", "edge-a", r#""delegateId":"d-1""#)).await.code(),
        "REVOKED_TOKEN"
    );
    let due = world.tokens.due(world.clock.now());
    assert_eq!(due.iter().map(|id| &**id).collect::<Vec<_>>(), ["id-of-edge"]);
    for id in due {
        world.tokens.revoke(&id);
    }
    assert_eq!(
        end(&mut socket).await,
        (vec!["[SELF_DESTRUCT]d-java-0001".to_owned()], POLICY),
        "without a frame"
    );
    assert!(world.tokens.due(world.clock.now()).is_empty());
}

#[tokio::test]
async fn a_token_that_was_removed_is_unknown_and_its_connections_end() {
    let world = World::new().await;
    let address = world.listen().await;
    let mut socket = open(address, &query(V2)).await;
    say(&mut socket, FRAME).await;
    hear(&mut socket).await;
    assert!(world.tokens.remove("id-of-edge") && !world.tokens.remove("id-of-edge"));
    assert_eq!(end(&mut socket).await.1, POLICY);
    let answer = world.heartbeat(&body("edge", "edge-a", r#""delegateId":"d-1""#)).await;
    assert_eq!(answer.code(), "INVALID_TOKEN");
    assert!(connect_async(format!("ws://{address}/stream/delegate/ACC?{}", query(V2))).await.is_err());
}

#[tokio::test]
async fn an_address_travels_from_the_listener_to_the_check() {
    let world = World::new().await;
    let address = world.listen().await;
    world.allow_only("192.0.2.0/24");
    let register = async || {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        plain(stream, &body("edge", "edge-a", "")).await
    };
    assert!(register().await.starts_with("HTTP/1.1 403"));
    world.allow_only("127.0.0.1/32");
    assert!(register().await.starts_with("HTTP/1.1 200"));
    assert_eq!(world.instances().await.len(), 1);
}

/// Sends a registration as bytes and returns the answer.
async fn plain(mut stream: tokio::net::TcpStream, body: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let call: Request<Body> = request("POST", REGISTER, V2, body);
    let credential = call.headers()["authorization"].to_str().unwrap();
    let head = format!(
        "POST {REGISTER} HTTP/1.1\r\nhost: rollcall\r\nauthorization: {credential}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
