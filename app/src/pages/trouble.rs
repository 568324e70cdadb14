//! Pages that cannot show what was asked for; each says why and offers a way on.

use std::sync::Arc;

use fleet::query::QueryError;
use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::frame::{Place, frame};
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::{icons, links};
use crate::context::{PageRequest, PageStatus};
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
            Self::NoSuchPage | Self::NoSuchScope(_) | Self::NoSuchGroup { .. } | Self::Unknown(_) => 404,
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
                "{identifier} is not listed in {scope}. A delegate that has been silent for days leaves the list and \
                 returns with its next call."
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

    /// A link that leads on, with its words.
    fn way_on(&self, request: &PageRequest) -> (String, &'static str) {
        match self {
            Self::NoSuchPage | Self::Denied(_) | Self::Unknown(_) => ("/".to_owned(), "Go to the start page"),
            Self::NoSuchScope(_) => ("/".to_owned(), "See all accounts"),
            Self::NoSuchGroup { scope, .. } => {
                (links::delegates_path(scope), "See all delegates of this scope")
            }
            Self::BadQuery(_) | Self::BadParameter { .. } => {
                let path = request.uri.split('?').next().unwrap_or("/");
                (path.to_owned(), "Open this page without filters")
            }
            Self::NotReady => (request.uri.clone(), "Try again"),
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
    let (href, words) = trouble.way_on(&request);
    let id = (!request.request_id.is_empty())
        .then(|| view! { <p class="sub">"Request "<code>{request.request_id.clone()}</code></p> });
    let body = view! {
        <section class="panel blank">
            <span class="mark">{icons::icon(trouble.drawing())}</span>
            <p class="sub num">{trouble.code().to_string()}</p>
            <h1>{trouble.title()}</h1>
            <p>{trouble.reason()}</p>
            <p><a class="btn primary" href=href>{words}</a></p>
            {id}
        </section>
    };
    let scope = scope.filter(|_| !trouble.has_no_scope());
    let place = scope.as_ref().map(|scope| Place::new(scope, Area::of(&request.uri, scope)));
    view! {
        {page_title(trouble.title())}
        {frame(place, &scopes, None, body.into_any())}
    }
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
