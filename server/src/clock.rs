//! The one place that reads the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use fleet::time::Timestamp;

/// Tells the time; tests move it by hand.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The clock of the machine.
    #[must_use]
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands at `at` until it is moved; clones share it.
    #[must_use]
    pub fn manual(at: Timestamp) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(at.millis()))))
    }

    /// The current instant.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => chrono::Utc::now().into(),
            Source::Manual(millis) => Timestamp::from_millis(millis.load(Ordering::Relaxed)),
        }
    }

    /// Moves a manual clock; the system's clock stays as it is.
    pub fn advance(&self, millis: i64) {
        if let Source::Manual(at) = &self.0 {
            at.fetch_add(millis, Ordering::Relaxed);
        }
    }
}
