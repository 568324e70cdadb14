//! Tables of ECS, Fargate and 3.x (`product 16.8`, `18`).

use super::{Block, Topic};

/// Fargate beside EC2 (`product 18.1`).
pub const COMPARED: Block = Block::Table(
    "Fargate and EC2 compared",
    &["Feature", "Fargate", "ECS on EC2"],
    &[
        &["Management", "serverless", "own instances"],
        &["Docker in Docker", "no", "yes, by the Docker socket"],
        &["Privileged containers", "no", "yes"],
        &["Temporary storage", "up to 200 GiB", "as the instance"],
        &["Start time", "30 to 60 s", "10 to 20 s"],
        &["Use", "CD, database work, CI without Docker", "CI with Docker, advanced containers"],
        &["Cost", "for each task", "for each instance, idle too"],
    ],
);

/// Where the security context is set.
pub const WHERE_SET: Block = Block::Text("Set in pipeline steps, not in the task definition.");

/// Fields of the security context (`product 18.2`).
pub const SECURITY: Block = Block::Table(
    "Security context fields",
    &["Field", "Fargate", "EC2"],
    &[
        &["`privileged`", "no", "yes"],
        &["`read_only_root_filesystem`", "yes", "yes"],
        &["`run_as_user`", "yes", "yes"],
        &["`run_as_group`", "yes", "yes"],
        &["`add_capability`", "yes", "yes"],
        &["`drop_capability`", "yes", "yes"],
    ],
);

/// Types of volumes (`product 18.3`).
pub const VOLUMES: Block = Block::Table(
    "Volume types",
    &["Type", "Fields", "Fargate", "EC2"],
    &[
        &[
            "temporary (`empty_dir`)",
            "`size_mib`",
            "up to 200 GiB; at least 21 GiB (21,504 MiB) if set",
            "as the instance",
        ],
        &["host path (`host_path`)", "`read_only`", "no", "yes"],
        &[
            "EFS",
            "`filesystem_id`, `root_directory`, `transit_encryption`, `access_point_id`, `iam`",
            "yes",
            "yes",
        ],
    ],
);

/// What EFS needs besides.
pub const EFS: Block = Block::Text(
    "EFS must be in the same VPC and reachable on port 2049; with IAM it takes the permissions ClientMount and ClientWrite.",
);

/// What the execution role is allowed (`product 16.8`).
pub const ROLE: Block = Block::List(&[
    "Trusted by `ecs-tasks.amazonaws.com`.",
    "Registry: `ecr:GetAuthorizationToken`, `ecr:BatchGetImage`, `ecr:GetDownloadUrlForLayer`.",
    "Logs: `logs:CreateLogGroup`, `logs:CreateLogStream`, `logs:PutLogEvents`.",
    "Secrets Manager, if the token comes from there: `secretsmanager:GetSecretValue`.",
]);

/// Subnets and the security group.
pub const NETWORK: Block = Block::List(&[
    "At least two subnets in different availability zones, with a way out.",
    "The security group lets out what the table of ports names. Nothing comes in.",
    "Fargate takes `awsvpc`; `assignPublicIp` DISABLED with a NAT gateway is advised.",
]);

/// The log group, and why it is shared.
pub const LOGS: Block = Block::Text(
    "CloudWatch allows 5 CreateLogGroup a second, 50 CreateLogStream a second, and 800 PutLogEvents a second and group. So let all delegates share one log group that exists already; without it a Fargate task ends in ResourceInitializationError.",
);

pub(super) const TOPICS: &[Topic] = &[Topic {
    slug: "reference",
    title: "ECS, Fargate and volumes",
    summary: "Which of both, security context, volumes, role, network and logs.",
    blocks: &[
        Block::Text(
            "3.x is a closed beta that aims at the same features as on Kubernetes; its image is not that of a classic delegate. Use Fargate unless builds need Docker in Docker: then use EC2.",
        ),
        COMPARED,
        Block::Heading("security", "Security context"),
        WHERE_SET,
        SECURITY,
        Block::Heading("volumes", "Volumes"),
        VOLUMES,
        EFS,
        Block::Heading("role", "Execution role"),
        ROLE,
        Block::Heading("network", "Network"),
        NETWORK,
        Block::Heading("logs", "Logs"),
        LOGS,
        Block::Heading("limits", "Limits of Fargate"),
        Block::Text(
            "A task that goes over its CPU is slowed down; one that goes over its memory is killed. It starts again, and after three losses within an hour it is called unstable here.",
        ),
    ],
}];
