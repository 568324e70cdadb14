use proptest::prelude::*;

use super::*;
use crate::roster::report::Sequence;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../fixtures/agent/", $name))
    };
}

fn read(json: &str) -> (Report<'_>, Dropped) {
    report(json.as_bytes(), "ACC").unwrap()
}

fn dropped(json: &str) -> Vec<&'static str> {
    read(json).1.keys().map(Key::name).collect()
}

fn refused(json: &str) -> bool {
    report(json.as_bytes(), "ACC").is_err()
}

#[test]
fn a_go_register() {
    let body = fixture!("go-register.json");
    assert!(body.ends_with(b"}\n"), "Go clients send one newline behind the body");
    let (report, dropped) = report(body, "ACC").unwrap();
    assert!(dropped.is_empty());
    let expected = Report {
        name: Some("vm-pool-north".into()),
        kind: Some("DOCKER".into()),
        host_name: Some("dlite-build-vm-01".into()),
        ip: Some("192.0.2.21".into()),
        ng: Some(true),
        polling: Some(true),
        client_clock: Some(1_795_176_000_123),
        tags: Some(vec!["linux".into(), "north".into(), "team-a".into()]),
        task_types: Some(3),
        heartbeat_as_object: Some(true),
        sequence: Some(Sequence::Number(1)),
        ..Report::default()
    };
    assert_eq!(report, expected);
}

#[test]
fn a_runner_register_and_heartbeat() {
    let (register, dropped) = report(fixture!("runner-register.json"), "ACC").unwrap();
    assert!(dropped.is_empty());
    assert_eq!((register.runner, register.capacity), (Some(true), Some(None)));
    assert_eq!((register.sequence, register.task_types), (None, None));
    assert_eq!(register.tags, Some(vec!["".into()]));
    let (heartbeat, _) = report(fixture!("runner-heartbeat.json"), "ACC").unwrap();
    assert_eq!(heartbeat.capacity, Some(Some(8)));
    assert_eq!(heartbeat.delegate_id.as_deref(), Some("d-runner-0001"));
}

#[test]
fn t11_a_java_register_with_its_nulls() {
    let body = fixture!("java-register.json");
    assert!(body.len() > 14_000);
    let (report, dropped) = report(body, "ACC").unwrap();
    assert!(dropped.is_empty());
    assert_eq!(report.task_types, Some(490));
    assert_eq!((report.delegate_id, report.sequence, report.legacy_group), (None, None, None));
    assert_eq!(report.immutable, Some(true));
    assert_eq!(report.description.as_deref(), Some("edge cluster a"));
}

#[test]
fn t7_a_java_heartbeat_says_zero_for_its_clock() {
    let (report, _) = report(fixture!("java-heartbeat-rest.json"), "ACC").unwrap();
    assert_eq!(report.client_clock, Some(0));
    assert_eq!(report.connection.as_deref(), Some("ay9MgMWpEfGnowJCrBEAAg"));
}

#[test]
fn t12_of_a_frame_only_id_version_location_and_connection_are_taken() {
    let (frame, dropped) = frame(fixture!("java-ws-heartbeat.txt")).unwrap();
    assert!(dropped.is_empty());
    assert_eq!(frame.account.as_deref(), Some("ACC"));
    assert!(frame.token.as_deref().is_some_and(|token| token.starts_with("eyJ")));
    let expected = Report {
        delegate_id: Some("d-java-0001".into()),
        version: Some("26.09.89620".into()),
        location: Some("/opt/harness-delegate".into()),
        connection: Some("ay9MgMWpEfGnowJCrBEAAg".into()),
        ..Report::default()
    };
    assert_eq!(frame.report, expected);
    let shown = format!("{frame:?}");
    assert!(!shown.contains("eyJ"), "a frame shows no credential");
}

#[test]
fn a_runner_goodbye() {
    let (goodbye, dropped) = goodbye(fixture!("runner-unregister.json"), "ACC").unwrap();
    assert!(dropped.is_empty());
    let expected = Goodbye {
        delegate_id: Some("d-runner-0001".into()),
        host_name: Some("runner-ip-198-51-100-7".into()),
        ip: Some("198.51.100.7".into()),
        ng: Some(true),
        kind: Some("DOCKER".into()),
        ..Goodbye::default()
    };
    assert_eq!(goodbye, expected);
}

#[test]
fn t6_secrets_of_the_body_never_get_into_a_report() {
    let (register, _) = report(fixture!("go-register.json"), "ACC").unwrap();
    let (heartbeat, _) = report(fixture!("java-heartbeat-rest.json"), "ACC").unwrap();
    let shown = format!("{register:?}{heartbeat:?}");
    assert!(!shown.contains("00112233445566778899aabbccddeeff") && !shown.contains("eyJ"));
}

