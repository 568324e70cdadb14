//! Whole plays, faster than life, against a server that speaks the protocol.

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use common::{Fault, Seen, Server, one_group, tokens};
use drill::play::{Options, play};
use drill::scenario::Scenario;
use drill::stats::Summary;
use tokio::sync::Notify;

/// Plays until what the server saw fulfils `enough`.
async fn act(server: &Server, scenario: &Scenario, speed: f64, enough: impl Fn(&[Seen]) -> bool) -> Summary {
    let options = Options {
        speed,
        ramp: Duration::from_millis(10),
        // A play that never gets so far fails by its assertions.
        duration: Duration::from_mins(1),
        ..Options::new(server.base.clone())
    };
    play(scenario, &tokens(), &options, server.until(enough), |_| {}).await.unwrap()
}

/// Plays until a progress line holds `words`.
async fn act_until_told(server: &Server, scenario: &Scenario, words: &str) -> Summary {
    let options = Options {
        speed: 1_000.0,
        ramp: Duration::ZERO,
        duration: Duration::from_mins(1),
        report_every: Duration::from_millis(100),
        ..Options::new(server.base.clone())
    };
    let told = Notify::new();
    let say = |line: &str| {
        if line.contains(words) {
            told.notify_one();
        }
    };
    play(scenario, &tokens(), &options, told.notified(), say).await.unwrap()
}

fn hosts(seen: &[Seen], which: impl Fn(&Seen) -> bool) -> BTreeSet<String> {
    let name = |seen: &Seen| seen.json()["hostName"].as_str().map(str::to_owned);
    seen.iter().filter(|seen| which(seen)).filter_map(name).collect()
}

fn count(seen: &[Seen], which: impl Fn(&Seen) -> bool) -> usize {
    seen.iter().filter(|seen| which(seen)).count()
}

#[tokio::test]
async fn every_family_registers_once_and_beats_until_the_end() {
    for client in ["go", "runner", "java-rest", "java-stream"] {
        let server = Server::start(Fault::None).await;
        let scenario = one_group(&format!("client = \"{client}\"\nreplicas = 3"));
        let summary = act(&server, &scenario, 200.0, |seen| count(seen, Seen::is_beat) >= 9).await;
        let seen = server.seen().await;
        assert!(seen.iter().all(|seen| seen.authentic), "{client}");
        assert_eq!(count(&seen, Seen::is_register), 3, "{client}");
        assert_eq!((summary.registrations, summary.playing), (3, 0), "{client}");
        // The last one of each may still be under way when the play ends.
        assert!(summary.heartbeats >= 6 && summary.failures.is_empty(), "{client} {summary:?}");
        let goodbyes = if client == "go" { 0 } else { 3 };
        assert_eq!(count(&seen, Seen::is_goodbye), goodbyes, "{client}");
    }
}

#[tokio::test]
async fn families_that_poll_ask_for_work_of_their_own_kind() {
    for (client, path) in
        [("go", "/task-events"), ("runner", "/runner-events"), ("java-rest", "/task-events")]
    {
        let server = Server::start(Fault::None).await;
        let scenario = one_group(&format!("client = \"{client}\""));
        let is_poll = |seen: &Seen| seen.path.ends_with(path);
        act(&server, &scenario, 200.0, |seen| count(seen, is_poll) >= 3).await;
        assert!(count(&server.seen().await, is_poll) >= 3, "{client}");
    }
}

#[tokio::test]
async fn a_runner_reports_its_daemons() {
    let server = Server::start(Fault::None).await;
    let is_report = |seen: &Seen| seen.path.ends_with("/reconcile");
    act(&server, &one_group("client = \"runner\""), 2_000.0, |seen| count(seen, is_report) >= 2).await;
    assert!(count(&server.seen().await, is_report) >= 2);
}

#[tokio::test]
async fn a_go_client_tells_its_capacity_when_it_has_one() {
    let server = Server::start(Fault::None).await;
    let scenario = one_group("client = \"go\"\ncapacity = 4");
    act(&server, &scenario, 200.0, |seen| count(seen, Seen::is_beat) >= 1).await;
    let seen = server.seen().await;
    let told = seen.iter().find(|seen| seen.path.contains("register-delegate-capacity")).unwrap();
    assert_eq!(told.json()["maximumNumberOfBuilds"], 4);
}

#[tokio::test]
async fn a_play_ends_by_itself() {
    let server = Server::start(Fault::None).await;
    let options = Options { duration: Duration::from_millis(300), ..Options::new(server.base.clone()) };
    let scenario = one_group("client = \"runner\"");
    let summary = play(&scenario, &tokens(), &options, std::future::pending(), |_| {}).await.unwrap();
    assert_eq!((summary.registrations, summary.goodbyes, summary.playing), (1, 1, 0));
}

