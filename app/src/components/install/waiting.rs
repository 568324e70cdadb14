//! Waits for the first heartbeat and shows it arriving (`product 11.7`).

use fleet::install::Choice;
use fleet::install::arrival::Arrival;
use fleet::query::{Query, select_members};
use fleet::view::{GroupView, Snapshot};
use leptos::prelude::*;

use crate::components::list::{Listing, list};
use crate::components::{icons, links, time};
use crate::context::Viewer;
use crate::port::Notes;

/// What to look at while nothing arrives.
const TIPS: [&str; 4] = [
    "The container runs, and its log names no error. Words such as token, refused, certificate or proxy tell where to look.",
    "It can open the manager URL on port 443 from where it runs. Calling that URL from inside the container shows it.",
    "Account id and token are those of this scope. A delegate with the token of another scope shows up there.",
    "The clock of the host is right to within a few minutes, else its calls are refused.",
];

/// The state of the wait. All of it is patched in place while the page is live, so it changes without a reload.
#[must_use]
pub fn waiting(
    choice: &Choice,
    snapshot: &Snapshot,
    notes: &Notes,
    viewer: Option<&Viewer>,
    here: &str,
) -> AnyView {
    let name = choice.name();
    let arrival = Arrival::of(snapshot, name, choice.since());
    let (tone, drawing, told) = match arrival {
        Arrival::Waiting => ("mut", icons::RING, format!("Waiting for the first heartbeat of {name}")),
        Arrival::Silent(_) => ("warn", icons::NEAR, format!("{name} is known here, but not connected")),
        Arrival::Older(_) => (
            "mut",
            icons::HALF,
            format!("{name} runs here already; waiting for another process of that name"),
        ),
        Arrival::Here(_) => ("ok", icons::OK, format!("{name} is connected")),
    };
    let done = matches!(arrival, Arrival::Here(_));
    let since = choice.since().filter(|_| !done).map(|since| {
        view! { <p class="sub" data-key="since">"Files made "{time::age(since, snapshot.as_of)}". The delegate shows up here within seconds of its first call."</p> }
    });
    let row = arrival.group().map(|group| row(group, snapshot, notes, viewer));
    let ways = arrival.group().map(|group| {
        let path = links::group_path(&group.facts);
        let trouble = (!done).then(|| {
            let href = format!("{path}?tab=troubleshoot");
            view! { <a class="btn" href=href>"Troubleshoot"</a> }
        });
        let class = if done { "btn primary" } else { "btn" };
        view! { {trouble}<a class=class href=path>{format!("Open {name}")}</a> }
    });
    let tips = (!done).then(|| {
        let tips: Vec<_> = TIPS.into_iter().map(|tip| view! { <li>{tip}</li> }).collect();
        view! {
            <details class="later" data-key="tips">
                <summary>"It does not arrive"</summary>
                <ul class="consequences">{tips}</ul>
            </details>
        }
    });
    view! {
        <p role="status" id="arrival" class="arrival"><span class=format!("st {tone}")>{icons::icon(drawing)}{told}</span></p>
        {since}
        {row}
        {tips}
        <p class="buttons" data-key="ways">
            {ways}
            <a class="btn" href=here.to_owned() data-key="again">"Look again"</a>
            <a class="btn" href=links::delegates_path(&snapshot.scope) data-key="all">"All delegates"</a>
        </p>
    }
    .into_any()
}

/// The delegate as the Delegates page shows it, with its instances.
fn row(group: &GroupView, snapshot: &Snapshot, notes: &Notes, viewer: Option<&Viewer>) -> AnyView {
    let query = Query::default();
    let selection = select_members(group, &query);
    let alone = Snapshot::new(
        snapshot.scope.clone(),
        false,
        snapshot.as_of,
        snapshot.latest.clone(),
        vec![group.clone()],
    );
    let path = links::group_path(&group.facts);
    let listing = Listing::new(&alone, &query, &notes.policy, &path, viewer).of_one();
    view! { <div class="panel" data-key="row">{list(&listing, &selection)}</div> }.into_any()
}
