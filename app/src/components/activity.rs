//! What happened to a group and who changed it, day by day (`product 3.6`, `11.5`, `14`).

use fleet::delegate::GroupFacts;
use fleet::time::{DAY, Timestamp};
use leptos::prelude::*;

use crate::components::timeline::{cause_words, mark};
use crate::components::{icons, links, time};
use crate::port::history::{Activity, ActivityQuery, Event, What};

/// The events under their days, newest first.
#[must_use]
pub fn events(activity: &Activity) -> AnyView {
    let mut days: Vec<(Timestamp, Vec<AnyView>)> = Vec::new();
    for (place, event) in activity.events.iter().enumerate() {
        let drawn = row(event, place, &activity.group);
        match days.last_mut().filter(|(day, _)| day.date() == event.at.date()) {
            Some((_, rows)) => rows.push(drawn),
            None => days.push((event.at, vec![drawn])),
        }
    }
    let days: Vec<_> = days
        .into_iter()
        .map(|(day, rows)| {
            let (id, heading) = (format!("day-{}", day.date()), day_words(day, activity.as_of));
            let (key, label) = (id.clone(), id.clone());
            view! {
                <section aria-labelledby=label data-key=key>
                    <h2 class="day" id=id>{heading}</h2>
                    <ol class="events">{rows}</ol>
                </section>
            }
        })
        .collect();
    view! { <div class="panel" data-key="events">{days}</div> }.into_any()
}

fn day_words(at: Timestamp, as_of: Timestamp) -> String {
    let day = at.date();
    if day == as_of.date() {
        format!("Today, {day}")
    } else if day == as_of.plus(-DAY).date() {
        format!("Yesterday, {day}")
    } else {
        day.to_string()
    }
}

fn row(event: &Event, place: usize, group: &GroupFacts) -> AnyView {
    let (tone, drawing, key, text) = match &event.what {
        What::Turn { instance, host_name, change } => {
            let (tone, drawing) = mark(change);
            let href = links::instance_path(group, instance);
            let name = host_name.as_ref().unwrap_or(instance).to_string();
            let text = view! { <a class="host" href=href>{name}</a>" "{cause_words(change)} };
            (tone, drawing, format!("e{}-{instance}-{place}", event.at.millis()), text.into_any())
        }
        What::Deed { actor, action, summary } => {
            let text = view! {
                <span class="host">{actor.clone()}</span>" "{summary.clone()}" "<code class="sub">{action.clone()}</code>
            };
            ("mut", icons::PERSON, format!("e{}-{action}-{place}", event.at.millis()), text.into_any())
        }
    };
    view! {
        <li data-key=key>
            <time class="num nb" datetime=time::machine(event.at)>{time::clock(event.at)}</time>
            <span class=tone>{icons::icon(drawing)}</span>
            <span class="any">{text}</span>
            <span class="sub nb js">{time::age(event.at, event.at)}</span>
        </li>
    }
    .into_any()
}

/// The form that narrows the events to one instance.
#[must_use]
pub fn by_instance(path: &str, activity: &Activity, query: &ActivityQuery) -> AnyView {
    let wanted = query.instance.as_deref().unwrap_or_default();
    let known = activity.instances.iter().any(|(id, _)| **id == *wanted);
    let other = (!known && !wanted.is_empty())
        .then(|| view! { <option value=wanted.to_owned() selected=true>{wanted.to_owned()}</option> });
    let options: Vec<_> = activity
        .instances
        .iter()
        .map(|(id, host)| {
            let chosen = **id == *wanted;
            view! { <option value=id.to_string() selected=chosen>{host.to_string()}</option> }
        })
        .collect();
    view! {
        <form
            method="get"
            action=path.to_owned()
            class="filters"
            role="search"
            aria-label="Filter the activity"
            data-key="filter"
        >
            <div class="field">
                <label for="f-instance">"Instance"</label>
                <select id="f-instance" name="instance">
                    <option value="" selected=wanted.is_empty()>"All instances"</option>
                    {options}
                    {other}
                </select>
            </div>
            <button class="btn">"Apply"</button>
        </form>
    }
    .into_any()
}
