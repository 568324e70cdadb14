//! Replays of all three client families (agent-protocol 13.3).

use axum::http::StatusCode;
use fleet::delegate::{DelegateType, Family, Transport};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::world::{HEARTBEAT, NOW, REGISTER, UNREGISTER, V1, World, fixture, request};

/// The answer of a fixture with another id.
fn expected(fixture: &str, id: &str) -> Value {
    let mut value: Value = serde_json::from_str(fixture).unwrap();
    value["resource"]["delegateId"] = id.into();
    value
}

/// One request over a raw connection, byte for byte as a Go client writes it.
async fn go(connection: &mut TcpStream, line: &str, body: &str) -> (String, String) {
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    let head = format!(
        "{line} HTTP/1.1\r\nHost: fleet.example\r\nUser-Agent: Go-http-client/1.1\r\n{length}Authorization: Delegate {V1}\r\n{kind}Accept-Encoding: gzip\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(body.as_bytes()).await.unwrap();
    read_answer(connection).await
}

async fn read_answer(connection: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    let head = loop {
        bytes.push(connection.read_u8().await.unwrap());
        if bytes.ends_with(b"\r\n\r\n") {
            break String::from_utf8(std::mem::take(&mut bytes)).unwrap().to_lowercase();
        }
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    connection.read_exact(&mut body).await.unwrap();
    (head, String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn a_go_client_on_one_kept_connection() {
    let world = World::new().await;
    let mut connection = TcpStream::connect(world.listen().await).await.unwrap();
    // Its manager URL ends with a slash, so its paths begin with two.
    let register = format!("POST /{REGISTER}");
    let (head, body) = go(&mut connection, &register, fixture!("go-register.json")).await;
    assert!(head.starts_with("http/1.1 200") && head.contains("content-type: application/json"));
    let answer: Value = serde_json::from_str(&body).unwrap();
    let id = answer["resource"]["delegateId"].as_str().unwrap().to_owned();
    assert_eq!(answer, expected(fixture!("register-response.json"), &id));

    let poll = format!("GET //api/agent/delegates/{id}/task-events?accountId=ACC&syncOnly=false");
    let (head, body) = go(&mut connection, &poll, "").await;
    assert!(head.starts_with("http/1.1 200"));
    assert_eq!(body, fixture!("task-events-empty.json").trim_end());

    world.clock.advance(10_000);
    let beat = fixture!("go-heartbeat.json").replace("d-go-0001", &id);
    let (head, body) = go(&mut connection, &format!("POST /{HEARTBEAT}"), &beat).await;
    assert!(head.starts_with("http/1.1 200"));
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(answer, expected(fixture!("heartbeat-response.json"), &id));

    let instance = world.instance().await;
    assert_eq!(*instance.facts.id, *id);
    assert_eq!(instance.facts.family, Family::Go);
    assert_eq!(&*instance.facts.host_name, "dlite-build-vm-01");
    assert_eq!(instance.last_heartbeat, Some(NOW.plus(10_000)));
    assert_eq!(&*world.groups("ACC").await[0].facts.name, "vm-pool-north");
}

#[tokio::test]
async fn acquire_with_an_empty_body_leaves_the_connection_open() {
    let world = World::new().await;
    let mut connection = TcpStream::connect(world.listen().await).await.unwrap();
    let acquire = format!(
        "PUT /api/agent/v2/delegates/d/tasks/t/acquire?accountId=ACC&delegateInstanceId=d HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nAuthorization: Delegate {V1}\r\n\r\n"
    );
    for _ in 0..2 {
        connection.write_all(acquire.as_bytes()).await.unwrap();
        let (head, body) = read_answer(&mut connection).await;
        assert!(head.starts_with("http/1.1 404"));
        assert!(body.contains("NOT_FOUND"));
    }
}

#[tokio::test]
async fn a_client_that_waits_for_100_continue_gets_it() {
    let world = World::new().await;
    let mut connection = TcpStream::connect(world.listen().await).await.unwrap();
    let body = fixture!("go-register.json");
    let head = format!(
        "POST {REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\nExpect: 100-continue\r\nAuthorization: Delegate {V1}\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let (head, _) = read_answer(&mut connection).await;
    assert!(head.starts_with("http/1.1 100"));
    connection.write_all(body.as_bytes()).await.unwrap();
    let (head, _) = read_answer(&mut connection).await;
    assert!(head.starts_with("http/1.1 200"));
}

#[tokio::test]
async fn a_body_in_chunks_is_read() {
    let world = World::new().await;
    let mut connection = TcpStream::connect(world.listen().await).await.unwrap();
    let body = fixture!("go-register.json");
    let (first, second) = body.split_at(100);
    let text = format!(
        "POST {REGISTER} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nAuthorization: Delegate {V1}\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        first.len(),
        second.len()
    );
    connection.write_all(text.as_bytes()).await.unwrap();
    assert!(read_answer(&mut connection).await.0.starts_with("http/1.1 200"));
}

#[tokio::test]
async fn a_runner_from_register_to_goodbye() {
    let world = World::new().await;
    let hash = "5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720";
    let call = async |method: &str, uri: &str, body: &str| {
        let mut request = request(method, uri, V1, body);
        request.headers_mut().insert("delegatetokenhash", hash.parse().unwrap());
        let answer = world.send(request).await;
        assert_eq!(answer.status, StatusCode::OK, "{uri}");
        answer
    };
    let id = world.registered(fixture!("runner-register.json")).await;
    let events = call("GET", &format!("/api/executions/{id}/runner-events?accountId=ACC"), "").await;
    assert_eq!(events.body, r#"{"delegateRunnerEvents":[]}"#);
    let reconcile = format!("/api/daemons/{id}/reconcile?accountId=ACC");
    let running = r#"{"data":[{"daemon_set_id":"x","type":"y"}]}"#;
    assert_eq!(call("POST", &reconcile, running).await.body, r#"{"data":[]}"#);
    let beat = fixture!("runner-heartbeat.json").replace("d-runner-0001", &id);
    let answer = call("POST", HEARTBEAT, &beat).await;
    assert_eq!(answer.json(), expected(fixture!("heartbeat-response.json"), &id));

    let instance = world.instance().await;
    assert_eq!(instance.facts.family, Family::Runner);
    assert_eq!(instance.facts.capacity, Some(8));
    assert_eq!(instance.facts.version, None, "v0.1 stands for no version");

    let goodbye = fixture!("runner-unregister.json").replace("d-runner-0001", &id);
    let answer = call("POST", UNREGISTER, &goodbye).await;
    assert_eq!(answer.body, r#"{"metaData":{},"resource":null,"responseMessages":[]}"#);
    assert!(world.instances().await.is_empty(), "a goodbye hides the instance at once");
    call("POST", HEARTBEAT, &beat).await;
    assert_eq!(world.instances().await.len(), 1, "a heartbeat brings it back");
}

#[tokio::test]
async fn a_java_delegate_over_rest() {
    let world = World::new().await;
    let id = world.registered(fixture!("java-register.json")).await;
    let instance = world.instance().await;
    assert_eq!((instance.facts.family, &instance.facts.kind), (Family::Java, &DelegateType::Kubernetes));
    assert_eq!(instance.facts.details.task_types, 490);
    assert_eq!(instance.facts.immutable, Some(true));
    world.clock.advance(50_000);
    let beat = fixture!("java-heartbeat-rest.json").replace("d-java-0001", &id);
    let answer = world.heartbeat(&beat).await;
    assert_eq!(answer.json(), expected(fixture!("heartbeat-response.json"), &id));
    let instance = world.instance().await;
    assert_eq!(instance.last_heartbeat, Some(NOW.plus(50_000)));
    assert_eq!(instance.facts.transport, Transport::Polling);
    assert_eq!(instance.facts.version.as_ref().unwrap().as_str(), "26.09.89620");
}

#[tokio::test]
async fn t18_prefix_and_doubled_slashes_reach_every_endpoint() {
    let world = World::new().await;
    for prefix in ["", "/", "///", "/gratis", "//gratis", "/gratis/"] {
        let answer = world.call("POST", &format!("{prefix}{REGISTER}"), fixture!("go-register.json")).await;
        assert_eq!(answer.status, StatusCode::OK, "{prefix}");
        let poll = format!("{prefix}/api/agent/delegates/d/task-events?accountId=ACC");
        assert_eq!(world.call("GET", &poll, "").await.body, r#"{"delegateTaskEvents":[]}"#, "{prefix}");
    }
    assert_eq!(world.instances().await.len(), 1);
}
