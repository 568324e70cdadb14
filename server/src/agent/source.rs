//! Where a call comes from, and who may register from there (`product 10.3`, `agent-protocol 9.5`).

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use axum::http::request::Parts;
use chrono::NaiveDate;
use fleet::time::Timestamp;
use fleet::troubleshoot::{Attempt, Refused};
use parking_lot::Mutex;

use super::AgentState;
use super::error::AgentError;
use crate::auth::peer;
use crate::tokens::Caller;

/// Sources that are told apart until they are told on; the oldest is forgotten first.
const MAX_SOURCES: usize = 10_000;

/// A registration that was blocked: the first of its source on that day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The account whose list it is not on.
    pub account: Arc<str>,
    /// From where it came; none if that is unknown.
    pub address: Option<IpAddr>,
    /// When.
    pub at: Timestamp,
}

/// Blocked sources, each once a day.
#[derive(Debug, Default)]
pub(super) struct BlockedSources(Mutex<Sources>);

type Source = (Arc<str>, Option<IpAddr>);

#[derive(Debug, Default)]
struct Sources {
    /// The day on which a source was last noted.
    days: HashMap<Source, NaiveDate>,
    /// Those sources, oldest first.
    order: VecDeque<Source>,
    /// Not taken yet.
    news: Vec<Blocked>,
}

impl BlockedSources {
    pub(super) fn note(&self, account: &Arc<str>, address: Option<IpAddr>, at: Timestamp) {
        let mut sources = self.0.lock();
        let source = (Arc::clone(account), address);
        let day = at.date();
        match sources.days.insert(source.clone(), day) {
            Some(known) if known == day => return,
            Some(_) => {}
            None => sources.order.push_back(source),
        }
        if sources.order.len() > MAX_SOURCES
            && let Some(oldest) = sources.order.pop_front()
        {
            sources.days.remove(&oldest);
        }
        if sources.news.len() < MAX_SOURCES {
            sources.news.push(Blocked { account: Arc::clone(account), address, at });
        }
    }

    pub(super) fn take(&self) -> Vec<Blocked> {
        std::mem::take(&mut self.0.lock().news)
    }
}

impl AgentState {
    /// Registrations that were blocked since the last call, each source once a day, for the audit log.
    #[must_use]
    pub fn take_blocked(&self) -> Vec<Blocked> {
        self.0.blocked.take()
    }

    /// Where a call comes from.
    pub(super) fn source(&self, parts: &Parts) -> Option<IpAddr> {
        peer::address(&parts.headers, &parts.extensions, &self.settings.trusted_proxies)
    }

    /// Whether a caller may make a row from there, and now.
    pub(super) fn admit_from(&self, caller: &Caller, source: Option<IpAddr>) -> Result<(), AgentError> {
        if self.roster.reference().admits(&caller.account, source) {
            let room = self.0.pace.newcomer(&caller.token.id, self.clock.now());
            return if room { Ok(()) } else { Err(AgentError::TooMany) };
        }
        self.0.blocked.note(&caller.account, source, self.clock.now());
        self.turned_away(
            &caller.account,
            AgentError::AccessDenied,
            source,
            Some(Arc::clone(&caller.token.name)),
        );
        Err(AgentError::AccessDenied)
    }

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
        let address = address.map(|address| address.to_canonical().to_string().into());
        self.roster.attempted(account, Attempt { refused, address, at: self.clock.now(), count: 1, token });
    }
}

#[cfg(test)]
mod tests {
    use fleet::time::DAY;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_source_is_told_once_a_day() {
        let blocked = BlockedSources::default();
        let start = Timestamp::from_millis(0);
        for at in [start, start.plus(1), start.plus(DAY - 1), start.plus(DAY)] {
            blocked.note(&"acme".into(), Some(ip("192.0.2.1")), at);
        }
        let told: Vec<Timestamp> = blocked.take().into_iter().map(|blocked| blocked.at).collect();
        assert_eq!(told, [start, start.plus(DAY)]);
        assert_eq!(blocked.take(), []);
        blocked.note(&"beta".into(), Some(ip("192.0.2.1")), start);
        assert_eq!(blocked.take().len(), 1, "each account has its own");
    }

    #[test]
    fn sources_are_forgotten_beyond_a_limit() {
        let blocked = BlockedSources::default();
        for number in 0..20_000_u32 {
            blocked.note(&"acme".into(), Some(IpAddr::V4(number.into())), Timestamp::from_millis(0));
        }
        assert_eq!(blocked.0.lock().days.len(), MAX_SOURCES);
        assert_eq!(blocked.take().len(), MAX_SOURCES);
    }
}
