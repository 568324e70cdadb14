//! How large and how many (`product 9.3`).

use fleet::install::Choice;
use fleet::sizing::{HOST_OVERHEAD, delegates_for};
use leptos::prelude::*;

use crate::components::form::Sent;
use crate::components::form::field::Field;
use crate::context::FormOutcome;
use crate::help;
use crate::words;

/// The size classes, and the calculator for the number of delegates.
#[must_use]
pub fn sizes(choice: &Choice, path: &str) -> AnyView {
    let open = !choice.get("services").is_empty();
    view! {
        <details class="panel ref" open=open data-key="sizes">
            <summary>"Sizes and how many delegates"</summary>
            {help::sizes("sizes".to_owned())}
            <p class="hint">{HOST_OVERHEAD}</p>
            {calculator(choice, path)}
        </details>
    }
    .into_any()
}

/// Whether something else than a number was given.
#[must_use]
pub fn misread(choice: &Choice) -> bool {
    !choice.get("services").is_empty() && number(choice).is_none()
}

/// The number of service instances, however its thousands are set apart.
fn number(choice: &Choice) -> Option<u64> {
    choice.get("services").replace([',', ' '], "").parse().ok()
}

/// A rule of thumb: one delegate for 300 to 500 service instances.
fn calculator(choice: &Choice, path: &str) -> AnyView {
    let given = choice.get("services");
    let number = number(choice);
    let mut outcome = FormOutcome { form: "size".to_owned(), ..FormOutcome::default() };
    outcome.values.push(("services".to_owned(), given.to_owned()));
    if misread(choice) {
        outcome.errors.push(("services".to_owned(), "Give a whole number.".to_owned()));
    }
    let told = number.map(|number| {
        let (fewest, most) = delegates_for(number);
        let range = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
        let noun = if most == 1 { "delegate" } else { "delegates" };
        let text =
            format!("{}: {range} {noun}.", words::count(number, "service instance", "service instances"));
        view! { <p id="answer"><b>{text}</b></p> }
    });
    let hidden: Vec<_> = choice
        .pairs()
        .filter(|(field, _)| *field != "services")
        .map(|(field, value)| view! { <input type="hidden" name=field value=value.to_owned()/> })
        .collect();
    view! {
        <form method="get" action=path.to_owned() class="fields calc" data-own="calc">
            <input type="hidden" name="platform" value=choice.platform.as_str()/>
            {hidden}
            {Field::new(Sent::of(&outcome, &["size"]), "size", "services", "Service instances to serve")
                .hint("One delegate serves 300 to 500 of them.")
                .line("text")}
            <p class="buttons"><button class="btn">"Calculate"</button></p>
            {told}
        </form>
    }
    .into_any()
}
