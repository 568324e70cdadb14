//! What an instance was, one run after the other, and every change in words (`product 3.6`, `ux 1.2`).

use fleet::history::{Cause, Change, Run, State};
use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::components::table::{nothing, table};
use crate::components::{icons, time};
use crate::words;

/// Units of the drawing from end to end.
const WIDTH: i64 = 1_000;
/// Changes that are listed; the Activity tab has them all.
pub const MAX_LISTED: usize = 200;

/// The word for a state; none is not known.
#[must_use]
pub const fn state_word(state: Option<State>) -> &'static str {
    match state {
        Some(State::Connected) => "connected",
        Some(State::NotConnected) => "not connected",
        Some(State::Hidden) => "hidden",
        None => "not known",
    }
}

/// Why something changed, as a sentence without its full stop.
#[must_use]
pub fn cause_words(change: &Change) -> String {
    let note = &*change.note;
    match change.cause {
        Cause::Registered => "Registered for the first time".to_owned(),
        Cause::Silence => "Lost: it fell silent".to_owned(),
        Cause::Goodbye => "Stopped as planned: it said goodbye".to_owned(),
        Cause::Return => "Connected again".to_owned(),
        Cause::LongPause => "Heard again after a pause of more than 10 minutes".to_owned(),
        Cause::Version => match note.split_once(" -> ") {
            Some((before, after)) => format!("Changed its version from {before} to {after}"),
            None => format!("Changed its version: {note}"),
        },
        Cause::Deleted if note == "rejected" => "Rejected: left the list and is turned away".to_owned(),
        Cause::Deleted => "Deleted from the list".to_owned(),
        Cause::Restored if note.is_empty() => "Listed again".to_owned(),
        Cause::Restored => format!("Listed again: {note}"),
        Cause::Retention => "Left the list: silent for too long".to_owned(),
    }
}

/// Colour and drawing of a change.
#[must_use]
pub const fn mark(change: &Change) -> (&'static str, &'static str) {
    match (change.cause, change.to) {
        (Cause::Version, _) => ("mut", icons::ARROW),
        (_, State::Connected) => ("ok", icons::OK),
        (_, State::NotConnected) => ("warn", icons::RING),
        (_, State::Hidden) => ("mut", icons::OFF),
    }
}

/// All runs as one bar; height and frame tell the states apart without colour.
#[must_use]
pub fn bar(runs: &[Run], from: Timestamp, until: Timestamp, host_name: &str) -> AnyView {
    let length = from.age(until).max(1);
    let place = |at: Timestamp| from.age(at).clamp(0, length).saturating_mul(WIDTH) / length;
    let drawn: Vec<_> = runs
        .iter()
        .map(|run| {
            let (x, end) = (place(run.from), place(run.until));
            let (class, y, height) = match run.state {
                Some(State::Connected) => ("s-up", 2, 20),
                Some(State::NotConnected) => ("s-lost", 8, 14),
                Some(State::Hidden) => ("s-hid", 20, 2),
                None => ("s-none", 21, 1),
            };
            view! {
                <rect
                    class=class
                    x=x.to_string()
                    y=y.to_string()
                    width=(end - x).max(2).to_string()
                    height=height.to_string()
                    vector-effect="non-scaling-stroke"
                ></rect>
            }
        })
        .collect();
    let told: Vec<String> = runs
        .iter()
        .rev()
        .take(4)
        .map(|run| format!("{} for {}", state_word(run.state), words::duration(run.length())))
        .collect();
    let more = if runs.len() > told.len() { ", and more before" } else { "" };
    let label = format!("Timeline of {host_name}, newest first: {}{more}.", told.join(", "));
    view! {
        <svg class="strip line" viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label=label>{drawn}</svg>
    }
    .into_any()
}

/// The changes, newest first, each with how long its state lasted.
#[must_use]
pub fn changes(changes: &[Change], as_of: Timestamp) -> AnyView {
    if changes.is_empty() {
        return nothing("Nothing changed in this time.".to_owned());
    }
    // Where the state of a change ended: at the next one that brought another.
    let mut ended = None;
    let rows: Vec<_> = changes
        .iter()
        .take(MAX_LISTED)
        .map(|change| {
            let turned = change.from != Some(change.to);
            let lasted = match ended.filter(|_| turned) {
                Some(end) => words::duration(change.at.age(end)),
                None if turned => format!("{} so far", words::duration(change.at.age(as_of))),
                None => String::new(),
            };
            if turned {
                ended = Some(change.at);
            }
            let (tone, drawing) = mark(change);
            view! {
                <tr data-key=format!("c{}-{}", change.at.millis(), state_word(Some(change.to)))>
                    <th scope="row" class="num nb">{time::exact(change.at)}</th>
                    <td><span class=format!("st wrap {tone}")>{icons::icon(drawing)}</span>" "{cause_words(change)}</td>
                    <td>{state_word(Some(change.to))}</td>
                    <td class="num nb">{lasted}</td>
                </tr>
            }
            .into_any()
        })
        .collect();
    let columns = ["Time (UTC)", "What happened", "Then it was", "For"];
    table("cap-changes", "Changes, newest first".to_owned(), &columns, rows)
}
