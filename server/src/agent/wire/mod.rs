//! Bodies and frames of delegates, read tolerantly (`agent-protocol 3`).
//!
//! Nothing is copied that is not escaped in the text, and nothing is read that is not listed in [`Key`]: secrets of
//! the body stay in the body.

mod key;
mod value;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

pub use key::{Dropped, Key};
use value::Wrong;

use crate::roster::report::{Goodbye, Report};

/// The longest host name that is kept, in characters (`agent-protocol 3.2`, A9).
pub const MAX_HOST_NAME: usize = 253;
/// The longest description that is kept, in characters (`agent-protocol 3.2`, A9).
pub const MAX_DESCRIPTION: usize = 4 * 1024;

/// The longest text without a limit of its own that is kept, in characters.
const MAX_TEXT: usize = 256;

/// A body that is no JSON object, holds an identity field of a wrong type, or names another account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body is not understood")]
pub struct NotUnderstood;

impl From<serde_json::Error> for NotUnderstood {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

impl From<Wrong> for NotUnderstood {
    fn from(_: Wrong) -> Self {
        Self
    }
}

/// A WebSocket frame (`agent-protocol 7.3`).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Frame<'a> {
    /// `accountId`.
    pub account: Option<Cow<'a, str>>,
    /// `token`: a credential to verify; never to log or keep.
    pub token: Option<Cow<'a, str>>,
    /// What counts of a frame: id, version, location and connection (A12).
    pub report: Report<'a>,
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("report", &self.report).finish_non_exhaustive()
    }
}

/// Reads a register or heartbeat body of this account.
///
/// # Errors
/// [`NotUnderstood`].
pub fn report<'a>(body: &'a [u8], account: &str) -> Result<(Report<'a>, Dropped), NotUnderstood> {
    let mut body = Members::of(body)?;
    body.speaks_for(account)?;
    let report = Report {
        delegate_id: body.identity(Key::DelegateId)?.filter(not_blank),
        name: body.identity(Key::DelegateName)?,
        host_name: body.identity(Key::HostName)?.filter(not_blank).map(|name| cut(name, MAX_HOST_NAME)),
        kind: body.text(Key::DelegateType),
        ip: body.text(Key::Ip),
        ng: body.side(Key::Ng, value::boolean),
        polling: body.side(Key::PollingModeEnabled, value::boolean),
        client_clock: body.side(Key::LastHeartBeat, value::integer),
        version: body.text(Key::Version),
        tags: body.side(Key::Tags, value::texts),
        task_types: body.side(Key::SupportedTaskTypes, value::count),
        heartbeat_as_object: body.side(Key::HeartbeatAsObject, value::boolean),
        immutable: body.side(Key::Immutable, value::boolean),
        sequence: body.side(Key::SequenceNum, value::sequence),
        runner: body.side(Key::Runner, value::boolean),
        capacity: body.side(Key::CapacityConfig, value::capacity),
        description: body.side(Key::Description, value::text).map(|text| cut(text, MAX_DESCRIPTION)),
        organization: body.text(Key::OrgIdentifier).filter(not_blank),
        project: body.text(Key::ProjectIdentifier).filter(not_blank),
        profile: body.text(Key::DelegateProfileId),
        size: body.text(Key::DelegateSize),
        location: body.text(Key::Location),
        legacy_group: body.text(Key::DelegateGroupName),
        connection: body.text(Key::DelegateConnectionId),
    };
    Ok((report, body.dropped))
}

