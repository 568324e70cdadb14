//! Single steps of every client family against a server that speaks the protocol.

mod common;

use common::{Fault, Server, pod, token};
use drill::answer::is_ack;
use drill::check::check;
use drill::client::{Go, JavaRest, JavaStream, Kind, Runner, Upgrader, UpgraderCall};
use drill::http::CallError;
use drill::profile::Profile;
use drill::token::Token;
use fleet::time::{MINUTE, Timestamp};

const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_123);

fn vm() -> Profile {
    Profile {
        tags: ["linux"].map(Box::from).into(),
        ..Profile::new("ACC", "vm-pool", "build-vm-01", "192.0.2.21")
    }
}

#[tokio::test]
async fn a_go_client_registers_beats_and_polls() {
    let server = Server::start(Fault::None).await;
    let go = Go::new(server.http(), vm(), token());
    assert_eq!(go.beat(NOW).await.unwrap_err(), CallError::NotRegistered);

    assert_eq!(go.register(NOW).await.unwrap().check_registered().unwrap(), "dlite-build-vm-01");
    let register = server.last().await;
    assert_eq!(register.line(), "POST /api/agent/delegates/register");
    assert_eq!(register.query, "accountId=ACC");
    assert!(register.authentic);
    assert_eq!(register.header("content-type"), "application/json");
    assert_eq!(register.header("user-agent"), "Go-http-client/1.1");
    assert_eq!(register.header("accept-encoding"), "gzip");
    assert_eq!(register.header("delegatetokenhash"), "");
    assert!(register.body.ends_with(b"}\n"));
    assert!(register.json().get("delegateId").is_none() && register.json().get("version").is_none());

    go.beat(NOW.plus(10_000)).await.unwrap().check_beat("dlite-build-vm-01").unwrap();
    let beat = server.last().await;
    assert_eq!(beat.line(), "POST /api/agent/delegates/heartbeat-with-polling");
    assert_eq!(beat.json()["lastHeartBeat"], NOW.plus(10_000).millis());

    go.poll(NOW).await.unwrap().check_idle("delegateTaskEvents").unwrap();
    let poll = server.last().await;
    assert_eq!(poll.line(), "GET /api/agent/delegates/dlite-build-vm-01/task-events");
    assert_eq!(poll.header("content-length"), "");

    assert!(go.tell_capacity(4, NOW).await.unwrap().is_success());
    let capacity = server.last().await;
    assert_eq!(capacity.line(), "POST /api/agent/delegates/register-delegate-capacity/dlite-build-vm-01");
    assert_eq!(capacity.json()["maximumNumberOfBuilds"], 4);
}

#[tokio::test]
async fn go_keeps_its_credential_for_ten_minutes() {
    let server = Server::start(Fault::None).await;
    let go = Go::new(server.http(), vm(), token());
    for after in [0, 10 * MINUTE - 1, 10 * MINUTE] {
        go.register(NOW.plus(after)).await.unwrap();
    }
    let seen = server.seen().await;
    let sent: Vec<_> = seen.iter().map(|seen| seen.header("authorization")).collect();
    assert_eq!(sent[0], sent[1]);
    assert_ne!(sent[1], sent[2]);
}

#[tokio::test]
async fn a_newer_go_client_sends_the_hash_without_leading_zeros() {
    let server = Server::start(Fault::None).await;
    let zeros = Token::parse("ab00000000000000000000000000012c").unwrap();
    Go::new(server.http(), vm(), zeros.clone()).with_token_hash().register(NOW).await.unwrap();
    let hash = server.last().await.header("delegatetokenhash").to_owned();
    assert_eq!((hash.len(), hash), (62, zeros.stripped_hash()));
}

