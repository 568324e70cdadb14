use serde_json::{Value, json};

use super::*;

const TOKEN: &str = "00112233445566778899aabbccddeeff";
const CONNECTION: &str = "ay9MgMWpEfGnowJCrBEAAg";

fn fixture(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn value(body: &[u8]) -> Value {
    assert_eq!(body.last(), Some(&b'\n'));
    serde_json::from_slice(body).unwrap()
}

fn vm() -> Profile {
    let tags = ["linux", "north", "team-a"].map(Box::from).into();
    Profile { tags, ..Profile::new("ACC", "vm-pool-north", "build-vm-01", "192.0.2.21") }
}

fn runner_vm() -> Profile {
    Profile::new("ACC", "runner-south", "ip-198-51-100-7", "198.51.100.7")
}

fn pod() -> Profile {
    Profile {
        version: Some("26.09.89620".into()),
        tags: ["eu", "edge"].map(Box::from).into(),
        description: Some("edge cluster a".into()),
        ..Profile::new("ACC", "edge-a", "edge-a-7c9d5b6f4-x2kqp", "10.42.3.17")
    }
}

#[test]
fn the_go_bodies_equal_the_observed_ones_byte_for_byte() {
    let token = Token::parse(TOKEN).unwrap();
    let register = go(&vm(), &token, None, Timestamp::from_millis(1_795_176_000_123));
    assert_eq!(register, include_bytes!("../../../../fixtures/agent/go-register.json"));
    let beat = go(&vm(), &token, Some("d-go-0001"), Timestamp::from_millis(1_795_176_010_123));
    assert_eq!(beat, include_bytes!("../../../../fixtures/agent/go-heartbeat.json"));
}

#[test]
fn a_go_client_leaves_out_empty_tags_and_replaces_spaces_in_its_host_name() {
    let profile = Profile::new("ACC", "vm", "build vm 1", "192.0.2.1");
    let body = value(&go(&profile, &Token::parse(TOKEN).unwrap(), None, Timestamp::default()));
    assert!(body.get("tags").is_none() && body.get("version").is_none());
    assert_eq!(body["hostName"], "dlite-build-vm-1");
}

#[test]
fn the_runner_bodies_equal_the_fixtures() {
    let register = runner(&runner_vm(), None, Timestamp::from_millis(1_795_176_000_456));
    assert_eq!(value(&register), fixture(include_str!("../../../../fixtures/agent/runner-register.json")));
    let profile = Profile { max_stages: Some(8), ..runner_vm() };
    let beat = runner(&profile, Some("d-runner-0001"), Timestamp::from_millis(1_795_176_010_456));
    assert_eq!(value(&beat), fixture(include_str!("../../../../fixtures/agent/runner-heartbeat.json")));
    let goodbye = runner_goodbye(&profile, "d-runner-0001");
    assert_eq!(value(&goodbye), fixture(include_str!("../../../../fixtures/agent/runner-unregister.json")));
}

#[test]
fn a_runner_sends_its_tags_and_version_when_it_has_them() {
    let tags = ["linux"].map(Box::from).into();
    let profile = Profile { version: Some("3.1.0".into()), tags, ..runner_vm() };
    let body = value(&runner(&profile, None, Timestamp::default()));
    assert_eq!((&body["version"], &body["tags"]), (&json!("3.1.0"), &json!(["linux"])));
}

#[test]
fn the_java_register_body_equals_the_fixture_with_nulls_and_490_task_types() {
    let body = java_register(&pod(), CONNECTION, false, Timestamp::from_millis(1_795_176_000_789));
    assert_eq!(value(&body), fixture(include_str!("../../../../fixtures/agent/java-register.json")));
    assert_eq!(value(&body)["supportedTaskTypes"].as_array().unwrap().len(), 490);
}

#[test]
fn the_java_polling_heartbeat_equals_the_fixture() {
    let expected = fixture(include_str!("../../../../fixtures/agent/java-heartbeat-rest.json"));
    let jwe = expected["token"].as_str().unwrap();
    assert_eq!(value(&java_heartbeat(&pod(), CONNECTION, "d-java-0001", jwe)), expected);
}

#[test]
fn the_java_frame_equals_the_fixture_byte_for_byte() {
    let text = include_str!("../../../../fixtures/agent/java-ws-heartbeat.txt");
    let jwe = fixture(text)["token"].as_str().unwrap().to_owned();
    let now = Timestamp::from_millis(1_795_176_050_789);
    assert_eq!(java_frame(&pod(), CONNECTION, "d-java-0001", &jwe, now), text);
}

#[test]
fn a_java_delegate_without_version_sends_null_over_rest_and_no_key_on_its_stream() {
    let profile = Profile { version: None, ..pod() };
    let body = value(&java_register(&profile, CONNECTION, true, Timestamp::default()));
    assert!(body["version"].is_null() && body["pollingModeEnabled"] == true && body["immutable"] == true);
    let frame = fixture(&java_frame(&profile, CONNECTION, "d", "jwe", Timestamp::default()));
    assert!(frame.get("version").is_none());
}

#[test]
fn a_legacy_image_is_not_immutable() {
    let profile = Profile { version: Some("1.0.82007".into()), ..pod() };
    assert_eq!(value(&java_register(&profile, CONNECTION, false, Timestamp::default()))["immutable"], false);
}

#[test]
fn a_java_goodbye_names_type_and_scope() {
    let profile = Profile { organization: Some("payments".into()), ..pod() };
    let expected = json!({
        "delegateId": "d-java-0001", "hostName": "edge-a-7c9d5b6f4-x2kqp", "ng": true, "delegateType": "KUBERNETES",
        "ipAddress": "10.42.3.17", "orgIdentifier": "payments", "projectIdentifier": null,
    });
    assert_eq!(value(&java_goodbye(&profile, "d-java-0001")), expected);
}
