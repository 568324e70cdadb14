//! How a group gets a newer image (`product 7`).

use fleet::catalog::Latest;
use fleet::health::Standing;
use fleet::update::{Update, by_hand};
use fleet::upgrade::State;
use fleet::version::Version;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::empty::command_line;

/// What to do by hand, and the commands with the delegate's own names.
#[must_use]
pub fn update(group: &GroupView, latest: &Latest, repository: Option<&str>) -> AnyView {
    by_hand_from(group, group.rollup.version.as_deref(), latest, repository)
}

fn by_hand_from(
    group: &GroupView,
    version: Option<&Version>,
    latest: &Latest,
    repository: Option<&str>,
) -> AnyView {
    let Update { text, commands } = by_hand(&group.facts, version, latest, repository);
    let commands: Vec<_> = commands
        .into_iter()
        .map(|(about, line)| view! { <li><p class="sub">{about}</p>{command_line(line)}</li> })
        .collect();
    let commands = (!commands.is_empty()).then(|| view! { <ol class="commands">{commands}</ol> });
    view! { <p>{text}</p>{commands} }.into_any()
}

/// The same under its own heading, where the group, or this member of it, is behind; first of all who should do it.
#[must_use]
pub fn way_out(
    group: &GroupView,
    member: Option<&Member>,
    latest: &Latest,
    repository: Option<&str>,
) -> Option<AnyView> {
    let (standing, version) = match member {
        Some(member) => (member.assessment.standing, member.facts.version.as_deref()),
        None => (group.rollup.standing, group.rollup.version.as_deref()),
    };
    let behind = matches!(standing, Standing::Expired | Standing::NearExpiry | Standing::Unsupported);
    behind.then(|| {
        let who = match group.rollup.auto_upgrade.state {
            State::On => "Its upgrader calls and should bring the latest version by itself. By hand:",
            State::Detecting => "Its upgrader has not called yet. By hand:",
            State::Synchronizing => "Its server says that an upgrade is under way. By hand:",
            State::Off => "Nothing upgrades it by itself.",
            State::Unknown => "Whether anything upgrades it by itself is not known. By hand:",
        };
        view! { <h2>"How to update it"</h2><p>{who}</p>{by_hand_from(group, version, latest, repository)} }
            .into_any()
    })
}
