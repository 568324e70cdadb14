//! Why a state is what it is (`product 19`): rule, instants, what would change it and when it changes by itself.

use std::sync::Arc;

use fleet::delegate::GroupFacts;
use fleet::explain::{self, Explanation, Ground};
use fleet::health::Connectivity;
use fleet::version::Line;
use fleet::view::{GroupView, Member};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::components::explained::{Panel, panel};
use crate::components::frame::{Feed, Place, frame};
use crate::components::group_head::Tab;
use crate::components::nav::Area;
use crate::components::page_title::page_title;
use crate::components::status::{self, Mark};
use crate::components::update::way_out;
use crate::components::why::{Of, why_path};
use crate::components::{cells, links};
use crate::pages::trouble::Trouble;
use crate::pages::{Asked, answer, named_in_path, scope_in_path};
use crate::port::ScopeNode;
use crate::port::explain::Dossier;

/// Instances whose own explanations a group's one links to.
const SHOWN: usize = 10;

/// Reads what is asked for, asks the port.
#[component]
pub fn WhyPage() -> impl IntoView {
    let asked = Asked::from_context();
    let (scope, port) = (scope_in_path(), asked.explain());
    let identifier = named_in_path("group");
    let parameters = use_query_map().get_untracked();
    let of = Of::parse(&parameters.get("of").unwrap_or_default()).ok_or_else(|| Trouble::BadParameter {
        field: "of",
        message: "must be connectivity, status, version or auto-upgrade".to_owned(),
    });
    let instance = parameters.get("instance");
    answer(asked, async move {
        let (scope, of) = (scope?, of?);
        let dossier = port?.dossier(&scope, &identifier).await?;
        let known = |id: &String| {
            let mut members = dossier.snapshot.groups.iter().flat_map(|group| &group.members);
            members.any(|member| *member.facts.id == **id)
        };
        if (of == Of::AutoUpgrade && instance.is_some()) || instance.as_ref().is_some_and(|id| !known(id)) {
            return Err(Trouble::Unknown("instance"));
        }
        Ok(move |scopes| view! { <WhyView dossier of instance scopes/> }.into_any())
    })
}

/// The page itself.
#[component]
pub fn WhyView(
    /// What is known of the group.
    dossier: Dossier,
    /// What is explained.
    of: Of,
    /// Of which instance; of the group without one.
    instance: Option<String>,
    /// For the scope switcher.
    scopes: Arc<Vec<ScopeNode>>,
) -> impl IntoView {
    let Some(group) = dossier.snapshot.groups.first() else { return ().into_any() };
    let member = instance.and_then(|id| group.members.iter().find(|member| *member.facts.id == *id));
    let content = explained(group, member, of, &dossier);
    let title = content.title.clone();
    let scope = &group.facts.scope;
    let feed = Feed { scope, below: false, usable: false, as_of: dossier.snapshot.as_of };
    view! {
        {page_title(&title)}
        {frame(Some(Place::new(scope, Area::Delegates)), &scopes, Some(feed), panel(content))}
    }
    .into_any()
}

