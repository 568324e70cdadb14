//! Pages that cannot show what was asked for; each says why and offers a way on.

use std::sync::Arc;

use fleet::access::Permission;
use fleet::query::QueryError;
use fleet::scope::Scope;
use fleet::text;
use leptos::prelude::*;

use crate::components::frame::{Place, frame};
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::{icons, links};
use crate::context::{PageRequest, PageStatus, Viewer};
use crate::port::ScopeNode;

/// Why a page is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No page has this path: 404.
    NoSuchPage,
    /// The scope does not exist: 404.
    NoSuchScope(Scope),
    /// The scope exists, but not the group: 404.
    NoSuchGroup {
        /// Where it was looked for.
        scope: Scope,
        /// What was looked for.
        identifier: String,
    },
    /// Nothing is known of this instance of a group: 404.
    NoSuchInstance {
        /// Where it was looked for.
        scope: Scope,
        /// Identifier of the group.
        identifier: String,
        /// What was looked for.
        instance: String,
    },
    /// The query cannot be understood: 400.
    BadQuery(QueryError),
    /// The server is still loading the fleet: 503.
    NotReady,
    /// The viewer lacks a permission: 403. Says which and where.
    Denied(String),
    /// The scope exists, but not this token, key, link, person or role: 404.
    Unknown(&'static str),
    /// A parameter of the address cannot be understood: 400.
    BadParameter {
        /// The parameter.
        field: &'static str,
        /// What it should be.
        message: String,
    },
}

impl Trouble {
    /// The status code of the answer.
    #[must_use]
    pub const fn code(&self) -> u16 {
        match self {
            Self::NoSuchPage
            | Self::NoSuchScope(_)
            | Self::NoSuchGroup { .. }
            | Self::NoSuchInstance { .. }
            | Self::Unknown(_) => 404,
            Self::BadQuery(_) | Self::BadParameter { .. } => 400,
            Self::Denied(_) => 403,
            Self::NotReady => 503,
        }
    }

    const fn drawing(&self) -> &'static str {
        match self {
            Self::Denied(_) => icons::SHIELD,
            _ => icons::OTHER,
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Self::NoSuchPage => "There is no such page",
            Self::NoSuchScope(_) => "There is no such scope",
            Self::NoSuchGroup { .. } => "There is no such delegate",
            Self::NoSuchInstance { .. } => "There is no such instance",
            Self::BadQuery(_) | Self::BadParameter { .. } => "The address cannot be understood",
            Self::Denied(_) => "You may not see this page",
            Self::Unknown(_) => "There is no such thing here",
            Self::NotReady => "The fleet is still loading",
        }
    }

    fn reason(&self) -> String {
        match self {
            Self::NoSuchPage => "The address may be mistyped, or the page has moved.".to_owned(),
            Self::NoSuchScope(scope) => format!("{scope} does not exist here, or no longer."),
            Self::NoSuchGroup { scope, identifier } => format!(
                "{} is not listed in {scope}. It may have been deleted, or stand in another scope. A delegate that has \
                 been silent for days is hidden and returns with its next call.",
                text::shown(identifier)
            ),
            Self::NoSuchInstance { identifier, instance, .. } => format!(
                "Nothing is known of an instance {instance} of {identifier}. A delegate that starts anew gets another id; \
                 the page of the group lists those of today and, on request, hidden ones."
            ),
            Self::BadQuery(error) => format!("Parameter {error}."),
            Self::BadParameter { field, message } => format!("Parameter {field}: {message}."),
            Self::Denied(reason) => {
                format!("{reason}. An admin of this scope can give you a role that holds it.")
            }
            Self::Unknown(what) => format!("This {what} does not exist, or no longer."),
            Self::NotReady => "The server has just started. This page is ready in a few seconds.".to_owned(),
        }
    }

    /// Links that lead on, with their words; the likeliest first.
    fn ways_on(&self, request: &PageRequest) -> Vec<(String, String)> {
        let start = || ("/".to_owned(), "Go to the start page".to_owned());
        match self {
            Self::NoSuchPage | Self::Unknown(_) => vec![start()],
            Self::Denied(_) => {
                let own = request.viewer.as_ref().map(|_| ("/me".to_owned(), "See your roles".to_owned()));
                std::iter::once(start()).chain(own).collect()
            }
            Self::NoSuchInstance { scope, identifier, .. } => {
                let group = format!("{}/{}", links::delegates_path(scope), links::encode(identifier));
                let all = format!("{group}/instances?hidden=true");
                vec![(all, "See all instances of this delegate".to_owned())]
            }
            Self::NoSuchScope(scope) => {
                let above = scope
                    .ancestors()
                    .find(|above| above != scope)
                    .map(|above| (links::delegates_path(&above), format!("See the delegates of {above}")));
                std::iter::once(("/".to_owned(), "See all accounts".to_owned())).chain(above).collect()
            }
            Self::NoSuchGroup { scope, identifier } => gone(scope, identifier, request),
            Self::BadQuery(QueryError { field, .. }) | Self::BadParameter { field, .. } => {
                let path = request.uri.split('?').next().unwrap_or("/");
                let all = (path.to_owned(), "Open this page without filters".to_owned());
                let one = without(&request.uri, field);
                let one = (one != all.0).then(|| (one, format!("Leave out only {field}")));
                std::iter::once(all).chain(one).collect()
            }
            Self::NotReady => vec![(request.uri.clone(), "Try again".to_owned())],
        }
    }

    /// Whether the scope in the address is none of this server, or not known to be one.
    const fn has_no_scope(&self) -> bool {
        matches!(self, Self::NoSuchPage | Self::NoSuchScope(_) | Self::NotReady)
    }
}

