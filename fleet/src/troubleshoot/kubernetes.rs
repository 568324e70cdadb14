//! Kubernetes, Helm and CE (`product 17.2`).

use super::step::{Next, Step, run, to};

pub(super) const MAIN: &[&str] = &["pod", "events", "log", "reach", "proxy-used", "health", "seen", "done"];

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "pod",
        title: "Is the pod there?",
        text: &["Delegates installed by manifest or chart carry the label harness.io/name."],
        commands: &[
            run(
                "Its pods and what state they are in",
                "kubectl get pods --namespace={namespace} --selector=harness.io/name={name} --output=wide",
            ),
            run(
                "Everything about them",
                "kubectl describe pods --namespace={namespace} --selector=harness.io/name={name}",
            ),
        ],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[
                to("No pod is listed", "no-pod"),
                to("Pending, or no state that I know", "events"),
                to("ImagePullBackOff or ErrImagePull", "image"),
                to("CrashLoopBackOff, Error, or many restarts", "crash"),
                to("Running", "log"),
            ],
        },
    },
    Step {
        id: "no-pod",
        title: "There is no pod",
        text: &[
            "Either it lives in another namespace or under another name, or its deployment is gone or scaled to 0.",
        ],
        commands: &[
            run(
                "The same label in every namespace",
                "kubectl get deployments,pods --all-namespaces --selector=harness.io/name={name}",
            ),
            run("Deployments of the namespace", "kubectl get deployments --namespace={namespace}"),
        ],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[
                to("It is in another namespace, and running", "log"),
                to("A deployment with 0 of 0 or 0 of 1 ready", "events"),
                to("Nothing at all", "not-installed"),
            ],
        },
    },
    Step {
        id: "events",
        title: "What do the events say?",
        text: &["Kubernetes writes down why it cannot start a pod. Events are kept for about an hour."],
        commands: &[run(
            "Newest last",
            "kubectl get events --namespace={namespace} --sort-by=.lastTimestamp",
        )],
        next: Next::Ask {
            question: "What do they name?",
            answers: &[
                to("The image cannot be pulled", "image"),
                to("Too little CPU or memory, no node fits", "resources"),
                to("The container ends again and again (CrashLoopBackOff)", "crash"),
                to("Something is forbidden: role, quota, policy", "forbidden"),
                to("An error of the application", "log"),
                to("Nothing of this delegate", "log"),
            ],
        },
    },
    Step {
        id: "crash",
        title: "Why does the container end?",
        text: &["The log of the container before the last start says more than that of the new one."],
        commands: &[
            run(
                "How it ended",
                "kubectl describe pods --namespace={namespace} --selector=harness.io/name={name}",
            ),
            run(
                "Its last words",
                "kubectl logs --namespace={namespace} --selector=harness.io/name={name} --previous --tail=100",
            ),
        ],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[
                to("OOMKilled, or exit code 137", "memory"),
                to("Exit code 1 at once, and the pod's name ends in a dash and a small number", "stateful"),
                to("Liveness or startup probe failed", "health"),
                to("Words about a token, a connection or a certificate", "log"),
                to("A permission is missing", "forbidden"),
            ],
        },
    },
    Step {
        id: "stateful",
        title: "A StatefulSet is refused",
        text: &[
            "A classic image ends at once in a pod whose name ends in a dash and a number below 1000: it takes that for a StatefulSet, which it no longer supports.",
        ],
        commands: &[run("What owns the pod", "kubectl get statefulsets,deployments --namespace={namespace}")],
        next: Next::Finding {
            fix: &["Install it as a Deployment: use a new manifest or the chart.", "Remove the StatefulSet."],
            help: Some("requirements"),
        },
    },
    Step {
        id: "log",
        title: "What does the log say?",
        text: &["Look for the words below near the end. Values of tokens are never needed for this."],
        commands: &[
            run(
                "Its last 200 lines",
                "kubectl logs --namespace={namespace} --selector=harness.io/name={name} --tail=200",
            ),
            run(
                "Of the pod that was heard last",
                "kubectl logs --namespace={namespace} --tail=200 pod/{pod}",
            ),
        ],
        next: Next::Ask {
            question: "Which words are there?",
            answers: &[
                to("INVALID_TOKEN, or the token is not valid", "token-unknown"),
                to("REVOKED_TOKEN, or the token was revoked", "token-revoked"),
                to("EXPIRED_TOKEN, or something is out of date", "clock"),
                to("ACCESS_DENIED, or an address is not allowed", "address"),
                to("Connection refused, timed out, unknown host", "reach"),
                to("Certificate, PKIX, x509, handshake", "certificate"),
                to("Proxy, or status 407", "proxy"),
                to("WebSocket closes again and again", "websocket"),
                to("None of these", "reach"),
            ],
        },
    },
    Step {
        id: "reach",
        title: "Does it reach this server?",
        text: &[
            "Asked from inside the pod, this server answers its liveness check with status 200. The address must be the one in MANAGER_HOST_AND_PORT.",
            "Minimal images have no curl: run the same in another pod of the namespace.",
        ],
        commands: &[run(
            "Asks this server",
            "kubectl exec --namespace={namespace} deploy/{name} -- curl --silent --show-error --include --max-time 10 {manager}/livez",
        )],
        next: Next::Ask {
            question: "What does it answer?",
            answers: &[
                to("Status 200", "health"),
                to("Could not resolve host", "dns"),
                to("Connection refused or timed out", "proxy-used"),
                to("A problem with the certificate", "certificate"),
                to("Status 407, or a page of a proxy", "proxy"),
                to("Another status", "wrong-server"),
            ],
        },
    },
    Step {
        id: "proxy-used",
        title: "Is a proxy in use?",
        text: &["Only these variables are printed, so that no password is."],
        commands: &[run(
            "What the delegate knows of a proxy",
            "kubectl exec --namespace={namespace} deploy/{name} -- printenv PROXY_HOST PROXY_PORT PROXY_SCHEME PROXY_MANAGER NO_PROXY",
        )],
        next: Next::Ask {
            question: "Is the way out through a proxy?",
            answers: &[to("Yes, or it should be", "proxy"), to("No", "firewall")],
        },
    },
    Step {
        id: "health",
        title: "Is the process well?",
        text: &["The probes of the pod ask this address."],
        commands: &[run(
            "Its own health",
            "kubectl exec --namespace={namespace} deploy/{name} -- curl --silent --show-error --max-time 10 {health}",
        )],
        next: Next::Ask {
            question: "What does it answer?",
            answers: &[
                to("It is healthy, and still not connected here", "websocket"),
                to("It answers nothing, or an error", "resources"),
                to("I cannot tell", "seen"),
            ],
        },
    },
    super::findings::SEEN,
    Step {
        id: "forbidden",
        title: "Kubernetes forbids something",
        text: &["The service account of the delegate, a quota or an admission policy stands in the way."],
        commands: &[run(
            "Roles that name the namespace's service accounts",
            "kubectl get rolebindings,resourcequotas --namespace={namespace}",
        )],
        next: Next::Finding {
            fix: &[
                "Choose the permission type that the work needs: cluster admin, cluster viewer, or admin of one namespace.",
                "A namespace admin reaches one namespace only: install one delegate for each namespace.",
                "Ask whoever runs the cluster for the quota or an exception of the policy.",
            ],
            help: Some("requirements"),
        },
    },
];
