#![allow(missing_docs, clippy::all, clippy::pedantic, dead_code, unused)]
#[path = "../tests/common/mod.rs"]
mod common;
use app::context::*;
use app::port::*;
use async_trait::async_trait;
use axum::Router;
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use axum::routing::get;
use common::*;
use fleet::delegate::*;
use fleet::query::*;
use fleet::scope::Scope;
use fleet::time::*;
use leptos::context::provide_context;
use leptos::prelude::*;
use leptos_axum::{LeptosRoutes, generate_route_list};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static TICK: AtomicU64 = AtomicU64::new(0);

fn fleet(n: u64) -> Vec<Group> {
    let mut v = vec![
        Group::new("helm-payments-eu")
            .with(|f| f.kind = DelegateType::Helm)
            .with(|f| f.upgrader_seen = None)
            .tags(&["eu-west-1", "payments", "linux"])
            .instance("helm-payments-eu-6f7c9d-x2k9q", EXPIRED, 8)
            .instance("helm-payments-eu-6f7c9d-aaaaa", EXPIRED, 9)
            .instance("helm-payments-eu-6f7c9d-bbbbb", EXPIRED, 10),
        Group::new("k8s-checkout-blue")
            .tags(&["prod"])
            .instance_with("k8s-checkout-blue-6f7c-x2k9q", NEAR, Some(11), |f| {
                f.transport = Transport::WebSocket;
                f.clock_skew = Some(93_000)
            })
            .instance("k8s-checkout-blue-6f7c-p81zz", NEAR, 2460),
        Group::new("docker-build-07")
            .with(|f| {
                f.kind = DelegateType::Docker;
                f.upgrader_seen = None;
                f.by_choice = true
            })
            .tags(&["ci", "arm64"])
            .instance("docker-build-07", "26.08.89301", 7200),
        Group::new("k8s-tools-edge")
            .with(|f| {
                f.upgrader_seen = None;
                f.first_seen = NOW.plus(-10 * MINUTE)
            })
            .tags(&["edge"])
            .instance("k8s-tools-edge-77d9c-abcde", OLD, if n % 2 == 0 { 6 } else { 400 })
            .instance("k8s-tools-edge-77d9c-fghij", OLD, 7),
        Group::new("k8s-platform-core")
            .scope("acme/platform/core")
            .instance("k8s-platform-core-5d4f-11111", LATEST, 3)
            .instance("k8s-platform-core-5d4f-22222", OLD, 4)
            .instance("k8s-platform-core-5d4f-33333", LATEST, 5),
        Group::new("runner-south")
            .with(|f| {
                f.kind = DelegateType::Docker;
                f.family = Family::Runner;
                f.upgrader_seen = None;
            })
            .instance("runner-ip-198-51-100-7", "", 4),
        Group::new("vm-pool-north")
            .with(|f| {
                f.kind = DelegateType::Docker;
                f.family = Family::Go;
                f.upgrader_seen = None;
            })
            .tags(&["linux", "north", "team-a"])
            .instance("dlite-build-vm-01", "", 210),
        Group::new("ecs-batch")
            .with(|f| {
                f.kind = DelegateType::Ecs;
                f.upgrader_seen = None;
            })
            .instance("ip-10-0-3-17", "26.10.90212.minimal", 190)
            .instance("ip-10-0-3-18", "26.10.90212.minimal", 2),
        Group::new("a-delegate-with-quite-a-long-name-for-a-table-cell")
            .tags(&["averyveryverylongtagwithoutspaces", "cluster:a", "x"])
            .instance_with("host-1", LATEST, Some(1), |f| {
                f.tags = ["cluster:a".into()].into();
            })
            .instance_with("host-2", LATEST, Some(1), |f| f.tags = ["cluster:b".into()].into()),
        Group::new("old-shell")
            .with(|f| {
                f.kind = DelegateType::Shell;
                f.upgrader_seen = None
            })
            .instance("vm-legacy-1", "1.0.80104", 20),
        Group::new("gone").with(|f| {
            f.kind = DelegateType::from("NOMAD");
            f.last_active = NOW.plus(-3 * DAY);
        }),
    ];
    let mut big = Group::new("huge-fleet").with(|f| f.kind = DelegateType::Helm);
    for i in 0..130 {
        big = big.instance(&format!("huge-fleet-7c9d5-{i:05}"), LATEST, i % 250);
    }
    v.push(big);
    for i in 0..18 {
        v.push(
            Group::new(&format!("edge-{i:02}"))
                .tags(&["edge", "eu"])
                .instance(
                    &format!("edge-{i:02}-7c9d5b6f4-x2kqp"),
                    [LATEST, OLD, NEAR, EXPIRED][i % 4],
                    5 + i as i64,
                )
                .instance(&format!("edge-{i:02}-7c9d5b6f4-mmmmm"), LATEST, 6),
        );
    }
    v
}

