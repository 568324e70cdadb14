//! The active filters, each removable (`ux 1.3`).

use fleet::health::Status;
use fleet::query::{Filter, InstanceStatus, Query};
use fleet::upgrade::State;
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::{icons, links, status};

/// One active filter: what it says, and the query without it.
struct Chip {
    text: String,
    without: Query,
}

/// The chips, and a way to drop them all when there are several.
#[must_use]
pub fn chips(listing: &Listing<'_>) -> Option<AnyView> {
    let chips = active(listing.query);
    if chips.is_empty() {
        return None;
    }
    let clear = (chips.len() > 1).then(|| {
        let href = links::href(listing.path, &links::unfiltered(listing.query));
        view! { <li data-key="clear"><a class="quietlink" href=href data-nav>"Clear filters"</a></li> }
    });
    let shown: Vec<_> = chips
        .into_iter()
        .map(|chip| {
            view! {
                <li class="chip" data-key=chip.text.clone()>
                    {chip.text.clone()}
                    <a
                        href=links::href(listing.path, &chip.without)
                        aria-label=format!("Remove filter {}", chip.text)
                        data-nav
                    >
                        {icons::icon(icons::CROSS)}
                    </a>
                </li>
            }
        })
        .collect();
    let list = view! { <ul class="chips" aria-label="Active filters" data-key="chips">{shown}{clear}</ul> };
    Some(list.into_any())
}

fn active(query: &Query) -> Vec<Chip> {
    let Filter {
        health,
        search,
        status: instance,
        version_status,
        auto_upgrade,
        name,
        kind,
        tags,
        host_name,
    } = &query.filter;
    let mut chips = Vec::new();
    let mut add = |text: Option<String>, drop: fn(&mut Filter)| {
        if let Some(text) = text {
            chips.push(Chip { text, without: links::changed(query, |query| drop(&mut query.filter)) });
        }
    };
    add(health.map(|health| format!("Health: {}", status::health_word(health))), |filter| {
        filter.health = None;
    });
    add(search.as_ref().map(|text| format!("Search: {text}")), |filter| filter.search = None);
    add(instance.map(|word| format!("Status: {}", instance_word(word))), |filter| filter.status = None);
    add(version_status.map(|word| format!("Version: {}", version_word(word))), |filter| {
        filter.version_status = None;
    });
    add(auto_upgrade.map(|word| format!("Auto-upgrade: {}", upgrade_word(word))), |filter| {
        filter.auto_upgrade = None;
    });
    add(name.as_ref().map(|text| format!("Name: {text}")), |filter| filter.name = None);
    add(kind.as_ref().map(|text| format!("Type: {text}")), |filter| filter.kind = None);
    add(host_name.as_ref().map(|text| format!("Host: {text}")), |filter| filter.host_name = None);
    for tag in tags {
        chips.push(Chip {
            text: format!("Tag: {tag}"),
            without: links::changed(query, |query| query.filter.tags.retain(|kept| kept != tag)),
        });
    }
    chips
}

const fn instance_word(status: InstanceStatus) -> &'static str {
    match status {
        InstanceStatus::Connected => "connected",
        InstanceStatus::Disconnected => "not connected",
        InstanceStatus::Enabled => "enabled",
        InstanceStatus::WaitingForApproval => "waiting for approval",
        InstanceStatus::Disabled => "disabled",
        InstanceStatus::Deleted => "deleted",
    }
}

const fn version_word(status: Status) -> &'static str {
    match status {
        Status::Expired => "expired",
        Status::Expiring => "near expiry",
        Status::Unsupported => "unsupported",
        Status::Active => "supported",
    }
}

const fn upgrade_word(state: State) -> &'static str {
    match state {
        State::On => "on",
        State::Off => "off",
        State::Detecting => "detecting",
    }
}
