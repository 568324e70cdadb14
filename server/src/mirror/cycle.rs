//! One look at a source (`management-api 7.2`).

use client::{Client, ClientError, Delegate, Latest, Listed};
use fleet::mirror::{Cycle, Trouble};
use fleet::scope::Scope;
use fleet::time::SECOND;

use super::reading::{Entry, List};
use crate::clock::Clock;

/// Clocks that differ by no more than this are one: an answer tells its instant to the second, and takes a while.
const ALIKE: i64 = 5 * SECOND;
/// Longest name and id, in characters; they stand in keys of the database.
const LONGEST: usize = 256;
/// Instances of one source.
const MAX_INSTANCES: usize = 300_000;
/// What a server of ours says of groups that it mirrors itself: they are their own source's to tell, and two servers that
/// mirror each other would never end.
const MIRRORED: &str = "mirror";

/// Reads scopes with those below them; exactly them where the source does not know how to.
pub(super) async fn look(client: &Client, scopes: &[Scope], clock: &Clock) -> Result<List, ClientError> {
    let (mut entries, mut skipped, mut instances) = (Vec::new(), 0, 0);
    let mut clocks = None;
    for scope in scopes {
        let answer = match client.list(scope, true).await {
            Err(ClientError::Failed { status: 400, .. }) => client.list(scope, false).await?,
            answer => answer?,
        };
        // Those of the first answer: nothing that is shown is newer than it says.
        clocks.get_or_insert_with(|| (clock.now(), answer.date));
        let (understood, not) = understood(answer.value)?;
        skipped += not;
        instances += understood.iter().map(|delegate| delegate.replicas.len()).sum::<usize>();
        if instances > MAX_INSTANCES {
            return Err(ClientError::Shape(format!("it has more than {MAX_INSTANCES} instances")));
        }
        entries.extend(understood.into_iter().map(|delegate| Entry { scope: scope.clone(), delegate }));
    }
    let latest = match scopes.first() {
        Some(first) => latest(client, first).await,
        None => None,
    };
    let (now, date) = clocks.unwrap_or_else(|| (clock.now(), None));
    let remote_now = date.filter(|date| date.age(now).abs() > ALIKE).unwrap_or(now);
    let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
    Ok(List { entries, remote_now, now, latest, skipped })
}

/// The delegates of an answer that can be shown, and how much of it cannot. An answer of which nothing is understood is
/// none: its form has changed, the fleet has not gone.
fn understood(listed: Listed) -> Result<(Vec<Delegate>, usize), ClientError> {
    let (mut delegates, mut skipped) = (listed.delegates, listed.skipped);
    let some = !delegates.is_empty();
    delegates.retain(|delegate| delegate.source.as_deref() != Some(MIRRORED));
    let all = delegates.len();
    delegates.retain(|delegate| can_be_key(&delegate.name));
    skipped += all - delegates.len();
    for delegate in &mut delegates {
        let all = delegate.replicas.len();
        delegate.replicas.retain(|replica| can_be_key(&replica.uuid));
        skipped += all - delegate.replicas.len();
    }
    if skipped > 0 && !some {
        return Err(ClientError::Shape("none of its entries has the form of a delegate".to_owned()));
    }
    Ok((delegates, skipped))
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
