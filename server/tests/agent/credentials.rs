//! Who gets in (agent-protocol 1).

use axum::body::Body;
use axum::http::{Request, StatusCode};

use crate::token_shortcuts::TokenShortcuts as _;
use crate::world::{HEARTBEAT, KEY, REGISTER, V1, V1_EXP, V2, World, fixture, request};

const POLL: &str = "/api/agent/delegates/d/task-events?accountId=ACC";
const LEEWAY: i64 = 300_000;

async fn code(world: &World, uri: &str, jwe: &str) -> String {
    let answer = world.send(request("GET", uri, jwe, "")).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    answer.code()
}

#[tokio::test]
async fn t16_both_vectors_register() {
    let world = World::new().await;
    for vector in [V1, V2] {
        let answer = world.send(request("POST", REGISTER, vector, fixture!("go-register.json"))).await;
        assert_eq!(answer.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn v1_ends_with_exp_and_leeway() {
    let world = World::new().await;
    let until_end = V1_EXP + LEEWAY - world.clock.now().millis();
    world.clock.advance(until_end - 1);
    assert_eq!(world.send(request("GET", POLL, V1, "")).await.status, StatusCode::OK);
    world.clock.advance(1);
    assert_eq!(code(&world, POLL, V1).await, "EXPIRED_TOKEN");
}

#[tokio::test]
async fn the_account_is_required_and_must_be_the_subject() {
    let world = World::new().await;
    let path = POLL.split_once('?').unwrap().0;
    for uri in [path.to_owned(), format!("{path}?accountId="), format!("{path}?account=ACC")] {
        let answer = world.send(request("GET", &uri, V2, "")).await;
        assert_eq!((answer.status, answer.code()), (StatusCode::BAD_REQUEST, "INVALID_REQUEST".to_owned()));
    }
    assert_eq!(code(&world, &POLL.replace("ACC", "OTHER"), V2).await, "INVALID_TOKEN");
}

#[tokio::test]
async fn t24_a_token_of_one_account_never_opens_another() {
    let world = World::new().await;
    world.issue("theirs", "OTHER", "ffeeddccbbaa99887766554433221100").await;
    world.issue("copy", "THIRD", KEY).await;
    world.reload().await;
    for account in ["OTHER", "THIRD"] {
        let uri = REGISTER.replace("ACC", account);
        let body = fixture!("go-register.json").replace("ACC", account);
        let answer = world.send(request("POST", &uri, V2, &body)).await;
        assert_eq!(answer.code(), "INVALID_TOKEN");
        assert!(world.groups(account).await.is_empty());
    }
}

#[tokio::test]
async fn missing_and_garbled_credentials_are_answered_neutrally() {
    let world = World::new().await;
    let with = |value: Option<&str>| {
        let builder = Request::builder().uri(POLL);
        let builder =
            value.into_iter().fold(builder, |builder, value| builder.header("authorization", value));
        builder.body(Body::empty()).unwrap()
    };
    let bad = ["", "Delegate", "Delegate ", "Bearer x", "Delegate a.b.c", "DelegateAuth2 a.b.c"];
    for value in bad.into_iter().map(Some).chain([
        None,
        Some(&*format!("Bearer {V2}")),
        Some(&*format!("Delegate {V2}x")),
    ]) {
        let answer = world.send(with(value)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (StatusCode::UNAUTHORIZED, "NOT_AUTHENTICATED".to_owned())
        );
    }
    for value in [format!("delegate {V2}"), format!("DELEGATE    {V2}")] {
        assert_eq!(world.send(with(Some(&value))).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn t17_the_token_hash_is_only_a_hint() {
    let world = World::new().await;
    let hash = "5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720";
    for hint in [hash, &format!("000{hash}"), &hash[3..], "0", "", "nonsense"] {
        let mut request = request("GET", POLL, V2, "");
        request.headers_mut().insert("delegatetokenhash", hint.parse().unwrap());
        assert_eq!(world.send(request).await.status, StatusCode::OK, "{hint}");
    }
}

#[tokio::test]
async fn t19_a_token_imported_in_any_form_opens_the_same_credentials() {
    for form in [KEY, &KEY.to_uppercase(), "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY="] {
        let world = World::unready(server::agent::AgentSettings::default()).await;
        world.issue("imported", "ACC", form).await;
        world.reload().await;
        assert_eq!(world.send(request("GET", POLL, V2, "")).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn revocation_takes_effect_on_the_next_request() {
    let world = World::new().await;
    assert_eq!(world.send(request("GET", POLL, V2, "")).await.status, StatusCode::OK);
    let scope = "ACC".parse().unwrap();
    world.store.revoke_token(&scope, "edge", world.clock.now()).await.unwrap();
    world.reload().await;
    assert_eq!(code(&world, POLL, V2).await, "REVOKED_TOKEN");
}

#[tokio::test]
async fn t22_before_tokens_are_loaded_every_call_is_answered_with_503() {
    let world = World::unready(server::agent::AgentSettings::default()).await;
    for (method, uri, body) in [
        ("POST", REGISTER, fixture!("go-register.json")),
        ("POST", HEARTBEAT, fixture!("go-heartbeat.json")),
        ("GET", POLL, ""),
    ] {
        let answer = world.send(request(method, uri, V2, body)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE".to_owned())
        );
    }
}

#[tokio::test]
async fn t22_while_the_store_is_away_nobody_is_called_invalid() {
    let world = World::new().await;
    world.issue("theirs", "OTHER", "ffeeddccbbaa99887766554433221100").await;
    world.reload().await;
    let foreign = POLL.replace("ACC", "OTHER");
    assert_eq!(code(&world, &foreign, V2).await, "INVALID_TOKEN");
    world.tokens.doubt();
    let answer = world.send(request("GET", &foreign, V2, "")).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE".to_owned()));
    assert_eq!(world.send(request("GET", POLL, V2, "")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn t22_a_register_that_cannot_be_stored_is_not_confirmed() {
    let world = World::new().await;
    world.store.close().await;
    let answer = world.register(fixture!("go-register.json")).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE".to_owned()));
}

#[tokio::test]
async fn uses_and_refusals_are_counted() {
    let world = World::new().await;
    assert_eq!(world.send(request("GET", POLL, V2, "")).await.status, StatusCode::OK);
    assert_eq!(code(&world, &POLL.replace("ACC", "OTHER"), V2).await, "INVALID_TOKEN");
    assert_eq!(world.tokens.uses_since_last(), [("id-of-edge".into(), world.clock.now())]);
    let metrics = world.metrics();
    assert!(metrics.contains(r#"rollcall_agent_requests_total{code="200",endpoint="task_events"} 1"#));
    assert!(metrics.contains(r#"rollcall_agent_requests_total{code="401",endpoint="task_events"} 1"#));
    assert!(metrics.contains(r#"rollcall_agent_auth_failures_total{code="INVALID_TOKEN"} 1"#));
}

#[tokio::test]
async fn who_fails_too_often_is_told_to_wait_and_whoever_may_come_in_comes_in() {
    let world = World::new().await;
    let wrong = V2.replace("UPdet", "UPdeu");
    let mut refused = 0;
    let last = loop {
        let answer = world.send(request("GET", POLL, &wrong, "")).await;
        if answer.status != StatusCode::UNAUTHORIZED {
            break answer;
        }
        refused += 1;
        assert!(refused <= 5_000, "it never ends");
    };
    assert_eq!((refused, last.status), (5_000, StatusCode::TOO_MANY_REQUESTS));
    assert_eq!(
        (last.code().as_str(), &last.headers["retry-after"]),
        ("TOO_MANY_REQUESTS", &"10".parse().unwrap())
    );
    assert_eq!(
        world.send(request("GET", POLL, V2, "")).await.status,
        StatusCode::OK,
        "from the same address"
    );
}
