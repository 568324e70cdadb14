//! The page that installs a new delegate (`product 11.7`): what is chosen stands in the address, the files follow from
//! it, and the first heartbeat shows up at the end.

use std::sync::Arc;

use fleet::install::{Choice, World, Wrong, plan};
use fleet::query::Query;
use fleet::scope::Scope;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::components::credentials::credentials_with;
use crate::components::form::{Sent, stray};
use crate::components::frame::{Feed, Place, frame};
use crate::components::install::files::{Shown, files};
use crate::components::install::part;
use crate::components::install::platforms::platforms;
use crate::components::install::reference::reference;
use crate::components::install::settings::{Settings, settings};
use crate::components::install::sizes::{misread, sizes};
use crate::components::install::waiting::waiting;
use crate::components::links;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::context::{FormOutcome, PageRequest};
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::access::Token;
use crate::port::{Overview, ScopeNode};

/// Reads the choice from the address, asks for the fleet and the tokens of the scope, draws the answer.
#[component]
pub fn NewDelegatePage() -> impl IntoView {
    let asked = Asked::from_context();
    let scope = scope_in_path();
    let search = use_location().search.get_untracked();
    let query = search.strip_prefix('?').unwrap_or(&search).to_owned();
    let (port, access, status) = (asked.port().cloned(), asked.access(), asked.status.clone());
    answer(asked, async move {
        let scope = scope?;
        let choice = Choice::parse(&query)
            .map_err(|Wrong { field, message }| Trouble::BadParameter { field, message })?;
        let tokens = access?.tokens(&scope).await?;
        let overview = port?.overview(&scope, &Query::default()).await?;
        Ok(move |scopes| {
            let bad = move || status.set(400);
            view! { <NewDelegateView overview tokens choice scopes bad/> }.into_any()
        })
    })
}

/// The page itself.
#[component]
pub fn NewDelegateView<Bad: FnOnce() + Send + 'static>(
    /// The fleet of the scope, among which the new delegate shows up.
    overview: Overview,
    /// Tokens of the scope.
    tokens: Vec<Token>,
    /// What was chosen.
    choice: Choice,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
    /// Called if something that was given cannot be used.
    bad: Bad,
) -> impl IntoView {
    let Overview { snapshot, notes, .. } = overview;
    let scope = &snapshot.scope;
    let request = use_context::<PageRequest>().unwrap_or_default();
    let tokens: Vec<Token> = tokens.into_iter().filter(|token| token.active).collect();
    let token = used(&choice, &tokens);
    let secret = request.outcome.secret.as_ref();
    let world = World {
        scope,
        manager: &request.origin,
        latest: &snapshot.latest,
        repository: notes.image_repository.as_deref(),
        token: secret.map(|(_, value)| value.as_str()),
    };
    let install = choice.install(&world);
    let mut outcome = told(&choice, install.as_ref().err());
    if token.is_none() && !choice.get("token").is_empty() {
        let text = "This token is not active in this scope any more; choose another one.";
        outcome.errors.push(("token".to_owned(), text.to_owned()));
    }
    let wrong = !outcome.errors.is_empty();
    if (wrong && choice.pairs().next().is_some()) || misread(&choice) {
        bad();
    }
    let path = links::new_path(scope);
    let query = choice.to_url();
    let here = format!("{path}?{query}");
    let of = Settings {
        choice: &choice,
        sent: Sent::of(&outcome, &["choice"]),
        tokens: &tokens,
        token,
        latest: &snapshot.latest,
        now: request.now,
    };
    let shown = Shown { token, name: secret.map(|(name, _)| name.as_str()), path: &here, query: &query };
    let made = install.ok().filter(|_| !wrong).map(|install| {
        let viewer = request.viewer.as_ref();
        let wait = waiting(&choice, &snapshot, &notes, viewer, &here);
        view! {
            {part("files", 3, "Run it", files(&plan(&install), &shown))}
            {part("wait", 4, "Wait for the first heartbeat", wait)}
        }
    });
    let body = view! {
        {head(scope)}
        {stray(&request.outcome, &[])}
        {part("platform", 1, "Platform", platforms(&choice, &path))}
        {part("settings", 2, "Settings", settings(&of, &path))}
        {made}
        <div data-own="credentials" data-key="credentials">
            {credentials_with(scope, &request.origin, secret.map(|(_, value)| value.as_str()))}
        </div>
        {reference(choice.platform)}
        {sizes(&choice, &path)}
    };
    // A page that says why something was not done stays as it is until it was read.
    let calm = wrong || !request.outcome.errors.is_empty();
    let feed = Feed { scope, below: false, usable: false, as_of: snapshot.as_of };
    view! {
        {page_title(&format!("New delegate · {}", scope.name()))}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, (!calm).then_some(feed), body.into_any())}
    }
}

fn head(scope: &Scope) -> AnyView {
    view! {
        <nav aria-label="Breadcrumb" data-key="trail">
            <ol class="trail">
                <li><a href=links::delegates_path(scope)>"Delegates"</a></li>
                <li aria-current="page">"New delegate"</li>
            </ol>
        </nav>
        <div class="head" data-key="head"><h1>"New delegate"</h1><p class="sub">{format!("in {scope}")}</p></div>
    }
    .into_any()
}

/// The token of the choice: the one that it names, else the first.
fn used<'a>(choice: &Choice, tokens: &'a [Token]) -> Option<&'a Token> {
    match choice.get("token") {
        "" => tokens.first(),
        id => tokens.iter().find(|token| *token.id == *id),
    }
}

/// The choice as a form that came back with what is wrong.
fn told(choice: &Choice, wrong: Option<&Vec<Wrong>>) -> FormOutcome {
    FormOutcome {
        form: "choice".to_owned(),
        errors: wrong
            .into_iter()
            .flatten()
            .map(|wrong| (wrong.field.to_owned(), wrong.message.clone()))
            .collect(),
        values: choice.pairs().map(|(field, value)| (field.to_owned(), value.to_owned())).collect(),
        secret: None,
    }
}
