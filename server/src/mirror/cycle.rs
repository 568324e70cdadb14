//! One look at a source (`management-api 7.2`).

use client::{Client, ClientError, Latest, Listed};
use fleet::mirror::{Cycle, Trouble};
use fleet::scope::Scope;
use fleet::time::SECOND;

use super::list::{Entry, List};
use crate::clock::Clock;

/// Clocks that differ by no more than this are one: an answer tells its instant to the second, and takes a while.
const ALIKE: i64 = 5 * SECOND;
/// Longest name and id, in characters; they stand in keys of the database.
const LONGEST: usize = 256;
/// Delegates and instances of one source.
const MOST: usize = 300_000;
/// What a server of ours says of groups that it mirrors itself: they are their own source's to tell, and two servers that
/// mirror each other would never end.
const MIRRORED: &str = "mirror";

/// Reads scopes with those below them; exactly them where the source does not know how to.
pub(super) async fn look(client: &Client, scopes: &[Scope], clock: &Clock) -> Result<List, ClientError> {
    let (mut found, mut clocks) = (Found::default(), None);
    for scope in scopes {
        let answer = match client.list(scope, true).await {
            Err(ClientError::Failed { status: 400, .. }) => client.list(scope, false).await?,
            answer => answer?,
        };
        // Those of the first answer: nothing that is shown is newer than it says.
        clocks.get_or_insert_with(|| (clock.now(), answer.date));
        found.take(scope, answer.value)?;
    }
    found.check()?;
    let latest = match scopes.first() {
        Some(first) => latest(client, first).await,
        None => None,
    };
    let (now, date) = clocks.unwrap_or_else(|| (clock.now(), None));
    let remote_now = date.filter(|date| date.age(now).abs() > ALIKE).unwrap_or(now);
    let skipped = u32::try_from(found.skipped).unwrap_or(u32::MAX);
    Ok(List { entries: found.entries, remote_now, now, latest, skipped })
}

/// What the answers of one look hold.
#[derive(Default)]
struct Found {
    entries: Vec<Entry>,
    /// Delegates and instances that can be shown.
    size: usize,
    instances: usize,
    /// Delegates that are another source's to tell.
    mirrored: usize,
    /// What cannot be understood, and instances among that.
    skipped: usize,
    skipped_instances: usize,
}

impl Found {
    fn take(&mut self, scope: &Scope, listed: Listed) -> Result<(), ClientError> {
        self.skipped += listed.skipped + listed.skipped_instances;
        self.skipped_instances += listed.skipped_instances;
        for mut delegate in listed.delegates {
            if delegate.source.as_deref() == Some(MIRRORED) {
                self.mirrored += 1;
                continue;
            }
            if !can_be_key(&delegate.name) {
                self.skipped += 1;
                continue;
            }
            let all = delegate.replicas.len();
            delegate.replicas.retain(|replica| can_be_key(&replica.uuid));
            self.skipped += all - delegate.replicas.len();
            self.skipped_instances += all - delegate.replicas.len();
            self.instances += delegate.replicas.len();
            self.size += 1 + delegate.replicas.len();
            if self.size > MOST {
                return Err(ClientError::Shape(format!("it has more than {MOST} delegates and instances")));
            }
            self.entries.push(Entry { scope: scope.clone(), delegate });
        }
        Ok(())
    }

    /// A list of which nothing is understood is none: its form has changed, the fleet has not gone.
    fn check(&self) -> Result<(), ClientError> {
        let no_delegate = self.skipped > 0 && self.entries.is_empty() && self.mirrored == 0;
        let no_instance = self.skipped_instances > 0 && self.instances == 0;
        if no_delegate || no_instance {
            return Err(ClientError::Shape("none of its entries has the form of a delegate".to_owned()));
        }
        Ok(())
    }
}

fn can_be_key(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST && !text.contains(char::is_control)
}

async fn latest(client: &Client, scope: &Scope) -> Option<Latest> {
    match client.latest(scope).await {
        Ok(answer) => Some(answer.value),
        // The list is what counts.
        Err(error) => {
            tracing::debug!(%error, "a mirrored server does not tell its latest version");
            None
        }
    }
}

/// How a failed look counts.
pub(super) fn outcome(error: &ClientError) -> (Cycle, Trouble) {
    match error {
        ClientError::TooMany { retry_after } => {
            // An hour at most, so that no number of theirs overflows ours.
            let seconds = retry_after.map(|seconds| i64::try_from(seconds.min(3_600)).unwrap_or(3_600));
            (Cycle::TooMany { retry_after: seconds.map(|seconds| seconds * SECOND) }, Trouble::TooMany)
        }
        ClientError::Refused { .. } => (Cycle::Refused, Trouble::Refused),
        _ => (Cycle::Failed, Trouble::Unreachable),
    }
}