#[tokio::test]
async fn a_runner_sends_its_hash_and_says_goodbye() {
    let server = Server::start(Fault::None).await;
    let runner = Runner::new(server.http(), vm(), token());
    let id = runner.register(NOW).await.unwrap().check_registered().unwrap();
    assert_eq!(id, "runner-build-vm-01");
    let register = server.last().await;
    assert_eq!(register.header("delegatetokenhash"), token().hash());
    assert_eq!(register.json()["runner"], true);
    for absent in ["delegateRandomToken", "sequenceNum", "supportedTaskTypes"] {
        assert!(register.json().get(absent).is_none(), "{absent}");
    }

    runner.beat(NOW).await.unwrap().check_beat(&id).unwrap();
    runner.poll(NOW).await.unwrap().check_idle("delegateRunnerEvents").unwrap();
    assert_eq!(server.last().await.line(), "GET /api/executions/runner-build-vm-01/runner-events");
    runner.reconcile(NOW).await.unwrap().check_idle("data").unwrap();
    assert_eq!(server.last().await.line(), "POST /api/daemons/runner-build-vm-01/reconcile");
    runner.goodbye(NOW).await.unwrap().check_empty().unwrap();
    let goodbye = server.last().await;
    assert_eq!(goodbye.line(), "POST /api/agent/delegates/unregister");
    assert_eq!(goodbye.json()["ipAddress"], "192.0.2.21");
}

#[tokio::test]
async fn a_polling_java_delegate_repeats_its_credential_in_the_body() {
    let server = Server::start(Fault::None).await;
    let java = JavaRest::new(server.http(), pod(), token());
    let id = java.register(NOW).await.unwrap().check_registered().unwrap();
    let register = server.last().await;
    assert_eq!(register.header("user-agent"), "delegate/26.09.89620");
    assert_eq!((register.header("accountid"), register.header("delegateid")), ("ACC", "Unregistered"));
    assert_eq!(register.json()["pollingModeEnabled"], true);
    assert!(register.body.len() > 14_000);

    java.beat(NOW).await.unwrap().check_beat(&id).unwrap();
    let beat = server.last().await;
    assert_eq!(beat.header("delegateid"), id);
    assert_eq!(format!("Delegate {}", beat.json()["token"].as_str().unwrap()), beat.header("authorization"));
    assert_eq!(beat.json()["lastHeartBeat"], 0);

    java.poll(NOW).await.unwrap().check_idle("delegateTaskEvents").unwrap();
    java.goodbye(NOW).await.unwrap().check_empty().unwrap();
    assert_eq!(server.last().await.json()["delegateType"], "KUBERNETES");
}

#[tokio::test]
async fn a_streaming_java_delegate_is_acknowledged() {
    let server = Server::start(Fault::None).await;
    let mut java = JavaStream::new(server.http(), pod(), token());
    let id = java.register(NOW).await.unwrap().check_registered().unwrap();
    assert_eq!(server.last().await.json()["pollingModeEnabled"], false);

    java.connect(NOW).await.unwrap();
    let handshake = server.last().await;
    assert_eq!(handshake.line(), "GET /stream/delegate/ACC");
    assert_eq!((handshake.header("accountid"), handshake.header("delegateid")), ("ACC", id.as_str()));
    assert_eq!(
        (handshake.header("user-agent"), handshake.header("authorization")),
        ("delegate/26.09.89620", "")
    );
    let names: Vec<_> = handshake.query.split('&').map(|pair| pair.split('=').next().unwrap()).collect();
    let expected = ["delegateId", "delegateTokenName", "delegateConnectionId", "token", "sequenceNum"];
    assert_eq!((&names[..5], &names[5..]), (&expected[..], &["delegateToken", "version"][..]));

    assert!(is_ack(&java.beat(NOW).await.unwrap(), &id));
    assert!(is_ack(&java.beat(NOW).await.unwrap(), &id));
    let frame = server.last().await;
    assert!(frame.authentic && frame.json()["ng"] == false && !frame.body.ends_with(b"\n"));
    assert_eq!(frame.json()["delegateConnectionId"], java.connection_id());
    java.goodbye(NOW).await.unwrap().check_empty().unwrap();
}

