//! Every route against everybody: who gets in is written out, cell by cell.

use axum::http::{Method, StatusCode};
use server::management::is_ours;
use server::routes;
use server::store::access::Change;

use crate::support::{Answer, Caller, Server};

/// Columns: stranger; viewer, operator, admin of the scope; of the scope above; of a sibling; an expired session; a
/// revoked key. Cells: `+` gets in, `x` is refused, `s` is led to the sign-in page, `u` is not authenticated.
///
/// Paths of scopes stand without their beginning: the same row holds for accounts, organizations and projects.
const TABLE: &[(&str, &str, &str)] = &[
    ("GET", "/sign-in", "+ +++ +++ +++ + +"),
    ("POST", "/sign-in", "+ +++ +++ +++ + +"),
    ("GET", "/sign-in/link/{id}", "+ +++ +++ +++ + +"),
    ("GET", "/sign-in/sso", "+ +++ +++ +++ + +"),
    ("GET", "/sign-in/sso/callback", "+ +++ +++ +++ + +"),
    ("GET", "/setup/{id}", "+ +++ +++ +++ + +"),
    ("POST", "/setup/{id}", "+ +++ +++ +++ + +"),
    ("POST", "/ui/preferences", "+ +++ +++ +++ + +"),
    ("GET", "/embed/{id}", "x xxx xxx xxx x x"),
    ("GET", "/embed/{id}/live", "x xxx xxx xxx x x"),
    ("GET", "/keys", "+ +++ +++ +++ + +"),
    ("GET", "/api/v1/openapi.json", "+ +++ +++ +++ + +"),
    ("POST", "/sign-out", "s +++ +++ +++ s s"),
    ("GET", "/", "s +++ +++ +++ s s"),
    ("GET", "/help", "s +++ +++ +++ s s"),
    ("GET", "/help/{topic}", "s +++ +++ +++ s s"),
    ("GET", "/me", "s +++ +++ +++ s s"),
    ("GET", "/me/session", "u +++ +++ +++ u u"),
    ("POST", "/me/password", "s +++ +++ +++ s s"),
    ("POST", "/me/sessions/end", "s +++ +++ +++ s s"),
    ("POST", "/me/keys", "s +++ +++ +++ s s"),
    ("POST", "/me/keys/{id}/revoke", "s +++ +++ +++ s s"),
    #[cfg(debug_assertions)]
    ("GET", "/dev/gallery", "s +++ +++ +++ s s"),
    #[cfg(debug_assertions)]
    ("GET", "/dev/gallery/{entry}", "s +++ +++ +++ s s"),
    ("GET", "/metrics", "u +++ +++ +++ u u"),
    ("GET", "~", "s +++ +++ xxx s s"),
    ("GET", "~/delegates", "s +++ +++ xxx s s"),
    ("GET", "~/filter", "s +++ +++ xxx s s"),
    ("GET", "~/filters", "s +++ +++ xxx s s"),
    ("POST", "~/filters", "s +++ +++ xxx s s"),
    ("GET", "~/filters/new", "s +++ +++ xxx s s"),
    ("POST", "~/filters/replace", "s +++ +++ xxx s s"),
    ("GET", "~/filters/{id}", "s +++ +++ xxx s s"),
    ("POST", "~/filters/{id}", "s +++ +++ xxx s s"),
    ("GET", "~/filters/{id}/delete", "s +++ +++ xxx s s"),
    ("POST", "~/filters/{id}/delete", "s +++ +++ xxx s s"),
    ("GET", "~/live", "u +++ +++ xxx u u"),
    ("GET", "~/new", "s x++ x++ xxx s s"),
    ("POST", "~/new", "s x++ x++ xxx s s"),
    ("POST", "~/new/download", "s x++ x++ xxx s s"),
    ("GET", "~/troubleshoot", "s +++ +++ xxx s s"),
    ("GET", "~/delegates/{group}", "s +++ +++ xxx s s"),
    ("GET", "~/delegates/{group}/instances", "s +++ +++ xxx s s"),
    ("GET", "~/delegates/{group}/instances/{instance}", "s +++ +++ xxx s s"),
    ("GET", "~/delegates/{group}/activity", "s +++ +++ xxx s s"),
    ("POST", "~/delegates/{group}/by-hand", "s x++ x++ xxx s s"),
    ("GET", "~/delegates/{group}/why", "s +++ +++ xxx s s"),
    ("GET", "~/delegates/{group}/troubleshoot", "s +++ +++ xxx s s"),
    ("GET", "~/delegates/{group}/delete", "s x++ x++ xxx s s"),
    ("POST", "~/delegates/{group}/delete", "s x++ x++ xxx s s"),
    ("GET", "~/delegates/{group}/instances/{instance}/delete", "s x++ x++ xxx s s"),
    ("POST", "~/delegates/{group}/instances/{instance}/delete", "s x++ x++ xxx s s"),
    ("POST", "~/delegates/{group}/approve", "s x++ x++ xxx s s"),
    ("POST", "~/delegates/{group}/reject", "s x++ x++ xxx s s"),
    ("GET", "~/delete", "s x++ x++ xxx s s"),
    ("POST", "~/delete", "s x++ x++ xxx s s"),
    ("POST", "~/undo", "s x++ x++ xxx s s"),
    ("POST", "~/allow", "s x++ x++ xxx s s"),
    ("GET", "~/tokens", "s +++ +++ xxx s s"),
    ("POST", "~/tokens", "s x++ x++ xxx s s"),
    ("GET", "~/tokens/{id}/revoke", "s x++ x++ xxx s s"),
    ("POST", "~/tokens/{id}/revoke", "s x++ x++ xxx s s"),
    ("POST", "~/tokens/{id}/delete", "s x++ x++ xxx s s"),
    ("GET", "~/users", "s xx+ xx+ xxx s s"),
    ("POST", "~/users", "s xx+ xx+ xxx s s"),
    ("POST", "~/users/{user}/assignments/{id}/remove", "s xx+ xx+ xxx s s"),
    ("POST", "~/users/{id}/disable", "s xx+ xx+ xxx s s"),
    ("POST", "~/users/{id}/enable", "s xx+ xx+ xxx s s"),
    ("POST", "~/users/{id}/sign-out", "s xx+ xx+ xxx s s"),
    ("GET", "~/roles", "s xx+ xx+ xxx s s"),
    ("POST", "~/roles", "s xx+ xx+ xxx s s"),
    ("POST", "~/roles/{id}", "s xx+ xx+ xxx s s"),
    ("POST", "~/roles/{id}/delete", "s xx+ xx+ xxx s s"),
    ("GET", "~/settings", "s +++ +++ xxx s s"),
    ("POST", "~/settings", "s xx+ xx+ xxx s s"),
    ("POST", "~/settings/reset", "s xx+ xx+ xxx s s"),
    ("GET", "~/audit", "s x++ x++ xxx s s"),
    ("GET", "~/embeds", "s x++ x++ xxx s s"),
    ("POST", "~/embeds", "s x++ x++ xxx s s"),
    ("GET", "~/embeds/{id}", "s x++ x++ xxx s s"),
    ("GET", "~/embeds/{id}/preview", "s x++ x++ xxx s s"),
    ("POST", "~/embeds/{id}/revoke", "s x++ x++ xxx s s"),
    ("GET", "/a/{account}/mirrors", "s xxx xx+ xxx s s"),
    ("POST", "/a/{account}/mirrors", "s xxx xx+ xxx s s"),
    ("POST", "/a/{account}/mirrors/{id}/remove", "s xxx xx+ xxx s s"),
    ("GET", "/api/v1~/delegates", "u +++ +++ xxx u u"),
    ("GET", "/api/v1~/audit", "u x++ x++ xxx u u"),
];

