//! One copy of texts that repeat: versions, tag lists, token and group ids.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use fleet::version::Version;
use parking_lot::Mutex;

/// When a pool holds more than this, entries that nothing else uses are dropped before it grows.
const SWEEP_AT: usize = 65_536;

/// Shares equal values. Grows with what is in use, not with what was ever seen.
#[derive(Debug, Default)]
pub(super) struct Interner {
    texts: Pool<str>,
    versions: Pool<Version>,
    tags: Pool<[Arc<str>]>,
}

#[derive(Debug)]
struct Pool<T: ?Sized>(Mutex<(HashSet<Arc<T>>, usize)>);

impl<T: ?Sized> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::new((HashSet::new(), SWEEP_AT)))
    }
}

impl<T: ?Sized + Eq + Hash> Pool<T> {
    fn share(&self, value: &T, make: impl FnOnce() -> Arc<T>) -> Arc<T> {
        let mut guard = self.0.lock();
        let (pool, limit) = &mut *guard;
        if let Some(shared) = pool.get(value) {
            return Arc::clone(shared);
        }
        if pool.len() >= *limit {
            pool.retain(|shared| Arc::strong_count(shared) > 1);
            *limit = (pool.len() * 2).max(SWEEP_AT);
        }
        let shared = make();
        pool.insert(Arc::clone(&shared));
        shared
    }
}

impl Interner {
    pub(super) fn text(&self, text: &str) -> Arc<str> {
        self.texts.share(text, || text.into())
    }

    pub(super) fn version(&self, version: &Version) -> Arc<Version> {
        self.versions.share(version, || Arc::new(version.clone()))
    }

    pub(super) fn tags<'a>(&self, tags: impl IntoIterator<Item = &'a str>) -> Arc<[Arc<str>]> {
        let tags: Vec<Arc<str>> = tags.into_iter().map(|tag| self.text(tag)).collect();
        self.tags.share(tags.as_slice(), || tags.as_slice().into())
    }
}
