//! The page behind the one-time link of the first start: it makes the first admin.

use leptos::prelude::*;

use crate::components::form::Sent;
use crate::components::form::field::Field;
use crate::components::frame::frame;
use crate::components::links;
use crate::components::page_title::page_title;
use crate::context::PageRequest;
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, named_in_path};
use crate::port::access::Setup;

/// Asks the port whether the link still works.
#[component]
pub fn SetupPage() -> impl IntoView {
    let asked = Asked::from_context();
    let access = asked.access();
    let code = named_in_path("code");
    answer(asked, async move {
        let setup = access?.setup(&code).await.ok_or(Trouble::Unknown("link"))?;
        Ok(move |_| view! { <SetupView setup code/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn SetupView(
    /// What the link offers.
    setup: Setup,
    /// The code of the link.
    code: String,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let sent = Sent::of(&request.outcome, &["", "setup", &code]);
    let account = Field::new(sent, "setup", "account", "Account");
    let account = if setup.accounts.is_empty() {
        account
            .required()
            .hint("Identifier of the first account: letters, digits, - and _, such as acme.")
            .line("text")
    } else {
        let accounts = setup.accounts.iter().map(|name| (name.clone(), name.clone())).collect();
        account.hint("You become admin of this account.").choice(accounts)
    };
    let body = view! {
        <section class="panel door" aria-labelledby="door">
            <h1 id="door">"Make the first admin"</h1>
            <p>"This link works once. Whoever uses it may do everything in the account, and can let others in."</p>
            <form method="post" action=format!("/setup/{}", links::encode(&code)) class="fields">
                {sent.alert()}
                {account}
                {Field::new(sent, "setup", "email", "E-mail").autocomplete("username").required().line("email")}
                {Field::new(sent, "setup", "name", "Name").autocomplete("name").line("text")}
                {Field::new(sent, "setup", "password", "Password")
                    .autocomplete("new-password")
                    .required()
                    .hint("Long is better than complicated. Pasting one from a password manager works.")
                    .line("password")}
                <p class="buttons"><button class="btn primary wide">"Make admin and sign in"</button></p>
            </form>
        </section>
    };
    view! { {page_title("First start")}{frame(None, &[], None, body.into_any())} }
}
