//! How often strangers may knock and one token may bring delegates in.
//!
//! Heartbeats of known delegates are never limited: after an outage all of them come at once (`agent-protocol 6`).

use std::net::IpAddr;
use std::sync::Arc;

use fleet::time::Timestamp;

use crate::auth::limiter::{Limiter, Rate};

/// Refused credentials of one address: a cluster with a revoked token fits in, somebody who guesses does not.
const STRANGERS: Rate = Rate { burst: 5_000, every: 10 };
/// Registrations with one token: a whole fleet at once, then a thousand a second.
const NEWCOMERS: Rate = Rate { burst: 100_000, every: 1 };
/// Addresses and tokens that are told apart.
const KEYS: usize = 100_000;

/// Counts tries.
#[derive(Debug)]
pub(super) struct Pace {
    strangers: Limiter,
    newcomers: Limiter,
}

impl Default for Pace {
    fn default() -> Self {
        Self { strangers: Limiter::new(STRANGERS, KEYS), newcomers: Limiter::new(NEWCOMERS, KEYS) }
    }
}

impl Pace {
    /// Counts a refused credential; false when an address had too many.
    pub(super) fn stranger(&self, source: Option<IpAddr>, now: Timestamp) -> bool {
        self.strangers.take(&source, now).is_ok()
    }

    /// Counts a registration; false when a token had too many.
    pub(super) fn newcomer(&self, token: &Arc<str>, now: Timestamp) -> bool {
        self.newcomers.take(token, now).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_fail_so_often_and_others_go_on() {
        let (pace, now) = (Pace::default(), Timestamp::from_millis(0));
        let (one, other) = (Some(IpAddr::from([192, 0, 2, 1])), Some(IpAddr::from([192, 0, 2, 2])));
        let taken = (0..STRANGERS.burst + 100).filter(|_| pace.stranger(one, now)).count();
        assert_eq!(taken, STRANGERS.burst as usize);
        assert!(pace.stranger(other, now));
        assert!(!pace.stranger(one, now.plus(STRANGERS.every - 1)));
        assert!(pace.stranger(one, now.plus(STRANGERS.every)));
    }

    #[test]
    fn a_token_brings_a_hundred_thousand_at_once_and_then_so_many_a_second() {
        let (pace, now) = (Pace::default(), Timestamp::from_millis(0));
        let taken = |at| (0..200_000).filter(|_| pace.newcomer(&"token".into(), at)).count();
        assert_eq!((taken(now), taken(now), taken(now.plus(1_000))), (100_000, 0, 1_000));
        assert!(pace.newcomer(&"another".into(), now));
    }
}
