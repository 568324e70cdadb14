//! What a delegate is given to find its way: account, address, token.

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::rights::Right;

/// The three values under the names that delegates know them by. The token stands above, right after it was made, and
/// is masked ever after.
#[must_use]
pub fn credentials(scope: &Scope, origin: &str, made: bool, may_edit: &Right) -> AnyView {
    let account = scope.account().to_owned();
    let token = match may_edit {
        _ if made => masked("Shown above, this once."),
        Right::Held => masked("Shown once, when a token is created."),
        Right::Denied(why) => masked(why),
        Right::Nobody => masked("Shown to those who may create tokens."),
    };
    view! {
        <section class="panel" aria-labelledby="credentials">
            <h2 class="facts-head" id="credentials">"For a delegate"</h2>
            <dl class="facts">
                <div><dt>"Account id"</dt><dd>"ACCOUNT_ID "{copied("account id", account)}</dd></div>
                <div><dt>"Manager URL"</dt><dd>"MANAGER_HOST_AND_PORT "{copied("manager URL", origin.to_owned())}</dd></div>
                <div><dt>"Delegate token"</dt><dd>"DELEGATE_TOKEN "{token}</dd></div>
            </dl>
        </section>
    }
    .into_any()
}

fn copied(what: &str, value: String) -> AnyView {
    let label = format!("Copy the {what}");
    view! {
        <code>{value.clone()}</code>" "
        <button type="button" class="btn js" data-copy=value aria-label=label>"Copy"</button>
    }
    .into_any()
}

fn masked(why: &str) -> AnyView {
    view! { <span aria-hidden="true">"••••••••"</span><span class="sub">" "{why.to_owned()}</span> }
        .into_any()
}
