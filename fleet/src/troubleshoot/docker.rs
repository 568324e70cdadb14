//! Docker (`product 17.3`).

use super::step::{Next, Step, run, to};

pub(super) const MAIN: &[&str] =
    &["container", "log", "values", "time", "reach", "same-name", "seen", "done"];

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "container",
        title: "Does the container run?",
        text: &["The container may have another name than the delegate. Podman takes the same commands."],
        commands: &[
            run("Its containers, stopped ones too", "docker ps --all --filter=name={name}"),
            run("Every container", "docker ps --all"),
        ],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[
                to("There is none", "not-installed"),
                to("Exited, or it restarts again and again", "exit"),
                to("Up", "log"),
            ],
        },
    },
    Step {
        id: "exit",
        title: "Why did it end?",
        text: &["Exit code 137 means that it was killed, mostly for its memory."],
        commands: &[run(
            "Exit code, and whether memory was the cause",
            "docker inspect --format='{{.State.ExitCode}} {{.State.OOMKilled}} {{.State.Error}}' -- {name}",
        )],
        next: Next::Ask {
            question: "What does it say?",
            answers: &[
                to("137, or true", "memory"),
                to("Another code", "log"),
                to("The image was not found", "image"),
            ],
        },
    },
    Step {
        id: "log",
        title: "What does the log say?",
        text: &["Look for the words below near the end. Values of tokens are never needed for this."],
        commands: &[run("Its last 200 lines", "docker logs --tail=200 -- {name}")],
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
                to("None of these", "values"),
            ],
        },
    },
    Step {
        id: "values",
        title: "Are its values right?",
        text: &["Only values that are no secrets are printed."],
        commands: &[run(
            "Account, address and name",
            "docker exec -- {name} printenv ACCOUNT_ID MANAGER_HOST_AND_PORT DELEGATE_NAME",
        )],
        next: Next::Ask {
            question: "Do they agree with this page: the account, the address of this server, the name?",
            answers: &[
                to("Yes", "time"),
                to("The address is another one", "wrong-server"),
                to("The account or the name is another one", "wrong-values"),
            ],
        },
    },
    Step {
        id: "time",
        title: "Is the clock of the host right?",
        text: &["Credentials carry times. More than 5 minutes off, they are out of date before they arrive."],
        commands: &[run(
            "Time of the host and of the container, both UTC",
            "date -u; docker exec -- {name} date -u",
        )],
        next: Next::Ask {
            question: "Do both agree with a clock that you trust?",
            answers: &[to("Yes", "reach"), to("No", "clock")],
        },
    },
    Step {
        id: "reach",
        title: "Does it reach this server?",
        text: &[
            "Asked from inside the container, this server answers its liveness check with status 200.",
            "Minimal images have no curl: run the same on the host.",
        ],
        commands: &[run(
            "Asks this server",
            "docker exec -- {name} curl --silent --show-error --include --max-time 10 {manager}/livez",
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
        title: "Is there another one of this name?",
        text: &[
            "One name in two places looks like one delegate with two instances. Two delegates on one host, pod or container disturb each other.",
        ],
        commands: &[run(
            "Containers with delegate images",
            "docker ps --all --format='{{.Names}} {{.Image}} {{.Status}}'",
        )],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[to("A second one, here or elsewhere", "double"), to("This one alone", "seen")],
        },
    },
    super::findings::SEEN,
];
