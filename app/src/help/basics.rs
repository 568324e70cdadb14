//! What delegates are, where they belong, who gets work.

use super::{Block, Topic};

pub(super) const TOPICS: &[Topic] = &[
    Topic {
        slug: "delegates",
        title: "How delegates work",
        summary: "Two components, one direction of calls, and what is sent.",
        blocks: &[
            Block::Picture,
            Block::Heading("outbound", "Only outbound"),
            Block::Text(
                "A delegate needs no public address and no open port. It calls its manager over HTTPS and holds a secure WebSocket where it can; without one it polls. This server never opens a connection to a delegate.",
            ),
            Block::Heading("data", "What is sent"),
            Block::Text(
                "To a manager, a delegate sends heartbeats, results of deployments, and time series and logs for verification. Rollcall keeps heartbeat data only: identity, version, tags, capacity, and when it was heard.",
            ),
            Block::Heading("words", "Words"),
            Block::Table(
                "Words of this field",
                &["Word", "Meaning"],
                &[
                    &["Group", "all running delegates of one name in one scope: one row of the list"],
                    &["Instance", "one pod, container, task or process of a group; also called replica"],
                    &["Tag", "a word on a delegate; the lower-cased name is always one"],
                    &["Selector", "tags that a step, connector or pipeline asks for"],
                    &["Upgrader", "a job that asks which image to run and rolls it out"],
                    &["Watcher", "the side process of legacy images that does the same for them"],
                    &[
                        "Ring",
                        "a staged cohort of releases; an account in one may trail the newest public image",
                    ],
                    &["EOS, EOL", "end of support and end of life of a version"],
                ],
            ),
            Block::Heading("alerts", "When one goes down"),
            Block::Text(
                "Watch `/metrics` of this server: `rollcall_delegate_connected` and `rollcall_delegate_last_heartbeat_age_seconds` stay there when a delegate is gone. A dead pod takes its own metrics with it, so alert on their absence too.",
            ),
            Block::Heading("history", "Was it available at a certain time?"),
            Block::Text(
                "Every change of state is kept with its time and cause. The tab Activity of a delegate shows it, also for instances that are hidden by now.",
            ),
            Block::Heading("rows", "Rows that stay or vanish"),
            Block::Text(
                "An instance is hidden 6 hours after its last heartbeat, a group 7 days after its last active instance; a planned goodbye hides an instance at once. Both times are settings (`retention.instance_hours`, `retention.group_days`). \"Show hidden\" in the filters lists them all the same; nothing of their history is lost.",
            ),
        ],
    },
    Topic {
        slug: "scope",
        title: "Scopes",
        summary: "Where a delegate belongs and who can use it.",
        blocks: &[
            Block::Text(
                "Account, organization and project are nested. A delegate belongs to the scope of the token that it registered with; the install files of two scopes differ in the token alone.",
            ),
            Block::List(&[
                "A delegate of the account serves every organization and project in it.",
                "A delegate of an organization serves that organization and its projects.",
                "A delegate of a project serves that project alone.",
            ]),
            Block::Text(
                "A page lists the delegates of exactly its scope. Two switches widen it: scopes below, and what is usable from here.",
            ),
            Block::Heading("name", "Names"),
            Block::Text(
                "One name in one scope is one group, and its instances are taken for interchangeable. Give each cluster a name and install files of its own; in one cluster raise the replicas instead. Delegates in different places, such as development and production, are no pair.",
            ),
            Block::Heading("replicas", "Redundancy"),
            Block::Text(
                "Two connected instances tolerate the loss of one, three of two. They must have the same permissions, keys and connectivity. ECS: two services in one cluster. Shell: two instances in one private network.",
            ),
        ],
    },
    Topic {
        slug: "selection",
        title: "Which delegate gets work",
        summary: "Selectors, remembered checks, and what Rollcall does not do.",
        blocks: &[
            Block::Text("Rollcall assigns nothing. A manager chooses like this:"),
            Block::Steps(&[
                "Only delegates whose heartbeat is known are considered. A new one takes up to 3 minutes.",
                "All selectors must match; extra tags do no harm, and the implicit tag counts. The most specific level that has selectors wins: step, step group, stage, pipeline, connector.",
                "It must be able to reach the target. Success is remembered for 6 hours for each delegate and URL and renewed by each success; failure for 5 minutes, even if it is the only or the selected one.",
            ]),
            Block::Text(
                "If the selected delegates cannot do the work, it fails: no other delegate is tried. With none selected, any that fits is taken; a CD step first tries the one that worked for the infrastructure connector, then the one used before, or they take turns.",
            ),
            Block::Text(
                "CI steps run on the delegate of the infrastructure connector's build farm, which need not be that of the step's own connector. Selectors cannot be set on CI steps and their groups. Replicas that start after a task are not considered for it, and there is no way to exclude one delegate.",
            ),
            Block::Text(
                "A connector uses a delegate only where it can reach its target: connectivity is proven, not assumed.",
            ),
            Block::Heading("limits", "Downstream limits"),
            Block::Text(
                "Using a delegate also takes rights elsewhere: to execute pipelines, to access secrets, to access connectors. Rollcall has no such objects and enforces nothing there.",
            ),
            Block::Text(
                "Task scoping of the first generation (\"limited to\", \"excluded\", category maps) is out of scope of Rollcall.",
            ),
        ],
    },
];
