//! No bytes bring any agent route down.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::runtime::Runtime;

use crate::world::{V2, World, fixture};

const ROUTES: [(&str, &str); 21] = [
    ("POST", "/api/agent/delegates/register?accountId=ACC"),
    ("POST", "/api/agent/delegates/heartbeat-with-polling?accountId=ACC"),
    ("POST", "/api/agent/delegates/unregister?accountId=ACC"),
    ("GET", "/api/agent/delegates/d/task-events?accountId=ACC"),
    ("POST", "/api/agent/delegates/register-delegate-capacity/d?accountId=ACC"),
    ("GET", "/stream/delegate/ACC"),
    ("GET", "/api/executions/d/runner-events?accountId=ACC"),
    ("POST", "/api/daemons/d/reconcile?accountId=ACC"),
    ("POST", "/api/daemons/d/tasks?accountId=ACC"),
    ("GET", "/api/executions/t/request?accountId=ACC"),
    ("POST", "/api/executions/t/task-response?accountId=ACC"),
    ("POST", "/api/executions/t/response?accountId=ACC"),
    ("PUT", "/api/agent/v2/delegates/d/tasks/t/acquire?accountId=ACC"),
    ("POST", "/api/agent/v2/tasks/t/delegates/d?accountId=ACC"),
    ("GET", "/api/account/ACC/status"),
    ("POST", "/api/agent/delegates/connectionHeartbeat/d?accountId=ACC"),
    ("POST", "/api/agent/delegates/properties?accountId=ACC"),
    ("GET", "/api/agent/delegates/perpetual-task/list?accountId=ACC"),
    ("GET", "/api/upgrade-check/delegate?accountId=ACC&currentDelegateImageTag=harness/delegate:24.04.82804"),
    ("GET", "/api/upgrade-check/delegate-v2?accountId=ACC&delegateGroupName=x&currentDelegateImageTag=x"),
    ("GET", "/api/upgrade-check/upgrader?accountId=ACC&currentUpgraderImageTag=x"),
];

/// A body: anything, or a real one with a few bytes changed and its end cut off.
fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let real = prop::sample::select(vec![
        fixture!("go-heartbeat.json"),
        fixture!("runner-register.json"),
        fixture!("java-heartbeat-rest.json"),
        fixture!("runner-unregister.json"),
    ]);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let damaged = (real, changes, 0_usize..1400).prop_map(|(real, changes, length)| {
        let mut bytes = real.as_bytes().to_vec();
        for (at, byte) in changes {
            *at.get_mut(&mut bytes) = byte;
        }
        bytes.truncate(length);
        bytes
    });
    prop_oneof![prop::collection::vec(any::<u8>(), 0..200), damaged]
}

fn headers() -> impl Strategy<Value = Vec<(&'static str, Vec<u8>)>> {
    let names = vec![
        "authorization",
        "delegatetokenhash",
        "content-type",
        "accountid",
        "upgrade",
        "connection",
        "sec-websocket-key",
        "sec-websocket-version",
        "user-agent",
        "agent-mtls-authority",
    ];
    let values = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        "Delegate [A-Za-z0-9_.-]{0,60}".prop_map(String::into_bytes),
        "websocket|upgrade|13|keep-alive, Upgrade".prop_map(String::into_bytes),
    ];
    prop::collection::vec((prop::sample::select(names), values), 0..5)
}

#[test]
fn no_body_header_or_query_panics_or_fails() {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::new());
    let cases = (prop::sample::select(ROUTES.to_vec()), "[ -~]{0,30}", headers(), bodies(), any::<bool>());
    let mut runner = TestRunner::new(ProptestConfig { cases: 600, ..ProptestConfig::default() });
    let result = runner.run(&cases, |((method, uri), query, headers, body, authorized)| {
        let separator = if uri.contains('?') { '&' } else { '?' };
        let Ok(mut request) =
            Request::builder().method(method).uri(format!("{uri}{separator}{query}")).body(Body::from(body))
        else {
            return Ok(());
        };
        if authorized {
            let value = HeaderValue::from_str(&format!("Delegate {V2}")).unwrap();
            request.headers_mut().insert("authorization", value);
        }
        for (name, value) in headers {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                request.headers_mut().append(HeaderName::from_static(name), value);
            }
        }
        let answer = runtime.block_on(world.send(request));
        prop_assert!(!answer.status.is_server_error(), "{method} {uri}: {}", answer.status);
        Ok(())
    });
    result.unwrap();
}

#[test]
fn no_path_panics_or_fails() {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::new());
    let paths = "/{0,3}(gratis/)?(api|stream)/[a-z/%.~:0-9A-F-]{0,40}(\\?[ -~]{0,30})?";
    TestRunner::default()
        .run(&paths, |path| {
            let Ok(request) = Request::builder().uri(path).body(Body::empty()) else { return Ok(()) };
            let answer = runtime.block_on(world.send(request));
            prop_assert!(answer.status.is_client_error() || answer.status.is_success());
            Ok(())
        })
        .unwrap();
}