/// Reads an unregister body of this account.
///
/// # Errors
/// [`NotUnderstood`].
pub fn goodbye<'a>(body: &'a [u8], account: &str) -> Result<(Goodbye<'a>, Dropped), NotUnderstood> {
    let mut body = Members::of(body)?;
    body.speaks_for(account)?;
    let goodbye = Goodbye {
        delegate_id: body.identity(Key::DelegateId)?.filter(not_blank),
        host_name: body.identity(Key::HostName)?.map(|name| cut(name, MAX_HOST_NAME)),
        ip: body.text(Key::IpAddress),
        ng: body.side(Key::Ng, value::boolean),
        kind: body.text(Key::DelegateType),
        organization: body.text(Key::OrgIdentifier).filter(not_blank),
        project: body.text(Key::ProjectIdentifier).filter(not_blank),
    };
    Ok((goodbye, body.dropped))
}

/// Reads a WebSocket frame; nothing of it is proven.
///
/// # Errors
/// [`NotUnderstood`]; the account is not compared here.
pub fn frame(body: &[u8]) -> Result<(Frame<'_>, Dropped), NotUnderstood> {
    let mut body = Members::of(body)?;
    let report = Report {
        delegate_id: body.identity(Key::DelegateId)?.filter(not_blank),
        version: body.text(Key::Version),
        location: body.text(Key::Location),
        connection: body.text(Key::DelegateConnectionId),
        ..Report::default()
    };
    let account = body.side(Key::AccountId, value::text);
    let token = body.side(Key::Token, value::text).filter(|token| !token.is_empty());
    Ok((Frame { account, token, report }, body.dropped))
}

/// `maximumNumberOfBuilds` of a capacity body (`agent-protocol 2.6`).
///
/// # Errors
/// [`NotUnderstood`].
pub fn capacity(body: &[u8]) -> Result<(Option<i64>, Dropped), NotUnderstood> {
    let mut body = Members::of(body)?;
    let builds = body.side(Key::MaximumNumberOfBuilds, value::integer);
    Ok((builds, body.dropped))
}

/// The known members of a body, unread; of repeated ones the last.
struct Members<'a> {
    values: [Option<&'a RawValue>; Key::COUNT],
    dropped: Dropped,
}

impl<'a> Members<'a> {
    fn of(body: &'a [u8]) -> Result<Self, NotUnderstood> {
        Ok(serde_json::from_slice(body)?)
    }

    /// A value whose wrong type is an error.
    fn identity(&self, key: Key) -> Result<Option<Cow<'a, str>>, NotUnderstood> {
        Ok(self.values[key as usize].map_or(Ok(None), value::text)?)
    }

    /// A value whose wrong type only drops it.
    fn side<T>(&mut self, key: Key, read: impl Fn(&'a RawValue) -> Result<Option<T>, Wrong>) -> Option<T> {
        self.values[key as usize].map_or(Ok(None), read).unwrap_or_else(|Wrong| {
            self.dropped.insert(key);
            None
        })
    }

    /// A text that no rule compares, cut.
    fn text(&mut self, key: Key) -> Option<Cow<'a, str>> {
        self.side(key, value::text).map(|text| cut(text, MAX_TEXT))
    }

    /// Refuses a body that names another account than the query.
    fn speaks_for(&self, account: &str) -> Result<(), NotUnderstood> {
        match self.identity(Key::AccountId)? {
            Some(named) if named != account => Err(NotUnderstood),
            _ => Ok(()),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut values = [None; Key::COUNT];
        while let Some(key) = map.next_key::<Key>()? {
            match values.get_mut(key as usize) {
                Some(value) => *value = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Members { values, dropped: Dropped::default() })
    }
}

#[expect(clippy::ptr_arg, reason = "the form that Option::filter wants")]
fn not_blank(text: &Cow<'_, str>) -> bool {
    !text.trim().is_empty()
}

/// Cut at so many characters, never refused (`agent-protocol 3.2`, A9).
fn cut(text: Cow<'_, str>, characters: usize) -> Cow<'_, str> {
    // No text has more characters than bytes.
    if text.len() <= characters {
        return text;
    }
    let end = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            // A short text should not hold on to the room of a long one.
            text.shrink_to_fit();
            Cow::Owned(text)
        }
    }
}

#[cfg(test)]
mod tests;
