//! The export of delegates (`product 15.1`): forms, what is in them, and what is left out.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fleet::time::SECOND;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::support::{Answer, Caller, Server};

const PAYMENTS: &str = "/api/v1/accounts/acme/orgs/payments/delegates";
const PAGE: &str = "/a/acme/o/payments/delegates";

/// The lines of a CSV text whose cells hold no line ends.
fn lines(text: &str) -> Vec<&str> {
    assert!(text.ends_with("\r\n"), "{text}");
    text.split_terminator("\r\n").collect()
}

/// The names of the groups on a page, in order.
fn names_on_page(html: &str) -> Vec<String> {
    let rows = html.split("class=\"nm\"").skip(1);
    let name = |row: &str| Some(row.split_once('>')?.1.split_once('<')?.0.to_owned());
    rows.filter_map(name).collect()
}

async fn with_header(server: &Server, path: &str, name: &str, value: &str) -> Answer {
    let request = server.request(&server.root, Method::GET, path).await.header(name, value);
    server.send(request.body(Body::empty()).expect("request")).await
}

#[tokio::test]
async fn csv_has_one_line_an_instance_and_one_for_a_group_without() {
    let server = Server::new().await;
    let id = server.register("acme/payments", "edge", "edge-1", Some("26.09.89620")).await;
    server.register("acme/payments", "edge", "edge-2", Some("26.09.89620")).await;
    let answer = server.get(&format!("{PAYMENTS}?format=csv")).await;
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    let found = lines(&answer.body);
    assert_eq!(
        found[0],
        "scope,name,identifier,type,description,tags,groupStatus,groupVersion,autoUpgrade,legacy,source,uuid,hostName,\
         connected,version,status,expiringAt,lastHeartbeat,runner"
    );
    assert_eq!(
        found[1],
        format!(
            "acme/payments,edge,_edge,KUBERNETES,,\"edge, eu\",CONNECTED,26.09.89620,DETECTING,false,own,{id},edge-1,\
             true,26.09.89620,UNSUPPORTED,2027-02-28T23:59:59.000Z,2026-11-20T12:00:00.000Z,false"
        )
    );
    assert_eq!(found.len(), 3);
    server.clock.advance(7 * 24 * 3_600 * SECOND);
    let gone = server.get(&format!("{PAYMENTS}?format=csv")).await;
    let found = lines(&gone.body);
    assert_eq!(found.len(), 2, "{}", gone.body);
    assert!(
        found[1].starts_with("acme/payments,edge,_edge,") && found[1].ends_with(",own,,,,,,,,"),
        "{}",
        found[1]
    );
    assert_eq!(found[1].matches(',').count() - 1, found[0].matches(',').count(), "one comma is in the tags");
}

#[tokio::test]
async fn no_cell_is_a_formula_however_a_delegate_calls_itself() {
    let server = Server::new().await;
    server.register("acme/payments", "edge", "=cmd|' /C calc'!A0", Some("@SUM(1,2)")).await;
    let csv = server.get(&format!("{PAYMENTS}?format=csv")).await.body;
    assert!(csv.contains(",\"'=cmd|' /C calc'!A0\","), "{csv}");
    assert!(csv.contains("\"'@SUM(1,2)\""), "{csv}");
    for line in lines(&csv) {
        assert!(!line.split(',').any(|cell| cell.starts_with(['=', '@', '+', '-'])), "{line}");
    }
}

#[tokio::test]
async fn ndjson_has_one_delegate_a_line_and_says_the_rest_in_headers() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    let answer = server.get(&format!("{PAYMENTS}?format=ndjson&search=u&delegateTags=eu")).await;
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let json = server.get(&format!("{PAYMENTS}?search=u&delegateTags=eu")).await.json();
    let lines: Vec<Value> =
        answer.body.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    assert!(lines.len() > 1);
    assert_eq!(Value::from(lines), json["delegates"]);
    assert_eq!(answer.header("x-rollcall-as-of"), json["generatedAt"].to_string());
    assert_eq!(answer.header("x-rollcall-schema"), json["schema"].to_string());
    assert_eq!(answer.header("x-rollcall-filters"), "search=u&delegateTags=eu");
    assert_eq!(answer.header("x-rollcall-scope"), "acme/payments");
}