/// The page that stands in for the one that was asked for.
#[component]
pub fn TroubleView(
    /// Why.
    trouble: Trouble,
    /// The scope in the address, if there is one.
    scope: Option<Scope>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let body = panel(&trouble, &request);
    let scope = scope.filter(|_| !trouble.has_no_scope());
    let place = scope.as_ref().map(|scope| Place::new(scope, Area::of(&request.uri, scope)));
    view! {
        {page_title(trouble.title())}
        {frame(place, &scopes, None, body)}
    }
}

/// Where a delegate that is not listed may be found: it is hidden, stands in another scope, or was deleted.
fn gone(scope: &Scope, identifier: &str, request: &PageRequest) -> Vec<(String, String)> {
    let (path, name) = (links::delegates_path(scope), links::encode(identifier));
    let mut ways = vec![
        (path.clone(), "See all delegates of this scope".to_owned()),
        (format!("{path}?hidden=true"), "Show hidden delegates too".to_owned()),
    ];
    if let Some(account) = scope.ancestors().last() {
        let everywhere = format!("{}?search={name}&all=true", links::delegates_path(&account));
        ways.push((everywhere, format!("Search all of {account}")));
    }
    let reads_log = |viewer: &Viewer| viewer.grants.decide(Permission::AuditView, scope, None).is_ok();
    if request.viewer.as_ref().is_some_and(reads_log) {
        let log = format!("{}?resource=delegate", Area::Audit.path(scope));
        ways.push((log, "See what was done to delegates".to_owned()));
    }
    ways
}

/// The same address without one of its parameters.
fn without(uri: &str, field: &str) -> String {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let kept = query.split('&').filter(|pair| pair.split('=').next() != Some(field) && !pair.is_empty());
    let kept = kept.collect::<Vec<_>>().join("&");
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{kept}") }
}

/// What went wrong, why, and the way on.
#[must_use]
pub fn panel(trouble: &Trouble, request: &PageRequest) -> AnyView {
    let mut ways = trouble.ways_on(request).into_iter();
    let first =
        ways.next().map(|(href, words)| view! { <p><a class="btn primary" href=href>{words}</a></p> });
    let others: Vec<_> = ways.map(|(href, words)| view! { <li><a href=href>{words}</a></li> }).collect();
    let others = (!others.is_empty()).then(|| view! { <ul class="ways">{others}</ul> });
    let id = (!request.request_id.is_empty())
        .then(|| view! { <p class="sub">"Request "<code>{request.request_id.clone()}</code></p> });
    view! {
        <section class="panel blank">
            <span class="mark">{icons::icon(trouble.drawing())}</span>
            <p class="sub num">{trouble.code().to_string()}</p>
            <h1>{trouble.title()}</h1>
            <p>{trouble.reason()}</p>
            {first}
            {others}
            {id}
        </section>
    }
    .into_any()
}

/// Sets the status code and draws the page.
#[must_use]
pub fn trouble(
    trouble: Trouble,
    scope: Option<Scope>,
    scopes: Arc<Vec<ScopeNode>>,
    status: &PageStatus,
) -> AnyView {
    status.set(trouble.code());
    view! { <TroubleView trouble scope scopes/> }.into_any()
}

/// The page of every path that is no page.
#[component]
pub fn NoSuchPage() -> impl IntoView {
    let status = use_context::<PageStatus>().unwrap_or_default();
    trouble(Trouble::NoSuchPage, None, Arc::default(), &status)
}
