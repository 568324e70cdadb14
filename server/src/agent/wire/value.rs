//! Single values: `Ok(None)` for null, `Wrong` for another type than expected.

use std::borrow::Cow;
use std::fmt;

use fleet::delegate::MAX_TAGS;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{MAX_TEXT, cut};
use crate::roster::report::Sequence;

/// How many entries of a list of texts are looked at: enough for 200 tags among blanks and repetitions.
const MAX_ENTRIES: usize = 5 * MAX_TAGS;

/// A value of another type than expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrong;

type Read<T> = Result<Option<T>, Wrong>;

/// A text; borrowed unless something in it is escaped.
pub(super) fn text(raw: &RawValue) -> Read<Cow<'_, str>> {
    let json = raw.get();
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) if !inner.contains('\\') => Ok(Some(Cow::Borrowed(inner))),
        Some(_) => serde_json::from_str(json).map(|text| Some(Cow::Owned(text))).map_err(|_| Wrong),
        None => null(json),
    }
}

/// `true` or `false`.
pub(super) fn boolean(raw: &RawValue) -> Read<bool> {
    match raw.get() {
        "true" => Ok(Some(true)),
        "false" => Ok(Some(false)),
        other => null(other),
    }
}

/// A whole number that fits, also when it is written as `1.0` or `1e3`.
pub(super) fn integer(raw: &RawValue) -> Read<i64> {
    let json = raw.get();
    if !json.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return null(json);
    }
    json.parse().ok().or_else(|| whole(json.parse().ok()?)).map(Some).ok_or(Wrong)
}

/// The entries of a list of texts. Null entries are passed over; another type makes the list wrong.
pub(super) fn texts(raw: &RawValue) -> Read<Vec<Cow<'_, str>>> {
    list(raw, |entries: Texts<'_>| entries.0)
}

/// How many entries a list has.
pub(super) fn count(raw: &RawValue) -> Read<u32> {
    list(raw, |entries: Count| entries.0)
}

/// `sequenceNum`: a number or a text.
pub(super) fn sequence(raw: &RawValue) -> Read<Sequence<'_>> {
    if raw.get().starts_with('"') {
        return Ok(text(raw)?.map(|text| Sequence::Text(cut(text, MAX_TEXT))));
    }
    Ok(integer(raw)?.map(Sequence::Number))
}

/// `capacityConfig`: `Some(None)` without a limit.
pub(super) fn capacity(raw: &RawValue) -> Read<Option<i64>> {
    if !raw.get().starts_with('{') {
        return null(raw.get());
    }
    let config: Config<'_> = serde_json::from_str(raw.get()).map_err(|_| Wrong)?;
    config.0.map_or(Ok(None), integer).map(Some)
}

/// What is left when a value has not the expected type.
fn null<T>(json: &str) -> Read<T> {
    if json == "null" { Ok(None) } else { Err(Wrong) }
}

fn whole(number: f64) -> Option<i64> {
    // Beyond this, not every whole number has a floating-point form.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

fn list<'a, L: Deserialize<'a>, T>(raw: &'a RawValue, content: impl Fn(L) -> T) -> Read<T> {
    if !raw.get().starts_with('[') {
        return null(raw.get());
    }
    serde_json::from_str(raw.get()).map(|list| Some(content(list))).map_err(|_| Wrong)
}

struct Texts<'a>(Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Texts<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Texts<'de>, A::Error> {
        let mut texts = Vec::new();
        while let Some(entry) = entries.next_element::<&'de RawValue>()? {
            let wrong = |Wrong| serde::de::Error::custom("not a text");
            if let (Some(entry), true) = (text(entry).map_err(wrong)?, texts.len() < MAX_ENTRIES) {
                texts.push(entry);
            }
        }
        Ok(Texts(texts))
    }
}

struct Count(u32);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(CountVisitor)
    }
}

struct CountVisitor;

impl<'de> Visitor<'de> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Count, A::Error> {
        let mut count = 0_u32;
        while entries.next_element::<IgnoredAny>()?.is_some() {
            count = count.saturating_add(1);
        }
        Ok(Count(count))
    }
}

/// `maxStages`; of repeated ones the last.
struct Config<'a>(Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Config<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ConfigVisitor)
    }
}

struct ConfigVisitor;

impl<'de> Visitor<'de> for ConfigVisitor {
    type Value = Config<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Config<'de>, A::Error> {
        let mut config = Config(None);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "maxStages" {
                config.0 = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(config)
    }
}
