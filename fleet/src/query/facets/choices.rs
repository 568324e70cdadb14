//! From counts to choices: in order, not too many, and those that are chosen among them.

use std::collections::HashMap;

use super::{Choice, MAX_CHOICES};
use crate::query::MAX_SEARCH;

/// Every value of an enumeration, in its order.
pub(super) fn fixed<T: Copy>(all: &[T], counts: &[u64], chosen: impl Fn(T) -> bool) -> Vec<Choice<T>> {
    let choice =
        |(value, groups): (&T, &u64)| Choice { value: *value, groups: *groups, chosen: chosen(*value) };
    all.iter().zip(counts).map(choice).collect()
}

/// The same without values that are `rare`, as long as nobody has or chose them.
pub(super) fn fixed_but<T: Copy>(
    all: &[T],
    counts: &[u64],
    rare: impl Fn(T) -> bool,
    chosen: impl Fn(T) -> bool,
) -> Vec<Choice<T>> {
    let mut choices = fixed(all, counts, chosen);
    choices.retain(|choice| choice.groups > 0 || choice.chosen || !rare(choice.value));
    choices
}

pub(super) fn texts<'a>(
    counts: impl IntoIterator<Item = (&'a str, u64)>,
    chosen: &[String],
) -> Vec<Choice<String>> {
    let counts = counts.into_iter().filter(|(text, _)| can_be_asked_for(text));
    most_frequent(counts.map(|(text, groups)| (text.to_owned(), groups)), chosen)
}

/// Whether a URL can name it.
fn can_be_asked_for(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && text.chars().count() <= MAX_SEARCH
}

/// Tags that are chosen keep the letters in which they were chosen; all groups that are listed have them.
pub(super) fn tags(
    counts: HashMap<Box<str>, (&str, u64)>,
    chosen: &[String],
    listed: u64,
) -> Vec<Choice<String>> {
    let counts = counts.into_iter().filter(|(_, (tag, _))| can_be_asked_for(tag) && !tag.contains(','));
    let counts = counts.map(|(lower, (tag, groups))| {
        let own = chosen.iter().find(|chosen| chosen.to_lowercase() == *lower);
        (own.map_or_else(|| tag.to_owned(), Clone::clone), groups)
    });
    let mut choices = most_frequent(counts, chosen);
    for choice in choices.iter_mut().filter(|choice| choice.chosen) {
        choice.groups = listed;
    }
    choices
}

/// The most frequent values, and those that are chosen.
pub(super) fn most_frequent<T: Ord + Clone>(
    counts: impl Iterator<Item = (T, u64)>,
    chosen: &[T],
) -> Vec<Choice<T>> {
    let mut all: Vec<Choice<T>> =
        counts.map(|(value, groups)| Choice { chosen: chosen.contains(&value), value, groups }).collect();
    let missing = chosen.iter().filter(|value| !all.iter().any(|choice| choice.value == **value));
    let missing: Vec<_> =
        missing.map(|value| Choice { value: value.clone(), groups: 0, chosen: true }).collect();
    all.sort_unstable_by(|a, b| b.groups.cmp(&a.groups).then_with(|| a.value.cmp(&b.value)));
    let mut place = 0;
    all.retain(|choice| {
        place += 1;
        place <= MAX_CHOICES || choice.chosen
    });
    all.extend(missing);
    all
}
