//! What only the passing of time brings about: losses for the history, rows that memory lets go.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use fleet::health::connectivity;
use fleet::retention::instance_visible;
use fleet::time::Timestamp;

use super::Roster;
use super::account::Account;
use super::cell::Cell;
use crate::store::{Cause, Silence, State, Transition};

impl Roster {
    /// Records instances that fell silent or out of retention since the last look (`product 3.6`).
    ///
    /// Each line carries the time at which it happened, so that noticing it late, or twice, makes no difference.
    pub fn record_silence(&self, now: Timestamp) {
        if self.deaf_until(now).is_some() {
            return;
        }
        let reference = self.reference();
        // Read before any cell: what was followed meanwhile is looked at once more.
        let followed = self.others.followed();
        for account in self.all_accounts() {
            let cells: Vec<_> =
                account.read(|members| members.groups().map(|group| Arc::clone(&group.members)).collect());
            let mut lines = Vec::new();
            for cell in cells.iter().flat_map(|members| members.iter()) {
                look_at(&account, cell, &reference.policy, followed, now, &mut lines);
            }
            if !lines.is_empty() {
                self.writer.history(lines);
                account.changed();
            }
        }
    }

    /// Lets instances go from memory that have been silent for longer than groups are kept; the store keeps them.
    pub fn evict(&self, now: Timestamp) {
        let keep = self.reference().policy.group_retention;
        for account in self.all_accounts() {
            let old: Vec<Arc<Cell>> = account.read(|members| {
                let cells = members.groups().flat_map(|group| group.members.iter());
                cells.filter(|cell| is_past(cell, keep, now)).cloned().collect()
            });
            for cell in old {
                let gone = account.write(|members| {
                    let gone = is_past(&cell, keep, now);
                    if gone {
                        members.remove(&cell);
                    }
                    gone
                });
                if gone {
                    self.instances.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
        self.snapshots.forget_old();
    }

    pub(super) fn all_accounts(&self) -> Vec<Arc<Account>> {
        self.accounts.read().values().cloned().collect()
    }
}

/// Adds what history should say of an instance to `lines`.
fn look_at(
    account: &Account,
    cell: &Cell,
    policy: &fleet::policy::Policy,
    followed: i64,
    now: Timestamp,
    lines: &mut Vec<Transition>,
) {
    if cell.rewind(now) {
        return;
    }
    let Some(last) = cell.last_heartbeat() else { return };
    if connectivity(Some(last), policy, now).is_connected() {
        return;
    }
    let mut line = |at, from, to, cause, silence| {
        lines.push(Transition {
            account: Arc::clone(&account.id),
            group: cell.with_facts(|facts| Arc::clone(&facts.group)),
            instance: Arc::clone(&cell.id),
            at,
            from: Some(from),
            to,
            cause,
            note: "".into(),
            silence,
        });
    };
    if cell.record_if(State::Connected, State::NotConnected) {
        if cell.last_heartbeat() != Some(last) {
            // It came back at this very moment; whoever took that heartbeat knows better.
            cell.record_if(State::NotConnected, State::Connected);
            return;
        }
        let lost_at = last.plus(policy.timeout);
        cell.turned(lost_at, State::NotConnected, now);
        line(
            lost_at,
            State::Connected,
            State::NotConnected,
            Cause::Silence,
            Some(Silence { after: last, before: lost_at, followed }),
        );
    }
    let visible = cell
        .with_facts(|facts| instance_visible(Some(last), facts.registered_at, facts.goodbye_at, policy, now));
    if !visible && cell.record_if(State::NotConnected, State::Hidden) {
        cell.turned(last.plus(policy.instance_retention), State::Hidden, now);
        line(
            last.plus(policy.instance_retention),
            State::NotConnected,
            State::Hidden,
            Cause::Retention,
            None,
        );
    }
}

fn is_past(cell: &Cell, keep: i64, now: Timestamp) -> bool {
    let since = cell.last_heartbeat().unwrap_or_else(|| cell.with_facts(|facts| facts.registered_at));
    since.age(now) > keep
}