#[tokio::test]
async fn a_delegate_whose_row_was_lost_beats_without_registering() {
    let server = Server::start(Fault::None).await;
    let scenario = one_group("client = \"go\"\nfirst = \"heartbeat\"");
    act(&server, &scenario, 200.0, |seen| count(seen, Seen::is_beat) >= 2).await;
    let seen = server.seen().await;
    assert_eq!(count(&seen, Seen::is_register), 0);
    let beat = seen.iter().find(|seen| seen.is_beat()).unwrap();
    assert_eq!(beat.json()["delegateId"].as_str().unwrap().len(), 22);
}

#[tokio::test]
async fn a_silent_delegate_neither_beats_on_nor_says_goodbye() {
    let server = Server::start(Fault::None).await;
    let scenario = one_group(
        "client = \"runner\"\nreplicas = 2\nbehaving = 1\nbehaviour = { kind = \"silent\", after = 60 }",
    );
    // Two that beat alternate; only one is heard for so long when the other is silent.
    let one_is_alone = |seen: &[Seen]| {
        let beats: Vec<Seen> = seen.iter().filter(|seen| seen.is_beat()).cloned().collect();
        beats.len() >= 10 && hosts(&beats[beats.len() - 10..], Seen::is_beat).len() == 1
    };
    act(&server, &scenario, 50.0, |seen| hosts(seen, Seen::is_beat).len() == 2 && one_is_alone(seen)).await;
    let seen = server.seen().await;
    let last_beat = seen.iter().rfind(|seen| seen.is_beat()).unwrap().json()["hostName"].clone();
    let left: Vec<_> = hosts(&seen, Seen::is_goodbye).into_iter().collect();
    assert_eq!(hosts(&seen, Seen::is_register).len(), 2);
    assert_eq!(left, [last_beat.as_str().unwrap()], "the silent one must not say goodbye");
}

#[tokio::test]
async fn a_delegate_that_leaves_says_goodbye_and_stays_away() {
    let server = Server::start(Fault::None).await;
    let scenario = one_group("client = \"java-rest\"\nbehaviour = { kind = \"goodbye\", after = 60 }");
    act(&server, &scenario, 50.0, |seen| count(seen, Seen::is_goodbye) >= 1).await;
    let seen = server.seen().await;
    assert!(seen.last().unwrap().is_goodbye());
    assert_eq!((count(&seen, Seen::is_register), count(&seen, Seen::is_goodbye)), (1, 1));
}

#[tokio::test]
async fn a_flapping_delegate_returns_under_its_id_without_registering_again() {
    let server = Server::start(Fault::None).await;
    let scenario =
        one_group("client = \"java-stream\"\nbehaviour = { kind = \"flapping\", up = 40, down = 10 }");
    let is_handshake = |seen: &Seen| seen.method == "GET";
    act(&server, &scenario, 40.0, |seen| count(seen, is_handshake) >= 3 && count(seen, Seen::is_beat) >= 3)
        .await;
    let seen = server.seen().await;
    assert_eq!(count(&seen, Seen::is_register), 1);
    let ids: BTreeSet<String> =
        seen.iter().filter(|seen| seen.is_beat()).map(|seen| seen.json()["delegateId"].to_string()).collect();
    assert_eq!(ids.len(), 1);
}

#[tokio::test]
async fn a_late_delegate_beats_at_its_own_interval() {
    let server = Server::start(Fault::None).await;
    let scenario = one_group("client = \"go\"\nbehaviour = { kind = \"late\" }");
    act(&server, &scenario, 1_000.0, |seen| count(seen, Seen::is_beat) >= 2).await;
    let seen = server.seen().await;
    // 80 polls fit between two heartbeats; a steady client would poll 3 times.
    assert!(count(&seen, |seen| seen.path.ends_with("/task-events")) > 20);
}

#[tokio::test]
async fn a_churning_group_replaces_pods_only_after_the_new_one_is_there() {
    let server = Server::start(Fault::None).await;
    let scenario =
        one_group("client = \"java-stream\"\nreplicas = 2\nbehaviour = { kind = \"churn\", every = 30 }");
    act(&server, &scenario, 100.0, |seen| count(seen, Seen::is_goodbye) >= 4).await;
    let seen = server.seen().await;
    let mut there = 0;
    for step in &seen[..=place_of_goodbye(&seen, 4)] {
        there += i32::from(step.is_register());
        there -= i32::from(step.is_goodbye());
        assert!(there >= 2 || !step.is_goodbye());
    }
    let registered = hosts(&seen, Seen::is_register);
    assert!(registered.len() >= 6, "{registered:?}");
}

/// Where the nth goodbye is; later ones may belong to the end of the play.
fn place_of_goodbye(seen: &[Seen], nth: usize) -> usize {
    seen.iter().enumerate().filter(|(_, seen)| seen.is_goodbye()).nth(nth - 1).unwrap().0
}

