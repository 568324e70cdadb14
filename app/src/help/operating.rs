//! Requirements, versions, trouble, logs.

use fleet::sizing::HOST_OVERHEAD;

use super::{Block, Topic};

/// Ports that a delegate opens connections to (`product 16.8`).
pub const PORTS: Block = Block::Table(
    "Outbound ports",
    &["Port", "For"],
    &[
        &["443", "this server, registries, most APIs"],
        &["80", "package managers"],
        &["22", "Git over SSH"],
        &["9418", "the Git protocol"],
    ],
);

pub(super) const TOPICS: &[Topic] = &[
    Topic {
        slug: "requirements",
        title: "Requirements",
        summary: "Sizes, ports, permissions, and limits to plan with.",
        blocks: &[
            Block::Heading("sizes", "Sizes"),
            Block::Text(HOST_OVERHEAD),
            Block::Sizes,
            Block::Text(
                "Rule of thumb: one delegate for 300 to 500 service instances. The vendor's deployment limits are 100 in 24 hours and 40 in an hour, and can be raised by the vendor.",
            ),
            Block::Heading("ports", "Ports"),
            Block::Text("Nothing has to get in. Outbound:"),
            PORTS,
            Block::Text(
                "Inside the container a classic image serves health and metrics on 3460 and uses 8080; 3.x serves both on 3000.",
            ),
            Block::Heading("root", "Root and INIT_SCRIPT"),
            Block::Text(
                "`INIT_SCRIPT` runs at every start. Installing software in it takes root, which is the default of the image; without root build an image of your own. Expressions for secrets are not resolved in it.",
            ),
            Block::Heading("permissions", "Permissions"),
            Block::Text(
                "Cluster-wide, or one delegate for each namespace: cluster admin, cluster viewer, or admin of one namespace. Connectors use credentials entered there, or inherit those of the host, pod or container.",
            ),
            Block::Heading("images", "Images"),
            Block::Text(
                "Images are signed and tagged by version: the explanation of a version shows the command that checks the signature. A custom image counts as the version that its tag begins with. A StatefulSet is refused by classic images.",
            ),
        ],
    },
    Topic {
        slug: "auto-upgrade",
        title: "Versions and auto-upgrade",
        summary: "When a version expires, what that means, and what upgrades it.",
        blocks: &[
            Block::Heading("expired", "What expired means"),
            Block::Text(
                "Expired stops nothing, and is not why a delegate fails. But the older a version, the less it fits its manager: work may fail, caches may go wrong, results may differ. After the end of support defects are no longer fixed; after the end of life the image may be gone.",
            ),
            Block::Text(
                "Support ends on the last day of the 6th month and life on that of the 8th, counting the month of the version as the first, unless the version catalog says otherwise. The countdown runs to the end of support (`lifecycle.anchor`); the last 28 days count as near expiry (`lifecycle.near_expiry_days`).",
            ),
            Block::Heading("latest", "Which version is latest"),
            Block::Text(
                "The setting `versions.latest` of the nearest scope upward, else the ring of the account, else the version catalog. So a delegate can be on and up to date here although a newer public image exists.",
            ),
            Block::Heading("reasons", "On, off, detecting: every reason"),
            Block::Table(
                "Reasons",
                &["Reason", "State", "What to do"],
                &[
                    &["Not supported by 3.x", "Off", "update by hand every 3 to 6 months"],
                    &["Not supported on ECS", "Off", "new task definition, forced deployment"],
                    &["Embedded client has no upgrader", "Off", "update the host program of the runner"],
                    &[
                        "Watcher updates this legacy type",
                        "On",
                        "move to a classic image: legacy ones have no support",
                    ],
                    &["Image too old for the upgrader", "Off", "roll out a newer image once by hand"],
                    &["Upgrader last seen at most 90 minutes ago", "On", "nothing"],
                    &[
                        "Waiting for the first upgrader call",
                        "Detecting",
                        "wait: it has 90 minutes from the first registration",
                    ],
                    &[
                        "Upgrader never seen, or too long ago",
                        "Off",
                        "check that its job exists, is not suspended, and runs hourly",
                    ],
                ],
            ),
            Block::Text(
                "A schedule of more than 90 minutes flips between on and off although upgrades work. The files for updates by hand hold no upgrader at all. Docker needs a separate upgrader container with the Docker socket, one for each name.",
            ),
            Block::Heading("by-hand", "Updating by hand"),
            Block::Table(
                "How to update by hand",
                &["Type", "How"],
                &[
                    &["Kubernetes", "set the image of the deployment: `kubectl set image`"],
                    &["Helm", "upgrade the release with another `delegateDockerImage`"],
                    &["Docker", "pull the new image, stop with 600 s of patience, start anew"],
                    &[
                        "ECS, Fargate",
                        "change `image`, register the task definition, update the service with a forced new deployment",
                    ],
                    &["3.x binary", "replace the binary and restart"],
                ],
            ),
            Block::Text(
                "In a rolling upgrade a new pod is healthy and heard first; then the old one takes no more work and ends within its grace time: 600 s in Kubernetes and Docker, `stopTimeout` on ECS, 30 s for legacy images.",
            ),
        ],
    },
    Topic {
        slug: "mirrors",
        title: "Mirrors",
        summary: "Delegates of another server beside your own, read-only.",
        blocks: &[
            Block::Text(
                "A mirror reads the delegates of another server over its management API: of the vendor's service, or of another Rollcall. They stand in the same lists, cards, exports and embedded pages, each with the name of its mirror. Nothing is ever changed at the source: what is done to such a delegate is done there.",
            ),
            Block::Steps(&[
                "At the source, make a service account that may view delegates and nothing else, and an API key of it.",
                "Open Manage, Mirrors in the account in which they should appear, and give address and key. Or run `rollcall mirror add --account acme --url https://app.harness.io/gateway --api-key-file key`.",
                "Within seconds the page says as of when they are shown.",
            ]),
            Block::Heading("age", "How old it is"),
            Block::Text(
                "The source is asked once a minute, or more slowly by the setting `mirror.interval_seconds`; its own figures have a grain of 10 to 60 s. When it cannot be read, its delegates stay as they were last, with the instant of the last list: nobody is called lost for it. A source that asks for fewer calls is asked less often, one that refuses the key once an hour. To give it another key, remove the mirror and add it once more under the same name: its delegates are the same, with their history.",
            ),
            Block::Heading("unknown", "What it does not tell"),
            Block::Text(
                "Token, transport, address, capacity, clock and the calls of the upgrader are known to the source alone and shown as not known. Whether auto-upgrade is on is as the source says; where it says nothing, the card does not count it. States of versions are as the source says, or else by the rules here.",
            ),
            Block::Links(&[("API", "/help/api"), ("Troubleshooting", "/help/troubleshooting")]),
        ],
    },
    Topic {
        slug: "troubleshooting",
        title: "Troubleshooting",
        summary: "Where to begin when a delegate does not connect.",
        blocks: &[
            Block::Steps(&[
                "Press the word of its state: the explanation says what was compared and when it changes.",
                "Open its troubleshooter: the link stands beside whatever is not connected, and as a tab on its page.",
                "It begins with what this server knows, names the commands to run on your side, and watches for the heartbeat.",
            ]),
            Block::Text(
                "A delegate that never appeared has a troubleshooter too: it is linked from the empty list of its scope.",
            ),
            Block::Heading("usual", "The three usual causes"),
            Block::List(&[
                "Requirements: system, network or access do not fit.",
                "It does not run at all.",
                "Permissions: the credentials of connectors, or those of host, pod or container, do not reach far enough.",
            ]),
            Block::Heading("fargate", "ECS and Fargate"),
            Block::Text(
                "Fargate kills a task that goes over its memory. A task that does not start tells why in `stoppedReason`: mostly the execution role, subnets without a way out, or a missing log group.",
            ),
            Block::Links(&[
                ("Requirements", "/help/requirements"),
                ("Proxies", "/help/proxy"),
                ("Certificates", "/help/certificates"),
                ("Tokens", "/help/tokens"),
                ("Logs and figures of a delegate", "/help/logs"),
                ("ECS, Fargate and volumes", "/help/reference"),
            ]),
        ],
    },
    Topic {
        slug: "logs",
        title: "Logs and figures of a delegate",
        summary: "Where it writes, how much, and what the fields mean.",
        blocks: &[
            Block::Text(
                "`delegate.log` begins anew each day and at 50 MB. Today's and 10 earlier days are kept, 1 GB at most. 3.x: 100 MB, 3 files, 28 days. `LOGGING_LEVEL` goes from `TRACE` to `OFF`; a wrong word means `DEBUG`, none means `INFO`. `STACK_DRIVER_LOGGING_ENABLED=false` stops shipping logs to the vendor.",
            ),
            Block::Table(
                "Performance fields in the log",
                &["Field", "Meaning"],
                &[
                    &["CPU process", "share of the processor that the delegate takes"],
                    &["CPU system", "share that the whole host takes"],
                    &["maximum executing task count", "tasks that ran at once"],
                    &["maximum executing future count", "tasks that were about to run at once"],
                    &["maximum validating task count", "tasks whose reach was checked at once"],
                    &["maximum validating future count", "checks that were about to run at once"],
                ],
            ),
            Block::Heading("metrics", "Its own metrics"),
            Block::Text(
                "Classic images serve `/api/metrics` on 3460, 3.x serves `/metrics` on 3000. A series appears with its first event and begins anew at a restart.",
            ),
            Block::Table(
                "Series, with the prefix io_harness_custom_metric_",
                &["Series", "Meaning"],
                &[
                    &["`task_execution_time`", "seconds for each task; watch the 99th percentile"],
                    &[
                        "`tasks_currently_executing`",
                        "running now; alert on 0 for 30 minutes when work is expected",
                    ],
                    &["`task_timeout_total`", "timed out; alert even on few"],
                    &["`task_completed_total`", "completed; compare delegates"],
                    &["`task_failed_total`", "failed by unhandled errors, not by the exit code of a script"],
                    &["`task_rejected_total`", "refused for load; scale out"],
                    &["`delegate_connected`", "1 or 0; alert on absence too"],
                    &[
                        "`resource_consumption_above_threshold`",
                        "CPU over its threshold; too late for autoscaling",
                    ],
                ],
            ),
        ],
    },
];
