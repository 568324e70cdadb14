//! What must be there before a delegate runs, and what its platform can do (`product 16.8`, `18`).

use fleet::install::Platform;
use leptos::prelude::*;

use crate::help::{self, Block};

/// The checklists and tables that concern a platform.
#[must_use]
pub fn reference(platform: Platform) -> AnyView {
    let aws = platform.is_ecs().then(|| {
        [
            folded("role", "Before it starts: execution role", &[help::ROLE]),
            folded("network", "Before it starts: log group and subnets", &[help::LOGS, help::NETWORK]),
            folded(
                "compared",
                "Fargate or EC2",
                &[Block::Text("Take Fargate unless you need Docker in Docker."), help::COMPARED],
            ),
            folded("security", "Security context of steps", &[help::WHERE_SET, help::SECURITY]),
            folded("volumes", "Volumes", &[help::VOLUMES, help::EFS]),
        ]
    });
    let called = Block::Text("A delegate calls out and is never called: no port is opened towards it.");
    view! { {folded("ports", "Before it starts: ports", &[called, help::PORTS])}{aws} }.into_any()
}

fn folded(key: &'static str, title: &'static str, blocks: &[Block]) -> AnyView {
    view! {
        <details class="panel ref" data-key=key>
            <summary>{title}</summary>
            <div class="prose">{help::blocks(key, blocks)}</div>
        </details>
    }
    .into_any()
}