/// The beginnings of scopes: pages and tools, with the scope above and a sibling of the one that is asked for.
const LEVELS: [(&str, &str, &str, &str, &str); 3] = [
    ("/a/{account}", "/accounts/{account}", "acme", "*", "other"),
    ("/a/{account}/o/{org}", "/accounts/{account}/orgs/{org}", "acme/payments", "acme", "acme/shop"),
    (
        "/a/{account}/o/{org}/p/{project}",
        "/accounts/{account}/orgs/{org}/projects/{project}",
        "acme/payments/checkout",
        "acme/payments",
        "acme/payments/refunds",
    ),
];

/// The rows of the table with whole paths, each with its level.
fn rows() -> Vec<(&'static str, String, &'static str, usize)> {
    let mut rows = Vec::new();
    for (method, path, cells) in TABLE {
        let Some((before, after)) = path.split_once('~') else {
            rows.push((*method, (*path).to_owned(), *cells, 1));
            continue;
        };
        for (level, (page, tool, ..)) in LEVELS.iter().enumerate() {
            let scope = if before.is_empty() { page } else { tool };
            rows.push((*method, format!("{before}{scope}{after}"), *cells, level));
        }
    }
    rows
}

#[tokio::test]
async fn every_route_has_a_row_and_every_row_a_route() {
    let server = Server::new().await;
    // Those of the management API have a table of their own, in `management`.
    let mut routed: Vec<String> = routes::entries(server.parts.state.clone())
        .iter()
        .filter(|entry| !is_ours(entry.path))
        .map(|entry| format!("{} {}", entry.method, entry.path))
        .collect();
    let mut written: Vec<String> =
        rows().iter().map(|(method, path, ..)| format!("{method} {path}")).collect();
    routed.sort_unstable();
    written.sort_unstable();
    assert_eq!(routed, written);
}

