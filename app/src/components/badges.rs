//! What deserves a second look in a group (`product 9.1`, `9.2`, `agent-protocol 7.5`).

use fleet::summary::DoubleDelegate;
use fleet::view::GroupView;
use leptos::prelude::*;

/// Why a group carries a badge, in words for people; also used by the facts of the group page.
#[must_use]
pub fn double_delegate_text(reason: DoubleDelegate) -> &'static str {
    match reason {
        DoubleDelegate::Clusters => {
            "Members name different clusters. One name in two clusters leads to duplicated and failed work."
        }
        DoubleDelegate::ReplicaSets => {
            "Pods of two ReplicaSets have been connected for more than 30 minutes. Either a rollout hangs, or two \
             installations share one name."
        }
        DoubleDelegate::Connections => {
            "Two processes use the id of one instance. Give one of them its own name or stop it."
        }
    }
}

/// In what connected members differ, such as `version and tags`; none if they are alike.
#[must_use]
pub fn differences_text(group: &GroupView) -> Option<String> {
    let differences = group.rollup.differences;
    let words: Vec<_> = [
        (differences.version, "version"),
        (differences.tags, "tags"),
        (differences.token, "token"),
        (differences.kind, "type"),
    ]
    .into_iter()
    .filter_map(|(differs, word)| differs.then_some(word))
    .collect();
    let (last, rest) = words.split_last()?;
    Some(if rest.is_empty() { (*last).to_owned() } else { format!("{} and {last}", rest.join(", ")) })
}

/// The badges of a group, worst first; nothing when all is well.
#[must_use]
pub fn badges(group: &GroupView) -> Option<AnyView> {
    let double = group
        .rollup
        .double_delegate
        .map(|reason| badge("Possible double delegate", double_delegate_text(reason)));
    let differ = differences_text(group)
        .map(|what| badge("Members differ", &format!("Connected members differ in {what}.")));
    let incomplete = group.members.iter().any(|member| member.facts.incomplete).then(|| {
        badge(
            "Identity incomplete",
            "Rebuilt from a heartbeat without a name. Restart the delegate so that it registers.",
        )
    });
    let returned = group.facts.returned_at.map(|at| {
        let when = at.to_utc().format("%Y-%m-%d %H:%M UTC");
        badge("Returned after delete", &format!("It was deleted and called again at {when}."))
    });
    let shown: Vec<_> = [returned, double, differ, incomplete].into_iter().flatten().collect();
    (!shown.is_empty()).then(|| view! { <span class="badges">{shown}</span> }.into_any())
}

fn badge(word: &'static str, why: &str) -> AnyView {
    let why = why.to_owned();
    let told = format!(". {why}");
    view! { <span class="badge warn" title=why>{word}<span class="vh">{told}</span></span> }.into_any()
}
