//! The way from a state to its explanation: one press, with scripts a dialog, without them a page of its own.

use fleet::delegate::GroupFacts;
use leptos::prelude::*;

use crate::components::links;
use crate::context::framed;

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Connected, late or not.
    Connectivity,
    /// Expired, near expiry, unsupported or supported.
    Status,
    /// The version, `N/A` or `not reported`.
    Version,
    /// On, off or detecting.
    AutoUpgrade,
}

impl Of {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Connectivity, Self::Status, Self::Version, Self::AutoUpgrade];

    /// The word in addresses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connectivity => "connectivity",
            Self::Status => "status",
            Self::Version => "version",
            Self::AutoUpgrade => "auto-upgrade",
        }
    }

    /// Reads the word of an address.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.as_str() == text)
    }
}

/// The address of an explanation; of an instance of the group, or of the group itself.
#[must_use]
pub fn why_path(group: &GroupFacts, of: Of, instance: Option<&str>) -> String {
    let path = format!("{}/why?of={}", links::group_path(group), of.as_str());
    match instance {
        Some(id) => format!("{path}&instance={}", links::encode(id)),
        None => path,
    }
}

/// A state that leads to its explanation. `told` is what it says in words; the link is named after it.
#[must_use]
pub fn why_link(group: &GroupFacts, of: Of, instance: Option<&str>, face: AnyView, told: &str) -> AnyView {
    if framed() {
        return face;
    }
    let label = format!("{told}. Explain");
    let href = why_path(group, of, instance);
    view! { <a class="why" href=href aria-label=label data-dialog>{face}</a> }.into_any()
}
