//! What a delegate is given to find its way: account, address, token.

use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::rights::Right;

/// The three values under the names that delegates know them by. The token stands above, right after it was made, and
/// is masked ever after.
#[must_use]
pub fn credentials(scope: &Scope, origin: &str, made: bool, may_edit: &Right) -> AnyView {
    let token = match may_edit {
        _ if made => masked("Shown above, this once."),
        Right::Held => masked("Shown when a token is created, and in the files for a new delegate."),
        Right::Denied(why) => masked(why),
        Right::Nobody => masked("Shown to those who may create tokens."),
    };
    panel(scope, origin, token)
}

/// The same on a page that knows a token of its own: its value while that is shown, else where to show it.
#[must_use]
pub fn credentials_with(scope: &Scope, origin: &str, token: Option<&str>) -> AnyView {
    let token = match token {
        Some(value) => copied("delegate token", value.to_owned()),
        None => masked("Press Show with the token."),
    };
    panel(scope, origin, token)
}

fn panel(scope: &Scope, origin: &str, token: AnyView) -> AnyView {
    let account = scope.account().to_owned();
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
