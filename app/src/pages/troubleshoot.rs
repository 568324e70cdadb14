//! The troubleshooter of a group, and that of a scope for a delegate that never appeared (`product 17`).

use std::sync::Arc;

use fleet::query::Query;
use fleet::troubleshoot::{Guide, Platform, Step, Subject, guide};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::components::frame::{Feed, Place, frame};
use crate::components::group_head::{Tab, group_head};
use crate::components::list::Listing;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::troubleshoot::way::{Way, parse_via};
use crate::components::troubleshoot::{known, problems, report, step, waiting};
use crate::components::{banners, links};
use crate::context::PageRequest;
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, scope_in_path};
use crate::port::ScopeNode;
use crate::port::explain::Dossier;

/// What an address asks for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// `type`: for a delegate that never appeared.
    pub platform: Option<String>,
    /// `step`.
    pub step: Option<String>,
    /// `via`: the steps before it.
    pub via: String,
    /// `tab=problems`.
    pub problems: bool,
}

/// Reads what is asked for, asks the port.
#[component]
pub fn TroubleshootPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, port) = (scope_in_path(), asked.explain());
    let group = use_params_map().get_untracked().get("group");
    let parameters = use_query_map().get_untracked();
    let wanted = Wanted {
        platform: parameters.get("type"),
        step: parameters.get("step"),
        via: parameters.get("via").unwrap_or_default(),
        problems: parameters.get("tab").as_deref() == Some("problems"),
    };
    answer(asked, async move {
        let (scope, port) = (scope?, port?);
        let dossier = match &group {
            Some(identifier) => port.dossier(&scope, identifier).await?,
            None => port.arrivals(&scope).await?,
        };
        if dossier.snapshot.groups.iter().any(|asked| group.is_some() && asked.source.is_some()) {
            // What a delegate of another server is told is known there.
            return Err(Trouble::Unknown("troubleshooter"));
        }
        let plan = Plan::new(&dossier, group.is_some(), &wanted)?;
        Ok(move |scopes| view! { <TroubleshootView dossier plan scopes/> }.into_any())
    })
}

/// Where somebody stands in which guide.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Whether it is about a group, rather than one that never appeared.
    pub of_group: bool,
    /// The questions.
    pub guide: Guide,
    /// The step on screen.
    pub step: &'static Step,
    /// The steps before it.
    pub via: Vec<&'static Step>,
    /// The other tab.
    pub problems: bool,
}

impl Plan {
    /// The plan that an address asks for.
    ///
    /// # Errors
    /// There is no such type or step.
    pub fn new(dossier: &Dossier, of_group: bool, wanted: &Wanted) -> Result<Self, Trouble> {
        let group = dossier.snapshot.groups.first().filter(|_| of_group);
        let platform = match (group, wanted.platform.as_deref()) {
            (Some(group), _) => Platform::of(&group.facts),
            (None, None) => Platform::Kubernetes,
            (None, Some(word)) => Platform::parse(word).ok_or_else(|| Trouble::BadParameter {
                field: "type",
                message: "must be kubernetes, docker, machine or ecs".to_owned(),
            })?,
        };
        let guide = guide(platform);
        let step = match wanted.step.as_deref() {
            None => guide.first(),
            Some(id) => guide.step(id).ok_or_else(|| Trouble::BadParameter {
                field: "step",
                message: "must be a step of this troubleshooter".to_owned(),
            })?,
        };
        let via = parse_via(&wanted.via, &guide, step);
        Ok(Self { of_group, guide, step, via, problems: wanted.problems })
    }
}

/// The page itself.
#[component]
pub fn TroubleshootView(
    /// What is known.
    dossier: Dossier,
    /// Where somebody stands.
    plan: Plan,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let request = use_context::<PageRequest>().unwrap_or_default();
    let snapshot = &dossier.snapshot;
    let group = snapshot.groups.first().filter(|_| plan.of_group);
    let scope = group.map_or(&snapshot.scope, |group| &group.facts.scope);
    let path = match group {
        Some(group) => Tab::Troubleshoot.path(&links::group_path(&group.facts)),
        None => links::troubleshoot_path(scope),
    };
    let way = Way::new(path, &plan);
    let subject = match group {
        Some(group) => Subject::of(group, &request.origin),
        None => Subject::unknown(&request.origin),
    };
    let query = Query::default();
    let listing =
        Listing::new(snapshot, &query, &dossier.notes.policy, &way.path, request.viewer.as_ref()).of_one();
    let head = match group {
        Some(group) => group_head(group, &listing, Tab::Troubleshoot),
        None => step::scope_head(scope, &way, plan.guide.platform),
    };
    let title = match group {
        Some(group) => format!("Troubleshoot {}", group.facts.name),
        None => "Troubleshoot a delegate that does not appear".to_owned(),
    };
    let (facts, signs) = (known::facts(&dossier, group), known::signs(&dossier, group));
    let content = if plan.problems {
        problems::problems()
    } else {
        let report = report::report(&dossier, group, &facts, &signs, &plan);
        view! {
            {known::view(facts, signs, &way, snapshot.as_of)}
            {step::steps(&plan, &way)}
            {step::step(&plan, &way, &subject, &dossier)}
            {waiting::waiting(&dossier, group)}
            {report::view(report)}
        }
        .into_any()
    };
    let body = view! {
        {head}
        {banners::banners(&dossier.notes, snapshot.as_of, request.viewer.as_ref())}
        {step::tabs(&way, plan.problems)}
        {content}
    };
    let feed = Feed { scope, below: false, usable: false, as_of: snapshot.as_of };
    view! {
        {page_title(&title)}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, Some(feed), body.into_any())}
    }
}
