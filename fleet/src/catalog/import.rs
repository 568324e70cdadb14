//! Reading a catalog document: every problem is reported, or nothing is (`product 5.5`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;
use serde_json::{Map, Value};

use super::{Catalog, Entry, LatestVersions, Problem};
use crate::version::{Line, Version};

/// The only schema there is.
const SCHEMA: u64 = 1;

pub(super) fn read(json: &str) -> Result<Catalog, Vec<Problem>> {
    let mut reader = Reader::default();
    let catalog = reader.document(json);
    match catalog {
        Some(catalog) if reader.problems.is_empty() => Ok(catalog),
        _ => Err(reader.problems),
    }
}

#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn problem(&mut self, at: impl Into<String>, problem: impl Into<String>) {
        self.problems.push(Problem { at: at.into(), problem: problem.into() });
    }

    fn document(&mut self, json: &str) -> Option<Catalog> {
        let document = match serde_json::from_str(json) {
            Ok(Value::Object(document)) => document,
            Ok(_) => {
                self.problem("document", "must be an object");
                return None;
            }
            Err(error) => {
                self.problem("document", format!("is no JSON: {error}"));
                return None;
            }
        };
        if document.get("schema").and_then(Value::as_u64) != Some(SCHEMA) {
            self.problem("schema", "must be 1");
        }
        let as_of = self.date(&document, "asOf", "asOf");
        if as_of.is_none() && is_absent(&document, "asOf") {
            self.problem("asOf", "is missing");
        }
        let latest = self.latest(&document);
        let rings = self.rings(&document);
        let entries = self.entries(&document);
        let index = index(&entries);
        Some(Catalog { as_of, latest, rings, entries, index })
    }

    fn latest(&mut self, document: &Map<String, Value>) -> LatestVersions {
        let Some(latest) = self.object(document, "latest") else {
            return LatestVersions::default();
        };
        let classic = self.named_version(&latest, "classic", Line::Classic);
        if classic.as_ref().is_some_and(|version| version.is_minimal()) {
            self.problem("latest.classic", "must not be a minimal variant");
        }
        let classic_minimal = self.named_version(&latest, "classicMinimal", Line::Classic);
        if classic_minimal.as_ref().is_some_and(|version| !version.is_minimal()) {
            self.problem("latest.classicMinimal", "must be a minimal variant");
        }
        LatestVersions {
            classic,
            classic_minimal,
            runner: self.named_version(&latest, "runner", Line::Runner),
            legacy: self.named_version(&latest, "legacy", Line::Legacy),
        }
    }

    fn named_version(&mut self, latest: &Map<String, Value>, key: &str, line: Line) -> Option<Arc<Version>> {
        let at = format!("latest.{key}");
        let text = self.text(latest, key, &at)?;
        self.version(&text, line, &at)
    }

    fn rings(&mut self, document: &Map<String, Value>) -> BTreeMap<String, Arc<Version>> {
        let rings = self.object(document, "rings").unwrap_or_default();
        let mut read = BTreeMap::new();
        for ring in rings.keys() {
            let at = format!("rings.{ring}");
            let version =
                self.text(&rings, ring, &at).and_then(|text| self.version(&text, Line::Classic, &at));
            if let Some(version) = version {
                read.insert(ring.clone(), version);
            }
        }
        read
    }

    fn entries(&mut self, document: &Map<String, Value>) -> Vec<Entry> {
        let Some(Value::Array(items)) = document.get("versions") else {
            self.problem("versions", "must be a list");
            return Vec::new();
        };
        let mut seen = HashSet::new();
        let mut entries = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            let at = format!("versions[{place}]");
            let Value::Object(item) = item else {
                self.problem(at, "must be an object");
                continue;
            };
            if let Some(text) = item.get("version").and_then(Value::as_str)
                && !seen.insert(text.trim())
            {
                self.problem(format!("{at}.version"), format!("{text} is listed twice"));
            }
            entries.extend(self.entry(item, &at));
        }
        entries
    }

    fn entry(&mut self, item: &Map<String, Value>, at: &str) -> Option<Entry> {
        let line = self.line(item, at);
        let version = self.required_text(item, "version", at);
        let version =
            version.zip(line).and_then(|(text, line)| self.version(&text, line, &format!("{at}.version")));
        if let Some(version) = &version {
            self.check_variant(item, version, at);
        }
        let released = self.date(item, "released", &format!("{at}.released"));
        if is_absent(item, "released") {
            self.problem(format!("{at}.released"), "is missing");
        }
        let eos = self.date(item, "eos", &format!("{at}.eos"));
        let eol = self.date(item, "eol", &format!("{at}.eol"));
        let hotfix = self.flag(item, "hotfix", at);
        if let (Some(eos), Some(eol)) = (eos, eol)
            && eol < eos
        {
            self.problem(format!("{at}.eol"), format!("{eol} lies before the end of support, {eos}"));
        }
        if let (Some(released), Some(eos), false) = (released, eos, hotfix)
            && eos < released
        {
            self.problem(format!("{at}.eos"), format!("{eos} lies before the publication, {released}"));
        }
        let image = self.text(item, "image", &format!("{at}.image"));
        let note = self.text(item, "note", &format!("{at}.note"));
        Some(Entry { version: version?, line: line?, released: released?, eos, eol, hotfix, image, note })
    }

    fn line(&mut self, item: &Map<String, Value>, at: &str) -> Option<Line> {
        match item.get("line").and_then(Value::as_str) {
            Some("classic") => Some(Line::Classic),
            Some("legacy") => Some(Line::Legacy),
            Some("runner") => Some(Line::Runner),
            _ => {
                self.problem(format!("{at}.line"), "must be classic, legacy or runner");
                None
            }
        }
    }

    fn check_variant(&mut self, item: &Map<String, Value>, version: &Version, at: &str) {
        let named = match item.get("variant") {
            None => return,
            Some(Value::Null) => Some(false),
            Some(Value::String(word)) if word == "minimal" => Some(true),
            Some(_) => None,
        };
        match named {
            None => self.problem(format!("{at}.variant"), "must be null or minimal"),
            Some(minimal) if minimal != version.is_minimal() => {
                self.problem(format!("{at}.variant"), format!("does not fit the version {version}"));
            }
            Some(_) => {}
        }
    }

    fn version(&mut self, text: &str, line: Line, at: &str) -> Option<Arc<Version>> {
        let version = Version::parse(text);
        if version.line() == line && version.as_str() == text {
            return Some(Arc::new(version));
        }
        self.problem(at, format!("{version} is no version of the {} line", word(line)));
        None
    }

    fn object(&mut self, parent: &Map<String, Value>, key: &str) -> Option<Map<String, Value>> {
        match parent.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::Object(object)) => Some(object.clone()),
            Some(_) => {
                self.problem(key, "must be an object");
                None
            }
        }
    }

    fn text(&mut self, parent: &Map<String, Value>, key: &str, at: &str) -> Option<String> {
        match parent.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                self.problem(at, "must be a text");
                None
            }
        }
    }

    fn required_text(&mut self, parent: &Map<String, Value>, key: &str, at: &str) -> Option<String> {
        let at = format!("{at}.{key}");
        if is_absent(parent, key) {
            self.problem(at, "is missing");
            return None;
        }
        self.text(parent, key, &at)
    }

    fn flag(&mut self, parent: &Map<String, Value>, key: &str, at: &str) -> bool {
        match parent.get(key) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.problem(format!("{at}.{key}"), "must be true or false");
                false
            }
        }
    }

    fn date(&mut self, parent: &Map<String, Value>, key: &str, at: &str) -> Option<NaiveDate> {
        let text = self.text(parent, key, at)?;
        let date = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok();
        if date.is_none() {
            self.problem(at, format!("{text} is no date of the form 2026-11-30"));
        }
        date
    }
}

fn is_absent(parent: &Map<String, Value>, key: &str) -> bool {
    matches!(parent.get(key), None | Some(Value::Null))
}

const fn word(line: Line) -> &'static str {
    match line {
        Line::Classic => "classic",
        Line::Legacy => "legacy",
        Line::Runner => "runner",
        Line::Custom => "custom",
    }
}

/// Version text to place; a runner entry is also found without its leading `v`.
fn index(entries: &[Entry]) -> HashMap<Box<str>, usize> {
    let mut index = HashMap::with_capacity(entries.len());
    for (place, entry) in entries.iter().enumerate() {
        index.insert(entry.version.as_str().into(), place);
    }
    for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.line == Line::Runner) {
        if let Some(plain) = entry.version.as_str().strip_prefix('v') {
            index.entry(plain.into()).or_insert(place);
        }
    }
    index
}
