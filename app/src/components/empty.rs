//! What stands in place of a list that has nothing to show (`product 11.1`, `ux 1.3`).

use fleet::access::Permission;
use fleet::query::Query;
use fleet::scope::{Level, Scope};
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::rights::Right;
use crate::components::{icons, links};
use crate::context::Viewer;
use crate::words;

/// The words for a level.
#[must_use]
pub const fn level_word(level: Level) -> &'static str {
    match level {
        Level::Account => "account",
        Level::Organization => "organization",
        Level::Project => "project",
    }
}

/// The scope itself has no delegate: how to get one, and where others are.
#[must_use]
pub fn no_delegates(scope: &Scope, query: &Query, below: u64, viewer: Option<&Viewer>) -> AnyView {
    let level = scope.level();
    let kind = level_word(level);
    let title = format!("No delegates in {kind} {} yet", scope.name());
    let reach = match level {
        Level::Account => "A delegate of the account serves every organization and project in it.",
        Level::Organization => "A delegate of an organization serves that organization and its projects.",
        Level::Project => "A delegate of a project serves that project alone.",
    };
    let include = (below > 0).then(|| {
        let path = links::delegates_path(scope);
        let href = links::href(&path, &query.with_below(true));
        let text = format!("Include {} in scopes below", words::count(below, "delegate", "delegates"));
        view! { <a class="btn" href=href data-nav>{text}</a> }
    });
    let may = Right::of(viewer, Permission::DelegateEdit, scope, None);
    let install = may.held().then(|| {
        view! { <a class="btn primary" href=links::new_path(scope)>"Install a delegate"</a> }
    });
    let ways =
        (install.is_some() || include.is_some()).then(|| view! { <p class="buttons">{install}{include}</p> });
    let command = format!("rollcall token create --scope {scope} --name edge");
    view! {
        <section class="panel blank" data-key="blank">
            <span class="mark">{icons::icon(icons::BRAND)}</span>
            <h2>{title}</h2>
            <p>{reach}" It runs in your network, does the work there and takes about three minutes to install."</p>
            {ways}
            <p>
                "Give a delegate the address of this server as its manager ("<code>"MANAGER_HOST_AND_PORT"</code>", or "
                <code>"HARNESS_URL"</code>" for 3.x) and a token of this scope as "<code>"DELEGATE_TOKEN"</code>
                ". It shows up here by itself within seconds of its first call."
            </p>
            <p>"This command prints a token:"</p>
            {command_line(command)}
            <p>
                "It was started and does not appear? "
                <a href=links::troubleshoot_path(scope)>"Troubleshoot"</a>". "
                <a href="/help">"Help"</a>
            </p>
        </section>
    }
    .into_any()
}

/// A command to copy.
#[must_use]
pub fn command_line(command: String) -> AnyView {
    view! {
        <div class="cmd">
            <code>{command.clone()}</code>
            <button type="button" class="btn icon js" data-copy=command aria-label="Copy command">
                {icons::icon(icons::COPY)}
            </button>
        </div>
    }
    .into_any()
}

/// There are delegates, but the filters let none through.
#[must_use]
pub fn no_match(listing: &Listing<'_>) -> AnyView {
    let href = links::href(listing.path, &links::unfiltered(listing.query));
    let thing = if listing.single { "instance" } else { "delegate" };
    view! {
        <section class="panel blank" data-key="blank">
            <span class="mark">{icons::icon(icons::SEARCH)}</span>
            <h2>{format!("No {thing} matches")}</h2>
            <p>"The filters above let nothing through."</p>
            <p><a class="btn" href=href data-nav>"Clear filters"</a></p>
        </section>
    }
    .into_any()
}
