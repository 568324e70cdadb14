//! The document around every page, and the table of routes.

use std::fmt;

use leptos::prelude::*;
use leptos_meta::{HashedStylesheet, MetaTags, Title, provide_meta_context};
use leptos_router::components::{Route, Router, Routes};
use leptos_router::{MatchNestedRoutes, PossibleRouteMatch, SsrMode, path};

use crate::components::icons::Sprite;
use crate::context::{PageRequest, on_or_off};
#[cfg(debug_assertions)]
use crate::gallery::Elsewhere;
use crate::islands::Browser;
use crate::pages::accounts::AccountsPage;
use crate::pages::activity::ActivityPage;
use crate::pages::api::ApiPage;
use crate::pages::audit::AuditPage;
use crate::pages::bulk_delete::BulkDeletePage;
use crate::pages::delegates::DelegatesPage;
use crate::pages::delete::DeletePage;
use crate::pages::embed::EmbedPage;
use crate::pages::embed_snippet::EmbedSnippetPage;
use crate::pages::embeds::EmbedsPage;
use crate::pages::filter::FilterPage;
use crate::pages::group::GroupPage;
use crate::pages::help::HelpPage;
use crate::pages::instance::InstancePage;
use crate::pages::instances::InstancesPage;
use crate::pages::keys::KeysPage;
use crate::pages::me::MePage;
use crate::pages::mirrors::MirrorsPage;
use crate::pages::new_delegate::NewDelegatePage;
use crate::pages::roles::RolesPage;
use crate::pages::saved_filter::{DeleteFilterPage, EditFilterPage, NewFilterPage};
use crate::pages::saved_filters::SavedFiltersPage;
use crate::pages::settings::SettingsPage;
use crate::pages::setup::SetupPage;
use crate::pages::sign_in::SignInPage;
use crate::pages::token_revoke::TokenRevokePage;
use crate::pages::tokens::TokensPage;
#[cfg(not(debug_assertions))]
use crate::pages::trouble::NoSuchPage as Elsewhere;
use crate::pages::troubleshoot::TroubleshootPage;
use crate::pages::users::UsersPage;
use crate::pages::why::WhyPage;

/// The HTML document: head, icons, page, island.
#[must_use]
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let theme = request.preferences.theme.as_str();
    // A frame in which nothing runs would only complain of scripts.
    let awake = request.embed.as_ref().is_none_or(|embed| embed.feed.is_some());
    let scripts = awake.then(|| {
        let options = options.clone();
        view! { {reload(&options)}<HydrationScripts options islands=true/> }
    });
    let browser = awake.then(|| view! { <Browser/> });
    let density = request.preferences.density.as_str();
    let time = request.preferences.time.as_str();
    let keys = request.preferences.keys.as_str();
    let announce = on_or_off(request.preferences.announce);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme data-density=density data-time=time data-keys=keys data-announce=announce>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="description" content="Which delegates are alive, current and supported."/>
                <meta name="robots" content="noindex"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
                <link
                    rel="preload"
                    href="/fonts/geist-latin.woff2"
                    r#as="font"
                    r#type="font/woff2"
                    crossorigin="anonymous"
                />
                <HashedStylesheet options id="leptos"/>
                {scripts}
                <MetaTags/>
            </head>
            <body>
                <Sprite/>
                <App/>
                {browser}
            </body>
        </html>
    }
}

/// The live part of a page with its title, and nothing around it: what the browser asks for to refresh a page.
#[must_use]
pub fn part() -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head><meta charset="utf-8"/><MetaTags/></head>
            <body><App/></body>
        </html>
    }
}

#[cfg(debug_assertions)]
fn reload(options: &LeptosOptions) -> impl IntoView + use<> {
    view! { <AutoReload options=options.clone()/> }
}

#[cfg(not(debug_assertions))]
fn reload(_options: &LeptosOptions) -> impl IntoView + use<> {}

/// Every page under its path. All of them answer with complete HTML at once, so that they work without
/// scripts.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Title text="Rollcall"/>
        <Router>
            <Routes fallback=Elsewhere>
                <Route path=path!("/") view=AccountsPage ssr=SsrMode::Async/>
                <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async/>
                <Route path=path!("/setup/:code") view=SetupPage ssr=SsrMode::Async/>
                <Route path=path!("/a/:account/mirrors") view=MirrorsPage ssr=SsrMode::Async/>
                <Route path=path!("/embed/:key") view=EmbedPage ssr=SsrMode::Async/>
                <Route path=path!("/me") view=MePage ssr=SsrMode::Async/>
                <Route path=path!("/keys") view=KeysPage ssr=SsrMode::Async/>
                <Route path=path!("/help") view=HelpPage ssr=SsrMode::Async/>
                <Route path=path!("/help/api") view=ApiPage ssr=SsrMode::Async/>
                <Route path=path!("/help/:topic") view=HelpPage ssr=SsrMode::Async/>
                <ScopePages base=path!("/a/:account")/>
                <ScopePages base=path!("/a/:account/o/:organization")/>
                <ScopePages base=path!("/a/:account/o/:organization/p/:project")/>
            </Routes>
        </Router>
    }
}

/// The pages that every scope has, below its path.
#[component(transparent)]
fn ScopePages<P>(base: P) -> impl MatchNestedRoutes + Clone
where
    P: PossibleRouteMatch + fmt::Debug + Clone + Send + Sync + 'static,
{
    view! {
        <Route path=(base.clone(), path!("delegates")) view=DelegatesPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("filter")) view=FilterPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("filters")) view=SavedFiltersPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("filters/new")) view=NewFilterPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("filters/:id")) view=EditFilterPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("filters/:id/delete")) view=DeleteFilterPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("delegates/:group")) view=GroupPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("new")) view=NewDelegatePage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("delegates/:group/instances")) view=InstancesPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("delegates/:group/activity")) view=ActivityPage ssr=SsrMode::Async/>
        <Route
            path=(base.clone(), path!("delegates/:group/instances/:instance"))
            view=InstancePage
            ssr=SsrMode::Async
        />
        <Route path=(base.clone(), path!("delegates/:group/why")) view=WhyPage ssr=SsrMode::Async/>
        <Route
            path=(base.clone(), path!("delegates/:group/troubleshoot"))
            view=TroubleshootPage
            ssr=SsrMode::Async
        />
        <Route path=(base.clone(), path!("troubleshoot")) view=TroubleshootPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("delegates/:group/delete")) view=DeletePage ssr=SsrMode::Async/>
        <Route
            path=(base.clone(), path!("delegates/:group/instances/:instance/delete"))
            view=DeletePage
            ssr=SsrMode::Async
        />
        <Route path=(base.clone(), path!("delete")) view=BulkDeletePage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("tokens")) view=TokensPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("tokens/:id/revoke")) view=TokenRevokePage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("users")) view=UsersPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("roles")) view=RolesPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("settings")) view=SettingsPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("audit")) view=AuditPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("embeds")) view=EmbedsPage ssr=SsrMode::Async/>
        <Route path=(base.clone(), path!("embeds/:id")) view=EmbedSnippetPage ssr=SsrMode::Async/>
    }
    .into_inner()
}
