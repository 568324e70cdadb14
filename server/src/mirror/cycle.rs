//! One look at a source (`management-api 7.2`).

use client::{Answer, Client, ClientError, Delegate, Latest, Listed};
use fleet::mirror::{Cycle, Trouble};
use fleet::scope::Scope;
use fleet::time::{SECOND, Timestamp};

use super::reading::List;

/// What one look brought.
pub(super) struct Found {
    pub(super) list: List,
    /// None where the source does not say; what was known stays.
    pub(super) latest: Option<Latest>,
    /// Entries that could not be understood.
    pub(super) skipped: usize,
}

/// Reads the whole account at once, or scope by scope where the source does not know how to.
///
/// `scopes`: organizations and projects that people named; empty for the account alone.
pub(super) async fn look(
    client: &Client,
    account: &Scope,
    scopes: &[Scope],
    now: Timestamp,
) -> Result<Found, ClientError> {
    let whole = match client.list(account, true).await {
        Ok(answer) if scopes.is_empty() || reaches_below(&answer.value) => Some(answer),
        // It lists the account alone, or does not know the word.
        Ok(_) | Err(ClientError::Failed { status: 400, .. }) => None,
        Err(error) => return Err(error),
    };
    let (entries, date, skipped) = match whole {
        Some(Answer { value, date }) => (of(account, value.delegates), date, value.skipped),
        None => one_by_one(client, account, scopes).await?,
    };
    let latest = match client.latest(account).await {
        Ok(answer) => Some(answer.value),
        // The list is what counts.
        Err(error) => {
            tracing::debug!(%error, "a mirrored server does not tell its latest version");
            None
        }
    };
    Ok(Found { list: List { entries, remote_now: date.unwrap_or(now), now }, latest, skipped })
}

type Entries = Vec<(Scope, Delegate)>;

async fn one_by_one(
    client: &Client,
    account: &Scope,
    scopes: &[Scope],
) -> Result<(Entries, Option<Timestamp>, usize), ClientError> {
    let (mut entries, mut skipped) = (Vec::new(), 0);
    let mut date = None;
    for scope in std::iter::once(account).chain(scopes) {
        let answer = client.list(scope, false).await?;
        // The oldest one: nothing that is shown is newer than it says.
        date = date.or(answer.date);
        skipped += answer.value.skipped;
        entries.extend(of(scope, answer.value.delegates));
    }
    Ok((entries, date, skipped))
}

fn of(scope: &Scope, delegates: Vec<Delegate>) -> Entries {
    delegates.into_iter().map(|delegate| (scope.clone(), delegate)).collect()
}

fn reaches_below(listed: &Listed) -> bool {
    listed.delegates.iter().any(|delegate| delegate.org_name.is_some())
}

/// How a failed look counts.
pub(super) const fn outcome(error: &ClientError) -> (Cycle, Trouble) {
    match error {
        ClientError::TooMany { retry_after } => {
            let retry_after = match retry_after {
                // An hour at most, so that no number of theirs overflows ours.
                Some(seconds) if *seconds < 3_600 => Some(*seconds as i64 * SECOND),
                Some(_) => Some(3_600 * SECOND),
                None => None,
            };
            (Cycle::TooMany { retry_after }, Trouble::TooMany)
        }
        ClientError::Refused { .. } => (Cycle::Refused, Trouble::Refused),
        _ => (Cycle::Failed, Trouble::Unreachable),
    }
}