struct P;
#[async_trait]
impl Port for P {
    async fn overview(&self, scope: &Scope, query: &Query) -> Result<Overview, PortError> {
        if scope.account() == "wait" {
            return Err(PortError::NotReady);
        }
        if scope.account() != "acme" {
            return Err(PortError::UnknownScope(scope.clone()));
        }
        let n = TICK.load(Ordering::Relaxed);
        let mut all = fleet(n);
        let total = all.len();
        all.retain(|g| if query.below { scope.contains(&g.facts.scope) } else { *g.facts.scope == *scope });
        let kept = all.len();
        let mut s = snapshot(&scope.to_string(), query.below, all);
        s.as_of = NOW.plus(n as i64 * 1000);
        let selection = select(&s, query);
        let mut no = notes();
        if n < 5 {
            no.restarted_at = Some(NOW.plus(-60_000));
        }
        Ok(Overview {
            snapshot: Arc::new(s),
            selection,
            below: if query.below { 0 } else { (total - kept) as u64 },
            notes: no,
        })
    }
    async fn group(&self, scope: &Scope, identifier: &str, query: &Query) -> Result<GroupPage, PortError> {
        let g = fleet(0)
            .into_iter()
            .find(|g| *g.facts.scope == *scope && &*g.facts.identifier == identifier)
            .ok_or_else(|| PortError::UnknownGroup {
                scope: scope.clone(),
                identifier: identifier.to_owned(),
            })?;
        Ok(group_page(&query.to_url(), g).0)
    }
    async fn scopes(&self) -> Result<Arc<Vec<ScopeNode>>, PortError> {
        let mut acme = ScopeNode { scope: scope("acme"), children: vec![] };
        for (o, ps) in [
            ("payments", vec!["checkout", "billing", "ledger"]),
            ("platform", vec!["core", "build", "tools"]),
            ("research", vec!["ml"]),
        ] {
            acme.children.push(ScopeNode {
                scope: scope(&format!("acme/{o}")),
                children: ps
                    .iter()
                    .map(|p| ScopeNode { scope: scope(&format!("acme/{o}/{p}")), children: vec![] })
                    .collect(),
            });
        }
        Ok(Arc::new(vec![acme]))
    }
}

async fn live() -> impl IntoResponse {
    let s = futures::stream::unfold((), |()| async move {
        tokio::time::sleep(std::time::Duration::from_millis(2000)).await;
        let n = TICK.fetch_add(2, Ordering::Relaxed) + 2;
        let at = NOW.plus(n as i64 * 1000).millis();
        let e = if n % 6 == 0 {
            Event::default().event("change").data(format!("{{\"asOf\":{at},\"version\":{n}}}"))
        } else {
            Event::default().event("tick").data(format!("{{\"asOf\":{at}}}"))
        };
        Some((Ok::<_, std::convert::Infallible>(e), ()))
    });
    Sse::new(s)
}

#[tokio::main]
async fn main() {
    let opts = LeptosOptions::builder()
        .output_name("rollcall")
        .site_root("/tmp/fe/site")
        .site_pkg_dir("pkg")
        .hash_files(false)
        .build();
    let routes = generate_route_list(app::App);
    let ctx = |uri: String, cookie: String| {
        let mut r = PageRequest { uri, request_id: "01JD3Q8Z6M".into(), ..Default::default() };
        for p in cookie.split("; ") {
            if let Some(t) = p.strip_prefix("rollcall_theme=") {
                r.preferences.theme = Theme::parse(t)
            }
            if let Some(t) = p.strip_prefix("rollcall_density=") {
                r.preferences.density = Density::parse(t)
            }
        }
        r
    };
    let o2 = opts.clone();
    let handler = move |req: axum::extract::Request| {
        let o = o2.clone();
        async move {
            let uri = req.uri().to_string();
            let cookie = req.headers().get("cookie").and_then(|c| c.to_str().ok()).unwrap_or("").to_owned();
            let st = PageStatus::default();
            let st2 = st.clone();
            let nonce = leptos::nonce::Nonce::new();
            let n2 = nonce.clone();
            let mut res = leptos_axum::render_app_async_with_context(
                move || {
                    provide_context::<SharedPort>(Arc::new(P));
                    provide_context(ctx(uri.clone(), cookie.clone()));
                    provide_context(st2.clone());
                    provide_context(n2.clone());
                },
                move || app::shell(o.clone()),
            )(req)
            .await;
            *res.status_mut() = axum::http::StatusCode::from_u16(st.get()).unwrap();
            res.headers_mut().insert("content-security-policy", format!("default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'").parse().unwrap());
            res
        }
    };
    let app = Router::new()
        .route("/a/{account}/live", get(live))
        .route("/a/{account}/o/{o}/live", get(live))
        .route("/a/{account}/o/{o}/p/{p}/live", get(live))
        .route(
            "/ui/preferences",
            axum::routing::post(|body: String| async move {
                let back = body
                    .split('&')
                    .find_map(|p| p.strip_prefix("back="))
                    .unwrap_or("/")
                    .replace("%2F", "/")
                    .replace("%3F", "?")
                    .replace("%3D", "=")
                    .replace("%26", "&");
                let t = body.split('&').find_map(|p| p.strip_prefix("theme=")).unwrap_or("system").to_owned();
                let d = body
                    .split('&')
                    .find_map(|p| p.strip_prefix("density="))
                    .unwrap_or("comfortable")
                    .to_owned();
                (
                    axum::http::StatusCode::SEE_OTHER,
                    axum::response::AppendHeaders([
                        ("set-cookie", format!("rollcall_theme={t}; Path=/")),
                        ("set-cookie", format!("rollcall_density={d}; Path=/")),
                        ("location", back),
                    ]),
                )
            }),
        )
        .nest_service("/pkg", tower_http::services::ServeDir::new("/tmp/fe/site/pkg"))
        .nest_service("/fonts", tower_http::services::ServeDir::new("/work/main/public/fonts"))
        .route(
            "/favicon.svg",
            get(|| async {
                (
                    [("content-type", "image/svg+xml")],
                    std::fs::read_to_string("/work/main/public/favicon.svg").unwrap(),
                )
            }),
        )
        .fallback(handler);
    let l = tokio::net::TcpListener::bind("127.0.0.1:4777").await.unwrap();
    println!("ready {}", routes.len());
    axum::serve(l, app).await.unwrap();
}
