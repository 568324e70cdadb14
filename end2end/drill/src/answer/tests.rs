use super::*;

const REGISTER: &str = include_str!("../../../../fixtures/agent/register-response.json");
const BEAT: &str = include_str!("../../../../fixtures/agent/heartbeat-response.json");
const IDLE: &str = include_str!("../../../../fixtures/agent/task-events-empty.json");
const REFUSED: &str = include_str!("../../../../fixtures/agent/error-invalid-token.json");
const ACK: &str = include_str!("../../../../fixtures/agent/ws-ack.txt");
const ID: &str = "d-java-0001";

fn answer(status: u16, body: &str) -> Answer {
    Answer { status, headers: HeaderMap::new(), body: Bytes::copy_from_slice(body.as_bytes()) }
}

#[test]
fn the_expected_answers_pass() {
    assert_eq!(answer(200, REGISTER).check_registered().unwrap(), ID);
    assert_eq!(answer(200, BEAT).check_beat(ID).unwrap(), "ENABLED");
    answer(200, IDLE).check_idle("delegateTaskEvents").unwrap();
    let empty = r#"{"metaData":{},"resource":null,"responseMessages":[]}"#;
    answer(200, empty).check_empty().unwrap();
}

#[test]
fn an_additional_a_missing_and_a_renamed_key_are_named() {
    for (from, to) in [
        (r#""action""#, r#""act""#),
        (r#""action":null,"#, ""),
        (r#""action":null"#, r#""action":null,"server":"x""#),
        (r#""metaData":{},"#, ""),
    ] {
        let broken = answer(200, &REGISTER.replace(from, to)).check_registered();
        assert!(matches!(broken, Err(Violation::Keys { .. })), "{from}: {broken:?}");
    }
}

#[test]
fn no_content_an_empty_body_and_an_empty_id_are_no_registration() {
    assert!(matches!(answer(204, "").check_registered(), Err(Violation::Status { status: 204, .. })));
    assert!(matches!(answer(200, "").check_registered(), Err(Violation::NotJson { .. })));
    let empty_id = REGISTER.replace(ID, "");
    assert!(matches!(answer(200, &empty_id).check_registered(), Err(Violation::Value(_))));
    assert_eq!(answer(200, &empty_id).delegate_id(), None);
}

#[test]
fn an_echoed_token_is_a_violation_that_does_not_repeat_it() {
    let echo = REGISTER.replace(r#""delegateRandomToken":null"#, r#""delegateRandomToken":"secret""#);
    let violation = answer(200, &echo).check_registered().unwrap_err();
    assert!(!violation.to_string().contains("secret"), "{violation}");
}

#[test]
fn a_heartbeat_needs_one_of_four_words_and_the_own_id() {
    for word in STATUS_WORDS {
        let body = BEAT.replace("ENABLED", word);
        assert_eq!(answer(200, &body).check_beat(ID).unwrap(), word);
    }
    assert!(answer(200, &BEAT.replace("\"ENABLED\"", "null")).check_beat(ID).is_err());
    assert!(answer(200, &BEAT.replace("ENABLED", "GONE")).check_beat(ID).is_err());
    assert!(answer(200, BEAT).check_beat("d-java-0002").is_err());
}

#[test]
fn a_refusal_names_its_code() {
    let violation = answer(401, REFUSED).check_registered().unwrap_err();
    assert_eq!(violation.to_string(), "status 401 (INVALID_TOKEN), expected 200");
    let page = answer(502, "<html>");
    assert_eq!(page.check_registered().unwrap_err().to_string(), "status 502, expected 200");
}

#[test]
fn java_reacts_to_dangerous_words_of_errors_only() {
    assert_eq!(answer(401, REFUSED).reaction(), Some(Reaction::SelfDestruct));
    assert_eq!(answer(401, &REFUSED.replace("INVALID", "EXPIRED")).reaction(), Some(Reaction::Freeze));
    assert_eq!(answer(401, &REFUSED.replace("INVALID", "REVOKED")).reaction(), Some(Reaction::Freeze));
    assert_eq!(answer(500, "Internal error.").reaction(), None);
    assert_eq!(answer(200, BEAT).reaction(), None);
    assert_eq!(answer(200, &BEAT.replace("ENABLED", "DELETED")).reaction(), Some(Reaction::SelfDestruct));
}

#[test]
fn an_acknowledgement_is_exact_and_carries_the_own_id() {
    assert!(is_ack(ACK, ID));
    assert!(is_ack("[X]d-java-0001", ID));
    assert!(!is_ack(ACK, "d-java-0002"));
    assert!(!is_ack("[X]d-java-0002", ID));
    for broken in [ACK.replace(',', ", "), format!("{ACK}\n"), ACK.replace("1700000000123", "")] {
        assert!(!is_ack(&broken, ID), "{broken}");
    }
}

#[test]
fn self_destruct_hits_the_account_the_id_or_the_process() {
    let hit = |frame: &str| is_self_destruct(frame, "d-1", "c-1");
    assert!(hit("[SELF_DESTRUCT]") && hit("[SELF_DESTRUCT]d-1") && hit("[SELF_DESTRUCT]d-1-c-1"));
    assert!(!hit("[SELF_DESTRUCT]d-2") && !hit("[SELF_DESTRUCT]d-1-c-2") && !hit(ACK));
}