#[tokio::test]
async fn a_rollout_moves_the_version_replica_by_replica() {
    let server = Server::start(Fault::None).await;
    let scenario = one_group(
        "client = \"java-stream\"\nreplicas = 3\nversions = [\"26.10.90212\"]\n\
         behaviour = { kind = \"rollout\", every = 60, to = \"26.11.90604\" }",
    );
    act(&server, &scenario, 100.0, |seen| count(seen, Seen::is_goodbye) >= 3).await;
    let seen = server.seen().await;
    let of_version =
        |version: &str| hosts(&seen, |seen| seen.is_register() && seen.json()["version"] == version);
    let (old, new) = (of_version("26.10.90212"), of_version("26.11.90604"));
    assert_eq!((old.len(), new.len()), (3, 3));
    assert_eq!(hosts(&seen[..=place_of_goodbye(&seen, 3)], Seen::is_goodbye), old);
}

#[tokio::test]
async fn an_upgrader_calls_beside_its_group() {
    for (behaviour, path) in [("steady", "delegate-v2"), ("old", "delegate")] {
        let server = Server::start(Fault::None).await;
        let scenario = one_group(&format!(
            "client = \"java-stream\"\nversions = [\"26.10.90212\"]\nupgrader = true\nbehaviour = {{ kind = \"{behaviour}\" }}"
        ));
        let is_call = |seen: &Seen| seen.path == format!("/api/upgrade-check/{path}");
        act(&server, &scenario, 200.0, |seen| count(seen, is_call) >= 1).await;
        let seen = server.seen().await;
        let call = seen.iter().find(|seen| is_call(seen)).unwrap();
        assert!(call.query.contains("26.10.90212"));
    }
}

#[tokio::test]
async fn a_go_client_gives_up_after_ten_attempts() {
    let server = Server::start(Fault::Unavailable).await;
    let scenario = one_group("client = \"go\"");
    let summary = act_until_told(&server, &scenario, "1 gave up").await;
    let attempts = count(&server.seen().await, Seen::is_register);
    assert_eq!((attempts, summary.failures["503"], summary.gave_up), (10, 10, 1));
}

#[tokio::test]
async fn a_java_delegate_never_gives_up() {
    let server = Server::start(Fault::Unavailable).await;
    act(&server, &one_group("client = \"java-rest\""), 5_000.0, |seen| count(seen, Seen::is_register) >= 12)
        .await;
    assert!(count(&server.seen().await, Seen::is_register) >= 12);
}

#[tokio::test]
async fn the_words_of_the_server_stop_a_java_delegate() {
    for (fault, client, beats) in [
        (Fault::InvalidToken, "java-rest", 0),
        (Fault::RevokedAtBeat, "java-rest", 1),
        (Fault::SelfDestruct, "java-stream", 1),
    ] {
        let server = Server::start(fault).await;
        let scenario = one_group(&format!("client = \"{client}\""));
        let summary = act_until_told(&server, &scenario, "1 stopped by the server").await;
        let seen = server.seen().await;
        assert_eq!((summary.stopped, summary.goodbyes), (1, 0), "{fault:?}");
        assert_eq!((count(&seen, Seen::is_register), count(&seen, Seen::is_beat)), (1, beats), "{fault:?}");
    }
}

#[tokio::test]
async fn a_lost_stream_is_opened_again() {
    let server = Server::start(Fault::ShortStreams).await;
    let scenario = one_group("client = \"java-stream\"");
    act(&server, &scenario, 200.0, |seen| count(seen, Seen::is_beat) >= 3).await;
    let seen = server.seen().await;
    assert!(count(&seen, |seen| seen.method == "GET") >= 3);
    assert_eq!(count(&seen, Seen::is_register), 1);
}

#[tokio::test]
async fn progress_and_total_are_told() {
    let server = Server::start(Fault::None).await;
    let options = Options {
        speed: 100.0,
        ramp: Duration::ZERO,
        duration: Duration::from_mins(1),
        report_every: Duration::from_millis(100),
        ..Options::new(server.base.clone())
    };
    let lines = std::sync::Mutex::new(Vec::new());
    let told = Notify::new();
    let say = |line: &str| {
        lines.lock().unwrap().push(line.to_owned());
        if line.contains("playing 1") && line.contains("p99") {
            told.notify_one();
        }
    };
    play(&one_group("client = \"go\""), &tokens(), &options, told.notified(), say).await.unwrap();
    let lines = lines.into_inner().unwrap();
    let (total, progress) = lines.split_last().unwrap();
    assert!(total.starts_with("total of ") && total.contains("no failures"), "{total}");
    assert!(progress.iter().any(|line| line.contains("playing 1")), "{progress:?}");
}
