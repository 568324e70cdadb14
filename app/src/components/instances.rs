//! The instances of one group, as a table inside its row (`product 11.2`).

use fleet::view::{GroupView, Member};
use leptos::prelude::*;

use crate::components::cells::{connectivity, heartbeat, status, version};
use crate::components::instance_facts::transport;
use crate::components::links;
use crate::components::list::Listing;
use crate::components::rights::Right;
use crate::components::{badges, hidden, icons};
use crate::context::framed;
use crate::words;

/// How many instances of one group the Delegates page shows; the group page shows them all, page by page.
pub const MAX_INSTANCES: usize = 100;

/// The row under a group's row; `places` are those of the members to show.
#[must_use]
pub fn instances(group: &GroupView, place: usize, places: &[u32], listing: &Listing<'_>) -> AnyView {
    let limit = if listing.single { usize::MAX } else { MAX_INSTANCES };
    let shown: Vec<_> = places
        .iter()
        .take(limit)
        .filter_map(|&at| group.members.get(usize::try_from(at).ok()?))
        .map(|member| instance(member, group, listing))
        .collect();
    let rest = places.len().saturating_sub(limit);
    let rest = (rest > 0).then(|| {
        let text = format!("and {} more", words::number(rest as u64));
        let href = links::href(
            &links::group_path(&group.facts),
            &links::changed(listing.query, |query| {
                query.open.clear();
                query.sort = None;
            }),
        );
        let of = format!(" instances of {}", group.facts.name);
        if listing.embedded {
            return view! { <p class="rest">{text}<span class="vh">{of}</span></p> }.into_any();
        }
        view! { <p class="rest"><a href=href>{text}<span class="vh">{of}</span></a></p> }.into_any()
    });
    let label = format!("Instances of {}", group.facts.name);
    let actions = (listing.may_delete(group) != Right::Nobody)
        .then(|| view! { <th scope="col"><span class="vh">"Actions"</span></th> });
    view! {
        <tr class="inst" id=format!("x{place}") data-key=format!("x{}", group.facts.id)>
            <td colspan=listing.columns().to_string()>
                <table aria-label=label>
                    <thead>
                        <tr>
                            <th scope="col">"Instance"</th>
                            <th scope="col">"Connectivity"</th>
                            <th scope="col">"Version"</th>
                            <th scope="col">"Status"</th>
                            <th scope="col">"Last heartbeat"</th>
                            <th scope="col">"Transport"</th>
                            {actions}
                        </tr>
                    </thead>
                    <tbody>{shown}</tbody>
                </table>
                {rest}
            </td>
        </tr>
    }
    .into_any()
}

/// The name of its host, which leads to its page.
fn host(member: &Member, group: &GroupView) -> AnyView {
    let name = member.facts.host_name.to_string();
    if framed() {
        return view! { <span class="host">{name}</span> }.into_any();
    }
    view! { <a class="host" href=links::instance_path(&group.facts, &member.facts.id)>{name}</a> }.into_any()
}

fn instance(member: &Member, group: &GroupView, listing: &Listing<'_>) -> AnyView {
    let facts = &member.facts;
    let as_of = listing.snapshot.as_of;
    view! {
        <tr data-key=format!("i{}", facts.id) class=member.hidden.then_some("dim")>
            <th scope="row">
                {host(member, group)}
                {hidden::instance_badge(member, listing.policy)}{badges::of_instance(member, group, listing.policy)}
                <code class="sub">{facts.id.to_string()}</code>
            </th>
            {connectivity::instance_cell(&group.facts, member, as_of)}
            {version::instance_cell(&group.facts, member)}
            {status::instance_cell(&group.facts, member, listing.policy, as_of)}
            {heartbeat::instance_cell(member, as_of)}
            <td>{transport(facts.transport, group.source.as_deref())}</td>
            {delete(member, group, listing)}
        </tr>
    }
    .into_any()
}

/// The way to delete one instance, or why there is none.
#[must_use]
pub fn delete(member: &Member, group: &GroupView, listing: &Listing<'_>) -> Option<AnyView> {
    let host = &member.facts.host_name;
    let face = icons::icon(icons::BIN);
    match listing.may_delete(group) {
        Right::Nobody => None,
        Right::Held => {
            let href = links::instance_delete_path(&group.facts, &member.facts.id);
            let label = format!("Delete instance {host}");
            Some(
                view! { <td class="act"><a class="btn icon" href=href aria-label=label data-dialog>{face}</a></td> }
                    .into_any(),
            )
        }
        Right::Denied(why) => {
            let label = format!("Delete instance {host}. {why}");
            Some(
                view! {
                    <td class="act">
                        <button type="button" class="btn icon" aria-disabled="true" aria-label=label title=why>
                            {face}
                        </button>
                    </td>
                }
                .into_any(),
            )
        }
    }
}
