//! What was just done, told once on the page that a form leads to.

use leptos::prelude::*;

use crate::components::icons;

/// The sentence of a form that was accepted, by its name; the server keeps the name for one page.
#[must_use]
pub fn sentence(form: &str) -> Option<&'static str> {
    Some(match form {
        "delete" => "Deleted.",
        "undo" => "The deletion was taken back.",
        "allow" => "It is let in with its next call.",
        "approve" => "Approved.",
        "reject" => "Rejected.",
        "revoke" => "Revoked.",
        "mirrors" => "Added; its delegates are shown in a moment.",
        "remove" => "Removed; its delegates are shown no more.",
        "users" => "The role was given.",
        "unassign" => "The role was taken away.",
        "disable" => "Sign-in is shut.",
        "enable" => "Sign-in is open again.",
        "sign-out" => "Signed out everywhere.",
        "roles" | "settings" | "embeds" | "keys" | "tokens" => "Saved.",
        "password" => "The password was changed, and every other sign-in was ended.",
        "sessions" => "Every other sign-in was ended.",
        _ => return None,
    })
}

/// The room for it; the browser says it to those who listen.
#[must_use]
pub fn done(form: Option<&str>) -> AnyView {
    let told = form.and_then(sentence).map(|sentence| {
        view! { <div class="banner ok">{icons::icon(icons::OK)}<p>{sentence}</p></div> }
    });
    view! { <div id="done">{told}</div> }.into_any()
}
