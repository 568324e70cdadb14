//! The whole application under an address: which page answers, and with which status.

use std::sync::Arc;

use crate::common::*;
use crate::filters::saved;
use crate::past::{instance_page, lifeline};
use any_spawner::Executor;
use app::App;
use app::context::{PageRequest, PageStatus};
use app::port::api::ApiReference;
use app::port::filters::{FilterPage, SavedFilter};
use app::port::history::{Activity, ActivityQuery, History, InstancePage};
use app::port::{GroupPage, Overview, Port, PortError, ScopeNode, SharedAccessPort, SharedPort};
use async_trait::async_trait;
use fleet::history::Window;
use fleet::query::{Query, facets, select};
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
        Ok(overview_of(snapshot, selection))
    }

    fn api(&self) -> Arc<ApiReference> {
        Arc::default()
    }

    async fn filters(&self, scope: &Scope, query: &Query) -> Result<FilterPage, PortError> {
        let snapshot = snapshot(&scope.to_string(), query.below, groups());
        let listed = select(&snapshot, query).groups as u64;
        Ok(FilterPage { facets: facets(&snapshot, query), listed, groups: 1, hidden: 0 })
    }

    async fn saved_filters(&self, _: &Scope) -> Result<Vec<SavedFilter>, PortError> {
        Ok(vec![saved("expired")])
    }

    async fn group(&self, scope: &Scope, identifier: &str, query: &Query) -> Result<GroupPage, PortError> {
        match groups().into_iter().find(|group| *group.facts.identifier == *identifier) {
            Some(group) => Ok(group_page(&query.to_url(), group).0),
            None => Err(PortError::UnknownGroup { scope: scope.clone(), identifier: identifier.to_owned() }),
        }
    }

    async fn history(&self, scope: &Scope, identifier: &str, window: Window) -> Result<History, PortError> {
        let page = self.group(scope, identifier, &Query::default()).await?;
        let members = page.snapshot.groups.first().map(|group| group.members.as_slice()).unwrap_or_default();
        let lines = members.iter().map(|member| lifeline(member, &[], window)).collect();
        Ok(History { window, as_of: NOW, lines })
    }

    async fn instance(
        &self,
        scope: &Scope,
        identifier: &str,
        instance: &str,
        window: Window,
    ) -> Result<InstancePage, PortError> {
        self.group(scope, identifier, &Query::default()).await?;
        let known = instance_page(groups().remove(0), instance, &[], window);
        known.ok_or_else(|| PortError::UnknownInstance {
            scope: scope.clone(),
            identifier: identifier.to_owned(),
            instance: instance.to_owned(),
        })
    }

    async fn activity(
        &self,
        scope: &Scope,
        identifier: &str,
        query: &ActivityQuery,
    ) -> Result<Activity, PortError> {
        if query.before.as_deref() == Some("nonsense") {
            let message = "take it from the link to older events".to_owned();
            return Err(PortError::BadParameter { field: "before", message });
        }
        let page = self.group(scope, identifier, &Query::default()).await?;
        let group = Arc::clone(&page.snapshot.groups[0].facts);
        Ok(Activity {
            group,
            as_of: NOW,
            events: Vec::new(),
            next: None,
            instances: Vec::new(),
            without_deeds: None,
        })
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
async fn a_group_has_its_tabs_and_an_instance_its_page() {
    for (path, words) in [
        ("_edge_a/instances", "Instances of edge-a"),
        ("_edge_a/activity", "Nothing has happened yet"),
        ("_edge_a/activity?instance=id-edge-a-1", "Nothing is kept of this instance"),
        ("_edge_a/instances/id-edge-a-1", "Heartbeats of edge-a-1 in the past 24 hours"),
        ("_edge_a/instances/id-edge-a-1?window=30d", "Heartbeats of edge-a-1 in the past 30 days"),
        ("_edge_a?window=7d", "Heartbeats of edge-a-1 in the past 7 days"),
    ] {
        let (status, html) = visit(&format!("/a/acme/delegates/{path}")).await;
        assert_eq!(status, 200, "{path}");
        assert!(html.contains(words), "{path}: {html}");
    }
}

#[tokio::test]
async fn an_instance_that_nobody_knows_is_404_and_leads_to_the_others() {
    let (status, html) = visit("/a/acme/delegates/_edge_a/instances/id-other").await;
    assert_eq!(status, 404);
    assert!(html.contains("There is no such instance"), "{html}");
    assert!(html.contains("href=\"/a/acme/delegates/_edge_a/instances?hidden=true\""), "{html}");
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
            .into_iter()
            .chain([
                "/a/acme/delegates/_edge_a?window=1h",
                "/a/acme/delegates/_edge_a/activity?before=nonsense",
            ])
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
