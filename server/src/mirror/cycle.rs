//! One look at a source (`management-api 7.2`).

use client::{Client, ClientError, Latest};
use fleet::mirror::{Cycle, Trouble};
use fleet::scope::Scope;
use fleet::time::{SECOND, Timestamp};

use super::reading::{Entry, List};

/// Clocks that differ by no more than this are one: an answer tells its instant to the second, and takes a while.
const ALIKE: i64 = 5 * SECOND;

/// What one look brought.
pub(super) struct Found {
    pub(super) entries: Vec<Entry>,
    /// The source's clock, where it tells.
    date: Option<Timestamp>,
    /// None where the source does not say.
    latest: Option<Latest>,
    /// Entries that could not be understood.
    pub(super) skipped: u32,
}

impl Found {
    /// The list as of an instant of ours.
    pub(super) fn list(self, now: Timestamp) -> List {
        let apart = self.date.filter(|date| date.age(now).abs() > ALIKE);
        List { entries: self.entries, remote_now: apart.unwrap_or(now), now, latest: self.latest }
    }
}

/// Reads scopes with those below them; exactly them where the source does not know how to.
pub(super) async fn look(client: &Client, scopes: &[Scope]) -> Result<Found, ClientError> {
    let mut found = Found { entries: Vec::new(), date: None, latest: None, skipped: 0 };
    for scope in scopes {
        let answer = match client.list(scope, true).await {
            Err(ClientError::Failed { status: 400, .. }) => client.list(scope, false).await?,
            answer => answer?,
        };
        // The first of them: nothing that is shown is newer than it says.
        found.date = found.date.or(answer.date);
        let skipped = u32::try_from(answer.value.skipped).unwrap_or(u32::MAX);
        found.skipped = found.skipped.saturating_add(skipped);
        let entries = answer.value.delegates.into_iter();
        found.entries.extend(entries.map(|delegate| Entry { scope: scope.clone(), delegate }));
    }
    if let Some(first) = scopes.first() {
        found.latest = match client.latest(first).await {
            Ok(answer) => Some(answer.value),
            // The list is what counts.
            Err(error) => {
                tracing::debug!(%error, "a mirrored server does not tell its latest version");
                None
            }
        };
    }
    Ok(found)
}

/// How a failed look counts.
pub(super) fn outcome(error: &ClientError) -> (Cycle, Trouble) {
    match error {
        ClientError::TooMany { retry_after } => {
            // An hour at most, so that no number of theirs overflows ours.
            let seconds = retry_after.map(|seconds| i64::try_from(seconds.min(3_600)).unwrap_or(3_600));
            (Cycle::TooMany { retry_after: seconds.map(|seconds| seconds * SECOND) }, Trouble::TooMany)
        }
        ClientError::Refused { .. } | ClientError::Key => (Cycle::Refused, Trouble::Refused),
        _ => (Cycle::Failed, Trouble::Unreachable),
    }
}
