//! Heartbeats of a batch as one value, and what a start makes of them.
//!
//! A large fleet beats tens of thousands of times a second. As updates of rows that would be the dearest thing a database
//! has to do; as one value a second it costs next to nothing.

use fleet::time::Timestamp;
use hashbrown::HashMap;
use sha2::{Digest as _, Sha256};

use super::StoreError;
use super::records::BeatRecord;

/// Bytes of a key. Of ten million instances, two share one with a probability of 10⁻¹⁰.
const KEY: usize = 10;
/// Bytes of an instant: enough until the year 10889.
const INSTANT: usize = 6;
/// Bytes of an entry.
const ENTRY: usize = KEY + INSTANT;

type Key = [u8; KEY];

fn key(account: &str, id: &str) -> Key {
    let mut hash = Sha256::new();
    hash.update(account.len().to_le_bytes());
    hash.update(account);
    hash.update(id);
    let hash = hash.finalize();
    std::array::from_fn(|place| hash[place])
}

/// Heartbeats as one value. Instants before 1970 become 1970.
pub(super) fn pack(beats: &[BeatRecord<'_>]) -> Vec<u8> {
    let mut entries = Vec::with_capacity(beats.len() * ENTRY);
    for beat in beats {
        entries.extend(key(&beat.account, &beat.id));
        entries.extend(&beat.at.max(0).to_le_bytes()[..INSTANT]);
    }
    entries
}

/// The newest heartbeat of each instance in some batches.
#[derive(Debug, Default)]
pub(super) struct Journal {
    newest: HashMap<Key, i64>,
}

impl Journal {
    /// Adds what [`pack`] made.
    pub(super) fn add(&mut self, entries: &[u8]) -> Result<(), StoreError> {
        let (entries, rest) = entries.as_chunks::<ENTRY>();
        if !rest.is_empty() {
            return Err(StoreError::Corrupt { table: "heartbeats", what: "entries".to_owned() });
        }
        for entry in entries {
            let mut at = [0; 8];
            at[..INSTANT].copy_from_slice(&entry[KEY..]);
            let at = i64::from_le_bytes(at);
            let key: Key = std::array::from_fn(|place| entry[place]);
            let newest = self.newest.entry(key).or_insert(at);
            *newest = at.max(*newest);
        }
        Ok(())
    }

    /// The newest heartbeat of an instance, which is taken out.
    pub(super) fn take(&mut self, account: &str, id: &str) -> Option<Timestamp> {
        if self.newest.is_empty() {
            return None;
        }
        self.newest.remove(&key(account, id)).map(Timestamp::from_millis)
    }

    /// Whether a heartbeat since then has not been taken out.
    pub(super) fn has_since(&self, since: Timestamp) -> bool {
        self.newest.values().any(|at| *at >= since.millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat<'a>(account: &'a str, id: &'a str, at: i64) -> BeatRecord<'a> {
        BeatRecord { account: account.into(), id: id.into(), at }
    }

    fn take(journal: &mut Journal, account: &str, id: &str) -> Option<i64> {
        journal.take(account, id).map(Timestamp::millis)
    }

    #[test]
    fn what_was_packed_is_found_and_the_newest_counts() {
        let late = (1 << 48) - 1;
        let mut journal = Journal::default();
        journal.add(&pack(&[beat("a", "i", 1_795_000_000_123), beat("a", "j", late)])).unwrap();
        journal.add(&pack(&[beat("a", "i", 1_794_000_000_000), beat("a", "k", -5)])).unwrap();
        assert!(journal.has_since(Timestamp::from_millis(late)));
        assert_eq!(take(&mut journal, "a", "i"), Some(1_795_000_000_123));
        assert_eq!(take(&mut journal, "a", "i"), None, "once");
        assert_eq!(take(&mut journal, "a", "j"), Some(late));
        assert_eq!(take(&mut journal, "a", "k"), Some(0));
        assert_eq!(take(&mut journal, "a", "x"), None);
        assert!(!journal.has_since(Timestamp::from_millis(0)));
    }

    #[test]
    fn account_and_id_do_not_run_into_each_other() {
        let mut journal = Journal::default();
        journal.add(&pack(&[beat("ab", "c", 1)])).unwrap();
        assert_eq!(take(&mut journal, "a", "bc"), None);
        assert_eq!(take(&mut journal, "ab", "c"), Some(1));
    }

    #[test]
    fn a_value_that_is_cut_off_is_corrupt() {
        let whole = pack(&[beat("a", "i", 1)]);
        let cut = Journal::default().add(&whole[..whole.len() - 1]);
        assert!(matches!(cut, Err(StoreError::Corrupt { table: "heartbeats", .. })), "{cut:?}");
        assert!(Journal::default().add(&[]).is_ok());
    }
}
