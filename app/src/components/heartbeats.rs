//! The heartbeats of the instances of one group (`product 3.6`, `11.5`).

use fleet::history::{Span, Window, known};
use fleet::time::Timestamp;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::links;
use crate::components::strip::{Strip, legend, window_words, windows};
use crate::port::history::History;
use crate::words;

/// The strip of a member: of the past day from memory, of longer windows from the history that was read.
#[must_use]
pub fn strip_of(member: &Member, history: Option<&History>, as_of: Timestamp) -> Strip {
    let registered_at = member.facts.registered_at;
    match history {
        None => {
            let spans = member.spans(Window::Day.from(as_of));
            Strip::new(&spans, registered_at, Window::Day, as_of)
        }
        Some(history) => {
            let spans: Vec<Span> =
                history.of(&member.facts.id).map(|line| known(&line.runs)).unwrap_or_default();
            Strip::new(&spans, registered_at, history.window, history.as_of)
        }
    }
}

/// The panel: one strip for each of these members, and the same as a table.
#[must_use]
pub fn heartbeats(
    group: &GroupView,
    members: &[u32],
    history: Option<&History>,
    as_of: Timestamp,
) -> Option<AnyView> {
    let members: Vec<&Member> =
        members.iter().filter_map(|place| group.members.get(usize::try_from(*place).ok()?)).collect();
    if members.is_empty() {
        return None;
    }
    let path = links::group_path(&group.facts);
    let window = history.map_or(Window::Day, |history| history.window);
    let drawn: Vec<(&Member, Strip)> =
        members.into_iter().map(|member| (member, strip_of(member, history, as_of))).collect();
    let rows: Vec<_> = drawn
        .iter()
        .map(|(member, strip)| {
            let facts = &member.facts;
            let href = links::instance_path(&group.facts, &facts.id);
            view! {
                <li data-key=format!("h{}", facts.id)>
                    <a href=href>{facts.host_name.to_string()}</a>
                    {strip.drawing(&facts.host_name)}
                    <span class="num">{strip.percent()}</span>
                </li>
            }
        })
        .collect();
    let table: Vec<_> = drawn.iter().map(|(member, strip)| row(member, strip)).collect();
    let label = format!("Heartbeats in the past {}", window_words(window));
    Some(
        view! {
            <section class="panel" aria-labelledby="beats" data-key="beats">
                <div class="facts-head with-sizes">
                    <h2 id="beats">"Heartbeats"</h2>
                    <span class="grow"></span>
                    {windows(&path, window)}
                </div>
                <ul class="strips" data-rows>{rows}</ul>
                <div class="under">
                    {legend()}
                    <details class="change">
                        <summary>"As a table"</summary>
                        <table aria-label=label>
                            <thead>
                                <tr>
                                    <th scope="col">"Instance"</th>
                                    <th scope="col">"Connected"</th>
                                    <th scope="col">"Time connected"</th>
                                    <th scope="col">"Time lost"</th>
                                    <th scope="col">"Losses"</th>
                                </tr>
                            </thead>
                            <tbody>{table}</tbody>
                        </table>
                    </details>
                </div>
            </section>
        }
        .into_any(),
    )
}

fn row(member: &Member, strip: &Strip) -> AnyView {
    let sum = strip.availability;
    view! {
        <tr data-key=format!("t{}", member.facts.id)>
            <th scope="row">{member.facts.host_name.to_string()}</th>
            <td class="num">{strip.percent()}</td>
            <td class="num">{words::duration(sum.connected)}</td>
            <td class="num">{words::duration(sum.listed.saturating_sub(sum.connected))}</td>
            <td class="num">{words::number(sum.losses.into())}</td>
        </tr>
    }
    .into_any()
}
