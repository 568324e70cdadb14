//! The form in which a filter is put together (`product 11.4`): a plain GET form, whose address is the filter.

use fleet::query::Origin;
use fleet::query::{Choice, Facets, Filter, MAX_CHOICES, Query};
use fleet::scope::Scope;
use leptos::prelude::*;

use crate::components::filter_words::{self as say, Condition, conditions};
use crate::components::form::Sent;
use crate::components::form::field::Field;
use crate::components::{links, status};
use crate::port::filters::FilterPage;
use crate::words;

/// Conditions that have no field of their own: they come from charts and links, and stay unless they are cleared.
const OTHERS: [&str; 5] = ["status", "versionStatus", "delegateType", "expires", "silent"];

/// The form of a scope.
#[must_use]
pub fn filter_form(scope: &Scope, query: &Query, page: &FilterPage, sent: Sent<'_>) -> AnyView {
    let list = links::delegates_path(scope);
    // What is no condition stays as it is.
    let rest = Query { page: 1, hidden: false, ..links::unfiltered(query).closed() };
    let kept: Vec<_> = links::parameters(&rest.to_url())
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect();
    let clear = (!query.is_plain()).then(|| {
        view! { <a class="quietlink" href=links::href(&list, &rest) data-nav>"Clear filters"</a> }
    });
    view! {
        <form method="get" action=links::filter_path(scope)>
            {sent.alert()}
            <input type="hidden" name="apply" value="true"/>
            {kept}
            <div class="choose">
                {texts(&query.filter)}
                {others(&query.filter)}
                <div class="facets">{facets(&page.facets, scope)}</div>
                {hidden(query, page.hidden)}
            </div>
            <p class="buttons">
                {clear}
                <span class="grow"></span>
                <a class="btn" href=links::href(&list, query) data-close>"Cancel"</a>
                <button class="btn primary">"Apply"</button>
            </p>
        </form>
    }
    .into_any()
}

fn texts(filter: &Filter) -> AnyView {
    let field = |name: &'static str, label: &'static str, value: Option<&String>| {
        let value = value.cloned().unwrap_or_default();
        Field::new(Sent::never(), "filter", name, label).or(value).line("text")
    };
    view! {
        <div class="lines">
            {field("search", "Anywhere", filter.search.as_ref())}
            {field("delegateName", "Name contains", filter.name.as_ref())}
            {field("delegateGroupIdentifier", "Identifier contains", filter.identifier.as_ref())}
            {field("description", "Description contains", filter.description.as_ref())}
            {field("hostName", "Host name, exactly", filter.host_name.as_ref())}
        </div>
    }
    .into_any()
}

fn others(filter: &Filter) -> Option<AnyView> {
    let others = conditions(filter).into_iter().filter(|condition| OTHERS.contains(&condition.parameter));
    let boxes: Vec<_> = others
        .map(|Condition { text, parameter, value, .. }| {
            view! {
                <label class="check"><input type="checkbox" name=parameter value=value checked/><span>{text}</span></label>
            }
        })
        .collect();
    (!boxes.is_empty()).then(|| {
        view! { <fieldset class="facet"><legend>"Also"</legend><div class="choices">{boxes}</div></fieldset> }
            .into_any()
    })
}

fn hidden(query: &Query, count: u64) -> Option<AnyView> {
    if !query.hidden && count == 0 {
        return None;
    }
    let many = format!(" ({})", words::count(count, "instance", "instances"));
    Some(
        view! {
            <label class="check">
                <input type="checkbox" name="hidden" value="true" checked=query.hidden/>
                <span>"Show hidden delegates, too"<span class="sub num">{many}</span></span>
            </label>
        }
        .into_any(),
    )
}

