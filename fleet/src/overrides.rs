//! Image tags that an administrator chose for the upgraders of a scope (`management-api 2.7`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scope::Scope;
use crate::time::{DAY, Timestamp};

/// For how many days one holds, at most and unless told otherwise.
pub const MAX_DAYS: i64 = 180;
/// Characters of an image tag.
const MAX_IMAGE_TAG: usize = 128;

/// One override.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Override {
    /// The tag to run, without a repository.
    pub image_tag: Arc<str>,
    /// A group must have all of them; empty for every group.
    pub tags: Vec<String>,
    /// The last instant at which it holds.
    pub valid_until: Timestamp,
    /// Holds only as long as this is the latest version of its scope; none: whatever is released.
    pub as_long_as_latest: Option<Arc<str>>,
}

impl Override {
    /// One that holds for so many days.
    #[must_use]
    pub fn new(image_tag: &str, mut tags: Vec<String>, days: i64, now: Timestamp) -> Self {
        tags.sort();
        tags.dedup();
        Self {
            image_tag: image_tag.into(),
            tags,
            valid_until: now.plus(days.clamp(1, MAX_DAYS) * DAY),
            as_long_as_latest: None,
        }
    }

    /// Whether it holds; `latest` is the latest version of its scope.
    #[must_use]
    pub fn holds(&self, latest: Option<&str>, now: Timestamp) -> bool {
        now <= self.valid_until && self.as_long_as_latest.as_deref().is_none_or(|known| Some(known) == latest)
    }

    /// Whether it speaks of a group with these tags, the implicit one among them.
    #[must_use]
    pub fn matches(&self, tags: &[&str]) -> bool {
        self.tags.iter().all(|tag| tags.contains(&&**tag))
    }
}

/// Whether a text can be the tag of an image: letters, digits, `_`, `.` and `-`, the last two not at its beginning.
#[must_use]
pub fn is_image_tag(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.starts_with(plain)
        && text.len() <= MAX_IMAGE_TAG
        && text.chars().all(|letter| plain(letter) || matches!(letter, '.' | '-'))
}

/// Those of one scope: at most one with tags and one without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfScope {
    /// For groups that have its tags.
    pub tagged: Option<Override>,
    /// For every group.
    pub plain: Option<Override>,
}

/// Those that reach a scope and hold now, in the order in which they are tried: the nearest scope first, in each the one
/// with tags before the other.
#[must_use]
pub fn in_force(
    all: &BTreeMap<Scope, OfScope>,
    scope: &Scope,
    latest: impl Fn(&Scope) -> Option<Arc<str>>,
    now: Timestamp,
) -> Vec<(Scope, Override)> {
    let mut found = Vec::new();
    if all.is_empty() {
        return found;
    }
    for above in scope.ancestors() {
        let Some(here) = all.get(&above) else { continue };
        let latest = latest(&above);
        let holding = [&here.tagged, &here.plain].into_iter().flatten();
        let holding = holding.filter(|one| one.holds(latest.as_deref(), now));
        found.extend(holding.map(|one| (above.clone(), one.clone())));
    }
    found
}

/// The first of these that speaks of a group with these tags, the implicit one among them.
#[must_use]
pub fn choose<'a>(in_force: &'a [(Scope, Override)], tags: &[&str]) -> Option<&'a (Scope, Override)> {
    in_force.iter().find(|(_, one)| one.matches(tags))
}
