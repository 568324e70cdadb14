//! The Version column (`product 5.6`).

use fleet::delegate::GroupFacts;
use fleet::version::Version;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::why::{Of, why_link};
use crate::words;

/// Shown where nothing is connected.
const NOT_CONNECTED: &str = "N/A";
/// Shown where something is connected, but told no version.
const NOT_REPORTED: &str = "not reported";

/// The cell of a group: the lowest version of its connected members, and how many others they run.
#[must_use]
pub fn group_cell(group: &GroupView) -> AnyView {
    let text = match &group.rollup.version {
        Some(version) => breakable(version),
        None if group.rollup.counts.connected > 0 => return quiet(&group.facts, None, NOT_REPORTED),
        None => return quiet(&group.facts, None, NOT_CONNECTED),
    };
    let told = group.rollup.version.as_ref().map(ToString::to_string).unwrap_or_default();
    let text = why_link(&group.facts, Of::Version, None, text, &told);
    let others = (group.rollup.other_versions > 0)
        .then(|| format!(" (+{} more)", words::number(u64::from(group.rollup.other_versions))));
    view! { <td class="ver">{text}<span class="sub nb">{others}</span></td> }.into_any()
}

/// The cell of an instance.
#[must_use]
pub fn instance_cell(group: &GroupFacts, member: &Member) -> AnyView {
    let id = Some(&*member.facts.id);
    if !member.assessment.connectivity.is_connected() {
        return quiet(group, id, NOT_CONNECTED);
    }
    match &member.facts.version {
        Some(version) => {
            let why = why_link(group, Of::Version, id, breakable(version), version.as_str());
            view! { <td class="ver">{why}</td> }.into_any()
        }
        None => quiet(group, id, NOT_REPORTED),
    }
}

/// A long version breaks before its variant rather than inside a number.
fn breakable(version: &Version) -> AnyView {
    let text = version.as_str();
    match version.variant().and_then(|variant| text.len().checked_sub(variant.len())) {
        Some(at) if text.is_char_boundary(at) => {
            let (base, variant) = text.split_at(at);
            view! { {base.to_owned()}<wbr/>{variant.to_owned()} }.into_any()
        }
        _ => text.to_owned().into_any(),
    }
}

fn quiet(group: &GroupFacts, instance: Option<&str>, text: &'static str) -> AnyView {
    view! { <td class="ver quiet">{why_link(group, Of::Version, instance, text.into_any(), text)}</td> }
        .into_any()
}
