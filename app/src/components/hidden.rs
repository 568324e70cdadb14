//! Delegates that retention no longer lists: the switch that shows them, and what marks them (`product 4.1`).

use fleet::policy::Policy;
use fleet::time::{DAY, HOUR};
use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::links;
use crate::components::list::Listing;
use crate::words;

/// The switch; absent where nothing is hidden. `count`: instances that are hidden here.
#[must_use]
pub fn switch(listing: &Listing<'_>, count: u64) -> Option<AnyView> {
    let on = listing.query.hidden;
    if !on && count == 0 {
        return None;
    }
    let href = links::href(listing.path, &listing.query.with_hidden(!on));
    let class = if on { "btn switch on" } else { "btn switch" };
    let text = if on { "Hidden shown" } else { "Show hidden" };
    let many = words::count(count, "instance", "instances");
    let label = if on { "Hidden shown. Leave them out".to_owned() } else { format!("Show hidden: {many}") };
    let pill = (!on).then(|| view! { " "<span class="pill num">{words::number(count)}</span> });
    Some(
        view! {
            <a class=class href=href aria-label=label data-key="hidden" data-nav>
                <span class="knob" aria-hidden="true"></span>{text}{pill}
            </a>
        }
        .into_any(),
    )
}

/// Marks a group that is listed only because hidden ones were asked for.
#[must_use]
pub fn group_badge(group: &GroupView, policy: &Policy) -> Option<AnyView> {
    let days = policy.group_retention / DAY;
    group
        .hidden
        .then(|| badge(format!("No instance has been active for more than {}", count(days, "day", "days"))))
}

/// Marks an instance that is listed only because hidden ones were asked for.
#[must_use]
pub fn instance_badge(member: &Member, policy: &Policy) -> Option<AnyView> {
    let hours = policy.instance_retention / HOUR;
    member.hidden.then(|| {
        badge(if member.said_goodbye() {
            "It said goodbye: a planned stop".to_owned()
        } else {
            format!("Silent for more than {}", count(hours, "hour", "hours"))
        })
    })
}

fn count(n: i64, one: &str, many: &str) -> String {
    words::count(n.unsigned_abs(), one, many)
}

fn badge(why: String) -> AnyView {
    view! { <span class="hid"><span class="badge">"Hidden"</span>" "<span class="sub">{why}</span></span> }
        .into_any()
}
