//! The filter page and saved filters: who sees which, and what is left in the audit log (`product 11.4`, P34).

use axum::http::StatusCode;
use fleet::time::{HOUR, SECOND};
use server::store::access::SavedFilterRow;

use crate::support::{Answer, Caller, Server};

const PATH: &str = "/a/acme/o/payments";

async fn save(server: &Server, caller: &Caller, name: &str, visibility: &str) -> Answer {
    let fields = [("name", name), ("visibility", visibility), ("query", "health=expired&page=3&open=g")];
    server.post_as(caller, &format!("{PATH}/filters"), &fields).await
}

fn row(server: &Server, name: &str) -> SavedFilterRow {
    let tables = server.parts.state.auth.directory.tables();
    tables.saved_filters.iter().find(|row| &*row.name == name).cloned().expect("saved")
}

async fn people(server: &Server) -> (Caller, Caller, Caller) {
    let viewer = server.person("viewer@acme.example", "viewer", "acme/payments").await;
    let other = server.person("other@acme.example", "viewer", "acme/payments").await;
    let operator = server.person("op@acme.example", "operator", "acme/payments").await;
    (viewer, other, operator)
}

#[tokio::test]
async fn what_is_chosen_leads_to_the_list_and_nothing_is_refused() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let page = server.get(&format!("{PATH}/filter?health=expired")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("Filter delegates"));

    let chosen = format!(
        "{PATH}/filter?apply=true&search=&type=KUBERNETES&health=expired&sort=-name&page=4&delegateName="
    );
    let answer = server.get(&chosen).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(
        answer.header("location"),
        format!("{PATH}/delegates?health=expired&type=KUBERNETES&sort=-name")
    );

    for empty in ["apply=true", "apply=true&search=+&health=&sort=name&all=true"] {
        let answer = server.get(&format!("{PATH}/filter?{empty}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{empty}");
        assert!(answer.body.contains("Choose at least one condition"), "{empty}");
    }
    assert_eq!(
        server.get(&format!("{PATH}/filter?apply=true&health=ill")).await.status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(server.get("/a/acme/o/none/filter").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_private_filter_does_not_exist_for_anybody_else() {
    let server = Server::new().await;
    let (viewer, other, operator) = people(&server).await;
    server.register("acme/payments", "edge", "edge-1", None).await;
    let saved = save(&server, &viewer, "My late ones", "me").await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.body);
    assert_eq!(saved.header("location"), format!("{PATH}/delegates?health=expired"), "no place on a page");

    for path in ["delegates", "filters"] {
        let path = format!("{PATH}/{path}");
        assert!(server.get_as(&viewer, &path).await.body.contains("My late ones"), "{path}");
        for somebody in [&other, &operator, &server.root] {
            assert!(
                !server.get_as(somebody, &path).await.body.contains("My late ones"),
                "{path} {somebody:?}"
            );
        }
    }
    let id = row(&server, "My late ones").id;
    let one = format!("{PATH}/filters/{id}");
    for somebody in [&other, &operator, &server.root] {
        for path in [one.clone(), format!("{one}/delete")] {
            let answer = server.get_as(somebody, &path).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
            assert!(!answer.body.contains("My late ones"));
        }
        let fields = [("name", "mine now"), ("visibility", "me"), ("id", &*id), ("query", "search=x")];
        for path in [one.clone(), format!("{one}/delete"), format!("{PATH}/filters/replace")] {
            let answer = server.post_as(somebody, &path, &fields).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        }
    }
    assert_eq!(row(&server, "My late ones").query, "health=expired".into());
    let elsewhere = format!("/a/acme/filters/{id}/delete");
    assert_eq!(server.post_as(&server.root, &elsewhere, &[]).await.status, StatusCode::NOT_FOUND);
    let audit = server.get("/api/v1/accounts/acme/orgs/payments/audit").await.body;
    assert!(audit.contains("filter.create"), "{audit}");
    assert!(!audit.contains("My late ones") && !audit.contains("health=expired"), "{audit}");
}

#[tokio::test]
async fn publishing_to_everyone_needs_edit() {
    let server = Server::new().await;
    let (viewer, other, operator) = people(&server).await;
    let refused = save(&server, &viewer, "For all", "everyone").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(refused.body.contains("core_delegate_edit"));
    let narrowed = server.narrowed_person("some@acme.example", "operator", "acme/payments", "_edge").await;
    assert_eq!(save(&server, &narrowed, "For all", "everyone").await.status, StatusCode::FORBIDDEN);

    assert_eq!(save(&server, &operator, "For all", "everyone").await.status, StatusCode::SEE_OTHER);
    assert!(server.get_as(&other, &format!("{PATH}/filters")).await.body.contains("For all"));
    let id = row(&server, "For all").id;
    let one = format!("{PATH}/filters/{id}");
    for (path, fields) in [
        (one.clone(), vec![("name", "Mine"), ("visibility", "everyone")]),
        (format!("{one}/delete"), vec![]),
        (format!("{PATH}/filters/replace"), vec![("id", &*id), ("query", "search=x")]),
    ] {
        assert_eq!(server.post_as(&other, &path, &fields).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    // A private one cannot become public by the back door.
    assert_eq!(save(&server, &viewer, "Own", "me").await.status, StatusCode::SEE_OTHER);
    let own = format!("{PATH}/filters/{}", row(&server, "Own").id);
    let fields = [("name", "Own"), ("visibility", "everyone")];
    assert_eq!(server.post_as(&viewer, &own, &fields).await.status, StatusCode::FORBIDDEN);
    assert!(!row(&server, "Own").everyone);
}

#[tokio::test]
async fn a_filter_is_renamed_replaced_and_deleted_each_with_its_line() {
    let server = Server::new().await;
    let (viewer, _, operator) = people(&server).await;
    save(&server, &operator, "Late", "everyone").await;
    let id = row(&server, "Late").id;
    let one = format!("{PATH}/filters/{id}");
    let root = server.root.clone();
    let renamed = server.post_as(&root, &one, &[("name", " Later "), ("visibility", "everyone")]).await;
    assert_eq!(renamed.status, StatusCode::SEE_OTHER, "{}", renamed.body);
    assert_eq!(renamed.header("location"), format!("{PATH}/filters"));
    let fields = [("id", &*id), ("query", "search=b&sort=name&size=25")];
    let replaced = server.post_as(&operator, &format!("{PATH}/filters/replace"), &fields).await;
    assert_eq!(replaced.header("location"), format!("{PATH}/delegates?search=b&sort=name"));
    assert_eq!(
        (row(&server, "Later").query, row(&server, "Later").everyone),
        ("search=b&sort=name".into(), true)
    );
    assert!(server.get_as(&viewer, &format!("{PATH}/filters")).await.body.contains("Later"));

    let deleted = server.post_as(&operator, &format!("{one}/delete"), &[]).await;
    assert_eq!(deleted.header("location"), format!("{PATH}/filters"));
    assert_eq!(server.get_as(&operator, &one).await.status, StatusCode::NOT_FOUND);
    let lines: Vec<_> =
        server.audit().await.into_iter().filter(|(_, action, _)| action.starts_with("filter.")).collect();
    let line = |actor: &str, action: &str, name: &str| (actor.to_owned(), action.to_owned(), name.to_owned());
    assert_eq!(
        lines,
        [
            line("op@acme.example", "filter.delete", "Later"),
            line("op@acme.example", "filter.change", "Later"),
            line("root@acme.example", "filter.change", "Later"),
            line("op@acme.example", "filter.create", "Late"),
        ]
    );
}

#[tokio::test]
async fn what_cannot_be_saved_is_told_at_its_field() {
    let server = Server::new().await;
    let (viewer, ..) = people(&server).await;
    let path = format!("{PATH}/filters");
    for (fields, says) in [
        ([("name", ""), ("visibility", "me"), ("query", "search=x")], "Give 1 to 128 characters"),
        ([("name", "a"), ("visibility", "all"), ("query", "search=x")], "Choose who sees it"),
        (
            [("name", "a"), ("visibility", "me"), ("query", "sort=name&page=2")],
            "An empty filter cannot be saved",
        ),
        ([("name", "a"), ("visibility", "me"), ("query", "health=ill")], "Parameter health"),
    ] {
        let answer = server.post_as(&viewer, &path, &fields).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{says}");
        assert!(answer.body.contains(says), "{says}");
    }
    assert_eq!(save(&server, &viewer, "Twice", "me").await.status, StatusCode::SEE_OTHER);
    let again = save(&server, &viewer, "Twice", "me").await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(again.body.contains("already exists"));
    for number in 1..50 {
        assert_eq!(save(&server, &viewer, &format!("f{number}"), "me").await.status, StatusCode::SEE_OTHER);
    }
    let full = save(&server, &viewer, "one more", "me").await;
    assert_eq!(full.status, StatusCode::CONFLICT);
    assert!(full.body.contains("delete one first"));
}

#[tokio::test]
async fn hidden_instances_are_counted_for_those_who_may_see_them() {
    let server = Server::new().await;
    for name in ["edge", "other"] {
        server.register("acme/payments", name, &format!("{name}-1"), None).await;
    }
    let list = format!("{PATH}/delegates");
    assert!(!server.get(&list).await.body.contains("Show hidden"));
    server.clock.advance(6 * HOUR + SECOND);
    let page = server.get(&list).await.body;
    assert!(page.contains("Show hidden: 2 instances"), "{page}");
    let narrowed = server.narrowed_person("some@acme.example", "viewer", "acme/payments", "_edge").await;
    let page = server.get_as(&narrowed, &list).await.body;
    assert!(page.contains("Show hidden: 1 instance\""), "{page}");
    let page = server.get(&format!("{list}?hidden=true&hostName=edge-1")).await.body;
    assert!(page.contains("Silent for more than 6 hours"), "{page}");
}
