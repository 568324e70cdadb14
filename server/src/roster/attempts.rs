//! Calls that were turned away at the door, for the people who look for the cause (`product 17.2`).

use std::collections::HashMap;
use std::sync::Arc;

use fleet::scope::Scope;
use fleet::troubleshoot::Attempt;
use parking_lot::Mutex;

use super::Roster;

/// Sources and reasons that one account remembers; the one that called longest ago is forgotten first.
const MAX_ATTEMPTS: usize = 50;

/// What every account remembers of calls that were turned away. Gone after a restart.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<HashMap<Arc<str>, Vec<Known>>>);

/// Calls of one source that were turned away for one reason.
#[derive(Debug)]
struct Known {
    attempt: Attempt,
    /// How many of them other nodes were not told of.
    untold: u64,
}

impl Attempts {
    /// Notes calls; `untold` of them are not known to other nodes.
    fn note(&self, account: &Arc<str>, calls: Attempt, untold: u64) {
        let mut accounts = self.0.lock();
        let list = accounts.entry(Arc::clone(account)).or_default();
        if let Some(known) = list.iter_mut().find(|known| known.attempt.is_like(&calls)) {
            known.attempt.at = known.attempt.at.max(calls.at);
            known.attempt.count = known.attempt.count.saturating_add(calls.count);
            known.untold = known.untold.saturating_add(untold);
            return;
        }
        if list.len() >= MAX_ATTEMPTS
            && let Some((oldest, _)) = list.iter().enumerate().min_by_key(|(_, known)| known.attempt.at)
        {
            list.swap_remove(oldest);
        }
        list.push(Known { attempt: calls, untold });
    }

    /// Notes calls that another node was asked.
    pub(super) fn told(&self, account: &Arc<str>, calls: Attempt) {
        self.note(account, calls, 0);
    }

    /// What other nodes are to be told, by account: each with the count of what is new. It counts as told then.
    pub(super) fn take_untold(&self) -> Vec<(Arc<str>, Attempt)> {
        let mut accounts = self.0.lock();
        let all = accounts
            .iter_mut()
            .flat_map(|(account, list)| list.iter_mut().map(move |known| (account, known)));
        all.filter(|(_, known)| known.untold > 0)
            .map(|(account, known)| {
                let count = std::mem::take(&mut known.untold);
                (Arc::clone(account), Attempt { count, ..known.attempt.clone() })
            })
            .collect()
    }

    /// Could not be told: they wait for the next time. Those that were forgotten meanwhile are passed over.
    pub(super) fn give_back(&self, untold: Vec<(Arc<str>, Attempt)>) {
        let mut accounts = self.0.lock();
        for (account, calls) in untold {
            let known = accounts.get_mut(&account).into_iter().flatten();
            if let Some(known) = known.into_iter().find(|known| known.attempt.is_like(&calls)) {
                known.untold = known.untold.saturating_add(calls.count);
            }
        }
    }

    fn of(&self, account: &str) -> Vec<Attempt> {
        let accounts = self.0.lock();
        let mut list: Vec<Attempt> =
            accounts.get(account).into_iter().flatten().map(|known| known.attempt.clone()).collect();
        list.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.refused.cmp(&b.refused)));
        list
    }
}

impl Roster {
    /// Remembers calls that were turned away at the door, and tells other nodes with the next flush. Strangers cannot
    /// fill the memory: accounts that do not exist are passed over.
    pub fn attempted(&self, account: &str, calls: Attempt) {
        if Scope::new(account, None, None).is_ok_and(|scope| self.has_scope(&scope)) {
            let untold = if self.store.is_shared() { calls.count } else { 0 };
            self.attempts.note(&account.into(), calls, untold);
        }
    }

    /// Calls that an account's delegates made in vain, on any node: those of one source and reason together, newest first.
    #[must_use]
    pub fn attempts(&self, account: &str) -> Vec<Attempt> {
        self.attempts.of(account)
    }
}

#[cfg(test)]
mod tests {
    use fleet::time::Timestamp;
    use fleet::troubleshoot::Refused;

    use super::*;

    fn call(refused: Refused, last: u8, at: i64) -> Attempt {
        let address = Some(format!("192.0.2.{last}").into());
        Attempt { refused, address, token: None, at: Timestamp::from_millis(at), count: 1 }
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
            attempts.note(&"acme".into(), call(refused, last, at), 0);
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
    fn the_memory_of_an_account_is_bounded() {
        let attempts = Attempts::default();
        for last in 0..=200 {
            attempts.note(&"acme".into(), call(Refused::Unreadable, last, last.into()), 1);
        }
        let list = attempts.of("acme");
        assert_eq!(list.len(), MAX_ATTEMPTS);
        assert_eq!(list[0].address.as_deref(), Some("192.0.2.200"));
        assert_eq!(list[MAX_ATTEMPTS - 1].address.as_deref(), Some("192.0.2.151"));
        assert_eq!(attempts.take_untold().len(), MAX_ATTEMPTS, "so is what waits to be told");
    }

    #[test]
    fn each_call_is_told_once_even_if_it_could_not_be_told_at_first() {
        let (here, there) = (Attempts::default(), Attempts::default());
        let acme: Arc<str> = "acme".into();
        here.note(&acme, call(Refused::TokenUnknown, 1, 1), 1);
        here.note(&acme, call(Refused::TokenUnknown, 1, 2), 1);
        let untold = here.take_untold();
        assert_eq!((here.take_untold(), untold[0].1.count), (Vec::new(), 2));
        here.note(&acme, call(Refused::TokenUnknown, 1, 3), 1);
        here.give_back(untold);
        for (account, calls) in here.take_untold() {
            there.told(&account, calls);
        }
        assert_eq!(there.of("acme"), here.of("acme"));
        assert_eq!((there.of("acme")[0].count, there.take_untold()), (3, Vec::new()));
    }
}
