//! The page that asks who somebody is. It works for password managers: nothing forbids pasting, every field
//! says what it is.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::components::form::Sent;
use crate::components::form::field::Field;
use crate::components::frame::frame;
use crate::components::icons;
use crate::components::links;
use crate::components::page_title::page_title;
use crate::context::PageRequest;
use crate::pages::{Asked, answer};
use crate::port::access::Doors;

/// Asks the port which ways in there are.
#[component]
pub fn SignInPage() -> impl IntoView {
    let asked = Asked::from_context();
    let access = asked.access();
    let next = use_query_map().get_untracked().get("next").unwrap_or_default();
    answer(asked, async move {
        let doors = access?.doors().await;
        Ok(move |_| view! { <SignInView doors next/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn SignInView(
    /// The ways in.
    doors: Doors,
    /// Where to go afterwards; may be empty.
    next: String,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let sent = Sent::of(&request.outcome, &["", "sign-in"]);
    let next = sent.value("next").map_or(next, str::to_owned);
    let provider = doors.provider.as_ref().map(|name| {
        let href = if next.is_empty() {
            "/sign-in/sso".to_owned()
        } else {
            format!("/sign-in/sso?next={}", links::encode(&next))
        };
        view! {
            <p><a class="btn wide" href=href>{format!("Continue with {name}")}</a></p>
            <p class="or"><span>"or"</span></p>
        }
    });
    let empty = doors.empty.then(|| {
        view! {
            <div class="banner info">
                {icons::icon(icons::PERSON)}
                <p>
                    "Nobody can sign in yet. Open the one-time link that "<code>"rollcall serve"</code>
                    " printed when it started; it makes the first admin."
                </p>
            </div>
        }
    });
    let body = view! {
        <section class="panel door" aria-labelledby="door">
            <h1 id="door">"Sign in to Rollcall"</h1>
            {empty}
            {provider}
            <form method="post" action="/sign-in" class="fields">
                {sent.alert()}
                <input type="hidden" name="next" value=next/>
                {Field::new(sent, "door", "email", "E-mail").autocomplete("username").required().focus().line("email")}
                {Field::new(sent, "door", "password", "Password")
                    .autocomplete("current-password")
                    .required()
                    .line("password")}
                <p class="buttons"><button class="btn primary wide">"Sign in"</button></p>
            </form>
            <p class="sub">
                "No account, or the password is lost? An admin can help: roles are given on the page Users, a new password "
                "with the command "<code>"rollcall user password"</code>"."
            </p>
        </section>
    };
    view! { {page_title("Sign in")}{frame(None, &[], None, body.into_any())} }
}
