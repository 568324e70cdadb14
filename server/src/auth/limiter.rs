//! Limits how often something is tried: a bucket of tries that fills again with time.

use std::hash::{BuildHasher as _, Hash, RandomState};

use fleet::time::Timestamp;
use parking_lot::Mutex;
use quick_cache::sync::Cache;

/// So many tries at once, then one every so many milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Tries at once.
    pub burst: u32,
    /// Milliseconds between further ones.
    pub every: i64,
}

/// Limits by key. Remembers a bounded number of keys; one that is forgotten starts anew.
#[derive(Debug)]
pub struct Limiter {
    rate: Rate,
    /// When the bucket of a key will be full again, by the hash of the key.
    full_at: Cache<u64, i64>,
    /// Taking is a read and a write.
    turn: Mutex<()>,
    hasher: RandomState,
}

impl Limiter {
    /// A limiter for at most `keys` keys at a time.
    #[must_use]
    pub fn new(rate: Rate, keys: usize) -> Self {
        Self { rate, full_at: Cache::new(keys), turn: Mutex::default(), hasher: RandomState::new() }
    }

    /// Takes one try.
    ///
    /// # Errors
    /// None is left; in so many milliseconds there will be one.
    pub fn take(&self, key: &impl Hash, now: Timestamp) -> Result<(), i64> {
        let key = self.hasher.hash_one(key);
        let now = now.millis();
        let room = i64::from(self.rate.burst) * self.rate.every;
        let _turn = self.turn.lock();
        let full_at = self.full_at.get(&key).unwrap_or(now).max(now);
        let next = full_at + self.rate.every;
        if next - now > room {
            return Err(next - now - room);
        }
        self.full_at.insert(key, next);
        Ok(())
    }

    /// Whether tries of a key are missing from its bucket.
    #[must_use]
    pub fn is_used(&self, key: &impl Hash, now: Timestamp) -> bool {
        self.full_at.get(&self.hasher.hash_one(key)).is_some_and(|full_at| full_at > now.millis())
    }

    /// Gives a key all its tries back.
    pub fn forgive(&self, key: &impl Hash) {
        self.full_at.remove(&self.hasher.hash_one(key));
    }

    /// How many keys are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.full_at.len()
    }

    /// Whether no key is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { burst: 3, every: 10_000 };

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_795_176_000_000 + millis)
    }

    #[test]
    fn a_burst_then_one_at_a_time() {
        let limiter = Limiter::new(RATE, 100);
        for _ in 0..3 {
            assert_eq!(limiter.take(&"alex", at(0)), Ok(()));
        }
        assert_eq!(limiter.take(&"alex", at(0)), Err(10_000));
        assert_eq!(limiter.take(&"alex", at(9_999)), Err(1));
        assert_eq!(limiter.take(&"alex", at(10_000)), Ok(()));
        assert_eq!(limiter.take(&"alex", at(10_000)), Err(10_000));
        assert_eq!(limiter.take(&"uri", at(10_000)), Ok(()), "keys do not share");
    }

    #[test]
    fn ten_thousand_tries_lock_nobody_out_for_longer_than_one() {
        let limiter = Limiter::new(RATE, 100);
        let taken = (0..10_000).filter(|_| limiter.take(&"alex", at(0)).is_ok()).count();
        assert_eq!(taken, 3);
        assert_eq!(limiter.take(&"alex", at(10_000)), Ok(()), "refused tries cost nothing");
    }

    #[test]
    fn memory_stays_flat_however_many_keys_come() {
        let limiter = Limiter::new(RATE, 100);
        for key in 0..10_000 {
            let _ = limiter.take(&key, at(0));
        }
        assert!(limiter.len() <= 100, "{}", limiter.len());
    }

    #[test]
    fn who_is_forgiven_starts_anew() {
        let limiter = Limiter::new(RATE, 100);
        while limiter.take(&"alex", at(0)).is_ok() {}
        limiter.forgive(&"alex");
        assert_eq!(limiter.take(&"alex", at(0)), Ok(()));
    }
}
