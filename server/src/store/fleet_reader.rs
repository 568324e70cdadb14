//! Rows of the fleet into a [`LoadSink`], a million of them in one go.

use std::collections::HashMap;
use std::sync::Arc;

use fleet::delegate::{DelegateType, Details, GroupFacts, InstanceFacts};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::columns::Columns;
use super::decode::{optional_time, scope, time};
use super::journal::Journal;
use super::{Alias, LoadSink, StoreError, Tombstone};

/// How many different texts of one column are remembered while reading. More would be as many as there are rows.
const REMEMBERED: usize = 4_096;

/// Decodes rows and hands them on, with one allocation for what repeats.
pub(super) struct FleetReader<'s> {
    sink: &'s mut dyn LoadSink,
    journal: Journal,
    /// Instances without a sign of life since then are passed over.
    since: Timestamp,
    scopes: HashMap<Scope, Arc<Scope>>,
    tags: HashMap<Box<str>, Arc<[Arc<str>]>>,
    details: HashMap<Box<str>, Arc<Details>>,
}

impl<'s> FleetReader<'s> {
    pub(super) fn new(sink: &'s mut dyn LoadSink) -> Self {
        Self::with_journal(sink, Journal::default(), Timestamp::from_millis(i64::MIN))
    }

    /// Knows of heartbeats that rows do not hold yet, and wants nobody who was silent since `since`.
    pub(super) fn with_journal(sink: &'s mut dyn LoadSink, journal: Journal, since: Timestamp) -> Self {
        let (scopes, tags, details) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { sink, journal, since, scopes, tags, details }
    }

    /// Whether rows without a sign of life since then must be read too: the journal knows of a heartbeat of one of them.
    pub(super) fn wants_the_rest(&self) -> bool {
        self.journal.has_since(self.since)
    }

    /// One row of `LOAD_GROUPS`.
    pub(super) fn group<'r>(&mut self, row: &impl Columns<'r>) -> Result<(), StoreError> {
        let scope = scope(row, [0, 2, 3])?;
        let facts = GroupFacts {
            id: self.sink.intern(row.text(1)?),
            scope: match self.scopes.get(&scope) {
                Some(known) => Arc::clone(known),
                None => Arc::clone(self.scopes.entry(scope.clone()).or_insert(Arc::new(scope))),
            },
            name: self.sink.intern(row.text(4)?),
            identifier: self.sink.intern(row.text(5)?),
            kind: DelegateType::from(row.text(6)?),
            family: row.word(7)?,
            description: self.sink.intern(row.text(8)?),
            tags: self.tags(row, 9)?,
            first_seen: time(row, 10)?,
            last_active: time(row, 11)?,
            upgrader_seen: optional_time(row, 12)?,
            by_choice: row.flag(13)?,
            token_name: self.sink.intern(row.text(14)?),
            approval: row.word(15)?,
            returned_at: optional_time(row, 16)?,
        };
        self.sink.group(facts);
        Ok(())
    }

    /// One row of `LOAD_INSTANCES`.
    pub(super) fn instance<'r>(&mut self, row: &impl Columns<'r>) -> Result<(), StoreError> {
        let (account, registered_at, goodbye_at) = (row.text(0)?, time(row, 14)?, optional_time(row, 15)?);
        let last_heartbeat = optional_time(row, 22)?.max(self.journal.take(account, row.text(1)?));
        if Some(registered_at).max(goodbye_at).max(last_heartbeat) < Some(self.since) {
            return Ok(());
        }
        let facts = InstanceFacts {
            id: row.text(1)?.into(),
            group: self.sink.intern(row.text(2)?),
            host_name: row.text(3)?.into(),
            ip: self.seldom_empty(row.text(4)?),
            ng: row.flag(5)?,
            kind: DelegateType::from(row.text(6)?),
            family: row.word(7)?,
            version: row.optional_text(8)?.map(|text| self.sink.intern_version(text)),
            version_since: time(row, 9)?,
            tags: self.tags(row, 10)?,
            transport: row.word(11)?,
            token: self.sink.intern(row.text(12)?),
            immutable: row.optional_flag(13)?,
            registered_at,
            goodbye_at,
            capacity: row.optional_integer(16)?,
            clock_skew: row.optional_integer(17)?,
            incomplete: row.flag(18)?,
            double_seen: optional_time(row, 19)?,
            heartbeat_as_object: row.flag(20)?,
            details: self.details(row, 21)?,
        };
        self.sink.instance(account, facts, last_heartbeat);
        Ok(())
    }

    /// One row of `LOAD_ALIASES`.
    pub(super) fn alias<'r>(&mut self, row: &impl Columns<'r>) -> Result<(), StoreError> {
        let alias = Alias {
            account: self.sink.intern(row.text(0)?),
            alias: row.text(1)?.into(),
            id: row.text(2)?.into(),
        };
        self.sink.alias(alias);
        Ok(())
    }

    /// One row of `LOAD_TOMBSTONES`.
    pub(super) fn tombstone<'r>(&mut self, row: &impl Columns<'r>) -> Result<(), StoreError> {
        let tombstone = Tombstone {
            account: self.sink.intern(row.text(0)?),
            group: self.sink.intern(row.text(1)?),
            instance: self.seldom_empty(row.text(2)?),
            at: time(row, 3)?,
            by: row.text(4)?.into(),
            lifted_at: optional_time(row, 5)?,
        };
        self.sink.tombstone(tombstone);
        Ok(())
    }

    /// Texts that differ in every row, unless they are absent.
    fn seldom_empty(&mut self, text: &str) -> Arc<str> {
        if text.is_empty() { self.sink.intern(text) } else { text.into() }
    }

    fn tags<'r>(&mut self, row: &impl Columns<'r>, index: usize) -> Result<Arc<[Arc<str>]>, StoreError> {
        let json = row.text(index)?;
        if let Some(known) = self.tags.get(json) {
            return Ok(Arc::clone(known));
        }
        let list = serde_json::from_str(json).map_err(|_| row.corrupt(index))?;
        let tags = self.sink.intern_tags(list);
        if self.tags.len() < REMEMBERED {
            self.tags.insert(json.into(), Arc::clone(&tags));
        }
        Ok(tags)
    }

    fn details<'r>(&mut self, row: &impl Columns<'r>, index: usize) -> Result<Arc<Details>, StoreError> {
        let json = row.text(index)?;
        if let Some(known) = self.details.get(json) {
            return Ok(Arc::clone(known));
        }
        let details = Arc::new(serde_json::from_str(json).map_err(|_| row.corrupt(index))?);
        if self.details.len() < REMEMBERED {
            self.details.insert(json.into(), Arc::clone(&details));
        }
        Ok(details)
    }
}