#[tokio::test]
async fn every_route_lets_in_exactly_whom_its_row_names() {
    let server = Server::new().await;
    for scope in ["other", "acme/shop", "acme/payments/refunds"] {
        server.create_scope(scope).await;
    }
    let mut wrong = Vec::new();
    for (level, (.., own, parent, sibling)) in LEVELS.into_iter().enumerate() {
        let callers = callers(&server, level, own, parent, sibling).await;
        for (method, path, cells, _) in rows().into_iter().filter(|row| row.3 == level) {
            let cells: Vec<char> = cells.chars().filter(|cell| *cell != ' ').collect();
            assert_eq!(cells.len(), callers.len(), "{path}");
            for ((name, caller), expected) in callers.iter().zip(cells) {
                let answer = ask(&server, caller, method, &filled(&path)).await;
                let found = cell(&answer);
                if found != expected {
                    wrong.push(format!(
                        "{method} {path} {name} {own}: {found} ({}), not {expected}",
                        answer.status
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One caller per column.
async fn callers(
    server: &Server,
    level: usize,
    own: &str,
    parent: &str,
    sibling: &str,
) -> Vec<(String, Caller)> {
    let mut callers = vec![("stranger".to_owned(), Caller::Stranger)];
    for (place, scope) in [("own", own), ("parent", parent), ("sibling", sibling)] {
        for role in ["viewer", "operator", "admin"] {
            let email = format!("{role}-{place}-{level}@acme.example");
            callers.push((format!("{role} {place}"), server.person(&email, role, scope).await));
        }
    }
    let email = format!("late-{level}@acme.example");
    server.person(&email, "admin", own).await;
    let secret = server.session(&email).await;
    let hash = server::auth::secret::hash(&secret);
    let mut row = server.parts.store.session(&hash).await.expect("store").expect("session");
    server.parts.store.commit(&[Change::RemoveSession(hash.into())]).await.expect("gone");
    row.last_seen = row.last_seen.plus(-server::auth::session::IDLE - 1);
    server.parts.store.commit(&[Change::PutSession(row)]).await.expect("old");
    callers.push(("expired session".to_owned(), Caller::Cookie(secret)));
    let key = server.key(&email, own).await;
    server.revoke_key(&email, &key).await;
    callers.push(("revoked key".to_owned(), Caller::Key(key)));
    callers
}

fn filled(path: &str) -> String {
    path.replace("{account}", "acme")
        .replace("{org}", "payments")
        .replace("{project}", "checkout")
        .replace("{group}", "_edge_a")
        .replace("{instance}", "unknown")
        .replace("{user}", "unknown")
        .replace("{topic}", "tokens")
        .replace("{id}", "unknown")
}

async fn ask(server: &Server, caller: &Caller, method: &str, path: &str) -> Answer {
    match method {
        "POST" => server.post_as(caller, path, &[]).await,
        // A stream never ends by itself: its head is all that is asked for.
        _ if path.ends_with("/live") => server.head_of(caller, Method::GET, path).await,
        _ => server.get_as(caller, path).await,
    }
}

fn cell(answer: &Answer) -> char {
    match answer.status {
        StatusCode::SEE_OTHER if answer.header("location").starts_with("/sign-in?next=") => 's',
        StatusCode::UNAUTHORIZED => 'u',
        StatusCode::FORBIDDEN => 'x',
        status if status.is_server_error() => '!',
        _ => '+',
    }
}
