//! Problems that come up again and again (`product 17.1`, `17.5`).

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// For addresses.
    pub id: &'static str,
    /// What people notice.
    pub title: &'static str,
    /// What it is, and what to do.
    pub text: &'static [&'static str],
    /// The help page about it, below `/help/`.
    pub help: &'static str,
}

/// All of them, the usual ones first.
pub const PROBLEMS: &[Problem] = &[
    Problem {
        id: "requirements",
        title: "The requirements are not met",
        text: &[
            "System, network and access must fit. The figures for CPU and memory are for the delegate alone; its host needs more.",
        ],
        help: "requirements",
    },
    Problem {
        id: "not-running",
        title: "It does not run",
        text: &["Look on its own side first: pod, container, task or process. This server cannot start it."],
        help: "troubleshooting",
    },
    Problem {
        id: "permissions",
        title: "Permissions are missing",
        text: &[
            "A connector uses the credentials entered there, or inherits those of the host, pod or container. Both need the rights for the work.",
        ],
        help: "securing",
    },
    Problem {
        id: "two-clusters",
        title: "One name in two clusters",
        text: &[
            "The list shows one delegate with more instances, and work is done twice or fails. Make the files anew for each cluster, with a name of its own.",
        ],
        help: "requirements",
    },
    Problem {
        id: "token-revoked",
        title: "The token was revoked",
        text: &[
            "Its holders are shut out at once. Set a new one as DELEGATE_TOKEN, in Kubernetes as UPGRADER_TOKEN too, and restart.",
        ],
        help: "tokens",
    },
    Problem {
        id: "expired",
        title: "The version is expired, and something fails",
        text: &[
            "Expired is a reminder and stops nothing. Look for the cause elsewhere first, and upgrade all the same: old versions drift away from what their manager expects.",
        ],
        help: "auto-upgrade",
    },
    Problem {
        id: "upgrade-off",
        title: "Auto-upgrade is off although the job runs",
        text: &[
            "It counts as on while the upgrader called within the past 90 minutes. A job with a slower schedule flips between on and off although upgrades work: make it hourly.",
        ],
        help: "auto-upgrade",
    },
    Problem {
        id: "namespace",
        title: "It reaches only one namespace",
        text: &[
            "A delegate with the rights of a namespace admin works in that namespace alone. Install one for each namespace, or give it rights for the cluster.",
        ],
        help: "requirements",
    },
    Problem {
        id: "trust",
        title: "Certificates are not trusted",
        text: &["An authority of your own, or a proxy that looks into traffic, must be in its trust store."],
        help: "certificates",
    },
    Problem {
        id: "non-root",
        title: "INIT_SCRIPT cannot install software",
        text: &[
            "Installing software takes root. Run it as root, or build an image of your own on top of a vendor image.",
        ],
        help: "requirements",
    },
];