fn facets(facets: &Facets, scope: &Scope) -> AnyView {
    let scopes = facets.scopes.len() > 1 || facets.scopes.iter().any(|choice| choice.value != *scope);
    let scopes = scopes
        .then(|| boxes("Scope", "scope", &facets.scopes, |scope| (scope.to_string(), scope.to_string())));
    let mirrored = facets
        .source
        .iter()
        .any(|choice| choice.chosen || choice.value == Origin::Mirror && choice.groups > 0);
    view! {
        {radios("Health", "health", &facets.health, |value| (value.as_str(), status::health_word(value)))}
        {boxes("Connectivity", "connectivity", &facets.connectivity, |value| {
            (value.as_str().to_owned(), sentence(say::connectivity_word(*value)))
        })}
        {boxes("Type", "type", &facets.types, |value| (value.clone(), say::type_word(value)))}
        {boxes("Tags, all of", "delegateTags", &facets.tags, |value| (value.clone(), value.clone()))}
        {boxes("Version", "version", &facets.versions, |value| (value.clone(), sentence(&say::version_word(value))))}
        {radios("Auto-upgrade", "autoUpgrade", &facets.auto_upgrade, |value| {
            (value.as_str(), say::upgrade_word(value))
        })}
        {boxes("Token", "token", &facets.tokens, |value| (value.clone(), value.clone()))}
        {scopes}
        {boxes("Redundancy", "redundancy", &facets.redundancy, |value| {
            (value.as_str().to_owned(), sentence(say::redundancy_word(*value)))
        })}
        {boxes("Marked", "mark", &facets.marks, |value| {
            (value.as_str().to_owned(), sentence(say::mark_word(*value)))
        })}
        {radios("Availability", "delegateInstanceFilter", &facets.availability, |value| {
            (value.as_str(), say::availability_word(value))
        })}
        {radios("Generation", "generation", &facets.generation, |value| {
            (value.as_str(), say::generation_word(value))
        })}
        {mirrored.then(|| radios("Source", "source", &facets.source, |value| {
            (value.as_str(), say::source_word(value))
        }))}
        {radios("Transport", "transport", &facets.transport, |value| {
            (value.as_str(), say::transport_word(value))
        })}
    }
    .into_any()
}

/// Several values may be chosen. `told`: the value in the URL, and its word.
fn boxes<T>(
    legend: &'static str,
    name: &'static str,
    choices: &[Choice<T>],
    told: impl Fn(&T) -> (String, String),
) -> Option<AnyView> {
    if choices.is_empty() {
        return None;
    }
    let options: Vec<_> = choices
        .iter()
        .map(|choice| {
            let (value, word) = told(&choice.value);
            option("checkbox", name, value, word, choice.chosen, Some(choice.groups))
        })
        .collect();
    let cut = (choices.len() >= MAX_CHOICES).then_some("The most frequent ones");
    Some(fieldset(legend, options, cut))
}

/// One value, or none.
fn radios<T: Copy>(
    legend: &'static str,
    name: &'static str,
    choices: &[Choice<T>],
    told: impl Fn(T) -> (&'static str, &'static str),
) -> AnyView {
    let any = !choices.iter().any(|choice| choice.chosen);
    let mut options = vec![option("radio", name, String::new(), "Any".to_owned(), any, None)];
    options.extend(choices.iter().map(|choice| {
        let (value, word) = told(choice.value);
        option("radio", name, value.to_owned(), sentence(word), choice.chosen, Some(choice.groups))
    }));
    fieldset(legend, options, None)
}

fn fieldset(legend: &'static str, options: Vec<AnyView>, cut: Option<&'static str>) -> AnyView {
    view! {
        <fieldset class="facet">
            <legend>{legend}</legend>
            <div class="choices">{options}</div>
            {cut.map(|text| view! { <p class="sub">{text}</p> })}
        </fieldset>
    }
    .into_any()
}

fn option(
    kind: &'static str,
    name: &'static str,
    value: String,
    word: String,
    chosen: bool,
    groups: Option<u64>,
) -> AnyView {
    let class = if groups == Some(0) && !chosen { "check none" } else { "check" };
    let count = groups.map(|groups| {
        let noun = if groups == 1 { " group" } else { " groups" };
        view! { " "<span class="sub num">{words::number(groups)}<span class="vh">{noun}</span></span> }
    });
    view! {
        <label class=class><input type=kind name=name value=value checked=chosen/><span class="word">{word}</span>{count}</label>
    }
    .into_any()
}

/// With an upper-case first letter.
fn sentence(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
