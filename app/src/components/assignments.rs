//! A role that somebody has, and how far it reaches.

use fleet::access::Resources;
use leptos::prelude::*;

use crate::port::access::Assignment;

/// `Operator in acme/payments`, and for which delegates if not for all.
#[must_use]
pub fn assigned(assignment: &Assignment) -> AnyView {
    let narrowed = match &assignment.resources {
        Resources::All => None,
        Resources::Named(names) => {
            let names: Vec<_> = names.iter().map(|name| &**name).collect();
            let text = format!(" for {}", names.join(", "));
            Some(view! { <span class="sub">{text}</span> })
        }
    };
    let external = assignment.external.then(|| {
        view! { " "<span class="badge" title="It follows the groups of the identity provider.">"From SSO"</span> }
    });
    let reach = assignment.reach.to_string();
    view! { <span><b>{assignment.role.to_string()}</b>" in "{reach}{narrowed}{external}</span> }.into_any()
}