#[tokio::test]
async fn the_form_is_asked_for_by_parameter_or_header() {
    let server = Server::new().await;
    for (query, accept, expected) in [
        ("", "application/json", "application/json"),
        ("", "text/csv", "text/csv; charset=utf-8"),
        ("", "application/x-ndjson", "application/x-ndjson"),
        ("", "image/png", "application/json"),
        ("?format=json", "text/csv", "application/json"),
        ("?format=csv", "*/*", "text/csv; charset=utf-8"),
    ] {
        let answer = with_header(&server, &format!("{PAYMENTS}{query}"), "accept", accept).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (StatusCode::OK, expected),
            "{query} {accept}"
        );
        assert!(answer.header("vary").contains("accept"));
    }
    for (query, field) in [("format=xml", "format"), ("view=screen", "view"), ("download=yes", "download")] {
        let answer = server.get(&format!("{PAYMENTS}?{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(answer.json()["errors"][0]["fieldId"], json!(field));
    }
}

#[tokio::test]
async fn the_rows_are_those_of_the_screen() {
    let server = Server::new().await;
    server.register_one_of_each().await;
    for number in 0..30 {
        server.register("acme/payments", &format!("edge-{number:02}"), "h", Some("26.11.90604")).await;
    }
    for query in [
        "",
        "page=2",
        "size=25",
        "sort=-name",
        "sort=version&page=3",
        "health=expired",
        "search=edge&sort=-name&page=2",
        "versionStatus=ACTIVE&size=25",
        "page=99",
    ] {
        let page = server.get(&format!("{PAGE}?{query}")).await;
        let export = server.get(&format!("{PAYMENTS}?{query}&view=page")).await.json();
        let names: Vec<String> = export["delegates"]
            .as_array()
            .expect("list")
            .iter()
            .filter_map(|entry| entry["name"].as_str().map(ToOwned::to_owned))
            .collect();
        assert!(!names.is_empty(), "{query}");
        assert_eq!(names, names_on_page(&page.body), "{query}");
    }
    let whole = server.get(&format!("{PAYMENTS}?search=edge&sort=-name&page=2")).await.json();
    let names: Vec<&str> = whole["delegates"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    assert_eq!((names.len(), names[0], names[29]), (30, "edge-29", "edge-00"));
    assert_eq!(whole.get("view"), None);
    let page = server.get(&format!("{PAYMENTS}?search=edge&sort=-name&page=2&view=page")).await.json();
    assert_eq!(page["view"], json!({"sort": "-name", "page": 2, "pages": 3, "size": 10}));
}

#[tokio::test]
async fn a_file_is_named_after_scope_and_instant() {
    let server = Server::new().await;
    let file = server.get(&format!("{PAYMENTS}?format=csv&download=true")).await;
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename=\"rollcall-delegates-acme-payments-20261120T120000Z.csv\""
    );
    assert_eq!(server.get(PAYMENTS).await.header("content-disposition"), "");
    let audit = server.get("/api/v1/accounts/acme/audit?format=csv").await;
    assert_eq!(
        audit.header("content-disposition"),
        "attachment; filename=\"rollcall-audit-acme-20261120T120000Z.csv\""
    );
}

#[tokio::test]
async fn who_has_it_already_is_told_so_until_something_changes() {
    let server = Server::alone().await;
    server.register("acme/payments", "edge", "edge-1", Some("26.09.89620")).await;
    let first = server.get(PAYMENTS).await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\"") && first.header("cache-control") == "no-cache, private");
    server.clock.advance(2 * SECOND);
    for known in [&*tag, tag.trim_start_matches("W/"), &format!("\"other\", {tag}"), "*"] {
        let again = with_header(&server, PAYMENTS, "if-none-match", known).await;
        assert_eq!((again.status, again.body.as_str()), (StatusCode::NOT_MODIFIED, ""), "{known}");
        assert_eq!(again.header("etag"), tag, "only the instant of the figures has changed");
    }
    for other in ["?format=csv", "?search=edge", "?view=page", "?all=true"] {
        let path = format!("{PAYMENTS}{other}");
        assert_eq!(
            with_header(&server, &path, "if-none-match", &tag).await.status,
            StatusCode::OK,
            "{other}"
        );
    }
    server.register("acme/payments", "edge", "edge-1", Some("26.09.89620")).await;
    server.clock.advance(2 * SECOND);
    let beaten = with_header(&server, PAYMENTS, "if-none-match", &tag).await;
    assert_eq!(beaten.status, StatusCode::OK, "a heartbeat is news");
    assert_ne!(beaten.header("etag"), tag);
}