#[test]
fn nothing_is_copied_that_is_not_escaped() {
    let (report, _) =
        read(r#"{"delegateName":"plain","hostName":"esc\u0061ped","ip":"\"q\" \\ \ud83d\ude00"}"#);
    assert!(matches!(report.name, Some(Cow::Borrowed("plain"))));
    assert_eq!(report.host_name.as_deref(), Some("escaped"));
    assert_eq!(report.ip.as_deref(), Some("\"q\" \\ \u{1f600}"));
}

#[test]
fn null_is_absent_at_every_level() {
    let all = Key::ALL.map(|key| format!("\"{}\":null", key.name())).join(",");
    assert_eq!(read(&format!("{{{all}}}")), (Report::default(), Dropped::default()));
    let (report, dropped) = read(r#"{"tags":[null,"a",null],"capacityConfig":{"maxStages":null}}"#);
    assert!(dropped.is_empty());
    assert_eq!((report.tags, report.capacity), (Some(vec!["a".into()]), Some(None)));
}

#[test]
fn t8_sequence_numbers_come_in_four_forms() {
    let sequence = |json: &str| read(json).0.sequence.map(|sequence| format!("{sequence:?}"));
    assert_eq!(sequence(r#"{"sequenceNum":7}"#).as_deref(), Some("Number(7)"));
    assert_eq!(sequence(r#"{"sequenceNum":"7"}"#).as_deref(), Some("Text(\"7\")"));
    assert_eq!(sequence(r#"{"sequenceNum":null}"#), None);
    assert_eq!(sequence("{}"), None);
    assert_eq!(dropped(r#"{"sequenceNum":[7]}"#), ["sequenceNum"]);
}

#[test]
fn t9_tags_come_in_four_forms() {
    let tags = |json: &str| read(json).0.tags.map(|tags| tags.len());
    assert_eq!(tags(r#"{"tags":[""]}"#), Some(1));
    assert_eq!(tags(r#"{"tags":[]}"#), Some(0));
    assert_eq!(tags(r#"{"tags":null}"#), None);
    assert_eq!(tags("{}"), None);
}

#[test]
fn t25_side_fields_of_a_wrong_type_are_dropped_and_named() {
    let wrong = [
        ("ip", "1"),
        ("ng", "\"true\""),
        ("version", "[]"),
        ("tags", "\"a,b\""),
        ("tags", "[1]"),
        ("lastHeartBeat", "\"now\""),
        ("lastHeartBeat", "1e999"),
        ("lastHeartBeat", "1.5"),
        ("supportedTaskTypes", "{}"),
        ("sequenceNum", "true"),
        ("capacityConfig", "8"),
        ("capacityConfig", "{\"maxStages\":\"8\"}"),
        ("delegateType", "{\"a\":1}"),
        ("description", "false"),
        ("ip", "\"\\ud800\""),
    ];
    for (name, value) in wrong {
        let json = format!(r#"{{"hostName":"h","{name}":{value},"delegateName":"n"}}"#);
        assert_eq!(dropped(&json), [name], "{value}");
        let expected = Report { name: Some("n".into()), host_name: Some("h".into()), ..Report::default() };
        assert_eq!(read(&json).0, expected);
    }
}

#[test]
fn identity_fields_of_a_wrong_type_are_refused() {
    for name in ["delegateName", "hostName", "delegateId", "accountId"] {
        for value in ["1", "true", "[]", "{}", "\"\\ud800\""] {
            assert!(refused(&format!("{{\"{name}\":{value}}}")), "{name} {value}");
        }
        assert!(!refused(&format!("{{\"{name}\":null}}")));
    }
}

#[test]
fn another_account_is_refused() {
    assert!(refused(r#"{"accountId":"OTHER"}"#));
    assert!(refused(r#"{"accountId":"acc"}"#));
    assert!(!refused(r#"{"accountId":"\u0041CC"}"#));
    assert!(goodbye(br#"{"accountId":"OTHER"}"#, "ACC").is_err());
}

#[test]
fn only_a_json_object_is_a_body() {
    for json in
        ["", " ", "null", "[]", "1", "\"{}\"", "{", "{}}", "{} x", "{\"a\":}", "{\"a\":1,}", "\u{feff}{}"]
    {
        assert!(refused(json), "{json:?}");
    }
    for json in ["{}", " {} ", "{}\n", "\r\n\t{}\r\n\t "] {
        assert!(!refused(json), "{json:?}");
    }
}

#[test]
fn of_repeated_members_the_last_counts() {
    let (report, dropped) = read(
        r#"{"hostName":1,"hostName":"a","hostName":"b","ng":"x","ng":true,"ip":"1","ip":null,
            "capacityConfig":{"maxStages":1,"maxStages":2}}"#,
    );
    assert!(dropped.is_empty());
    assert_eq!((report.host_name.as_deref(), report.ng, report.ip), (Some("b"), Some(true), None));
    assert_eq!(report.capacity, Some(Some(2)));
}

#[test]
fn blank_ids_hosts_and_scopes_are_absent() {
    let json = r#"{"delegateId":" ","hostName":"","orgIdentifier":"","projectIdentifier":"\t "}"#;
    assert_eq!(read(&json.replace('\t', "\\t")).0, Report::default());
}

#[test]
fn long_values_are_cut_and_never_refused() {
    let host = "h".repeat(300);
    let json = format!(r#"{{"hostName":"{host}","description":"{}","ip":"\u00e4{host}"}}"#, "ä".repeat(5000));
    let (report, dropped) = read(&json);
    assert!(dropped.is_empty());
    assert_eq!(report.host_name.unwrap(), host[..MAX_HOST_NAME]);
    assert_eq!(report.description.unwrap(), "ä".repeat(MAX_DESCRIPTION));
    assert_eq!(report.ip.unwrap().chars().count(), MAX_TEXT);
}

#[test]
fn deep_nesting_and_huge_numbers_do_no_harm() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(!refused(&format!(r#"{{"unknown":{deep}}}"#)));
    assert_eq!(dropped(&format!(r#"{{"capacityConfig":{deep}}}"#)), ["capacityConfig"]);
    assert_eq!(dropped(&format!(r#"{{"tags":{deep}}}"#)), ["tags"]);
    assert_eq!(read(&format!(r#"{{"supportedTaskTypes":[{deep}]}}"#)).0.task_types, Some(1));
    let digits = "9".repeat(100_000);
    assert_eq!(
        dropped(&format!(r#"{{"lastHeartBeat":{digits},"sequenceNum":-{digits}.5e{digits}}}"#)).len(),
        2
    );
    assert!(!refused(&format!(r#"{{"unknown":{digits}}}"#)));
}

#[test]
fn whole_numbers_may_be_written_in_any_way() {
    let clock = |number: &str| read(&format!(r#"{{"lastHeartBeat":{number}}}"#)).0.client_clock;
    assert_eq!(clock("1.795e12"), Some(1_795_000_000_000));
    assert_eq!(clock("-9223372036854775808"), Some(i64::MIN));
    assert_eq!(clock("9223372036854775808"), None);
    assert_eq!(clock("0"), Some(0));
}

#[test]
fn text_that_is_not_utf_8_is_refused() {
    assert!(report(b"{\"hostName\":\"\xff\"}", "ACC").is_err());
    assert!(frame(b"{\"delegateId\":\"\xc3\"}").is_err());
}

#[test]
fn a_million_tags_are_not_collected() {
    let json = format!(r#"{{"tags":[{}"x"]}}"#, "\"\",".repeat(200_000));
    assert_eq!(read(&json).0.tags.map(|tags| tags.len()), Some(1000));
}

#[test]
fn capacity_bodies() {
    let builds = |json: &str| capacity(json.as_bytes()).map(|(builds, _)| builds);
    assert_eq!(builds(r#"{"maximumNumberOfBuilds":4}"#), Ok(Some(4)));
    assert_eq!(builds(r#"{"maximumNumberOfBuilds":"4"}"#), Ok(None));
    assert_eq!(builds("{}"), Ok(None));
    assert_eq!(builds("[4]"), Err(NotUnderstood));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = (report(&bytes, "ACC"), goodbye(&bytes, "ACC"), frame(&bytes), capacity(&bytes));
    }

    #[test]
    fn no_damage_to_a_real_body_panics(at in 0_usize..1300, byte in any::<u8>(), length in 0_usize..1300) {
        let mut body = fixture!("java-heartbeat-rest.json").to_vec();
        if let Some(damaged) = body.get_mut(at) {
            *damaged = byte;
        }
        body.truncate(length);
        let _ = (report(&body, "ACC"), frame(&body));
    }

    #[test]
    fn any_json_value_in_any_member_is_read_or_dropped(
        key in prop::sample::select(Key::ALL.to_vec()),
        value in "null|true|-?[0-9]{1,30}(\\.[0-9]{1,3})?(e[0-9]{1,4})?|\"[a-z ]{0,9}\"|\\[\"[a-z]{0,3}\"\\]|\\{\"a\":1\\}",
    ) {
        let identity = [Key::AccountId, Key::DelegateId, Key::DelegateName, Key::HostName];
        prop_assume!(!value.contains("00") && !value.starts_with("-0") && !value.starts_with('0'));
        let body = format!("{{\"{}\":{value}}}", key.name());
        prop_assert!(report(body.as_bytes(), "ACC").is_ok() || identity.contains(&key));
    }
}