fn explained(group: &GroupView, member: Option<&Member>, of: Of, dossier: &Dossier) -> Panel {
    let ground = &dossier.ground;
    let repository = dossier.notes.image_repository.as_deref();
    let way_out = || way_out(group, member, &dossier.snapshot.latest, repository);
    let name = member.map_or(&group.facts.name, |member| &member.facts.host_name);
    let face = |mark: Option<Mark>| mark.map_or_else(|| "-".into_any(), Mark::view);
    match of {
        Of::Connectivity => {
            let troubled = match member {
                Some(member) => !member.assessment.connectivity.is_connected(),
                None => group.rollup.counts.connected < group.rollup.counts.instances.max(1),
            };
            let panel = if let Some(member) = member {
                let told = match &group.source {
                    Some(source) => explain::told(member.assessment.connectivity, source),
                    None => explain::connectivity(member, ground),
                };
                let late =
                    (told.outcome == Connectivity::Late).then(|| view! { <span class="late">"late"</span> });
                let mark =
                    if told.outcome.is_connected() { status::CONNECTED } else { status::NOT_CONNECTED };
                Panel::new(
                    format!("Connectivity of {name}"),
                    view! { {mark.view()}{late} }.into_any(),
                    told,
                    ground,
                )
            } else {
                let face = cells::connectivity::group_mark(group);
                let told = match &group.source {
                    Some(source) => explain::told(group.rollup.connectivity, source),
                    None => explain::group_connectivity(group, ground),
                };
                Panel::new(format!("Connectivity of {name}"), face, told, ground)
            };
            let panel = panel
                .link("Its history", &Tab::Activity.path(&links::group_path(&group.facts)))
                .link("Help: alerts, and rows that stay or vanish", "/help/delegates#alerts");
            finish(
                if troubled && group.source.is_none() {
                    panel.link("Troubleshoot", &Tab::Troubleshoot.path(&links::group_path(&group.facts)))
                } else {
                    panel
                },
                group,
                member,
                of,
            )
        }
        Of::Status => {
            let standing = member.map_or(group.rollup.standing, |member| member.assessment.standing);
            let told = match (&group.source, member) {
                (Some(source), _) => explain::told(standing, source),
                (None, Some(member)) => explain::version_status(member, ground),
                (None, None) => explain::group_status(group, ground),
            };
            let face = face(status::standing(told.outcome));
            let panel = Panel::new(format!("Status of {name}"), face, told, ground).update(way_out());
            finish(panel.link("Help: versions and upgrades", "/help/auto-upgrade"), group, member, of)
        }
        Of::Version => {
            let told = match member {
                Some(member) => explain::version(member, ground),
                None => explain::group_version(group, ground),
            };
            let signed = signature(group, member);
            let face = told.outcome.clone().into_any();
            let panel = Panel::new(format!("Version of {name}"), face, told, ground);
            finish(
                panel.command(signed).link("Help: versions and upgrades", "/help/auto-upgrade"),
                group,
                member,
                of,
            )
        }
        Of::AutoUpgrade => {
            let told = explain::auto_upgrade(group, ground);
            let face = status::auto_upgrade(&told.outcome).view();
            let panel = Panel::new(format!("Auto-upgrade of {name}"), face, told, ground).update(way_out());
            finish(
                panel.link("Help: auto-upgrade, reason by reason", "/help/auto-upgrade#reasons"),
                group,
                None,
                of,
            )
        }
    }
}

/// The ways on: instances of a group, and back.
fn finish(mut panel: Panel, group: &GroupView, member: Option<&Member>, of: Of) -> Panel {
    if member.is_none() && of != Of::AutoUpgrade && group.members.len() > 1 {
        let link = |member: &Member| {
            (member.facts.host_name.to_string(), why_path(&group.facts, of, Some(&member.facts.id)))
        };
        panel.instances = group.members.iter().take(SHOWN).map(link).collect();
    }
    panel.back = back(&group.facts, group.hidden);
    panel
}

fn back(facts: &GroupFacts, hidden: bool) -> String {
    if hidden {
        format!("{}?hidden=true", links::delegates_path(&facts.scope))
    } else {
        links::group_path(facts)
    }
}

/// How to check who signed the image of a version (`features 70`).
fn signature(group: &GroupView, member: Option<&Member>) -> Option<(&'static str, String)> {
    let version = match member {
        Some(member) => member.facts.version.as_ref(),
        None => group.rollup.version.as_ref(),
    }?;
    (version.line() == Line::Classic).then(|| {
        let image = format!("harness/delegate:{version}");
        let line = format!("docker trust inspect --pretty -- {}", fleet::troubleshoot::quote(&image));
        ("Images are signed. This shows who signed this one", line)
    })
}

impl Panel {
    fn new<T>(title: String, face: AnyView, told: Explanation<T>, ground: &Ground) -> Self {
        let Explanation { outcome: _, because, rule, facts, checks, changes, due, notes } = told;
        let (links, instances, update, command, back) = (Vec::new(), Vec::new(), None, None, String::new());
        let as_of = ground.now;
        Self {
            title,
            face,
            because,
            rule,
            facts,
            checks,
            changes,
            due,
            notes,
            as_of,
            links,
            instances,
            update,
            command,
            back,
        }
    }

    fn link(mut self, word: &'static str, href: &str) -> Self {
        self.links.push((word, href.to_owned()));
        self
    }

    fn update(mut self, update: Option<AnyView>) -> Self {
        self.update = update;
        self
    }

    fn command(mut self, command: Option<(&'static str, String)>) -> Self {
        self.command = command;
        self
    }
}
