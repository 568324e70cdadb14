//! The four health cards: each a link that filters the list, and an explanation beside it (`product 6`).

use fleet::health::Standing;
use fleet::policy::{Anchor, Policy};
use fleet::query::{Health, Query};
use fleet::summary::Counts;
use fleet::time::DAY;
use fleet::view::Snapshot;
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::{icons, links, status};
use crate::words;

/// What one card says.
struct Card {
    health: Health,
    tone: &'static str,
    icon: &'static str,
    figure: u64,
    caption: String,
    help: [String; 3],
}

/// The row of cards; `below` is what scopes below hold and the figures leave out.
#[must_use]
pub fn cards(listing: &Listing<'_>, below: &Counts) -> AnyView {
    let latest = listing.snapshot.latest.classic.as_ref().map(ToString::to_string);
    let cards: Vec<_> = [
        expired(listing, latest.as_deref()),
        near(listing),
        unsupported(listing, latest.as_deref()),
        off(listing),
    ]
    .into_iter()
    .map(|content| card(content, listing.path, listing.query, below))
    .collect();
    view! {
        <section aria-labelledby="hh" data-key="cards">
            <h2 id="hh" class="vh">"Instance health"</h2>
            <ul class="cards">{cards}</ul>
        </section>
    }
    .into_any()
}

fn card(card: Card, path: &str, query: &Query, below: &Counts) -> AnyView {
    let word = status::health_word(card.health);
    let active = query.filter.health == Some(card.health);
    let target = query.with_health((!active).then_some(card.health));
    let id = format!("h-{}", card.health.as_str());
    let tone = if card.figure == 0 { "mut" } else { card.tone };
    let big = if card.figure == 0 { "big zero" } else { "big" };
    let beneath = card.health.count(below);
    let beneath = (beneath > 0).then(|| {
        let href = links::href(path, &query.with_below(true).with_health(Some(card.health)));
        let more = if card.figure == 0 { "" } else { "more " };
        let text = format!("{} {more}in scopes below", words::number(beneath));
        let label = format!("{text}: {word}");
        view! { <a class="beneath num" href=href aria-label=label data-nav>{text}</a> }
    });
    let [counts, matters, act] = card.help;
    view! {
        <li>
            <a
                class="card"
                href=links::href(path, &target)
                aria-current=active.then_some("true")
                data-nav
                data-card=card.health.as_str()
            >
                <span class="lab"><span class=tone>{icons::icon(card.icon)}</span>{word}</span>
                <span class=big>{words::number(card.figure)}</span>
                <span class="cap">{card.caption}</span>
                {active.then(|| view! { <span class="vh">". Only these are listed; press to show all."</span> })}
            </a>
            {beneath}
            <button type="button" class="help" popovertarget=id.clone() aria-label=format!("About {word}")>
                <span aria-hidden="true">"?"</span>
            </button>
            <div popover id=id class="pop">
                <p class="ph">{word}</p>
                <p>{counts}</p>
                <p>{matters}</p>
                <p>{act}</p>
            </div>
        </li>
    }
    .into_any()
}

const fn end_word(policy: &Policy) -> &'static str {
    match policy.anchor {
        Anchor::Eos => "end of support",
        Anchor::Eol => "end of life",
    }
}

fn expired(listing: &Listing<'_>, latest: Option<&str>) -> Card {
    let health = Health::Standing(Standing::Expired);
    let figure = health.count(&listing.snapshot.counts);
    let groups =
        listing.snapshot.groups.iter().filter(|group| group.rollup.counts.expired > 0).count() as u64;
    let end = end_word(listing.policy);
    let caption = match figure {
        0 => format!("no instance is past {end}"),
        _ => format!(
            "{} past {end} · {}",
            noun(figure, "instance", "instances"),
            words::count(groups, "group", "groups")
        ),
    };
    Card {
        health,
        tone: "danger",
        icon: icons::EXPIRED,
        figure,
        caption,
        help: [
            format!("Counts connected instances whose version is past its {end}."),
            "The flag stops nothing and is not why something fails. But the older a version, the less it fits its \
             manager: work may fail, caches may go wrong, results may differ."
                .to_owned(),
            latest.map_or_else(
                || "Upgrade them to a supported version.".to_owned(),
                |latest| format!("Upgrade them, best to {latest}."),
            ),
        ],
    }
}

