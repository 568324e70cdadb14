//! Calls that were turned away, for the people who look for the cause (`product 17.2`).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use fleet::scope::Scope;
use fleet::time::Timestamp;
use fleet::troubleshoot::{Attempt, Refused};
use parking_lot::Mutex;

use super::AgentState;
use super::error::AgentError;

/// Sources and reasons that one account remembers; the one that called longest ago is forgotten first.
const MAX_ATTEMPTS: usize = 50;

/// What every account remembers of calls that were turned away. Gone after a restart.
#[derive(Debug, Default)]
pub struct Attempts(Mutex<HashMap<Arc<str>, Vec<Known>>>);

/// Calls of one source that were turned away for one reason.
#[derive(Debug)]
struct Known {
    refused: Refused,
    address: Option<IpAddr>,
    token: Option<Arc<str>>,
    at: Timestamp,
    count: u64,
}

impl Attempts {
    /// Notes a call; `exists` tells whether there is such an account, so that strangers cannot fill the memory.
    fn note(&self, account: &str, call: Known, exists: impl FnOnce() -> bool) {
        let mut accounts = self.0.lock();
        if !accounts.contains_key(account) {
            if !exists() {
                return;
            }
            accounts.insert(account.into(), Vec::new());
        }
        let Some(known) = accounts.get_mut(account) else { return };
        let same = |known: &&mut Known| {
            (known.refused, known.address, &known.token) == (call.refused, call.address, &call.token)
        };
        if let Some(known) = known.iter_mut().find(same) {
            (known.at, known.count) = (known.at.max(call.at), known.count.saturating_add(1));
            return;
        }
        if known.len() >= MAX_ATTEMPTS
            && let Some((oldest, _)) = known.iter().enumerate().min_by_key(|(_, known)| known.at)
        {
            known.swap_remove(oldest);
        }
        known.push(call);
    }

    /// Those of an account, newest first.
    #[must_use]
    pub fn of(&self, account: &str) -> Vec<Attempt> {
        let accounts = self.0.lock();
        let mut list: Vec<Attempt> = accounts
            .get(account)
            .into_iter()
            .flatten()
            .map(|known| Attempt {
                refused: known.refused,
                address: known.address.map(|address| address.to_canonical().to_string().into()),
                at: known.at,
                count: known.count,
                token: known.token.clone(),
            })
            .collect();
        list.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.refused.cmp(&b.refused)));
        list
    }
}

impl AgentState {
    /// Remembers that a call was turned away, if that says something to people; `token` is the name of a good one.
    pub(super) fn turned_away(
        &self,
        account: &str,
        error: AgentError,
        address: Option<IpAddr>,
        token: Option<Arc<str>>,
    ) {
        let refused = match error {
            AgentError::InvalidToken => Refused::TokenUnknown,
            AgentError::RevokedToken => Refused::TokenRevoked,
            AgentError::ExpiredToken => Refused::OutOfDate,
            AgentError::NotAuthenticated => Refused::Unreadable,
            AgentError::AccessDenied => Refused::Address,
            _ => return,
        };
        let call = Known { refused, address, token, at: self.clock.now(), count: 1 };
        let exists = || Scope::new(account, None, None).is_ok_and(|scope| self.roster.has_scope(&scope));
        self.attempts.note(account, call, exists);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(refused: Refused, last: u8, at: i64) -> Known {
        let address = Some(IpAddr::from([192, 0, 2, last]));
        Known { refused, address, token: None, at: Timestamp::from_millis(at), count: 1 }
    }

    #[test]
    fn calls_of_one_source_and_reason_are_counted_together_newest_first() {
        let attempts = Attempts::default();
        for (refused, last, at) in [
            (Refused::TokenUnknown, 1, 1),
            (Refused::TokenRevoked, 1, 2),
            (Refused::TokenUnknown, 1, 3),
            (Refused::TokenUnknown, 2, 4),
        ] {
            attempts.note("acme", call(refused, last, at), || true);
        }
        let list = attempts.of("acme");
        let told: Vec<_> =
            list.iter().map(|attempt| (attempt.refused, attempt.address.as_deref(), attempt.count)).collect();
        assert_eq!(
            told,
            [
                (Refused::TokenUnknown, Some("192.0.2.2"), 1),
                (Refused::TokenUnknown, Some("192.0.2.1"), 2),
                (Refused::TokenRevoked, Some("192.0.2.1"), 1),
            ]
        );
        assert_eq!(attempts.of("other"), []);
    }

    #[test]
    fn the_memory_is_bounded_and_unknown_accounts_take_none() {
        let attempts = Attempts::default();
        attempts.note("nobody", call(Refused::Unreadable, 1, 1), || false);
        assert!(attempts.0.lock().is_empty());
        for last in 0..=200 {
            attempts.note("acme", call(Refused::Unreadable, last, last.into()), || true);
        }
        let list = attempts.of("acme");
        assert_eq!(list.len(), MAX_ATTEMPTS);
        assert_eq!(list[0].address.as_deref(), Some("192.0.2.200"));
        assert_eq!(list[MAX_ATTEMPTS - 1].address.as_deref(), Some("192.0.2.151"));
    }
}
