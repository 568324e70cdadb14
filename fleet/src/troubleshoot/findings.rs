//! What all platforms share.

use super::step::{Answer, Next, Step, run, to};

/// Answers by the code of a call that was turned away.
const BY_CODE: &[Answer] = &[
    to("The token is not one of this account (INVALID_TOKEN, NOT_AUTHENTICATED)", "token-unknown"),
    to("The token was revoked (REVOKED_TOKEN)", "token-revoked"),
    to("Out of date (EXPIRED_TOKEN)", "clock"),
    to("The address is not allowed (ACCESS_DENIED)", "address"),
    to("It was deleted or rejected here", "turned-away"),
    to("Nothing of it arrived", "firewall"),
    to("It is in order now", "done"),
];

/// What Rollcall saw; the page shows the calls that were turned away.
pub(super) const SEEN: Step = Step {
    id: "seen",
    title: "What did this server see?",
    text: &[
        "Calls from this account that were turned away since this server started, without anything secret of them.",
    ],
    commands: &[],
    next: Next::Ask { question: "Does one of them fit?", answers: BY_CODE },
};

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "done",
        title: "Did it come up?",
        text: &["This page watches by itself: as soon as a heartbeat arrives, it says so here."],
        commands: &[],
        next: Next::Wait,
    },
    Step {
        id: "support",
        title: "Still not connected",
        text: &["Nothing of the usual fits. The report below holds what is known and which way you took."],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Copy the report and give it to whoever runs this server, the network or the cluster.",
                "Read the help pages about requirements, proxies and certificates once more with the log at hand.",
            ],
            help: Some("troubleshooting"),
        },
    },
    Step {
        id: "not-installed",
        title: "It is not installed",
        text: &["Nothing of it runs here. Rollcall never starts or installs anything by itself."],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Install it, with a token of this scope.",
                "Or delete it from the list, if it is gone for good.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "image",
        title: "The image cannot be pulled",
        text: &[
            "Its name or tag may be wrong, the registry out of reach, or a pull secret missing. After the end of life of a version its image may no longer be there.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Compare name and tag with the latest version of this scope.",
                "Check that the node reaches the registry, and that a private one has its secret.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "resources",
        title: "Too little CPU or memory",
        text: &["Sizes are for the delegate alone: host, node and other containers need theirs besides."],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Ask for less, or give the node, host or task more. A small delegate takes 2 GB and half a CPU.",
                "A classic image starts slowly with less than half a CPU, and its probes then give up on it.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "memory",
        title: "It was killed for its memory",
        text: &[
            "Kubernetes, Docker and Fargate end what goes over its limit. It starts again, and is lost again.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Raise the limit, or run more replicas so that each does less.",
                "Keep work away from a busy one with DELEGATE_CPU_THRESHOLD, or limit DELEGATE_TASK_CAPACITY.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "token-unknown",
        title: "The token is not known",
        text: &[
            "No token of this account opens its credential: a typing error, a token of another account, a deleted one, or the wrong form. In a Kubernetes Secret the value stands base64-encoded once.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Compare account id and token with those of the scope's Tokens page.",
                "Set DELEGATE_TOKEN, and in Kubernetes UPGRADER_TOKEN too, then restart it: a token is read at the start only.",
            ],
            help: Some("tokens"),
        },
    },
    Step {
        id: "token-revoked",
        title: "The token was revoked",
        text: &["Whoever holds it was shut out at once, and a revoked token never works again."],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Create a new token on the Tokens page of its scope.",
                "Set it as DELEGATE_TOKEN, and in Kubernetes as UPGRADER_TOKEN too, then restart every instance.",
            ],
            help: Some("tokens"),
        },
    },
    Step {
        id: "clock",
        title: "The clock is wrong",
        text: &[
            "A credential carries its time. Where the clock of the host is more than 5 minutes off, it is out of date before it arrives.",
        ],
        commands: &[run("What keeps the time", "timedatectl")],
        next: Next::Finding {
            fix: &[
                "Switch on time synchronization on the host or node.",
                "Restart the delegate once the time is right.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "address",
        title: "Its address may not register",
        text: &[
            "The account has a registration allowlist, and the address that this server sees is not on it. Behind NAT or a proxy that is another one than the host's own.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Ask an admin of the account to add the address to the setting registration.allowlist.",
                "If this server stands behind a proxy, check that the proxy is trusted, else all calls seem to come from it.",
            ],
            help: Some("securing"),
        },
    },
    Step {
        id: "turned-away",
        title: "It was deleted or rejected here",
        text: &[
            "Where deleted delegates are refused, or a person rejected a new one, it keeps running but is not listed.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Open the Delegates page: a note there names it, and lets whoever may edit allow it again.",
            ],
            help: Some("securing"),
        },
    },
    Step {
        id: "pending",
        title: "It waits for approval",
        text: &[
            "New delegates of this scope get no work before a person has approved them (setting approval.required).",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &["Ask somebody who may edit delegates of this scope to approve it."],
            help: Some("securing"),
        },
    },
    Step {
        id: "dns",
        title: "The name of this server is not found",
        text: &["The resolver of the cluster or host does not know it."],
        commands: &[run(
            "Asks the resolver; put the host name of this server in place of HOST",
            "getent hosts HOST",
        )],
        next: Next::Finding {
            fix: &["Use a name that resolves there.", "A private zone must be visible from that network."],
            help: Some("requirements"),
        },
    },
    Step {
        id: "firewall",
        title: "Nothing gets out",
        text: &[
            "A delegate needs one way: outbound to this server, mostly port 443. Nothing ever has to get in.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Allow outbound connections to this server in firewall, security group and network policy.",
                "A deep-inspecting firewall must let WebSockets pass, else set POLL_FOR_TASKS=true.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "proxy",
        title: "The proxy stands in the way",
        text: &[
            "PROXY_HOST, PROXY_PORT and PROXY_SCHEME lead through it; NO_PROXY names what goes past it. With PROXY_MANAGER=false this server is reached directly.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Check the values; status 407 asks for PROXY_USER and PROXY_PASSWORD.",
                "NO_PROXY takes names and addresses, no networks, and must hold the address of the cluster's master.",
                "A proxy that ends WebSockets needs POLL_FOR_TASKS=true.",
            ],
            help: Some("proxy"),
        },
    },
    Step {
        id: "certificate",
        title: "The certificate is not trusted",
        text: &[
            "This server shows a certificate of an authority that the delegate does not know, or a proxy replaces it with its own.",
        ],
        commands: &[run(
            "Which certificate is shown; put host and port of this server in place of HOST:443",
            "openssl s_client -connect HOST:443 -showcerts </dev/null",
        )],
        next: Next::Finding {
            fix: &[
                "Put the authority into the trust store: DESTINATION_CA_PATH or ADDITIONAL_CERTS_PATH; HARNESS_CERTS_DIR for 3.x.",
                "TRUST_ALL_CERTIFICATES is for a first look only: it trusts everybody.",
            ],
            help: Some("certificates"),
        },
    },
    Step {
        id: "websocket",
        title: "WebSockets do not last",
        text: &["Something between cuts or refuses them. Heartbeats over plain HTTPS are just as good."],
        commands: &[],
        next: Next::Finding {
            fix: &["Set POLL_FOR_TASKS=true and restart it: it then polls over HTTPS."],
            help: Some("proxy"),
        },
    },
    Step {
        id: "wrong-server",
        title: "Something else answers",
        text: &["The address leads to another server, or a path prefix is missing."],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Set MANAGER_HOST_AND_PORT, or HARNESS_URL for 3.x, to the address of this page without its path.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "wrong-values",
        title: "Its values are wrong",
        text: &[
            "Account, token and address must be those of this server; the name decides in which group it appears.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Classic: ACCOUNT_ID, DELEGATE_TOKEN, MANAGER_HOST_AND_PORT, DELEGATE_NAME.",
                "3.x: HARNESS_ACCOUNT_ID, HARNESS_TOKEN, HARNESS_URL, HARNESS_NAME.",
                "Restart it: values are read at the start only.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "double",
        title: "Two delegates share one name",
        text: &[
            "They look like one row with more instances. Work goes to either, so it fails or is done twice.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Give one of them its own name, with files made anew for its cluster.",
                "For more redundancy in one cluster raise the replicas instead.",
            ],
            help: Some("requirements"),
        },
    },
    Step {
        id: "unstable",
        title: "It comes and goes",
        text: &[
            "Three losses within an hour are called unstable. Mostly memory or CPU is short, or a network device drops idle connections.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Look at memory and CPU: Fargate and Kubernetes kill what goes over its limit.",
                "Look at the network between it and this server for timeouts of idle connections.",
                "Behind a device that cuts WebSockets set POLL_FOR_TASKS=true.",
            ],
            help: Some("troubleshooting"),
        },
    },
];
