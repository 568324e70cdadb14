//! Groups by version: one counts for its version, and for every part of it up to a dot.

use std::collections::HashMap;

use crate::query::{NO_VERSION, OWN_VERSION};

/// Groups of one version, or of a part of one up to a dot.
#[derive(Default)]
struct Runs {
    groups: u64,
    /// The group that was counted last, so that none is counted twice.
    last: usize,
    /// Some instance runs exactly this.
    whole: bool,
}

#[derive(Default)]
pub(super) struct Versions<'a> {
    runs: Vec<Runs>,
    places: HashMap<&'a str, usize>,
    /// For each whole version the places of what it counts as.
    parts: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Versions<'a> {
    /// Counts a group, numbered from 1, for a version that one of its members runs.
    pub(super) fn add(&mut self, version: &'a str, group: usize) {
        let Self { runs, places, parts } = self;
        let parts = parts.entry(version).or_insert_with(|| {
            let dots = version.match_indices('.').filter_map(|(at, _)| version.get(..at));
            let dots = dots.filter(|part| ![NO_VERSION, OWN_VERSION].contains(part));
            let mut place = |text| {
                *places.entry(text).or_insert_with(|| {
                    runs.push(Runs::default());
                    runs.len() - 1
                })
            };
            let mut parts: Vec<usize> = dots.map(&mut place).collect();
            parts.push(place(version));
            parts
        });
        for (at, place) in parts.iter().enumerate() {
            let Some(entry) = runs.get_mut(*place) else { continue };
            entry.whole |= at + 1 == parts.len();
            if entry.last != group {
                (entry.last, entry.groups) = (group, entry.groups + 1);
            }
        }
    }

    /// Whole versions, and parts that are `chosen`, each with the number of its groups.
    pub(super) fn counts(self, chosen: &[String]) -> impl Iterator<Item = (&'a str, u64)> {
        let Self { runs, places, .. } = self;
        places.into_iter().filter_map(move |(text, place)| {
            let Runs { groups, whole, .. } = runs.get(place)?;
            (*whole || chosen.iter().any(|version| version == text)).then_some((text, *groups))
        })
    }
}
