//! Virtual machines: shell delegates, 3.x binaries, and the client inside a runner (`product 17.3`, `16.9`).

use super::step::{Next, Step, run, to};

pub(super) const MAIN: &[&str] = &["process", "log", "time", "reach", "same-name", "seen", "done"];

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "process",
        title: "Does the process run?",
        text: &[
            "The client inside a virtual-machine runner lives and ends with the runner. It says no goodbye, so a planned stop looks like a loss.",
        ],
        commands: &[
            run("Processes of a delegate or runner", "ps -ef | grep -i -e '[d]elegate' -e '[r]unner'"),
            run(
                "Services of a delegate or runner",
                "systemctl list-units --all | grep -i -e delegate -e runner",
            ),
        ],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[to("None", "not-installed"), to("It failed or restarts", "log"), to("It runs", "log")],
        },
    },
    Step {
        id: "log",
        title: "What does the log say?",
        text: &["A shell delegate writes delegate.log in its folder. Look for the words below near the end."],
        commands: &[
            run("Of a shell delegate, in its folder", "tail -n 200 delegate.log"),
            run("Of a service; put its name in place of SERVICE", "journalctl --unit=SERVICE --lines=200"),
        ],
        next: Next::Ask {
            question: "Which words are there?",
            answers: &[
                to("INVALID_TOKEN, or the token is not valid", "token-unknown"),
                to("REVOKED_TOKEN, or the token was revoked", "token-revoked"),
                to("EXPIRED_TOKEN, or something is out of date", "time"),
                to("ACCESS_DENIED, or an address is not allowed", "address"),
                to("Connection refused, timed out, unknown host", "reach"),
                to("Certificate, PKIX, x509, handshake", "certificate"),
                to("Proxy, or status 407", "proxy"),
                to("Killed, or out of memory", "memory"),
                to("None of these", "time"),
            ],
        },
    },
    Step {
        id: "time",
        title: "Is the clock of the host right?",
        text: &["Credentials carry times. More than 5 minutes off, they are out of date before they arrive."],
        commands: &[run("Its time in UTC, and whether something keeps it right", "date -u; timedatectl")],
        next: Next::Ask {
            question: "Does it agree with a clock that you trust?",
            answers: &[to("Yes", "reach"), to("No", "clock")],
        },
    },
    Step {
        id: "reach",
        title: "Does the host reach this server?",
        text: &["This server answers its liveness check with status 200."],
        commands: &[run(
            "Asks this server",
            "curl --silent --show-error --include --max-time 10 {manager}/livez",
        )],
        next: Next::Ask {
            question: "What does it answer?",
            answers: &[
                to("Status 200", "same-name"),
                to("Could not resolve host", "dns"),
                to("Connection refused or timed out", "firewall"),
                to("A problem with the certificate", "certificate"),
                to("Status 407, or a page of a proxy", "proxy"),
                to("Another status", "wrong-server"),
            ],
        },
    },
    Step {
        id: "same-name",
        title: "Was the host renamed or copied?",
        text: &[
            "A virtual machine is known by host name and private address. After a change of either it is a new instance, and the old one stays behind as not connected. Two machines from one copy share a name.",
        ],
        commands: &[run("Host name and addresses", "hostname; hostname -I")],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[
                to("Another host name or address than before", "renamed"),
                to("A second host with the same name", "double"),
                to("All as before", "seen"),
            ],
        },
    },
    Step {
        id: "renamed",
        title: "It is a new instance",
        text: &[
            "It calls under its new identity, as another row of the same group. The old row is hidden by itself.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Look for the new host name among the instances of this delegate.",
                "Delete the old instance if it is in the way, or wait: it leaves the list by itself.",
            ],
            help: Some("troubleshooting"),
        },
    },
    super::findings::SEEN,
];
