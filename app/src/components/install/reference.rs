//! What must be there before a delegate runs, and what its platform can do (`product 16.8`, `18`).

use fleet::install::Platform;
use leptos::prelude::*;

/// Ports that a delegate opens connections to (`product 16.8`).
const PORTS: [[&str; 2]; 4] = [
    ["443", "HTTPS: this server, registries, cloud services"],
    ["80", "HTTP: package managers"],
    ["22", "SSH: Git"],
    ["9418", "Git protocol"],
];

/// What the execution role is allowed (`product 16.8`).
const ROLE: [[&str; 2]; 3] = [
    ["ECR", "ecr:GetAuthorizationToken, ecr:BatchGetImage, ecr:GetDownloadUrlForLayer"],
    ["CloudWatch Logs", "logs:CreateLogGroup, logs:CreateLogStream, logs:PutLogEvents"],
    ["Secrets Manager, if the token comes from there", "secretsmanager:GetSecretValue"],
];

/// `product 18.1`.
const COMPARED: [[&str; 3]; 7] = [
    ["Management", "serverless", "own instances"],
    ["Docker in Docker", "no", "yes, by the Docker socket"],
    ["Privileged containers", "no", "yes"],
    ["Temporary storage", "up to 200 GiB", "as the instance"],
    ["Start time", "30 to 60 s", "10 to 20 s"],
    ["Use", "CD, database work, CI without Docker", "CI with Docker, advanced containers"],
    ["Cost", "per task", "per instance, idle too"],
];

/// `product 18.2`.
const SECURITY: [[&str; 3]; 6] = [
    ["privileged", "no", "yes"],
    ["read_only_root_filesystem", "yes", "yes"],
    ["run_as_user", "yes", "yes"],
    ["run_as_group", "yes", "yes"],
    ["add_capability", "yes", "yes"],
    ["drop_capability", "yes", "yes"],
];

/// `product 18.3`.
const VOLUMES: [[&str; 4]; 3] = [
    [
        "Temporary (empty_dir)",
        "size_mib",
        "up to 200 GiB; at least 21 GiB (21,504 MiB) if set",
        "as the instance",
    ],
    ["Host path (host_path)", "read_only", "no", "yes"],
    ["EFS", "filesystem_id, root_directory, transit_encryption, access_point_id, iam", "yes", "yes"],
];

/// The checklists and tables that concern a platform.
#[must_use]
pub fn reference(platform: Platform) -> AnyView {
    let aws = platform.is_ecs().then(aws);
    let before = if platform.is_ecs() {
        "Before it starts: ports, role, log group, subnets"
    } else {
        "Before it starts: ports"
    };
    let role = platform.is_ecs().then(|| {
        view! {
            <h3>"Execution role"</h3>
            <p class="hint">"Trusted by "<code>"ecs-tasks.amazonaws.com"</code>". It is allowed:"</p>
            {table("role-cap", "Permissions of the execution role", &["For", "Actions"], &owned(&ROLE))}
            <h3>"Log group and subnets"</h3>
            <ul class="consequences">
                <li>"The log group exists before the first task starts. One shared by all delegates stays below the limits of CloudWatch: 5 CreateLogGroup and 50 CreateLogStream a second, 800 PutLogEvents a second and group."</li>
                <li>"At least two subnets in different availability zones, each with a way out by a NAT gateway or a public address."</li>
                <li>"The security group lets out what the table of ports names. Nothing comes in."</li>
            </ul>
        }
    });
    view! {
        <details class="panel ref" data-key="before">
            <summary>{before}</summary>
            <p class="hint">"A delegate calls out and is never called: no port is opened towards it."</p>
            {table("ports-cap", "Ports that a delegate calls out on", &["Port", "For"], &owned(&PORTS))}
            {role}
        </details>
        {aws}
    }
    .into_any()
}

fn aws() -> AnyView {
    view! {
        <details class="panel ref" data-key="compared">
            <summary>"Fargate or EC2"</summary>
            <p class="hint">"Take Fargate unless you need Docker in Docker."</p>
            {table("compared-cap", "Fargate and EC2 compared", &["", "Fargate", "ECS on EC2"], &owned(&COMPARED))}
        </details>
        <details class="panel ref" data-key="security">
            <summary>"Security context of steps"</summary>
            <p class="hint">"Set in the steps of a pipeline, not in the task definition."</p>
            {table("security-cap", "Fields of the security context", &["Field", "Fargate", "EC2"], &owned(&SECURITY))}
        </details>
        <details class="panel ref" data-key="volumes">
            <summary>"Volumes"</summary>
            {table("volumes-cap", "Types of volumes", &["Type", "Fields", "Fargate", "EC2"], &owned(&VOLUMES))}
            <p class="hint">"EFS needs the same VPC and port 2049, and with IAM the permissions ClientMount and ClientWrite."</p>
        </details>
    }
    .into_any()
}

fn owned<const N: usize>(rows: &[[&str; N]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
}

/// A table of words; the first cell of a row is its header.
#[must_use]
pub fn table(
    id: &'static str,
    caption: &'static str,
    columns: &[&'static str],
    rows: &[Vec<String>],
) -> AnyView {
    let columns: Vec<_> = columns
        .iter()
        .map(|word| match *word {
            "" => view! { <td></td> }.into_any(),
            word => view! { <th scope="col">{word}</th> }.into_any(),
        })
        .collect();
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let mut cells = row.iter().cloned();
            let head = cells.next().map(|cell| view! { <th scope="row">{cell}</th> });
            let cells: Vec<_> = cells.map(|cell| view! { <td>{cell}</td> }).collect();
            view! { <tr>{head}{cells}</tr> }
        })
        .collect();
    view! {
        <div class="tw" tabindex="0" role="region" aria-labelledby=id>
            <table class="data words">
                <caption id=id class="vh">{caption}</caption>
                <thead><tr>{columns}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
