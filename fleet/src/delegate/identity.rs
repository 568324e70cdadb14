//! Names, tags, and what tells groups and instances apart (`agent-protocol 8`).

use std::sync::Arc;

use super::DelegateType;

/// The name of a group whose delegates gave none (`product 10.2`).
pub const DEFAULT_NAME: &str = "harness-delegate";
/// The group that keeps WebSocket clients whose registration is unknown (`agent-protocol 7.5`).
pub const UNIDENTIFIED: &str = "unidentified";
/// The host name of a delegate that gave none (`agent-protocol 3.2`).
pub const UNKNOWN_HOST: &str = "unknown-host";
/// The longest name that is accepted, in characters (`agent-protocol 3.2`, A9).
pub const MAX_NAME: usize = 256;
/// The longest name that installers allow (`product 10.2`).
pub const MAX_REGULAR_NAME: usize = 63;
/// The longest tag, in characters (`agent-protocol 3.2`, A9).
pub const MAX_TAG: usize = 128;
/// The most tags of one delegate (`agent-protocol 3.2`, A9).
pub const MAX_TAGS: usize = 200;

/// Characters of a short account code.
const SHORT_CODE: usize = 6;

/// The delegate name of a registration: trimmed, `harness-delegate` when blank, cut at 256 characters.
#[must_use]
pub fn group_name(reported: Option<&str>) -> String {
    let name = cut(reported.unwrap_or_default(), MAX_NAME);
    if name.is_empty() { DEFAULT_NAME } else { name }.to_owned()
}

/// `_` and the name, with every character but letters, digits, `_` and `$` as `_` (`agent-protocol 8.1`).
#[must_use]
pub fn group_identifier(name: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '$') { c } else { '_' }
    };
    std::iter::once('_').chain(name.chars().map(kept)).collect()
}

/// `base`, or `base_2`, `base_3` and so on: the first that is not taken (`agent-protocol 8.1`, A15).
#[must_use]
pub fn free_identifier(base: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(base) {
        return base.to_owned();
    }
    let mut number: u64 = 2;
    loop {
        let candidate = format!("{base}_{number}");
        if !taken(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

/// The tag that every group has: its name in lower case (`product 1.6`).
#[must_use]
pub fn implicit_tag(name: &str) -> String {
    name.to_lowercase()
}

/// Trims, drops blanks and duplicates, keeps the order, cuts at 128 characters and 200 tags (`agent-protocol 3.1`).
pub fn clean_tags<'a>(reported: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in reported.into_iter().map(|tag| cut(tag, MAX_TAG)) {
        if tags.len() == MAX_TAGS {
            break;
        }
        if !tag.is_empty() && tags.iter().all(|known| known != tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}

/// The value of a hint tag such as `platform:fargate` (`agent-protocol 8.5`, A21).
#[must_use]
pub fn hint<'a>(tags: &'a [Arc<str>], key: &str) -> Option<&'a str> {
    tags.iter().find_map(|tag| {
        let value = tag.strip_prefix(key)?.strip_prefix(':')?.trim();
        (!value.is_empty()).then_some(value)
    })
}

/// What tells two instances of one group apart (`agent-protocol 8.2`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// Next generation.
    pub ng: bool,
    /// Exact host name.
    pub host_name: Arc<str>,
    /// None where the address is exempt.
    pub ip: Option<Arc<str>>,
}

/// The identity of an instance: by host name and address, or by host name alone where addresses move.
#[must_use]
pub fn identity(account: &str, ng: bool, kind: &DelegateType, host_name: &str, ip: &str) -> Identity {
    let by_type = match kind {
        DelegateType::Kubernetes => ng,
        DelegateType::Helm | DelegateType::CeKubernetes | DelegateType::Ecs => true,
        _ => false,
    };
    let exempt = by_type || ip.starts_with("fake-") || has_short_code(host_name, account);
    Identity { ng, host_name: host_name.into(), ip: (!exempt).then(|| ip.into()) }
}

/// The two readings of the six-letter code of an account (`agent-protocol 8.4`, A20).
#[must_use]
pub fn short_codes(account: &str) -> [String; 2] {
    let account = account.to_lowercase();
    [
        account.chars().take(SHORT_CODE).collect(),
        account.chars().filter(|c| c.is_alphabetic()).take(SHORT_CODE).collect(),
    ]
}

/// Whether a dash-separated part of the host name is a full short code of the account.
fn has_short_code(host_name: &str, account: &str) -> bool {
    // A shorter account id would turn ordinary words of host names into codes.
    let codes = short_codes(account);
    let host_name = host_name.to_lowercase();
    host_name
        .split('-')
        .any(|part| codes.iter().any(|code| code.chars().count() == SHORT_CODE && code == part))
}

/// Whether an id sent by a delegate can be kept: `[A-Za-z0-9_-]{1,64}` (`agent-protocol 8.3`).
#[must_use]
pub fn is_delegate_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// Whether a name follows the rules that installers enforce; others are accepted and flagged (`product 10.2`).
#[must_use]
pub fn is_regular_name(name: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_lowercase);
    let bytes = name.as_bytes();
    bytes.len() <= MAX_REGULAR_NAME
        && bytes.iter().all(|&b| inner(b))
        && edge(bytes.first())
        && edge(bytes.last())
}

/// The `ReplicaSet` part of a pod's host name: the second-last dash part (`product 9.2`).
#[must_use]
pub fn replica_set(host_name: &str) -> Option<&str> {
    let mut parts = host_name.rsplit('-');
    let _pod = parts.next()?;
    let replica_set = parts.next()?;
    // The delegate's own name comes before both.
    parts.next()?;
    (!replica_set.is_empty()).then_some(replica_set)
}

/// Trimmed, and cut at so many characters.
pub(super) fn cut(text: &str, characters: usize) -> &str {
    let text = text.trim();
    let end = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    text[..end].trim_end()
}
