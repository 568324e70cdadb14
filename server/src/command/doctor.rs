//! `rollcall doctor`: one line per thing that must be right.

use std::process::ExitCode;

use fleet::catalog::Catalog;
use fleet::delegate::{GroupFacts, InstanceFacts};
use fleet::time::{MINUTE, Timestamp};

use super::clock;
use crate::application::find_site;
use crate::auth::directory::Directory;
use crate::config::{Config, redact};
use crate::roster::Reference;
use crate::settings;
use crate::store::{self, Alias, LoadSink, SharedStore, Tombstone};
use crate::tokens::vault::Vault;

/// A heartbeat further ahead than this means that a clock went back.
const AHEAD: i64 = 5 * MINUTE;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Warning,
    Wrong,
}

struct Report(Verdict);

impl Report {
    fn line(&mut self, verdict: Verdict, subject: &str, text: &str) {
        let word = match verdict {
            Verdict::Ok => "ok     ",
            Verdict::Warning => "warning",
            Verdict::Wrong => "wrong  ",
        };
        println!("{word}  {subject:<13}  {text}");
        if verdict == Verdict::Wrong {
            self.0 = Verdict::Wrong;
        }
    }
}

pub(super) async fn run(config: &Config) -> ExitCode {
    let mut report = Report(Verdict::Ok);
    check_configuration(config, &mut report);
    let store = check_database(config, &mut report).await;
    let vault = check_key(config, &mut report);
    if let Some(store) = store {
        check_settings(&store, &mut report).await;
        check_tokens(&store, vault.as_ref(), &mut report).await;
        check_people(config, &store, &mut report).await;
        check_catalog(&store, &mut report).await;
        check_clock(&store, &mut report).await;
        store.close().await;
    }
    if report.0 == Verdict::Wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn check_configuration(config: &Config, report: &mut Report) {
    let listen = format!("listens on {}", config.serve.listen);
    report.line(Verdict::Ok, "configuration", &listen);
    match find_site(config.serve.site.as_deref()) {
        Ok(Some(site)) => report.line(Verdict::Ok, "site", &site.display().to_string()),
        Ok(None) => report.line(
            Verdict::Warning,
            "site",
            "no folder with scripts and styles: pages come bare; run: make build",
        ),
        Err(error) => report.line(Verdict::Wrong, "site", &error.to_string()),
    }
}

async fn check_settings(store: &SharedStore, report: &mut Report) {
    match store.settings().await {
        Err(error) => report.line(Verdict::Wrong, "settings", &error.to_string()),
        Ok(settings) => {
            let bad = settings::apply(&settings, &mut Reference::default());
            for bad in &bad {
                report.line(Verdict::Wrong, "settings", &bad.to_string());
            }
            if bad.is_empty() {
                report.line(Verdict::Ok, "settings", &format!("{} set", settings.len()));
            }
        }
    }
}

async fn check_database(config: &Config, report: &mut Report) -> Option<SharedStore> {
    let url = redact(&config.database);
    let file = config.database.strip_prefix("sqlite:").map(|path| path.trim_start_matches("//"));
    if let Some(file) = file.filter(|file| !std::path::Path::new(file).exists()) {
        report.line(
            Verdict::Wrong,
            "database",
            &format!("{file} does not exist; make it with: rollcall migrate"),
        );
        return None;
    }
    let store = match store::open(&config.database).await {
        Ok(store) => store,
        Err(error) => {
            report.line(Verdict::Wrong, "database", &format!("{url}: {error}"));
            return None;
        }
    };
    match store.pending_migrations().await {
        Ok(0) => {}
        Ok(pending) => {
            let text = format!("{url}: {pending} migrations are missing; run: rollcall migrate");
            report.line(Verdict::Wrong, "database", &text);
            return None;
        }
        Err(error) => {
            report.line(Verdict::Wrong, "database", &format!("{url}: {error}"));
            return None;
        }
    }
    match store.ping().await {
        Ok(()) => report.line(Verdict::Ok, "database", &format!("{url}: schema up to date, takes changes")),
        Err(error) => report.line(Verdict::Wrong, "database", &format!("{url}: {error}")),
    }
    Some(store)
}

fn check_key(config: &Config, report: &mut Report) -> Option<Vault> {
    let path = &config.master_key_file;
    if !path.exists() {
        let text = format!("{} does not exist; the first command that needs it makes it", path.display());
        report.line(Verdict::Warning, "master key", &text);
        return None;
    }
    match Vault::open_or_create(path) {
        Ok(opened) => {
            let (verdict, text) = if opened.exposed {
                (Verdict::Warning, "can be read by other users of this machine; run: chmod 600")
            } else {
                (Verdict::Ok, "can be read by its owner alone")
            };
            report.line(verdict, "master key", &format!("{}: {text}", path.display()));
            Some(opened.vault)
        }
        Err(error) => {
            report.line(Verdict::Wrong, "master key", &error.to_string());
            None
        }
    }
}

async fn check_tokens(store: &SharedStore, vault: Option<&Vault>, report: &mut Report) {
    let rows = match store.tokens().await {
        Ok(rows) => rows,
        Err(error) => return report.line(Verdict::Wrong, "tokens", &error.to_string()),
    };
    let readable =
        |vault: &Vault| rows.iter().filter(|row| vault.unseal(&row.sealed, &row.id).is_ok()).count();
    let open = vault.map_or(0, readable);
    if open == rows.len() {
        report.line(Verdict::Ok, "tokens", &format!("all {open} can be opened with the master key"));
    } else {
        let text = format!("{} of {} cannot be opened with this master key", rows.len() - open, rows.len());
        report.line(Verdict::Wrong, "tokens", &text);
    }
}

/// Whether anybody can sign in, and whether their roles exist.
async fn check_people(config: &Config, store: &SharedStore, report: &mut Report) {
    let directory = Directory::default();
    if let Err(error) = directory.reload(&**store).await {
        return report.line(Verdict::Wrong, "people", &error.to_string());
    }
    let tables = directory.tables();
    for lost in tables.assignments.iter().filter(|row| tables.permissions(&row.role).is_none()) {
        let text = format!("{} in {} gives a role that does not exist: {}", lost.id, lost.reach, lost.role);
        report.line(Verdict::Wrong, "people", &text);
    }
    if tables.anybody(config.serve.oidc.is_some()) {
        report.line(Verdict::Ok, "people", &format!("{} known", tables.users.len()));
    } else {
        let text = "nobody can sign in yet: open the link that serve prints, or run: rollcall user create";
        report.line(Verdict::Warning, "people", text);
    }
    let open = !config.serve.listen.ip().is_loopback();
    if open && !config.serve.over_tls() {
        let text =
            "browsers sign in over TLS only: set tls_cert and tls_key, or public_url for a proxy in front";
        report.line(Verdict::Warning, "tls", text);
    }
}

async fn check_catalog(store: &SharedStore, report: &mut Report) {
    let json = match store.catalog().await {
        Ok(Some(json)) => json,
        Ok(None) => {
            let text =
                "none: versions get their dates by formula; import one with: rollcall catalog import FILE";
            return report.line(Verdict::Warning, "catalog", text);
        }
        Err(error) => return report.line(Verdict::Wrong, "catalog", &error.to_string()),
    };
    match Catalog::import(&json) {
        Ok(catalog) if catalog.is_stale(clock().now()) => {
            report.line(Verdict::Warning, "catalog", "older than 60 days: version data may be old");
        }
        Ok(catalog) => report.line(Verdict::Ok, "catalog", &format!("{} versions", catalog.entries.len())),
        Err(problems) => report.line(Verdict::Wrong, "catalog", &format!("{} problems", problems.len())),
    }
}

async fn check_clock(store: &SharedStore, report: &mut Report) {
    let now = clock().now();
    let mut ahead = Ahead::default();
    if let Err(error) = store.load(now.plus(AHEAD), &mut ahead).await {
        return report.line(Verdict::Wrong, "clock", &error.to_string());
    }
    let text = now.to_utc().format("%Y-%m-%d %H:%M:%S UTC").to_string();
    if ahead.0 == 0 {
        report.line(Verdict::Ok, "clock", &text);
    } else {
        let text = format!("{text}, yet {} stored heartbeats are later: the clock went back", ahead.0);
        report.line(Verdict::Wrong, "clock", &text);
    }
}

/// Counts instances whose heartbeat lies ahead.
#[derive(Default)]
struct Ahead(usize);

impl LoadSink for Ahead {
    fn group(&mut self, _facts: GroupFacts) {}

    fn instance(&mut self, _account: &str, _facts: InstanceFacts, last_heartbeat: Option<Timestamp>) {
        self.0 += usize::from(last_heartbeat.is_some());
    }

    fn alias(&mut self, _alias: Alias) {}

    fn tombstone(&mut self, _tombstone: Tombstone) {}
}
