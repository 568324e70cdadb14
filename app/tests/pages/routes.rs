//! The whole application under an address: which page answers, and with which status.

use std::sync::Arc;

use crate::common::*;
use any_spawner::Executor;
use app::App;
use app::context::{PageRequest, PageStatus};
use app::port::{GroupPage, Overview, Port, PortError, ScopeNode, SharedAccessPort, SharedPort};
use async_trait::async_trait;
use fleet::query::{Query, select};
use fleet::scope::Scope;
use futures::StreamExt as _;
use leptos::prelude::*;
use leptos_router::location::RequestUrl;

/// One account with one group, in front of the real rules.
pub(crate) struct OneGroup;

fn groups() -> Vec<Group> {
    vec![Group::new("edge-a").instance("edge-a-1", LATEST, 5)]
}

#[async_trait]
impl Port for OneGroup {
    async fn overview(&self, scope: &Scope, query: &Query) -> Result<Overview, PortError> {
        if scope.account() == "loading" {
            return Err(PortError::NotReady);
        }
        if scope.account() != "acme" {
            return Err(PortError::UnknownScope(scope.clone()));
        }
        let snapshot = snapshot(&scope.to_string(), query.below, groups());
        let selection = select(&snapshot, query);
        Ok(Overview { snapshot: Arc::new(snapshot), selection, below: 0, notes: notes() })
    }

    async fn group(&self, scope: &Scope, identifier: &str, query: &Query) -> Result<GroupPage, PortError> {
        match groups().into_iter().find(|group| *group.facts.identifier == *identifier) {
            Some(group) => Ok(group_page(&query.to_url(), group).0),
            None => Err(PortError::UnknownGroup { scope: scope.clone(), identifier: identifier.to_owned() }),
        }
    }

    async fn scopes(&self) -> Result<Arc<Vec<ScopeNode>>, PortError> {
        Ok(scopes())
    }
}

/// Status and HTML of the answer to a request.
pub(crate) async fn answer(
    request: PageRequest,
    port: Option<SharedPort>,
    access: Option<SharedAccessPort>,
) -> (u16, String) {
    // Another test of this file may have been first.
    let _ = Executor::init_tokio();
    let status = PageStatus::default();
    let owner = Owner::new_root(None);
    let stream = owner.with(|| {
        provide_context(RequestUrl::new(&request.uri));
        provide_context(request);
        provide_context(status.clone());
        if let Some(port) = port {
            provide_context(port);
        }
        if let Some(access) = access {
            provide_context(access);
        }
        App().into_view().to_html_stream_in_order()
    });
    let html = stream.collect::<String>().await;
    (status.get(), html)
}

async fn get(uri: &str, port: Option<SharedPort>) -> (u16, String) {
    let request =
        PageRequest { uri: uri.to_owned(), request_id: "req-1".to_owned(), ..PageRequest::default() };
    answer(request, port, None).await
}

async fn visit(uri: &str) -> (u16, String) {
    get(uri, Some(Arc::new(OneGroup))).await
}

#[tokio::test]
async fn every_level_has_its_delegates_page() {
    for (path, crumb) in [
        ("/a/acme/delegates", "acme"),
        ("/a/acme/o/payments/delegates", "payments"),
        ("/a/acme/o/payments/p/checkout/delegates", "checkout"),
    ] {
        let (status, html) = visit(path).await;
        assert_eq!(status, 200, "{path}");
        assert!(html.contains("<h1>Delegates</h1>"), "{path}: {html}");
        assert!(html.contains(&format!("<span class=\"crumb\">{crumb}</span>")), "{path}");
    }
}

#[tokio::test]
async fn the_query_of_the_address_is_the_query_of_the_page() {
    let (status, html) = visit("/a/acme/delegates?search=edge%2Da&size=25").await;
    assert_eq!(status, 200);
    assert!(html.contains("Remove filter Search: edge-a"), "{html}");
}

#[tokio::test]
async fn a_group_has_its_page_under_its_identifier() {
    let (status, html) = visit("/a/acme/delegates/_edge_a").await;
    assert_eq!(status, 200);
    assert!(html.contains("<dt>Group name</dt><dd>edge-a</dd>"), "{html}");
}

#[tokio::test]
async fn the_start_page_lists_accounts() {
    let (status, html) = visit("/").await;
    assert_eq!(status, 200);
    assert!(html.contains("href=\"/a/acme/delegates\""));
}

#[tokio::test]
async fn what_does_not_exist_is_404() {
    for path in ["/nowhere", "/a/acme", "/a/acme/delegates/_gone", "/a/other/delegates", "/a/.bad/delegates"]
    {
        let (status, html) = visit(path).await;
        assert_eq!(status, 404, "{path}");
        assert!(html.contains("There is no such"), "{path}: {html}");
        assert!(html.contains("req-1"), "{path}");
    }
}

#[tokio::test]
async fn a_query_that_cannot_be_understood_is_400() {
    for path in
        ["/a/acme/delegates?size=7", "/a/acme/delegates?health=sick", "/a/acme/delegates/_edge_a?page=0"]
    {
        assert_eq!(visit(path).await.0, 400, "{path}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_ready_is_503() {
    assert_eq!(visit("/a/loading/delegates").await.0, 503);
    assert_eq!(get("/a/acme/delegates", None).await.0, 503);
    assert_eq!(get("/", None).await.0, 503);
}
