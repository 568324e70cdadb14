//! A disk that is full, and a file that is damaged.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use server::store;
use tokio_util::sync::CancellationToken;

use crate::caller::Callers;
use crate::house::{House, client, sign_in};
use crate::ledger::{Deed, Ledger};

/// Calls from all sides for this long; what was acknowledged is in the ledger.
async fn call(house: &House, url: &str, cookie: &str, ledger: &Arc<Ledger>, lasting: Duration) {
    let callers = Callers {
        client: client(),
        url: url.to_owned(),
        cookie: cookie.to_owned(),
        ledger: Arc::clone(ledger),
        store: store::open(&house.database).await.expect("store"),
    };
    let stop = CancellationToken::new();
    let end = async {
        tokio::time::sleep(lasting).await;
        stop.cancel();
    };
    tokio::join!(callers.run(8, 1, &stop), end);
    callers.store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_disk_nothing_is_promised_that_is_not_kept() {
    let house = House::new(None).await;
    let ledger = Arc::new(Ledger::default());
    // Files may grow to two mebibytes; there is no room for what comes then.
    let mut node = house.start_with_files_of(2_048).await;
    let cookie = sign_in(&client(), &node.url).await;
    let registered = |ledger: &Ledger| ledger.counts()[0].1;
    let mut before = 0;
    for round in 0.. {
        call(&house, &node.url, &cookie, &ledger, Duration::from_secs(1)).await;
        let now = registered(&ledger);
        if now == before {
            break;
        }
        assert!(round < 120, "the disk never got full: {now} registrations");
        before = now;
    }
    assert!(before > 0, "nothing was registered at all:\n{}", house.log());
    assert!(!node.is_ready().await, "it says that it is ready");
    let page = client().get(format!("{}/a/ACC/delegates", node.url)).header("cookie", &cookie).send().await;
    let page = page.expect("answered");
    assert_eq!(page.status(), StatusCode::OK);
    assert!(page.text().await.expect("text").contains("Changes cannot be stored since"));
    node.kill().await;

    let mut node = house.start().await;
    let store = store::open(&house.database).await.expect("store");
    assert_eq!(ledger.lost(&store).await, [] as [Deed; 0], "{}", house.log());
    call(&house, &node.url, &cookie, &ledger, Duration::from_secs(1)).await;
    assert!(registered(&ledger) > before, "with room it goes on");
    assert_eq!(ledger.lost(&store).await, [] as [Deed; 0]);
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_told_and_left_as_it_is() {
    let house = House::new(None).await;
    let ledger = Arc::new(Ledger::default());
    let mut node = house.start().await;
    let cookie = sign_in(&client(), &node.url).await;
    call(&house, &node.url, &cookie, &ledger, Duration::from_secs(1)).await;
    node.stop().await;
    let file = house.database.trim_start_matches("sqlite://");
    let mut bytes = std::fs::read(file).expect("file");
    let quarter = bytes.len() / 4;
    bytes[quarter..3 * quarter].fill(0xa5);
    std::fs::write(file, &bytes).expect("damage");

    let (code, said) = house.fail_to_start().await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("malformed") && said.contains("database"), "{said}");
    assert!(said.lines().count() <= 3, "one clear message:\n{said}");
    assert_eq!(std::fs::read(file).expect("file"), bytes, "it was touched");
}
