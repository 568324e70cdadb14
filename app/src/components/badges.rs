//! What deserves a second look in a group (`product 3.6`, `9.1`, `9.2`, `agent-protocol 7.5`, `9.4`).
//!
//! Every badge explains itself on a press, by keyboard, pointer or finger.

use fleet::policy::Policy;
use fleet::query::{Mark, has_mark};
use fleet::summary::DoubleDelegate;
use fleet::time::MINUTE;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::cells::heartbeat::skew_text;
use crate::components::group_head::Tab;
use crate::components::links;
use crate::components::popover::explained;
use crate::context::framed;

/// Badges of one row at most; the rest stands behind a button.
const SHOWN: usize = 2;

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

/// One badge: its words, why it is there, and where to go from there.
struct Badge {
    /// Part of its id.
    key: &'static str,
    word: String,
    /// More of it where there is room.
    long: Option<String>,
    why: String,
    link: Option<(String, &'static str)>,
    warns: bool,
}

impl Badge {
    fn new(key: &'static str, word: impl Into<String>, why: impl Into<String>) -> Self {
        Self { key, word: word.into(), long: None, why: why.into(), link: None, warns: true }
    }

    fn quiet(self) -> Self {
        Self { warns: false, ..self }
    }

    fn explanation(&self) -> AnyView {
        let link = self
            .link
            .clone()
            .filter(|_| !framed())
            .map(|(href, text)| view! { <p><a href=href>{text}</a></p> });
        view! { <p class="ph">{self.long.clone().unwrap_or_else(|| self.word.clone())}</p><p>{self.why.clone()}</p>{link} }.into_any()
    }

    /// The badge itself; `owner` makes its id unique, `of` names what carries it.
    fn view(&self, owner: &str, of: &str) -> AnyView {
        let class = if self.warns { "badge warn" } else { "badge" };
        let face = view! { <span class=class>{self.word.clone()}</span> }.into_any();
        let word = self.long.as_ref().unwrap_or(&self.word);
        let name = format!("{word}. Explain this about {of}");
        explained(format!("b-{}-{owner}", self.key), "why tagged", face, name, self.explanation())
    }
}

/// The badges of a group beside its name, worst first; nothing when all is well. Together with the one about
/// redundancy, which stands beside the connectivity, a row has two at most.
#[must_use]
pub fn badges(group: &GroupView, policy: &Policy) -> Option<AnyView> {
    let all = of_group(group, policy);
    let room = SHOWN - usize::from(redundancy(group).is_some());
    let (owner, name) = (&group.facts.id, &group.facts.name);
    let shown: Vec<_> = all.iter().take(room).map(|badge| badge.view(owner, name)).collect();
    let rest = all.len().saturating_sub(room);
    let rest = (rest > 0).then(|| {
        let body: Vec<_> = all.iter().skip(room).map(Badge::explanation).collect();
        let told = format!("+{rest} more to know about {name}");
        explained(format!("b-more-{owner}"), "more", format!("+{rest}").into_any(), told, body.into_any())
    });
    (!all.is_empty()).then(|| view! { <span class="badges">{shown}{rest}</span> }.into_any())
}

fn of_group(group: &GroupView, policy: &Policy) -> Vec<Badge> {
    let returned = group.facts.returned_at.map(|at| {
        let when = at.to_utc().format("%Y-%m-%d %H:%M UTC");
        Badge::new("returned", "Returned after delete", format!("It was deleted and called again at {when}."))
    });
    let double = group
        .rollup
        .double_delegate
        .map(|reason| Badge::new("double", "Possible double delegate", double_delegate_text(reason)));
    let unstable = has_mark(group, Mark::Unstable).then(|| unstable(group, policy));
    let differ = differences_text(group).map(|what| {
        let why =
            format!("Connected members differ in {what}. Members should be alike: work goes to any of them.");
        Badge { long: Some(format!("Members differ: {what}")), ..Badge::new("differ", "Members differ", why) }
    });
    let incomplete = has_mark(group, Mark::Incomplete).then(incomplete);
    let clock = has_mark(group, Mark::Clock).then(|| {
        let why = "The clock of an instance is more than 60 s off. Open the instances to see which, and set its clock by \
                   a time server.";
        Badge::new("clock", "Clock off", why)
    });
    [returned, unstable, double, differ, incomplete, clock].into_iter().flatten().collect()
}

fn unstable(group: &GroupView, policy: &Policy) -> Badge {
    let count = group.members.iter().filter(|member| member.unstable && !member.hidden).count();
    let who = if count == 1 { "An instance was".to_owned() } else { format!("{count} instances were") };
    let (losses, window) = (policy.flap_count, policy.flap_window / MINUTE);
    let why = format!(
        "{who} lost {losses} times or more within {window} minutes. This goes away after {window} minutes without a change."
    );
    let page = Tab::Troubleshoot.path(&links::group_path(&group.facts));
    Badge {
        link: Some((format!("{page}#unstable"), "Find out why")),
        ..Badge::new("unstable", "Unstable", why)
    }
}

fn incomplete() -> Badge {
    let why = "Rebuilt from a heartbeat without a name. Restart the delegate so that it registers.";
    Badge::new("incomplete", "Identity incomplete", why)
}

/// The badge of a group that leans on one instance (`product 9.1`).
#[must_use]
pub fn redundancy(group: &GroupView) -> Option<AnyView> {
    let lost = group.rollup.counts.unreachable;
    group.rollup.single_instance.then(|| {
        let badge = if lost > 0 {
            let why = "All others of this delegate are silent. Work stops when this one stops.";
            Badge::new("single", "Last healthy replica", why)
        } else {
            let why = "Only one instance is connected: work stops when it stops. Raise the number of replicas to two or \
                       more.";
            Badge::new("single", "Single instance", why).quiet()
        };
        badge.view(&group.facts.id, &group.facts.name)
    })
}

/// The badge of a group that waits for a person (`product 10.4`).
#[must_use]
pub fn pending(group: &fleet::delegate::GroupFacts) -> AnyView {
    let why = "It registered, but takes no work until somebody approves it.";
    Badge::new("pending", "Pending approval", why).view(&group.id, &group.name)
}

/// The badges of an instance beside its host name.
#[must_use]
pub fn of_instance(member: &Member, group: &GroupView, policy: &Policy) -> Option<AnyView> {
    let facts = &member.facts;
    let unstable = (member.unstable && !member.hidden).then(|| unstable(group, policy));
    let shown: Vec<_> = [unstable, facts.incomplete.then(incomplete)]
        .into_iter()
        .flatten()
        .map(|badge| badge.view(&facts.id, &facts.host_name))
        .collect();
    (!shown.is_empty()).then(|| view! { <span class="badges">{shown}</span> }.into_any())
}

/// The badge of an instance whose clock is far off, for the heartbeat column (`product 11.2`).
#[must_use]
pub fn clock(member: &Member) -> Option<AnyView> {
    let text = member.facts.clock_skew.filter(|_| member.is_clock_off()).and_then(skew_text)?;
    let why = "Credentials are only good for a time, so a wrong clock may lock this instance out. Set it by a time server.";
    Some(Badge::new("clock", text, why).view(&member.facts.id, &member.facts.host_name))
}
