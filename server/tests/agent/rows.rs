//! What calls do to the fleet (agent-protocol 2, 8, 9).

use axum::http::StatusCode;
use fleet::health::Connectivity;

use crate::world::{HEARTBEAT, KEY, NOW, REGISTER, UNREGISTER, World, body, fixture};

#[tokio::test]
async fn t5_a_heartbeat_with_an_unknown_id_makes_the_row_under_that_id() {
    let world = World::new().await;
    let answer = world.heartbeat(fixture!("go-heartbeat.json")).await;
    assert_eq!(answer.json()["resource"]["delegateId"], "d-go-0001");
    let instance = world.instance().await;
    assert_eq!((&*instance.facts.id, &*instance.facts.host_name), ("d-go-0001", "dlite-build-vm-01"));
    assert_eq!(world.heartbeat(fixture!("go-heartbeat.json")).await.status, StatusCode::OK);
    assert_eq!(world.instances().await.len(), 1);
}

#[tokio::test]
async fn t5_an_unknown_id_of_a_known_identity_becomes_its_alias() {
    let world = World::new().await;
    let id = world.registered(fixture!("go-register.json")).await;
    let answer = world.heartbeat(fixture!("go-heartbeat.json")).await;
    assert_eq!(answer.json()["resource"]["delegateId"], "d-go-0001", "the agent keeps its own id");
    assert_eq!(*world.instance().await.facts.id, *id);
    world.clock.advance(10_000);
    world.heartbeat(fixture!("go-heartbeat.json")).await;
    assert_eq!(world.instance().await.last_heartbeat, Some(NOW.plus(10_000)));
}

#[tokio::test]
async fn t7_only_the_clock_of_the_server_counts() {
    let world = World::new().await;
    for (number, clock) in ["0", "-1", "9223372036854775807", "1"].into_iter().enumerate() {
        let rest = format!(r#""delegateId":"d{number}","lastHeartBeat":{clock}"#);
        assert_eq!(world.heartbeat(&body("n", &format!("h{number}"), &rest)).await.status, StatusCode::OK);
    }
    for instance in world.instances().await {
        assert_eq!(instance.last_heartbeat, Some(NOW));
        assert_eq!(instance.assessment.connectivity, Connectivity::Connected);
    }
}

#[tokio::test]
async fn t20_an_invented_address_makes_no_new_row() {
    let world = World::new().await;
    let of = |ip: &str| fixture!("go-register.json").replace("192.0.2.21", ip);
    let id = world.registered(&of("fake-1.2.3.4")).await;
    assert_eq!(world.registered(&of("fake-9.9.9.9")).await, id);
    assert_ne!(world.registered(&of("192.0.2.22")).await, id, "a real address is part of the identity");
    assert_eq!(world.instances().await.len(), 2);
}

#[tokio::test]
async fn t26_repeated_registers_give_the_same_id() {
    let world = World::new().await;
    for register in
        [fixture!("go-register.json"), fixture!("runner-register.json"), fixture!("java-register.json")]
    {
        let id = world.registered(register).await;
        let kept_alive = register.replacen('{', r#"{"keepAlivePacket":true,"#, 1);
        for again in [register, &kept_alive] {
            assert_eq!(world.registered(again).await, id);
        }
    }
    assert_eq!(world.instances().await.len(), 3);
    assert_eq!(world.groups("ACC").await.len(), 3);
}

#[tokio::test]
async fn t26_a_keep_alive_register_counts_as_a_heartbeat() {
    let world = World::new().await;
    let ecs = body("n", "h", r#""delegateType":"ECS","keepAlivePacket":true"#);
    world.registered(&ecs).await;
    world.clock.advance(23_000);
    world.registered(&ecs).await;
    assert_eq!(world.instance().await.last_heartbeat, Some(NOW.plus(23_000)));
}

#[tokio::test]
async fn many_registers_of_one_identity_at_once_make_one_row() {
    let world = World::new().await;
    let calls = (0..20).map(|_| world.registered(fixture!("go-register.json")));
    let ids = futures::future::join_all(calls).await;
    assert!(ids.iter().all(|id| *id == ids[0]));
    assert_eq!(world.instances().await.len(), 1);
}

#[tokio::test]
async fn the_token_decides_the_scope_and_a_body_never_widens_it() {
    let world = World::new().await;
    world.issue("of-org", "ORG/payments", KEY).await;
    world.reload().await;
    let scope_of = async |name: &str, rest: &str| {
        let body = body(name, "h", rest);
        assert_eq!(world.register(&body).await.status, StatusCode::OK);
        let groups = world.groups("ACC").await;
        groups.iter().find(|group| *group.facts.name == *name).unwrap().facts.scope.to_string()
    };
    assert_eq!(scope_of("a", "").await, "ACC");
    assert_eq!(scope_of("b", r#""orgIdentifier":"payments""#).await, "ACC/payments");
    assert_eq!(
        scope_of("c", r#""orgIdentifier":"payments","projectIdentifier":"web""#).await,
        "ACC/payments/web"
    );
    assert_eq!(
        scope_of("d", r#""projectIdentifier":"web""#).await,
        "ACC",
        "a project needs its organization"
    );
    assert_eq!(scope_of("e", r#""orgIdentifier":"no such/identifier""#).await, "ACC");
}

#[tokio::test]
async fn a_goodbye_hides_by_id_or_by_identity_and_unknown_ones_change_nothing() {
    let world = World::new().await;
    let first = world.registered(&body("n", "h1", r#""ip":"192.0.2.1""#)).await;
    world.registered(&body("n", "h2", r#""ip":"192.0.2.2""#)).await;
    let leave = async |body: &str| {
        assert_eq!(world.call("POST", UNREGISTER, body).await.status, StatusCode::OK);
        world.instances().await.len()
    };
    assert_eq!(leave(r#"{"delegateId":"unknown"}"#).await, 2);
    assert_eq!(leave(r#"{"hostName":"h2","ng":true,"ipAddress":"192.0.2.9"}"#).await, 2);
    assert_eq!(leave(&format!(r#"{{"delegateId":"{first}"}}"#)).await, 1);
    assert_eq!(leave(r#"{"hostName":"h2","ng":true,"ipAddress":"192.0.2.2"}"#).await, 0);
}

#[tokio::test]
async fn what_was_confirmed_is_stored() {
    let world = World::new().await;
    let id = world.registered(fixture!("go-register.json")).await;
    let groups = world.groups("ACC").await;
    let lines = world.store.transitions("ACC", &groups[0].facts.id, Some(&id), 10).await.unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].at, NOW);
}

#[tokio::test]
async fn the_same_id_in_two_accounts_is_two_instances() {
    let world = World::new().await;
    world.heartbeat(fixture!("go-heartbeat.json")).await;
    let other = HEARTBEAT.replace("ACC", "OTHER");
    let answer = world.call("POST", &other, &fixture!("go-heartbeat.json").replace("ACC", "OTHER")).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert_eq!(world.instances().await.len(), 1);
    assert!(world.groups("OTHER").await.is_empty());
    let mixed = world.call("POST", REGISTER, &fixture!("go-register.json").replace("ACC", "OTHER")).await;
    assert_eq!(mixed.code(), "INVALID_REQUEST", "body and query must agree");
}
