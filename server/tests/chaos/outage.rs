//! A database that goes away and comes back, and a node that is cut off from it while another one is not.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use server::store;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::caller::Callers;
use crate::database::fresh_database;
use crate::house::{House, JWE, Node, client, sign_in};
use crate::is_long;
use crate::ledger::Ledger;
use crate::proxy::{Proxy, port_of};

/// How long the database is away.
fn away() -> Duration {
    Duration::from_secs(if is_long() { 60 } else { 6 })
}

async fn until(what: &str, house: &House, mut good: impl AsyncFnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !good().await {
        assert!(started.elapsed() < Duration::from_secs(90), "{what} never happened:\n{}", house.log());
        sleep(Duration::from_millis(50)).await;
    }
    started.elapsed()
}

async fn register(node: &Node, name: &str, host: &str) -> Option<String> {
    let body = format!(
        r#"{{"accountId":"ACC","delegateName":"{name}","delegateType":"KUBERNETES","ng":true,"hostName":"{host}","version":"26.10.90107"}}"#
    );
    let answer = agent(node, "register", body).await;
    let answer: serde_json::Value = serde_json::from_str(&answer.text().await.ok()?).ok()?;
    answer["resource"]["delegateId"].as_str().map(ToOwned::to_owned)
}

async fn beat(node: &Node, name: &str, host: &str, id: &str) -> StatusCode {
    let body = format!(
        r#"{{"accountId":"ACC","delegateName":"{name}","delegateId":"{id}","delegateType":"KUBERNETES","ng":true,"hostName":"{host}"}}"#
    );
    agent(node, "heartbeat-with-polling", body).await.status()
}

async fn agent(node: &Node, path: &str, body: String) -> reqwest::Response {
    let request = client()
        .post(format!("{}/api/agent/delegates/{path}?accountId=ACC", node.url))
        .header("authorization", format!("Delegate {JWE}"))
        .body(body);
    request.send().await.expect("answered")
}

async fn page(node: &Node, cookie: &str) -> (StatusCode, String) {
    let asked = client().get(format!("{}/a/ACC/delegates", node.url)).header("cookie", cookie).send().await;
    let answer = asked.expect("answered");
    (answer.status(), answer.text().await.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_a_server_answers_delegates_and_says_what_is_missing() {
    let url = fresh_database().await;
    let house = House::new(Some(url.clone())).await;
    let proxy = Proxy::to(port_of(&url)).await;
    let node = house.start_on(&proxy.by(&url)).await;
    let cookie = sign_in(&client(), &node.url).await;
    let id = register(&node, "edge", "a").await.expect("registered");
    let ledger = Arc::new(Ledger::default());
    let callers = Callers {
        client: client(),
        url: node.url.clone(),
        cookie: cookie.clone(),
        ledger: Arc::clone(&ledger),
        store: store::open(&url).await.expect("store"),
    };
    let stop = CancellationToken::new();
    let outage = async {
        sleep(Duration::from_secs(1)).await;
        proxy.cut();
        let cut = Instant::now();
        let (mut beats, mut slowest) = (0, Duration::ZERO);
        while cut.elapsed() < away() {
            let asked = Instant::now();
            assert_eq!(beat(&node, "edge", "a", &id).await, StatusCode::OK);
            slowest = slowest.max(asked.elapsed());
            beats += 1;
            sleep(Duration::from_millis(50)).await;
        }
        assert!(!node.is_ready().await);
        let (status, text) = page(&node, &cookie).await;
        assert_eq!(status, StatusCode::OK);
        assert!(text.contains("Changes cannot be stored since"), "the page does not say so");
        proxy.mend();
        let back = until("ready again", &house, async || node.is_ready().await).await;
        sleep(Duration::from_secs(1)).await;
        stop.cancel();
        println!(
            "\ndatabase away for {} s: {beats} heartbeats answered, the slowest in {} ms; ready {} ms after its return",
            away().as_secs(),
            slowest.as_millis(),
            back.as_millis()
        );
    };
    tokio::join!(callers.run(8, 1, &stop), outage);
    let stored = async || ledger.lost(&callers.store).await.is_empty();
    until("everything acknowledged is stored", &house, stored).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_cut_off_says_so_and_catches_up_while_the_other_goes_on() {
    let url = fresh_database().await;
    let house = House::new(Some(url.clone())).await;
    let proxy = Proxy::to(port_of(&url)).await;
    let (here, apart) = (house.start().await, house.start_on(&proxy.by(&url)).await);
    let cookie = sign_in(&client(), &here.url).await;
    let id = register(&here, "edge", "a").await.expect("registered");
    let listed = async |node: &Node, host: &str| page(node, &cookie).await.1.contains(host);
    until("the registration is seen at once", &house, async || listed(&apart, "edge").await).await;
    proxy.cut();
    register(&here, "late", "b").await.expect("the other one goes on");
    // Longer than a node that cannot read counts as fine.
    let deaf = async || page(&apart, &cookie).await.1.contains("cannot read what other servers heard");
    until("the page says that it is cut off", &house, deaf).await;
    assert_eq!(beat(&apart, "edge", "a", &id).await, StatusCode::OK);
    proxy.mend();
    let back = until("what the other one did is seen", &house, async || listed(&apart, "late").await).await;
    println!(
        "\na node cut off from the database and the other node: caught up {} ms after",
        back.as_millis()
    );
    until("the note is gone", &house, async || !deaf().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_loses_nobody_and_no_deed() {
    let url = fresh_database().await;
    let house = House::new(Some(url.clone())).await;
    let (mut one, two) = (house.start().await, house.start().await);
    let cookie = sign_in(&client(), &one.url).await;
    let id = register(&one, "edge", "a").await.expect("registered");
    assert_eq!(beat(&one, "edge", "a", &id).await, StatusCode::OK);
    let took = one.stop().await;
    assert_eq!(beat(&two, "edge", "a", &id).await, StatusCode::OK);
    let one = house.start().await;
    for node in [&one, &two] {
        let url = format!("{}/api/v1/accounts/ACC/delegates", node.url);
        let answer = client().get(url).header("cookie", &cookie).send().await.expect("answered");
        let fleet: serde_json::Value =
            serde_json::from_str(&answer.text().await.expect("text")).expect("JSON");
        let counts = &fleet["counts"];
        assert_eq!((&counts["connected"], &counts["unreachable"]), (&1.into(), &0.into()), "{fleet}");
    }
    println!("\na node stopped within {} ms; nobody was called lost", took.as_millis());
}
