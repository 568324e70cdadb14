//! ECS and Fargate (`product 17.4`, `16.8`).

use super::step::{Next, Step, run, to};

pub(super) const MAIN: &[&str] = &["symptom", "task", "stopped", "values", "stream", "seen", "done"];

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "symptom",
        title: "What is wrong?",
        text: &["Words in capitals stand for your own: CLUSTER, SERVICE, TASK, LOG_GROUP."],
        commands: &[],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[
                to("It does not appear in the list, or is not connected", "task"),
                to("The task does not start or stops at once", "stopped"),
                to("It comes and goes", "unstable"),
                to(
                    "The log stays empty, or names ThrottlingException or ResourceAlreadyExistsException",
                    "log-limits",
                ),
            ],
        },
    },
    Step {
        id: "task",
        title: "Does a task run?",
        text: &["A service keeps as many tasks as its desired count says."],
        commands: &[
            run(
                "What the service wants and has, and its newest events",
                "aws ecs describe-services --cluster CLUSTER --services SERVICE --query 'services[].[desiredCount,runningCount,events[:5].message]'",
            ),
            run("Its tasks", "aws ecs list-tasks --cluster CLUSTER --service-name SERVICE"),
        ],
        next: Next::Ask {
            question: "What do you see?",
            answers: &[
                to("A task runs", "values"),
                to("None runs, or they start and stop", "stopped"),
                to("There is no such service", "not-installed"),
            ],
        },
    },
    Step {
        id: "stopped",
        title: "Why did the task stop?",
        text: &["ECS keeps the reason of a stopped task for about an hour."],
        commands: &[
            run("Stopped tasks", "aws ecs list-tasks --cluster CLUSTER --desired-status STOPPED"),
            run(
                "The reason",
                "aws ecs describe-tasks --cluster CLUSTER --tasks TASK --query 'tasks[].[stoppedReason,containers[].[exitCode,reason]]'",
            ),
        ],
        next: Next::Ask {
            question: "What does the reason name?",
            answers: &[
                to("The role cannot be assumed, or access to the registry or a secret is denied", "role"),
                to("ResourceInitializationError with a timeout: nothing outside is reached", "subnets"),
                to("ResourceInitializationError about a log group or stream", "log-rights"),
                to("CannotPullContainerError", "image"),
                to("OutOfMemory, or exit code 137", "memory"),
                to("Essential container exited", "stream"),
            ],
        },
    },
    Step {
        id: "role",
        title: "The execution role does not fit",
        text: &[
            "The role must be trusted by ecs-tasks.amazonaws.com, and its ARN must stand in the task definition as executionRoleArn.",
        ],
        commands: &[run(
            "Which role the task definition names",
            "aws ecs describe-task-definition --task-definition FAMILY --query taskDefinition.executionRoleArn",
        )],
        next: Next::Finding {
            fix: &[
                "Correct the ARN, register the task definition again, and force a new deployment.",
                "Allow the role to read from the registry (GetAuthorizationToken, BatchGetImage, GetDownloadUrlForLayer), to write logs (CreateLogGroup, CreateLogStream, PutLogEvents), and to read the secret (GetSecretValue) if the token comes from Secrets Manager.",
            ],
            help: Some("reference"),
        },
    },
    Step {
        id: "subnets",
        title: "The subnets have no way out",
        text: &[
            "A Fargate task without a public address needs subnets whose route leads through a NAT gateway.",
        ],
        commands: &[run(
            "Subnets and groups of the service",
            "aws ecs describe-services --cluster CLUSTER --services SERVICE --query 'services[].networkConfiguration'",
        )],
        next: Next::Finding {
            fix: &[
                "Use at least two subnets in different availability zones with a NAT gateway, or set assignPublicIp to ENABLED in public ones.",
                "Let the security group out to port 443.",
            ],
            help: Some("reference"),
        },
    },
    Step {
        id: "log-rights",
        title: "The log group is missing",
        text: &[
            "The awslogs driver does not create a log group by itself, unless it is told to and allowed to.",
        ],
        commands: &[run("Creates it", "aws logs create-log-group --log-group-name LOG_GROUP")],
        next: Next::Finding {
            fix: &[
                "Create the log group by hand.",
                "Force a new deployment: aws ecs update-service --cluster CLUSTER --service SERVICE --force-new-deployment",
            ],
            help: Some("reference"),
        },
    },
    Step {
        id: "log-limits",
        title: "The limits of CloudWatch are reached",
        text: &[
            "CreateLogGroup is limited to 5 a second, CreateLogStream to 50 a second, PutLogEvents to 800 a second and group. Many tasks that start at once each with a log group of their own run into that.",
        ],
        commands: &[],
        next: Next::Finding {
            fix: &[
                "Let all delegates share one log group that exists already, with a stream prefix for each.",
            ],
            help: Some("reference"),
        },
    },
    Step {
        id: "values",
        title: "Are its values right?",
        text: &[
            "The values of tokens are not printed: only the names of what is set, and which come from a secret.",
        ],
        commands: &[run(
            "What the task definition sets",
            "aws ecs describe-task-definition --task-definition FAMILY --query 'taskDefinition.containerDefinitions[].[environment[].name,secrets[].name]'",
        )],
        next: Next::Ask {
            question: "Are account, token and address there, and do account and address agree with this page?",
            answers: &[
                to("Yes", "stream"),
                to("One is missing or another one", "wrong-values"),
                to("I cannot tell", "stream"),
            ],
        },
    },
    Step {
        id: "stream",
        title: "What does the log stream say?",
        text: &["Look for the words below near the end."],
        commands: &[run("The past hour", "aws logs tail LOG_GROUP --since 1h")],
        next: Next::Ask {
            question: "Which words are there?",
            answers: &[
                to("INVALID_TOKEN, or the token is not valid", "token-unknown"),
                to("REVOKED_TOKEN, or the token was revoked", "token-revoked"),
                to("EXPIRED_TOKEN, or something is out of date", "clock"),
                to("ACCESS_DENIED, or an address is not allowed", "address"),
                to("Connection refused, timed out, unknown host", "security-group"),
                to("Certificate, PKIX, x509, handshake", "certificate"),
                to("Proxy, or status 407", "proxy"),
                to("None of these", "seen"),
            ],
        },
    },
    Step {
        id: "security-group",
        title: "The security group lets nothing out",
        text: &["The delegate calls this server; nothing ever calls it."],
        commands: &[run(
            "Its outbound rules",
            "aws ec2 describe-security-groups --group-ids GROUP --query 'SecurityGroups[].IpPermissionsEgress'",
        )],
        next: Next::Finding {
            fix: &[
                "Allow outbound 443; 80, 22 and 9418 as well where packages, Git over SSH or the Git protocol are used.",
                "Check that the name of this server is found from the subnet: a private zone may hide it.",
            ],
            help: Some("requirements"),
        },
    },
    super::findings::SEEN,
];