fn near(listing: &Listing<'_>) -> Card {
    let health = Health::Standing(Standing::NearExpiry);
    let figure = health.count(&listing.snapshot.counts);
    let days = listing.policy.near_expiry / DAY;
    let caption = match next_expiry(listing.snapshot) {
        None => format!("none expires within {days} days"),
        Some(next) => format!("{} within {days} days · next {next}", noun(figure, "expires", "expire")),
    };
    Card {
        health,
        tone: "warn",
        icon: icons::NEAR,
        figure,
        caption,
        help: [
            format!(
                "Counts connected instances that reach their {} within {days} days.",
                end_word(listing.policy)
            ),
            "After that day they count as expired and get no more fixes of defects.".to_owned(),
            "Plan the upgrade now. Order the list by instance status to see who comes first.".to_owned(),
        ],
    }
}

/// When the first of the instances near expiry expires, such as `in 4 days`.
fn next_expiry(snapshot: &Snapshot) -> Option<String> {
    let near = snapshot.groups.iter().filter(|group| group.rollup.counts.near_expiry > 0);
    let next = near
        .flat_map(|group| &group.members)
        .filter(|member| member.assessment.standing == Standing::NearExpiry)
        .filter_map(|member| member.assessment.verdict.expires_at)
        .min()?;
    Some(match (next.date() - snapshot.as_of.date()).num_days() {
        ..=0 => "today".to_owned(),
        1 => "in 1 day".to_owned(),
        days => format!("in {days} days"),
    })
}

fn unsupported(listing: &Listing<'_>, latest: Option<&str>) -> Card {
    let health = Health::Standing(Standing::Unsupported);
    let figure = health.count(&listing.snapshot.counts);
    let caption = match (figure, latest) {
        (0, Some(_)) => "none is behind the latest release".to_owned(),
        (_, Some(latest)) => format!("behind the latest release {latest}"),
        (_, None) => "the latest release is not known".to_owned(),
    };
    Card {
        health,
        tone: "serious",
        icon: icons::UNSUPPORTED,
        figure,
        caption,
        help: [
            "Counts connected instances on a version older than the latest of its line, with more support left than \
             the near-expiry window."
                .to_owned(),
            "They still get fixes, but new features and the newest fixes come with the latest release only.".to_owned(),
            "Let the upgrader work, or roll the latest version out at the next occasion.".to_owned(),
        ],
    }
}

fn off(listing: &Listing<'_>) -> Card {
    let health = Health::AutoUpgradeOff;
    let figure = health.count(&listing.snapshot.counts);
    let caption = match (figure, listing.single) {
        (0, true) => "this group needs no manual upgrades".to_owned(),
        (_, true) => "this group needs manual upgrades".to_owned(),
        (0, false) => "no group needs manual upgrades".to_owned(),
        (1, false) => "group that needs manual upgrades".to_owned(),
        (_, false) => "groups that need manual upgrades".to_owned(),
    };
    Card {
        health,
        tone: "mut",
        icon: icons::OFF,
        figure,
        caption,
        help: [
            "Counts groups, not instances, that nothing upgrades. Groups updated by hand on purpose are left out.".to_owned(),
            "Their versions age until somebody acts.".to_owned(),
            "Read the reason in the Auto-upgrade column. Switch the upgrader on, or update by hand every 3 to 6 months."
                .to_owned(),
        ],
    }
}

const fn noun(n: u64, one: &'static str, many: &'static str) -> &'static str {
    if n == 1 { one } else { many }
}
