//! What surrounds every page: top bar, room for the state of the live connection, foot for print.

use fleet::scope::Scope;
use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::components::display_menu::display_menu;
use crate::components::done::done;
use crate::components::icons;
use crate::components::nav::{Area, nav};
use crate::components::scope_switcher::scope_switcher;
use crate::components::time;
use crate::components::user_menu::user_menu;
use crate::context::PageRequest;
use crate::port::ScopeNode;
use crate::words;

/// Where a page's figures come from, if it has any.
#[derive(Clone, Copy, Debug)]
pub struct Feed<'a> {
    /// The scope whose changes concern the page.
    pub scope: &'a Scope,
    /// Whether the scopes below it concern the page too.
    pub below: bool,
    /// Whether the scopes above it concern the page too.
    pub usable: bool,
    /// The instant of its figures.
    pub as_of: Timestamp,
}

impl Feed<'_> {
    /// Where the server tells of changes.
    fn path(&self) -> String {
        let query = match (self.below, self.usable) {
            (false, false) => "",
            (true, _) => "?all=true",
            (false, true) => "?usable=true",
        };
        format!("{}/live{query}", self.scope.path())
    }
}

/// Where a page stands.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its scope.
    pub scope: &'a Scope,
    /// The page of that scope that it is, or belongs to.
    pub area: Area,
}

impl<'a> Place<'a> {
    /// A page of a scope.
    #[must_use]
    pub const fn new(scope: &'a Scope, area: Area) -> Self {
        Self { scope, area }
    }
}

/// The whole body of a page. Everything in `body` is replaced part by part while the page is live.
#[must_use]
pub fn frame(
    place: Option<Place<'_>>,
    scopes: &[ScopeNode],
    feed: Option<Feed<'_>>,
    body: AnyView,
) -> AnyView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let printed = feed.map(|feed| {
        let when = feed.as_of.to_utc().format("%Y-%m-%d %H:%M:%S UTC").to_string();
        let line = format!("Rollcall · {} · as of {when} · {}{}", feed.scope, request.origin, request.uri);
        view! { <footer class="printed" data-live="printed">{line}</footer> }
    });
    let switcher = (!scopes.is_empty()).then(|| scope_switcher(place.map(|place| place.scope), scopes));
    let viewer = request.viewer.as_ref();
    let nav = viewer.zip(place).and_then(|(viewer, place)| nav(viewer, place.scope, place.area));
    let page = view! {
        <div
            class="page"
            data-live="page"
            data-feed=feed.map(|feed| feed.path())
            data-as-of=feed.map(|feed| feed.as_of.millis().to_string())
            data-now=request.now.millis().to_string()
        >
            {body}
        </div>
    };
    if request.part {
        return page.into_any();
    }
    view! {
        <a class="skip" href="#main">"Skip to content"</a>
        <header class="top">
            <a class="brand" href="/">{icons::icon(icons::BRAND)}<span>"Rollcall"</span></a>
            {switcher}
            {nav}
            <span class="grow"></span>
            {feed.map(live)}
            {display_menu(&request)}
            {viewer.map(user_menu)}
        </header>
        <main id="main" tabindex="-1">
            <div id="note" role="status"></div>
            {done(request.done.as_deref())}
            <div
                id="session"
                role="status"
                data-session-end=request.session.map(|session| session.next().millis().to_string())
                data-session-latest=request.session.map(|session| session.latest.millis().to_string())
            ></div>
            {page}
        </main>
        <div id="say" class="vh" role="status"></div>
        {printed}
    }
    .into_any()
}

/// How fresh the figures are. Without scripts it is the time of the page; with them, the state of the
/// connection.
fn live(feed: Feed<'_>) -> AnyView {
    view! {
        <p class="live" id="live" data-state="still">
            {icons::icon(icons::RING)}
            <span class="lt">"As of "<time datetime=time::machine(feed.as_of)>{words::clock(feed.as_of.millis())}</time></span>
        </p>
        <button type="button" class="btn js" id="pause" data-press="p">"Pause"</button>
    }
    .into_any()
}
