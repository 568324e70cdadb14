//! Who is signed in, the way to the own page, and the way out.

use leptos::prelude::*;

use crate::components::icons;
use crate::context::Viewer;

/// The button and its menu.
#[must_use]
pub fn user_menu(viewer: &Viewer) -> AnyView {
    let name = viewer.name.to_string();
    let email = (!viewer.email.is_empty() && viewer.email != viewer.name)
        .then(|| view! { <p class="sub">{viewer.email.to_string()}</p> });
    let told = format!("Account of {name}");
    view! {
        <button type="button" class="btn icon" popovertarget="user" aria-label=told>
            {icons::icon(icons::PERSON)}
        </button>
        <div popover id="user" class="menu user">
            <div class="who"><p>{name}</p>{email}</div>
            <a class="navlink" href="/me">"Your account"</a>
            <a class="navlink" href="/keys" data-dialog>"Keyboard shortcuts"</a>
            <a class="navlink" href="/help">"Help"</a>
            <form method="post" action="/sign-out">
                <button class="navlink">"Sign out"</button>
            </form>
        </div>
    }
    .into_any()
}
