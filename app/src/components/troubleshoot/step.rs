//! One step: what to run, what to answer, or what the cause is.

use fleet::scope::Scope;
use fleet::troubleshoot::{Attempt, Next, Platform, Subject};
use leptos::prelude::*;

use crate::components::empty::{command_line, level_word};
use crate::components::table::table;
use crate::components::troubleshoot::way::Way;
use crate::components::{links, time};
use crate::pages::troubleshoot::Plan;
use crate::port::explain::Dossier;
use crate::words;

/// The head of the page about a delegate that never appeared: what kind it is.
#[must_use]
pub fn scope_head(scope: &Scope, way: &Way, current: Platform) -> AnyView {
    let kinds: Vec<_> = Platform::ALL
        .into_iter()
        .map(|platform| {
            let here = (platform == current).then_some("page");
            view! { <li><a href=way.platform(platform.as_str()) aria-current=here>{platform.word()}</a></li> }
        })
        .collect();
    let text = format!(
        "For a delegate of {} {} that was started and never showed up in the list.",
        level_word(scope.level()),
        scope.name()
    );
    view! {
        <nav aria-label="Breadcrumb" data-key="trail">
            <ol class="trail">
                <li><a href=links::delegates_path(scope)>"Delegates"</a></li>
                <li aria-current="page">"Troubleshoot"</li>
            </ol>
        </nav>
        <div class="head" data-key="head"><h1>"A delegate does not appear"</h1></div>
        <p class="lead" data-key="lead">{text}</p>
        <nav aria-label="Where it runs" data-key="kinds"><ul class="tabs">{kinds}</ul></nav>
    }
    .into_any()
}

/// Questions, or common problems.
#[must_use]
pub fn tabs(way: &Way, problems: bool) -> AnyView {
    let tab = |word: &'static str, of: bool| {
        let here = (of == problems).then_some("page");
        view! { <li><a href=way.here(of) aria-current=here>{word}</a></li> }
    };
    view! {
        <nav aria-label="Troubleshooter" data-key="ways">
            <ul class="tabs">{tab("Guided", false)}{tab("Common problems", true)}</ul>
        </nav>
    }
    .into_any()
}

/// The main steps in order, each a link.
#[must_use]
pub fn steps(plan: &Plan, way: &Way) -> AnyView {
    let items: Vec<_> = plan
        .guide
        .main
        .iter()
        .filter_map(|id| plan.guide.step(id))
        .map(|step| {
            let here = (step.id == plan.step.id).then_some("step");
            view! { <li><a href=way.to(step.id) aria-current=here>{step.title}</a></li> }
        })
        .collect();
    view! { <nav aria-label="Steps" data-key="steps"><ol class="guide">{items}</ol></nav> }.into_any()
}

/// The step on screen.
#[must_use]
pub fn step(plan: &Plan, way: &Way, subject: &Subject, dossier: &Dossier) -> AnyView {
    let step = plan.step;
    let texts: Vec<_> = step.text.iter().map(|text| view! { <p>{*text}</p> }).collect();
    let commands: Vec<_> = step
        .commands
        .iter()
        .map(|command| {
            view! { <li><p class="sub">{command.about}":"</p>{command_line(subject.fill(command.line))}</li> }
        })
        .collect();
    let commands = (!commands.is_empty()).then(|| {
        view! { <p>"Run on the side of the delegate; Rollcall runs nothing:"</p><ul class="commands">{commands}</ul> }
    });
    let seen = (step.id == "seen").then(|| attempts(&dossier.attempts, dossier));
    let back = way.back().map(|href| view! { <a class="btn" href=href>"Back"</a> });
    let again =
        (!plan.via.is_empty()).then(|| view! { <a href=way.start(plan.guide.first().id)>"Start again"</a> });
    view! {
        <section class="panel step" aria-labelledby="step" data-key=format!("step-{}", step.id)>
            <h2 id="step">{step.title}</h2>
            {texts}
            {commands}
            {seen}
            {next(step.next, way)}
            <p class="buttons">{back}{again}</p>
        </section>
    }
    .into_any()
}

fn next(next: Next, way: &Way) -> AnyView {
    match next {
        Next::Ask { question, answers } => {
            let items: Vec<_> = answers
                .iter()
                .map(|answer| view! { <li><a class="btn" href=way.to(answer.to)>{answer.label}</a></li> })
                .collect();
            view! { <h3 id="question">{question}</h3><ul class="answers" aria-labelledby="question">{items}</ul> }
                .into_any()
        }
        Next::Finding { fix, help } => {
            let items: Vec<_> = fix.iter().map(|text| view! { <li>{*text}</li> }).collect();
            let help = help.map(|topic| {
                view! { <li><a href=format!("/help/{topic}")>{format!("Help: {}", crate::help::title(topic))}</a></li> }
            });
            view! {
                <h3>"What to do"</h3>
                <ol class="fix">{items}</ol>
                <ul class="answers">
                    <li><a class="btn primary" href=way.to("done")>"Done: wait for its heartbeat"</a></li>
                    {help}
                </ul>
            }
            .into_any()
        }
        Next::Wait => view! {
            <ul class="answers">
                <li><a class="btn" href=way.here(false)>"Look again"</a></li>
                <li><a href=way.to("support")>"It still does not connect"</a></li>
                <li><a href="/help/troubleshooting">"Help: troubleshooting"</a></li>
            </ul>
        }
        .into_any(),
    }
}

/// Calls that were turned away, without anything secret of them.
fn attempts(attempts: &[Attempt], dossier: &Dossier) -> AnyView {
    if attempts.is_empty() {
        return view! { <p class="quiet">"No call of this account was turned away since this server started."</p> }
            .into_any();
    }
    let as_of = dossier.snapshot.as_of;
    let unknown = if dossier.addresses { "unknown" } else { "only told to those who see the whole account" };
    let rows: Vec<_> = attempts
        .iter()
        .map(|attempt| {
            let from = attempt.address.as_deref().unwrap_or(unknown);
            let token = attempt.token.as_deref().unwrap_or("-");
            view! {
                <tr>
                    <th scope="row"><code>{attempt.refused.code()}</code><span class="sub">{attempt.refused.words()}</span></th>
                    <td class="num">{time::instant(attempt.at, as_of)}</td>
                    <td class="num">{words::number(attempt.count)}</td>
                    <td>{from.to_owned()}</td>
                    <td>{token.to_owned()}</td>
                </tr>
            }
            .into_any()
        })
        .collect();
    table(
        "attempts",
        "Calls that were turned away".to_owned(),
        &["Code", "Newest", "Calls", "From", "Token"],
        rows,
    )
}
