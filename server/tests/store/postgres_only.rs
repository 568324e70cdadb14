//! Connections.

use server::store::{StoreError, open};
use sqlx::Connection as _;

use crate::fixture::{Fixture, Loaded, at, small_fleet};
use crate::server::fresh_database;

#[tokio::test]
async fn a_server_that_is_away_is_unavailable() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = open(&format!("postgres://me:hunter2@127.0.0.1:{port}/fleet")).await.err().unwrap();
    assert!(matches!(error, StoreError::Unavailable(sqlx::Error::Io(_))), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_wrong_password_is_not_told() {
    let url = fresh_database().await;
    let (head, tail) = (url.find("rollcall:").unwrap(), url.find('@').unwrap());
    let wrong = format!("{}rollcall:hunter2{}", &url[..head], &url[tail..]);
    let error = open(&wrong).await.err().unwrap();
    assert!(format!("{error}").contains("password authentication failed"), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

#[tokio::test]
async fn both_names_of_the_scheme_are_known() {
    let url = fresh_database().await.replace("postgres://", "postgresql://");
    assert_eq!(open(&url).await.unwrap().kind(), "postgres");
}

#[tokio::test]
async fn a_database_that_cannot_be_written_is_unavailable() {
    let fixture = Fixture::postgres().await;
    fixture.write(small_fleet()).await;
    let name = fixture.url.rsplit('/').next().unwrap();
    fixture
        .tamper(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', \
        current_database()); END $$",
        )
        .await;
    let store = fixture.again().await;
    assert!(matches!(store.ping().await, Err(StoreError::Unavailable(_))), "{name}");
    assert!(matches!(store.write(&small_fleet()).await, Err(StoreError::Unavailable(_))));
    assert_eq!(Loaded::of(&store, at(0)).await.unwrap().ids(), ["a", "b"], "reading goes on");
}

#[tokio::test]
async fn whoever_gives_up_in_the_middle_leaves_nothing_open() {
    let fixture = Fixture::postgres().await;
    fixture.write(small_fleet()).await;
    let other = fixture.again().await;
    for round in 0..60 {
        other.write(&small_fleet()).await.unwrap();
        let mut loaded = Loaded::default();
        let mut follow = fixture.store.follow(0, &mut loaded);
        // Dropped at another point each time, as requests are whose clients are gone.
        for _ in 0..round % 12 {
            if futures::poll!(&mut follow).is_ready() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        drop(follow);
        fixture.store.write(&small_fleet()).await.unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
    let open = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";
    let mut connection = sqlx::PgConnection::connect(&fixture.url).await.unwrap();
    let open: i64 = sqlx::query_scalar(open).fetch_one(&mut connection).await.unwrap();
    assert_eq!(open, 0);
}
