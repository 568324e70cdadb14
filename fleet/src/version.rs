//! Version forms and their order (`product 5.1`, `5.2`).

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::delegate::Family;

/// The longest version text that is kept, in characters (`agent-protocol 3.2`, A9).
pub const MAX_VERSION: usize = 64;

/// The legacy tag without a number (`product 5.1`).
pub(crate) const LATEST: &str = "latest";
/// Digits of a number of a series.
const MAX_PART: usize = 6;
/// What a 3.x runner sends when it has no version to tell.
const RUNNER_PLACEHOLDER: &str = "v0.1";

/// Versions of different lines are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// `yy.mm.build`.
    Classic,
    /// `1.0.number` and `latest`.
    Legacy,
    /// Semver of Delegate 3.x.
    Runner,
    /// Anything else: shown as text, no lifecycle.
    Custom,
}

/// A version as a delegate reported it, with its parsed numbers.
///
/// Equality and hash are those of the text, `Ord` is [`Version::display_order`]. Compare age with
/// [`Version::compare`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Version {
    text: Box<str>,
    line: Line,
    /// (yy, mm, build), (1, 0, number) or (major, minor, patch).
    numbers: (u32, u32, u32),
    variant: Option<Box<str>>,
}

impl Version {
    /// Reads any text; what has no known form becomes [`Line::Custom`]. Trimmed, and cut at 64 characters.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let end = text.char_indices().nth(MAX_VERSION).map_or(text.len(), |(at, _)| at);
        let text = text[..end].trim_end();
        let (line, numbers, variant) = read(text).unwrap_or((Line::Custom, (0, 0, 0), None));
        Self { text: text.into(), line, numbers, variant: variant.map(Into::into) }
    }

    /// The text as reported.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Which line it belongs to.
    #[must_use]
    pub const fn line(&self) -> Line {
        self.line
    }

    /// (yy, mm, build), (1, 0, number) or (major, minor, patch); zeros for custom texts and for `latest`.
    #[must_use]
    pub const fn numbers(&self) -> (u32, u32, u32) {
        self.numbers
    }

    /// `minimal`, or any other suffix.
    #[must_use]
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// Whether the suffix is `minimal`.
    #[must_use]
    pub fn is_minimal(&self) -> bool {
        self.variant() == Some("minimal")
    }

    /// The build number of a classic version.
    #[must_use]
    pub fn build(&self) -> Option<u32> {
        (self.line == Line::Classic).then_some(self.numbers.2)
    }

    /// The text without its suffix and without a leading `v`, such as `26.09.89620` of `26.09.89620.minimal`.
    ///
    /// Custom texts are returned whole.
    #[must_use]
    pub fn base(&self) -> String {
        let suffix = self.variant().map_or(0, |variant| variant.len() + 1);
        let text = &self.text[..self.text.len() - suffix];
        let text = if self.line == Line::Runner { text.trim_start_matches('v') } else { text };
        text.to_owned()
    }

    /// What the versions of one month or minor release begin with, as it stands in the text: `26.10`, `1.0`, `v3.1`, or
    /// `latest`. None for texts without two numbers in front.
    #[must_use]
    pub fn series(&self) -> Option<&str> {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with('.');
        if self.text.strip_prefix(LATEST).is_some_and(ends) {
            return Some(LATEST);
        }
        let plain = self.text.strip_prefix('v').unwrap_or(&self.text);
        let (first, rest) = digits(plain)?;
        let (second, rest) = digits(rest.strip_prefix('.')?)?;
        let short = first.len() <= MAX_PART && second.len() <= MAX_PART;
        (short && ends(rest)).then(|| &self.text[..self.text.len() - rest.len()])
    }

    /// Order by the numbers, variants ignored; none across lines, for custom texts and for `latest`.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let numbered = |version: &Self| version.line != Line::Custom && *version.text != *LATEST;
        (self.line == other.line && numbered(self) && numbered(other))
            .then(|| self.numbers.cmp(&other.numbers))
    }

    /// A total order for display and for "lowest of a group": by line, then numbers, then text.
    #[must_use]
    pub fn display_order(&self, other: &Self) -> Ordering {
        (self.line, self.numbers, &*self.text).cmp(&(other.line, other.numbers, &*other.text))
    }
}

/// The version of a registration; none when absent, blank, or the `v0.1` of a 3.x runner (`product 5.1`).
#[must_use]
pub fn reported(text: Option<&str>, family: Family) -> Option<Version> {
    let text = text.map(str::trim).filter(|text| !text.is_empty())?;
    if family == Family::Runner && text == RUNNER_PLACEHOLDER {
        return None;
    }
    Some(Version::parse(text))
}

type Parts<'a> = (Line, (u32, u32, u32), Option<&'a str>);

/// The parts of a text of a known form.
fn read(text: &str) -> Option<Parts<'_>> {
    if text == LATEST {
        return Some((Line::Legacy, (0, 0, 0), None));
    }
    let plain = text.strip_prefix('v').unwrap_or(text);
    let (first, rest) = digits(plain)?;
    let (second, rest) = digits(rest.strip_prefix('.')?)?;
    let (third, rest) = digits(rest.strip_prefix('.')?)?;
    let numbers = (first.parse().ok()?, second.parse().ok()?, third.parse().ok()?);
    let variant = match rest.strip_prefix(['.', '-', '_', '+']) {
        Some(variant) if !variant.is_empty() => Some(variant),
        None if rest.is_empty() => None,
        Some(_) | None => return None,
    };
    Some((line(plain.len() < text.len(), [first, second, third], numbers)?, numbers, variant))
}

/// The line of three numbers, if any form has them.
fn line(prefixed: bool, parts: [&str; 3], numbers: (u32, u32, u32)) -> Option<Line> {
    let [first, second, third] = parts;
    let is_classic = first.len() == 2
        && numbers.0 >= 20
        && second.len() == 2
        && (1..=12).contains(&numbers.1)
        && (4..=6).contains(&third.len());
    let is_legacy = first == "1" && second == "0";
    let is_semver = parts.iter().all(|part| part.len() == 1 || !part.starts_with('0'));
    match prefixed {
        false if is_classic => Some(Line::Classic),
        false if is_legacy => Some(Line::Legacy),
        _ => (is_semver && !is_legacy).then_some(Line::Runner),
    }
}

/// The leading digits and what follows; none without a digit.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Version {}

impl Hash for Version {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.display_order(other)
    }
}

impl From<String> for Version {
    fn from(text: String) -> Self {
        Self::parse(&text)
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.text.into()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
