//! The Version column (`product 5.6`).

use fleet::version::Version;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

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
        None if group.rollup.counts.connected > 0 => return quiet(NOT_REPORTED),
        None => return quiet(NOT_CONNECTED),
    };
    let others = (group.rollup.other_versions > 0)
        .then(|| format!(" (+{} more)", words::number(u64::from(group.rollup.other_versions))));
    view! { <td class="ver">{text}<span class="sub nb">{others}</span></td> }.into_any()
}

/// The cell of an instance.
#[must_use]
pub fn instance_cell(member: &Member) -> AnyView {
    if !member.assessment.connectivity.is_connected() {
        return quiet(NOT_CONNECTED);
    }
    match &member.facts.version {
        Some(version) => view! { <td class="ver">{breakable(version)}</td> }.into_any(),
        None => quiet(NOT_REPORTED),
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

fn quiet(text: &'static str) -> AnyView {
    view! { <td class="ver quiet">{text}</td> }.into_any()
}