#[tokio::test]
async fn a_first_generation_agent_gets_the_short_acknowledgement() {
    let server = Server::start(Fault::None).await;
    let profile = Profile { heartbeat_as_object: false, ..pod() };
    let mut java = JavaStream::new(server.http(), profile, token());
    java.register(NOW).await.unwrap();
    assert_eq!(java.beat(NOW).await.unwrap(), "[X]edge-a-7c9d5b6f4-x2kqp");
}

#[tokio::test]
async fn a_stream_with_another_token_is_refused() {
    let server = Server::start(Fault::None).await;
    let other = Token::parse("ffeeddccbbaa99887766554433221100").unwrap();
    let mut java = JavaStream::new(server.http(), pod(), other);
    java.set_delegate_id("d-1");
    assert_eq!(java.connect(NOW).await, Err(CallError::Refused(401)));
    assert_eq!(java.beat(NOW).await, Err(CallError::Refused(401)));
}

#[tokio::test]
async fn an_upgrader_names_image_and_workload() {
    let server = Server::start(Fault::None).await;
    let upgrader = Upgrader::new(server.http(), "ACC", "edge-a", token());
    let image = "harness/delegate:26.09.89620";
    upgrader.ask(UpgraderCall::Named, image, NOW).await.unwrap();
    let named = server.last().await;
    assert_eq!(named.line(), "GET /api/upgrade-check/delegate-v2");
    let query =
        "accountId=ACC&currentDelegateImageTag=harness%2Fdelegate%3A26.09.89620&delegateGroupName=edge-a";
    assert_eq!(named.query, query);
    upgrader.ask(UpgraderCall::Unnamed, image, NOW).await.unwrap();
    let unnamed = server.last().await;
    assert_eq!(unnamed.line(), "GET /api/upgrade-check/delegate");
    assert!(!unnamed.query.contains("delegateGroupName"));
    upgrader.ask_for_itself("harness/upgrader:1.0.0", NOW).await.unwrap();
    assert!(server.last().await.query.contains("currentUpgraderImageTag=harness%2Fupgrader%3A1.0.0"));
}

#[tokio::test]
async fn nobody_listening_is_an_error_of_its_own() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let base = drill::base::Base::parse(&base, false).unwrap();
    let http = drill::http::Http::new(base, 1, std::sync::Arc::default());
    assert_eq!(Go::new(http.clone(), vm(), token()).register(NOW).await.unwrap_err(), CallError::Connect);
    assert_eq!(http.stats().summary().failures["connect"], 1);
}

#[tokio::test]
async fn the_check_passes_for_every_family_on_a_server_that_speaks_the_protocol() {
    let server = Server::start(Fault::None).await;
    for kind in [Kind::Go, Kind::Runner, Kind::JavaRest, Kind::JavaStream] {
        let id = check(server.http(), kind, pod(), token(), true, NOW).await.unwrap();
        assert!(id.ends_with("edge-a-7c9d5b6f4-x2kqp"), "{kind:?} {id}");
    }
    assert_eq!(server.seen().await.iter().filter(|seen| seen.is_goodbye()).count(), 3);
}

#[tokio::test]
async fn the_check_names_the_step_and_what_is_wrong() {
    for (fault, kind, step, words) in [
        (Fault::AdditionalKey, Kind::Go, "register", "\"server\""),
        (Fault::Unavailable, Kind::Runner, "register", "503 (UNAVAILABLE)"),
        (Fault::RevokedAtBeat, Kind::JavaRest, "heartbeat", "401 (REVOKED_TOKEN)"),
        (Fault::ForeignAck, Kind::JavaStream, "heartbeat", "not the acknowledgement"),
    ] {
        let server = Server::start(fault).await;
        let error = check(server.http(), kind, pod(), token(), false, NOW).await.unwrap_err();
        assert_eq!(error.step, step);
        assert!(error.problem.contains(words), "{error}");
    }
}
