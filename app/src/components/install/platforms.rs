//! What the delegate runs on: links that keep everything else that was chosen.

use fleet::install::{Choice, Platform};
use leptos::prelude::*;

use crate::components::icons;

/// Platforms under the words that people look for.
const GROUPS: [(&str, &[Platform]); 4] = [
    ("Kubernetes", &[Platform::Kubernetes, Platform::Helm, Platform::Terraform]),
    ("Containers", &[Platform::Docker, Platform::Ecs, Platform::Fargate]),
    (
        "Delegate 3.x (beta)",
        &[Platform::RunnerKubernetes, Platform::RunnerEcs, Platform::RunnerFargate, Platform::RunnerProgram],
    ),
    ("Virtual machine", &[Platform::Machine]),
];

/// Drawing and word of a platform.
#[must_use]
pub const fn look(platform: Platform) -> (&'static str, &'static str) {
    match platform {
        Platform::Kubernetes => (icons::KUBERNETES, "Manifest"),
        Platform::Helm => (icons::HELM, "Helm chart"),
        Platform::Terraform => (icons::KUBERNETES, "Terraform"),
        Platform::Docker => (icons::DOCKER, "Docker"),
        Platform::Ecs => (icons::ECS, "ECS on EC2"),
        Platform::Fargate => (icons::ECS, "ECS on Fargate"),
        Platform::RunnerKubernetes => (icons::KUBERNETES, "3.x on Kubernetes"),
        Platform::RunnerEcs => (icons::ECS, "3.x on EC2"),
        Platform::RunnerFargate => (icons::ECS, "3.x on Fargate"),
        Platform::RunnerProgram => (icons::SHELL, "3.x as a program"),
        Platform::Machine => (icons::MACHINE, "Go client"),
    }
}

/// All of them; the chosen one is marked.
#[must_use]
pub fn platforms(choice: &Choice, path: &str) -> AnyView {
    let groups: Vec<_> = GROUPS
        .into_iter()
        .map(|(word, platforms)| {
            let links: Vec<_> = platforms.iter().map(|platform| link(choice, path, *platform)).collect();
            view! { <li><span class="lab">{word}</span><ul>{links}</ul></li> }
        })
        .collect();
    view! { <nav aria-label="Platform"><ul class="platforms">{groups}</ul></nav> }.into_any()
}

fn link(choice: &Choice, path: &str, platform: Platform) -> AnyView {
    let (drawing, word) = look(platform);
    let href = format!("{path}?{}", choice.on(platform).to_url());
    let current = (choice.platform == platform).then_some("true");
    view! { <li><a class="btn" href=href aria-current=current>{icons::icon(drawing)}{word}</a></li> }
        .into_any()
}
