//! The last step before something goes away: what will happen, in words, and a text to type (`ux 1.3`).
//!
//! It is a page of its own and works without scripts; with them the browser shows its `.confirm` as a dialog.

use leptos::prelude::*;

use crate::components::form::Sent;
use crate::components::form::field::Field;
use crate::components::icons;

/// Everything that a confirmation says.
pub struct Confirm<'a> {
    /// A question that names what goes.
    pub title: String,
    /// What will happen, one sentence or list each.
    pub consequences: Vec<AnyView>,
    /// Where the way back leads.
    pub back: String,
    /// The form, unless there is a reason against it.
    pub form: Result<ConfirmForm<'a>, String>,
}

/// The form of a confirmation.
pub struct ConfirmForm<'a> {
    /// Where it is sent.
    pub action: String,
    /// What became of it when it was sent before.
    pub sent: Sent<'a>,
    /// Name of the field to type into.
    pub field: &'static str,
    /// The text to type.
    pub typed: String,
    /// What else is sent.
    pub hidden: Vec<(&'static str, String)>,
    /// The word on the button.
    pub button: &'static str,
}

/// The panel.
#[must_use]
pub fn confirm(confirm: Confirm<'_>) -> AnyView {
    let consequences: Vec<_> =
        confirm.consequences.into_iter().map(|text| view! { <li>{text}</li> }).collect();
    let consequences =
        (!consequences.is_empty()).then(|| view! { <ul class="consequences">{consequences}</ul> });
    let rest = match confirm.form {
        Ok(form) => typed(form, confirm.back),
        Err(reason) => view! {
            <div class="banner warn">{icons::icon(icons::NEAR)}<p>{reason}</p></div>
            <p class="buttons"><a class="btn" href=confirm.back data-close>"Back"</a></p>
        }
        .into_any(),
    };
    view! {
        <section class="panel confirm" aria-labelledby="confirm-title">
            <h1 id="confirm-title">{confirm.title}</h1>
            {consequences}
            {rest}
        </section>
    }
    .into_any()
}

/// The panel for what is soon made again: one press is enough.
#[must_use]
pub fn plain(
    title: String,
    consequences: Vec<AnyView>,
    back: String,
    action: String,
    button: &'static str,
) -> AnyView {
    let consequences: Vec<_> = consequences.into_iter().map(|text| view! { <li>{text}</li> }).collect();
    view! {
        <section class="panel confirm" aria-labelledby="confirm-title">
            <h1 id="confirm-title">{title}</h1>
            <ul class="consequences">{consequences}</ul>
            <form method="post" action=action>
                <p class="buttons">
                    <a class="btn" href=back data-close>"Cancel"</a>
                    <button class="btn danger">{button}</button>
                </p>
            </form>
        </section>
    }
    .into_any()
}

fn typed(form: ConfirmForm<'_>, back: String) -> AnyView {
    let hidden: Vec<_> = form
        .hidden
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect();
    let label = view! { "Type "<code>{form.typed}</code>" to confirm" }.into_any();
    let alert = form.sent.alert_beside(form.field);
    view! {
        <form method="post" action=form.action>
            {alert}
            {hidden}
            {Field::labelled(form.sent, "confirm", form.field, label).focus().line("text")}
            <p class="buttons">
                <a class="btn" href=back data-close>"Cancel"</a>
                <button class="btn danger">{form.button}</button>
            </p>
        </form>
    }
    .into_any()
}