#[tokio::test]
async fn the_tag_of_one_viewer_is_not_good_for_more() {
    let server = Server::new().await;
    server.register("acme", "mine", "mine-1", None).await;
    server.register("acme", "other", "other-1", None).await;
    let sam = server.narrowed_person("sam@acme.example", "viewer", "acme", "_mine").await;
    let path = "/api/v1/accounts/acme/delegates";
    for format in ["json", "ndjson", "csv"] {
        let path = format!("{path}?format={format}");
        let (all, some) = (server.get(&path).await, server.get_as(&sam, &path).await);
        assert!(all.body.contains("other-1") && !some.body.contains("other"), "{}", some.body);
        assert!(some.body.contains("mine-1"));
        assert_ne!(all.header("etag"), some.header("etag"));
    }
    server.person("tool@acme.example", "viewer", "acme").await;
    let key = Caller::Key(server.key("tool@acme.example", "acme").await);
    let by_key = server.get_as(&key, &format!("{path}?format=csv")).await;
    assert_eq!((by_key.status, lines(&by_key.body).len()), (StatusCode::OK, 3));
}

#[tokio::test]
async fn a_large_export_comes_piece_by_piece_compressed_or_not() {
    let server = Server::new().await;
    for number in 0..400 {
        let host = format!("{number:04}-{}", "x".repeat(200));
        server.register("acme/payments", "edge", &host, Some("26.11.90604")).await;
    }
    let whole = server.get(PAYMENTS).await;
    assert_eq!(whole.json()["delegates"][0]["delegateReplicas"].as_array().map(Vec::len), Some(400));
    let request =
        server.request(&server.root, Method::GET, PAYMENTS).await.body(Body::empty()).expect("request");
    let response = server.router().oneshot(request).await.expect("infallible");
    let mut body = response.into_body();
    let (mut pieces, mut bytes) = (0, Vec::new());
    while let Some(frame) = body.frame().await {
        let piece = frame.expect("frame").into_data().expect("data");
        assert!(piece.len() < 72 * 1024, "{}", piece.len());
        (pieces, bytes) = (pieces + 1, [bytes, piece.to_vec()].concat());
    }
    assert!(pieces > 1, "one group alone is more than a piece");
    assert_eq!(String::from_utf8(bytes).expect("text"), whole.body);
    for encoding in ["gzip", "br"] {
        let packed = with_header(&server, PAYMENTS, "accept-encoding", encoding).await;
        assert_eq!((packed.status, packed.header("content-encoding")), (StatusCode::OK, encoding));
        let vary = packed.headers.get_all("vary").iter().filter_map(|value| value.to_str().ok());
        assert!(vary.collect::<Vec<_>>().join(",").contains("accept-encoding"));
        assert!(packed.body.len() < whole.body.len() / 4);
    }
}
