//! Doubled slashes and the configured prefix in front of agent paths (`agent-protocol 0.4`).
//!
//! Agents follow no redirect and append their path to whatever URL they were given, so both are put right here,
//! before routing. Put the server's whole router behind it: [`tower::util::MapRequest::new`].

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::uri::PathAndQuery;
use axum::http::{Request, Uri};

use crate::management;

/// The path that an agent means, `/api/...` or `/stream/...`; none for every other path.
///
/// `prefix`: the path of the manager URL, such as `/gratis`; requests without it are agents' requests as well.
#[must_use]
pub fn agent_path<'p>(path: &'p str, prefix: Option<&str>) -> Option<Cow<'p, str>> {
    let path = one_slash(path)?;
    let prefix = prefix.map(|prefix| prefix.trim_matches('/')).filter(|prefix| !prefix.is_empty());
    let inner = prefix.and_then(|prefix| one_slash(path[1..].strip_prefix(prefix)?));
    inner.into_iter().chain([path]).find(|path| is_agent(path)).map(Cow::Borrowed)
}

/// Rewrites the path of agents' requests; everything else stays as it is.
pub fn rewrite<B>(prefix: Option<&str>) -> impl Fn(Request<B>) -> Request<B> + Clone + Send + Sync + use<B> {
    let prefix: Option<Arc<str>> = prefix.map(Arc::from);
    move |mut request| {
        let path = request.uri().path();
        match agent_path(path, prefix.as_deref()) {
            Some(meant) if meant != path => {
                if let Some(uri) = with_path(request.uri(), &meant) {
                    *request.uri_mut() = uri;
                }
            }
            _ => {}
        }
        request
    }
}

/// The path with exactly one slash at its start; none without any.
fn one_slash(path: &str) -> Option<&str> {
    let rest = path.trim_start_matches('/');
    // The slashes are single bytes, so this lies on a boundary.
    path.get(path.len().checked_sub(rest.len() + 1)?..)
}

/// Whether a client that is set up with the prefix asks for it: delegates, and tools that speak the management API.
fn is_agent(path: &str) -> bool {
    ["/api/", "/stream/"].iter().any(|ours| path.starts_with(ours)) || management::is_ours(path)
}

fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let mut parts = uri.clone().into_parts();
    let path_and_query = match uri.query() {
        Some(query) => PathAndQuery::try_from(format!("{path}?{query}")),
        None => PathAndQuery::try_from(path),
    };
    parts.path_and_query = Some(path_and_query.ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn t18_slashes_at_the_start_collapse() {
        for path in ["/api/agent/x", "//api/agent/x", "////api/agent/x"] {
            assert_eq!(agent_path(path, None).as_deref(), Some("/api/agent/x"));
        }
        assert_eq!(agent_path("//stream/delegate/ACC", None).as_deref(), Some("/stream/delegate/ACC"));
    }

    #[test]
    fn t18_the_prefix_is_stripped_where_it_is_there() {
        for prefix in ["/gratis", "gratis", "/gratis/"] {
            for path in ["/gratis/api/x", "//gratis/api/x", "/gratis//api/x", "//gratis///api/x", "/api/x"] {
                assert_eq!(agent_path(path, Some(prefix)).as_deref(), Some("/api/x"), "{prefix} {path}");
            }
            assert_eq!(agent_path("/gratisapi/x", Some(prefix)), None);
            assert_eq!(agent_path("/gratis", Some(prefix)), None);
        }
        assert_eq!(agent_path("/a/b/stream/y", Some("/a/b")).as_deref(), Some("/stream/y"));
        assert_eq!(agent_path("/gratis/api/x", None), None);
    }

    #[test]
    fn a_prefix_that_looks_like_an_agent_path_is_stripped_first() {
        assert_eq!(agent_path("/api/api/x", Some("/api")).as_deref(), Some("/api/x"));
        assert_eq!(agent_path("/api/x", Some("/api")).as_deref(), Some("/api/x"));
    }

    #[test]
    fn empty_ids_and_other_paths_stay_as_they_are() {
        let path = "/api/agent/delegates//task-events";
        assert_eq!(agent_path(path, None).as_deref(), Some(path));
        for path in ["/", "//", "", "*", "/apis/x", "/a/acme/delegates", "//a/acme", "/streams", "/api"] {
            assert_eq!(agent_path(path, Some("/x")), None, "{path}");
        }
    }

    #[test]
    fn requests_keep_their_query() {
        let request = |uri: &str| Request::builder().uri(uri).body(()).unwrap();
        let rewrite = rewrite(Some("/p"));
        let uri = |text| rewrite(request(text)).uri().to_string();
        assert_eq!(uri("//api/x?accountId=A&b=%2F"), "/api/x?accountId=A&b=%2F");
        assert_eq!(uri("/p/api/x"), "/api/x");
        assert_eq!(uri("//a/acme?x=1"), "//a/acme?x=1");
    }

    proptest! {
        #[test]
        fn what_comes_out_is_an_agent_path(path in "[/a-z%.]{0,30}", prefix in prop::option::of("[/a-z]{0,6}")) {
            if let Some(meant) = agent_path(&path, prefix.as_deref()) {
                prop_assert!(is_agent(&meant));
                prop_assert!(path.ends_with(&*meant));
            }
        }
    }
}
