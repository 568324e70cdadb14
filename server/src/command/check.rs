//! `rollcall check --max-expired 0 --within 14d`: for pipelines that must not meet an expired delegate.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use client::{Delegate, Replica};
use fleet::health::is_expired_at;
use fleet::query::Query;
use fleet::time::{DAY, HOUR, Timestamp};
use serde::Serialize;

use super::CommandError;
use super::remote::{Output, Remote, columns, instant, shown};

/// It could not be checked.
const UNKNOWN: u8 = 3;

/// What is checked. Exit code 0: within the limits; 1: beyond one; 3: it could not be checked.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    remote: Remote,
    /// So many connected instances may be expired.
    #[arg(long, default_value_t = 0, value_name = "INSTANCES")]
    max_expired: usize,
    /// An instance that expires within this time counts as expired: such as 14d or 36h.
    #[arg(long, default_value = "0d", value_name = "TIME", value_parser = span)]
    within: i64,
    /// So many connected instances may run a version that is no longer supported.
    #[arg(long, value_name = "INSTANCES")]
    max_unsupported: Option<usize>,
    /// So many delegates may have no connected instance.
    #[arg(long, value_name = "DELEGATES")]
    max_disconnected: Option<usize>,
    /// Conditions as in the address of the Delegates page, such as `delegateTags=eu`.
    #[arg(long, default_value = "", value_name = "QUERY")]
    filter: String,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t)]
    output: Output,
}

/// What was found. Instants are milliseconds since the Unix epoch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    ok: bool,
    scope: String,
    checked_at: i64,
    /// Instances that are expired by then count.
    until: i64,
    limits: Vec<Limit>,
    findings: Vec<Finding>,
}

/// One limit, and how many there are.
#[derive(Debug, Serialize)]
struct Limit {
    name: &'static str,
    allowed: usize,
    found: usize,
}

/// One instance, or a delegate without a connected one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    limit: &'static str,
    delegate: String,
    identifier: Option<String>,
    scope: String,
    host_name: Option<String>,
    version: Option<String>,
    /// None where that is not known.
    expires_at: Option<i64>,
}

pub(super) async fn run(options: &Options) -> ExitCode {
    match check(options).await {
        Ok(report) => {
            let ok = report.ok;
            match print(&report, options.output) {
                Ok(text) => print!("{text}"),
                Err(error) => return cannot(&error),
            }
            if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => cannot(&error),
    }
}

fn cannot(error: &CommandError) -> ExitCode {
    eprintln!("rollcall: not checked: {error}");
    ExitCode::from(UNKNOWN)
}

async fn check(options: &Options) -> Result<Report, CommandError> {
    let (client, scope) = options.remote.open()?;
    let query = Query::parse(&options.filter)?.with_below(true);
    let found = client.delegates(&scope, &query).await?;
    let now = Timestamp::from_millis(found.generated_at);
    let until = now.plus(options.within);
    let mut findings = Vec::new();
    for delegate in &found.delegates {
        let mut alive = delegate.replicas.iter().filter(|replica| replica.connected == Some(true)).peekable();
        if alive.peek().is_none() {
            findings.push(finding("disconnected", &found.scope, delegate, None));
        }
        for replica in alive {
            if is_expired_at(anchor(replica), until) {
                findings.push(finding("expired", &found.scope, delegate, Some(replica)));
            }
            if replica.status.as_deref() == Some("UNSUPPORTED") {
                findings.push(finding("unsupported", &found.scope, delegate, Some(replica)));
            }
        }
    }
    let limits: Vec<Limit> = [
        ("expired", Some(options.max_expired)),
        ("unsupported", options.max_unsupported),
        ("disconnected", options.max_disconnected),
    ]
    .into_iter()
    .filter_map(|(name, limit)| {
        let found = findings.iter().filter(|finding| finding.limit == name).count();
        Some(Limit { name, allowed: limit?, found })
    })
    .collect();
    findings.retain(|finding| limits.iter().any(|limit| limit.name == finding.limit));
    Ok(Report {
        ok: limits.iter().all(|limit| limit.found <= limit.allowed),
        scope: found.scope,
        checked_at: now.millis(),
        until: until.millis(),
        limits,
        findings,
    })
}

/// When it expires; none where that is not known.
fn anchor(replica: &Replica) -> Option<Timestamp> {
    (replica.expiring_at > 0).then(|| Timestamp::from_millis(replica.expiring_at))
}

fn finding(limit: &'static str, account: &str, delegate: &Delegate, replica: Option<&Replica>) -> Finding {
    let account = account.split('/').next().unwrap_or_default();
    let place = [Some(account), delegate.org_name.as_deref(), delegate.project_name.as_deref()];
    Finding {
        limit,
        delegate: delegate.name.clone(),
        identifier: delegate.identifier.clone(),
        scope: place.into_iter().flatten().collect::<Vec<_>>().join("/"),
        host_name: replica.map(|replica| replica.host_name.clone()),
        version: replica.and_then(|replica| replica.version.clone()),
        expires_at: replica.and_then(anchor).map(Timestamp::millis),
    }
}

fn print(report: &Report, output: Output) -> Result<String, CommandError> {
    if output == Output::Json {
        return Ok(format!("{}\n", serde_json::to_string_pretty(report)?));
    }
    let mut text = String::new();
    for Limit { name, allowed, found } in &report.limits {
        let word = if found <= allowed { "ok" } else { "too many" };
        // Writing into a text cannot fail.
        let _ = writeln!(text, "{word:<8}  {found} {name}, {allowed} allowed");
    }
    if report.findings.is_empty() {
        return Ok(text);
    }
    let rows: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            [
                finding.limit.to_owned(),
                shown(&finding.delegate),
                finding.scope.clone(),
                shown(finding.host_name.as_deref().unwrap_or("-")),
                shown(finding.version.as_deref().unwrap_or("-")),
                instant(finding.expires_at.unwrap_or(0)),
            ]
        })
        .collect();
    text.push('\n');
    text.push_str(&columns(["WHAT", "DELEGATE", "SCOPE", "HOST", "VERSION", "EXPIRES (UTC)"], &rows));
    Ok(text)
}

/// A time such as `14d` or `36h`, in milliseconds.
fn span(text: &str) -> Result<i64, String> {
    let wrong = || "give a time such as 14d or 36h".to_owned();
    let unit = match text.chars().last() {
        Some('d') => DAY,
        Some('h') => HOUR,
        _ => return Err(wrong()),
    };
    let number: i64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    if (0..=100_000).contains(&number) { Ok(number * unit) } else { Err(wrong()) }
}
