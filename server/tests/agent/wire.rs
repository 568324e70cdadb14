//! Bodies in all their forms (agent-protocol 3 and 4).

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::world::{HEARTBEAT, REGISTER, UNREGISTER, V2, World, body, fixture, request};

#[tokio::test]
async fn t1_register_always_answers_with_an_id() {
    let world = World::new().await;
    let long = body(&"n".repeat(300), &"h".repeat(300), &format!(r#""description":"{}""#, "d".repeat(9000)));
    for body in [
        "{}",
        r#"{"delegateId":null}"#,
        r#"{"delegateId":"","hostName":"","delegateName":""}"#,
        r#"{"delegateId":"never-seen"}"#,
        r#"{"delegateId":"not/an id at all"}"#,
        fixture!("go-register.json"),
        fixture!("runner-register.json"),
        fixture!("java-register.json"),
        &long,
    ] {
        let answer = world.register(body).await;
        assert_eq!(answer.status, StatusCode::OK, "{body}");
        assert!(!answer.json()["resource"]["delegateId"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn t2_register_and_heartbeat_have_exactly_their_keys() {
    let world = World::new().await;
    let register = world.register(fixture!("go-register.json")).await;
    let id = register.json()["resource"]["delegateId"].clone();
    let expected = json!({
        "metaData": {},
        "resource": {
            "delegateId": id,
            "action": null,
            "migrateUrl": null,
            "sequenceNum": null,
            "delegateRandomToken": null,
        },
        "responseMessages": [],
    });
    assert_eq!(register.json(), expected);
    assert_eq!(register.headers["content-type"], "application/json");
    let beat = fixture!("go-heartbeat.json").replace("d-go-0001", id.as_str().unwrap());
    let expected = json!({
        "metaData": {},
        "resource": {
            "delegateId": id,
            "status": "ENABLED",
            "useCdn": false,
            "jreVersion": null,
            "delegateRandomToken": null,
            "sequenceNumber": null,
        },
        "responseMessages": [],
    });
    assert_eq!(world.heartbeat(&beat).await.json(), expected);
}

#[tokio::test]
async fn t13_the_status_is_one_of_the_four_words() {
    let world = World::new().await;
    let words = ["ENABLED", "WAITING_FOR_APPROVAL", "DISABLED", "DELETED"].map(Value::from);
    for beat in [
        fixture!("go-heartbeat.json"),
        fixture!("runner-heartbeat.json"),
        fixture!("java-heartbeat-rest.json"),
    ] {
        assert!(words.contains(&world.heartbeat(beat).await.json()["resource"]["status"]));
    }
}

#[tokio::test]
async fn t8_sequence_numbers_in_four_forms_all_register() {
    let world = World::new().await;
    for (number, form) in ["1", "\"1\"", "null"].into_iter().enumerate() {
        world.registered(&body("n", &format!("h{number}"), &format!(r#""sequenceNum":{form}"#))).await;
    }
    world.registered(&body("n", "h3", "")).await;
    let mut kept = world.instances().await;
    kept.sort_by(|a, b| a.facts.host_name.cmp(&b.facts.host_name));
    let kept: Vec<_> = kept.iter().map(|member| member.facts.details.sequence.as_deref()).collect();
    assert_eq!(kept, [Some("1"), Some("1"), None, None]);
}

#[tokio::test]
async fn t9_four_ways_to_have_no_tags() {
    let world = World::new().await;
    for (number, tags) in [r#""tags":[""]"#, r#""tags":[]"#, r#""tags":null"#, ""].into_iter().enumerate() {
        world.registered(&body(&format!("group-{number}"), "h", tags)).await;
    }
    let groups = world.groups("ACC").await;
    assert_eq!(groups.len(), 4);
    for group in groups {
        assert!(group.facts.tags.is_empty() && group.members[0].facts.tags.is_empty());
    }
}

#[tokio::test]
async fn t11_null_fields_of_java_are_absent_fields() {
    let world = World::new().await;
    let body = fixture!("java-register.json");
    let nulls = serde_json::from_str::<Value>(body).unwrap();
    assert_eq!(nulls.as_object().unwrap().values().filter(|value| value.is_null()).count(), 13);
    world.registered(body).await;
    let group = &world.groups("ACC").await[0];
    assert_eq!(group.facts.scope.to_string(), "ACC");
    assert_eq!(group.facts.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(), ["eu", "edge"]);
}

#[tokio::test]
async fn t25_wrong_types_in_side_fields_still_register() {
    let world = World::new().await;
    let rest = r#""ip":5,"tags":"a","version":{"v":1},"lastHeartBeat":"soon","supportedTaskTypes":7,
        "sequenceNum":[],"capacityConfig":true,"runner":"yes","description":[1],"immutable":0,"location":1e999"#;
    world.registered(&body("n", "h", rest)).await;
    let instance = world.instance().await;
    assert_eq!((&*instance.facts.ip, &instance.facts.version), ("", &None));
    let metrics = world.metrics();
    for field in ["ip", "tags", "version", "lastHeartBeat", "supportedTaskTypes", "sequenceNum", "location"] {
        assert!(
            metrics.contains(&format!("rollcall_agent_dropped_fields_total{{field=\"{field}\"}} 1")),
            "{field}"
        );
    }
}

#[tokio::test]
async fn bodies_that_make_no_sense_are_refused() {
    let world = World::new().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for uri in [REGISTER, HEARTBEAT, UNREGISTER] {
        for body in [
            "",
            "null",
            "[]",
            "x",
            "{",
            r#"{"accountId":"OTHER"}"#,
            r#"{"delegateId":1}"#,
            r#"{"hostName":[]}"#,
            &deep,
        ] {
            let answer = world.call("POST", uri, body).await;
            assert_eq!(
                (answer.status, answer.code()),
                (StatusCode::BAD_REQUEST, "INVALID_REQUEST".to_owned()),
                "{uri}"
            );
        }
    }
    assert!(world.instances().await.is_empty());
}

#[tokio::test]
async fn a_mebibyte_is_read_and_one_byte_more_is_not() {
    let world = World::new().await;
    let filled = |length: usize| {
        let frame = body("n", "h", r#""x":"""#).len();
        body("n", "h", &format!(r#""x":"{}""#, "x".repeat(length - frame)))
    };
    let (fits, too_long) = (filled(1024 * 1024), filled(1024 * 1024 + 1));
    assert_eq!(fits.len(), 1024 * 1024);
    world.registered(&fits).await;
    let answer = world.register(&too_long).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::PAYLOAD_TOO_LARGE, "INVALID_REQUEST".to_owned()));
    // Without a length in front the end is found while reading.
    let chunks = too_long
        .into_bytes()
        .chunks(10_000)
        .map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()))
        .collect::<Vec<_>>();
    let mut streamed = request("POST", REGISTER, V2, "");
    *streamed.body_mut() = axum::body::Body::from_stream(futures::stream::iter(chunks));
    let answer = world.send(streamed).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::PAYLOAD_TOO_LARGE, "INVALID_REQUEST".to_owned()));
}

#[tokio::test]
async fn ids_that_cannot_be_kept_are_refused_in_heartbeats() {
    let world = World::new().await;
    for id in ["not/an id", "", &"x".repeat(65), "\\u0000"] {
        let answer = world.heartbeat(&body("n", "h", &format!(r#""delegateId":"{id}""#))).await;
        assert_eq!(answer.code(), "INVALID_REQUEST", "{id}");
    }
    assert!(world.instances().await.is_empty());
}
