//! Delegates and people who call without pause and note what they were told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use server::store::SharedStore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::house::{JWE, post};
use crate::ledger::{Deed, Heard, Ledger, now};

/// Delegates of a group.
const MEMBERS: u64 = 8;

/// Numbers that are used once.
static NEXT: AtomicU64 = AtomicU64::new(0);

fn next() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Who calls where, and what they know.
#[derive(Clone)]
pub(crate) struct Callers {
    pub(crate) client: Client,
    pub(crate) url: String,
    pub(crate) cookie: String,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) store: SharedStore,
}

impl Callers {
    /// Calls from all sides until `stop`; ends when the last answer is noted.
    pub(crate) async fn run(&self, agents: usize, people: usize, stop: &CancellationToken) {
        let mut tasks = JoinSet::new();
        for _ in 0..agents {
            let (this, stop) = (self.clone(), stop.clone());
            tasks.spawn(async move {
                while !stop.is_cancelled() {
                    this.group().await;
                }
            });
        }
        for _ in 0..people {
            let (this, stop) = (self.clone(), stop.clone());
            tasks.spawn(async move {
                while !stop.is_cancelled() {
                    this.token().await;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            });
        }
        while tasks.join_next().await.is_some() {}
    }

    async fn call(&self, path: &str, body: String) -> Option<String> {
        let request = self
            .client
            .post(format!("{}/api/agent/delegates/{path}?accountId=ACC", self.url))
            .header("authorization", format!("Delegate {JWE}"))
            .body(body);
        let answer = request.send().await.ok()?;
        if answer.status() == StatusCode::OK { answer.text().await.ok() } else { None }
    }

    /// The life of a group: its delegates register, beat, some leave; some groups are deleted.
    async fn group(&self) {
        let name = format!("g{}", next());
        let mut ids = Vec::new();
        for _ in 0..MEMBERS {
            let host = format!("h{}", next());
            if let Some(id) = self.register(&name, &host).await {
                ids.push((id, host));
            }
        }
        for _ in 0..3 {
            for (id, host) in &ids {
                self.beat(&name, id, host).await;
            }
        }
        if let Some((id, host)) = ids.pop() {
            let body = format!(
                r#"{{"delegateId":"{id}","hostName":"{host}","ng":true,"delegateType":"KUBERNETES"}}"#
            );
            if self.call("unregister", body).await.is_some() {
                self.ledger.note(Deed::Left(id));
            }
        }
        // Whoever beats after a deletion comes back: nobody does here.
        if next().is_multiple_of(4) && !ids.is_empty() {
            let path = format!("/a/ACC/delegates/_{name}/delete");
            let form = [("name", &*name)];
            let answer = post(&self.client, &self.url, &path, &self.cookie, &form).await;
            if answer.is_some_and(|answer| answer.status() == StatusCode::SEE_OTHER) {
                self.ledger.note(Deed::Deleted(name));
            }
        }
    }

    async fn register(&self, name: &str, host: &str) -> Option<String> {
        let body = format!(
            r#"{{"accountId":"ACC","delegateName":"{name}","delegateType":"KUBERNETES","ng":true,"pollingModeEnabled":true,"hostName":"{host}","ip":"10.0.0.1","version":"26.10.90107"}}"#
        );
        let answer = self.call("register", body).await?;
        let answer: serde_json::Value = serde_json::from_str(&answer).ok()?;
        let id = answer["resource"]["delegateId"].as_str()?.to_owned();
        self.ledger.note(Deed::Registered(id.clone()));
        Some(id)
    }

    async fn beat(&self, name: &str, id: &str, host: &str) {
        let sent = now();
        let body = format!(
            r#"{{"accountId":"ACC","delegateName":"{name}","delegateId":"{id}","delegateType":"KUBERNETES","ng":true,"pollingModeEnabled":true,"hostName":"{host}","version":"26.10.90107"}}"#
        );
        if self.call("heartbeat-with-polling", body).await.is_some() {
            self.ledger.heard(id, Heard { sent, answered: now() });
        }
    }

    /// The life of a token: made, and sometimes revoked.
    async fn token(&self) {
        let name = format!("t{}", next());
        let made = post(&self.client, &self.url, "/a/ACC/tokens", &self.cookie, &[("name", &name)]).await;
        if made.is_none_or(|made| made.status() != StatusCode::OK) {
            return;
        }
        self.ledger.note(Deed::Made(name.clone()));
        if !next().is_multiple_of(2) {
            return;
        }
        let Ok(tokens) = self.store.tokens().await else { return };
        let Some(token) = tokens.iter().find(|token| *token.name == *name) else { return };
        let path = format!("/a/ACC/tokens/{}/revoke", token.id);
        let revoked = post(&self.client, &self.url, &path, &self.cookie, &[("name", &name)]).await;
        if revoked.is_some_and(|answer| answer.status() == StatusCode::SEE_OTHER) {
            self.ledger.note(Deed::Revoked(name));
        }
    }
}
