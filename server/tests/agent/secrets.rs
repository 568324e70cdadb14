//! T6: secrets of agents reach neither log nor database nor answers (agent-protocol 12).

use std::io;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tracing_subscriber::fmt::MakeWriter;

use crate::world::{HEARTBEAT, KEY, REGISTER, UNREGISTER, V1, V2, World, fixture, request};

/// A log that a test can read.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Log {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

/// Every form in which a secret of the fixtures could appear.
fn secrets() -> Vec<String> {
    let bytes: Vec<u8> =
        (0..16).map(|at| u8::from_str_radix(&KEY[2 * at..2 * at + 2], 16).unwrap()).collect();
    let mut secrets = vec![KEY.to_owned(), STANDARD.encode(KEY), STANDARD.encode(&bytes)];
    for jwe in [V1, V2] {
        // Any of its parts would be too much.
        secrets.extend(jwe.split('.').filter(|part| part.len() > 20).skip(1).map(ToOwned::to_owned));
    }
    secrets
}

fn assert_clean(place: &str, content: &[u8]) {
    for secret in secrets() {
        let found = content.windows(secret.len()).any(|text| text == secret.as_bytes());
        assert!(!found, "{place} holds a secret");
    }
}

#[tokio::test]
async fn t6_no_secret_reaches_log_database_answers_or_metrics() {
    let log = Log::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    // For all threads: a subscriber of one alone misses what others touched first. So the other tests write here
    // as well, and are held to the same rule.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let world = World::new().await;
    let damaged = fixture!("go-register.json").replace("hostName\":", "hostName\":1,\"x\":");
    let calls = [
        ("POST", REGISTER.to_owned(), fixture!("go-register.json")),
        ("POST", HEARTBEAT.to_owned(), fixture!("go-heartbeat.json")),
        ("POST", REGISTER.to_owned(), fixture!("java-register.json")),
        ("POST", HEARTBEAT.to_owned(), fixture!("java-heartbeat-rest.json")),
        ("POST", REGISTER.to_owned(), &*damaged),
        ("POST", REGISTER.to_owned(), KEY),
        ("POST", UNREGISTER.to_owned(), fixture!("go-heartbeat.json")),
        ("GET", format!("/stream/delegate/ACC?token={V2}&delegateToken={KEY}"), ""),
        ("GET", format!("/api/agent/{V2}?token={V1}"), ""),
        (
            "GET",
            format!("/api/upgrade-check/delegate?accountId=ACC&currentDelegateImageTag=x:1&token={V2}"),
            "",
        ),
    ];
    for (method, uri, body) in calls {
        for jwe in [V1, V2] {
            let answer = world.send(request(method, &uri, jwe, body)).await;
            assert_clean("an answer", format!("{:?}{}", answer.headers, answer.body).as_bytes());
        }
    }
    assert_clean("the metrics", world.metrics().as_bytes());
    let shown = format!("{:?} {:?}", world.tokens, world.store.tokens().await.unwrap());
    assert_clean("the debug output", shown.as_bytes());
    world.store.close().await;
    for file in std::fs::read_dir(world.folder.path()).unwrap() {
        assert_clean("the database", &std::fs::read(file.unwrap().path()).unwrap());
    }
    let log = log.0.lock().unwrap().clone();
    assert!(String::from_utf8_lossy(&log).contains("delegate registered"), "there is a log to look at");
    assert_clean("the log", &log);
}
