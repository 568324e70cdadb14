//! A list of delegates as text, piece by piece: neither the text nor a large group is ever in memory as a whole.

use std::io;
use std::sync::Arc;

use chrono::SecondsFormat;
use fleet::query::{Query, Row, Selection};
use fleet::summary::Counts;
use fleet::time::Timestamp;
use fleet::view::{GroupView, Snapshot};
use futures::{Stream, StreamExt as _, stream};
use serde::Serialize;

use super::details::{Details, Instance, Totals};
use super::entry::{Entry, Replica};
use super::format::{Format, cell};
use crate::management::answer::{BEFORE, BEHIND};
use crate::tokens::book::TokenBook;

/// Number of the form of what is written; grows when a key changes its meaning or goes.
pub const SCHEMA: u32 = 1;
/// A piece is sent when it has so many bytes.
const PIECE: usize = 64 * 1024;
/// Room for the entry with which a piece grows beyond that.
const SLACK: usize = 4 * 1024;
/// The columns of CSV: one instance a line, a group without instances once.
const COLUMNS: &str = "scope,name,identifier,type,description,tags,groupStatus,groupVersion,autoUpgrade,legacy,source,\
                       uuid,hostName,connected,version,status,expiringAt,lastHeartbeat,runner\r\n";
/// The cells of an instance, where there is none.
const NO_INSTANCE: &[u8] = b",,,,,,,,\r\n";

/// What stands before the delegates in JSON (`product 15.1`).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    schema: u32,
    generated_at: Timestamp,
    scope: String,
    filters: serde_json::Map<String, serde_json::Value>,
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<View>,
}

/// Which part of the list it is, where it is not the whole.
#[derive(Serialize)]
struct View {
    sort: Option<String>,
    page: u32,
    pages: u32,
    size: u32,
}

/// What a text is made of.
enum Shape {
    /// Entries below a head of our own.
    Own(Head),
    /// Entries as the resource of the management API.
    Managed,
    /// The older listing, as such a resource.
    Detailed { tokens: Arc<TokenBook>, one: bool },
}

/// An export that has begun.
pub struct Export {
    snapshot: Arc<Snapshot>,
    selection: Selection,
    format: Format,
    shape: Shape,
    place: Place,
    /// The cells of the group that is being written.
    line: Vec<u8>,
}

/// What is written next.
#[derive(Clone, Copy)]
enum Place {
    Head,
    /// A row of the selection.
    Group(usize),
    /// A member of that row.
    Member(usize, usize),
    End,
}

impl Export {
    /// Of what a query selects; `page` if that is one page of the list.
    #[must_use]
    pub fn new(
        snapshot: Arc<Snapshot>,
        selection: Selection,
        query: &Query,
        page: bool,
        format: Format,
    ) -> Self {
        let view = page.then(|| View {
            sort: query.sort.map(|sort| sort.to_string()),
            page: selection.page,
            pages: selection.pages,
            size: query.size,
        });
        let head = Head {
            schema: SCHEMA,
            generated_at: snapshot.as_of,
            scope: snapshot.scope.to_string(),
            filters: filters(query),
            counts: snapshot.counts,
            view,
        };
        let shape = Shape::Own(head);
        Self { snapshot, selection, format, shape, place: Place::Head, line: Vec::new() }
    }

    /// As the resource of an answer of the management API (`management-api 2.3`).
    #[must_use]
    pub fn managed(snapshot: Arc<Snapshot>, selection: Selection) -> Self {
        let (format, place) = (Format::Json, Place::Head);
        Self { snapshot, selection, format, shape: Shape::Managed, place, line: Vec::new() }
    }

    /// As the resource of the older listing (`management-api 5.1`); `tokens` tells which of them are active.
    #[must_use]
    pub fn detailed(snapshot: Arc<Snapshot>, selection: Selection, tokens: Arc<TokenBook>) -> Self {
        Self { shape: Shape::Detailed { tokens, one: false }, ..Self::managed(snapshot, selection) }
    }

    /// The same where the resource is the one group that was selected.
    #[must_use]
    pub fn detailed_one(snapshot: Arc<Snapshot>, selection: Selection, tokens: Arc<TokenBook>) -> Self {
        Self { shape: Shape::Detailed { tokens, one: true }, ..Self::managed(snapshot, selection) }
    }

    /// The text. It is made as fast as it is taken: who reads slowly holds no thread, who leaves ends it.
    pub fn written(self) -> impl Stream<Item = Result<Vec<u8>, io::Error>> + Send {
        let pieces = stream::unfold(Some(self), |export| async move {
            let mut export = export?;
            // Not on a thread that heartbeats need.
            let made = tokio::task::spawn_blocking(move || {
                let piece = export.piece();
                piece.map(|piece| (piece, export))
            });
            match made.await.map_err(io::Error::other).flatten() {
                Ok((piece, _)) if piece.is_empty() => None,
                Ok((piece, export)) => Some((Ok(piece), Some(export))),
                Err(error) => {
                    tracing::error!(%error, "an export broke off");
                    Some((Err(error), None))
                }
            }
        });
        // Compression asks again after the end.
        pieces.fuse()
    }

    /// The next piece; empty at the end.
    fn piece(&mut self) -> io::Result<Vec<u8>> {
        let mut piece = Vec::with_capacity(PIECE + SLACK);
        while piece.len() < PIECE && self.step(&mut piece)? {}
        Ok(piece)
    }

    /// Writes one thing; false at the end.
    fn step(&mut self, to: &mut Vec<u8>) -> io::Result<bool> {
        self.place = match self.place {
            Place::Head => {
                self.head(to)?;
                Place::Group(0)
            }
            Place::Group(at) => {
                if at < self.selection.rows.len() {
                    self.group(at, to)?;
                    Place::Member(at, 0)
                } else {
                    self.end(to)?;
                    Place::End
                }
            }
            Place::Member(at, member) => {
                let members = self.selection.rows.get(at).map_or(0, |row| row.members.len());
                if member < members {
                    self.member(at, member, to)?;
                    Place::Member(at, member + 1)
                } else {
                    self.end_of_group(members, to);
                    Place::Group(at + 1)
                }
            }
            Place::End => return Ok(false),
        };
        Ok(true)
    }

    fn head(&self, to: &mut Vec<u8>) -> io::Result<()> {
        let head = match &self.shape {
            Shape::Own(head) => head,
            Shape::Managed => {
                to.extend_from_slice(BEFORE);
                to.push(b'[');
                return Ok(());
            }
            Shape::Detailed { one, .. } => {
                to.extend_from_slice(BEFORE);
                to.extend_from_slice(if *one { b"" } else { b"{\"delegateGroupDetails\":[" });
                return Ok(());
            }
        };
        match self.format {
            Format::Json => open_ended(head, "delegates", to),
            Format::Ndjson => Ok(()),
            Format::Csv => {
                to.extend_from_slice(COLUMNS.as_bytes());
                Ok(())
            }
        }
    }

    fn end(&self, to: &mut Vec<u8>) -> io::Result<()> {
        match &self.shape {
            Shape::Own(_) if self.format == Format::Json => to.extend_from_slice(b"]}\n"),
            Shape::Own(_) => {}
            Shape::Managed => {
                to.push(b']');
                to.extend_from_slice(BEHIND);
            }
            Shape::Detailed { one: true, .. } => to.extend_from_slice(BEHIND),
            Shape::Detailed { .. } => {
                to.push(b']');
                let totals = serde_json::to_vec(&Totals::of(&self.snapshot, &self.selection))?;
                // The members of this object belong to the one that is open.
                to.push(b',');
                to.extend_from_slice(totals.get(1..).unwrap_or_default());
                to.extend_from_slice(BEHIND);
            }
        }
        Ok(())
    }

    fn row(&self, at: usize) -> Option<(&Row, &GroupView)> {
        let row = self.selection.rows.get(at)?;
        Some((row, self.snapshot.groups.get(row.group)?))
    }

    fn group(&mut self, at: usize, to: &mut Vec<u8>) -> io::Result<()> {
        if self.format == Format::Csv {
            let mut line = std::mem::take(&mut self.line);
            line.clear();
            if let Some((_, group)) = self.row(at) {
                cells(&mut line, &Entry::new(group, false).cells(&group.facts.scope.to_string()));
            }
            self.line = line;
            return Ok(());
        }
        if at > 0 && self.format == Format::Json {
            to.push(b',');
        }
        let placed = self.snapshot.below || self.snapshot.usable;
        let Some((_, group)) = self.row(at) else { return Ok(()) };
        match &self.shape {
            Shape::Detailed { tokens, .. } => {
                open_ended(&Details::new(group, &is_active(tokens)), "delegateInstanceDetails", to)
            }
            _ => open_ended(&Entry::new(group, placed), "delegateReplicas", to),
        }
    }

    fn member(&self, at: usize, member: usize, to: &mut Vec<u8>) -> io::Result<()> {
        let found = self.row(at).and_then(|(row, group)| {
            let place = usize::try_from(*row.members.get(member)?).ok()?;
            Some((group, group.members.get(place)?))
        });
        let Some((group, found)) = found else { return Ok(()) };
        if member > 0 && self.format != Format::Csv {
            to.push(b',');
        }
        if let Shape::Detailed { tokens, .. } = &self.shape {
            return Ok(serde_json::to_writer(to, &Instance::new(group, found, &is_active(tokens)))?);
        }
        let replica = Replica::new(found);
        if self.format == Format::Csv {
            to.extend_from_slice(&self.line);
            to.push(b',');
            cells(to, &replica.cells());
            to.extend_from_slice(b"\r\n");
            return Ok(());
        }
        Ok(serde_json::to_writer(to, &replica)?)
    }

    fn end_of_group(&self, members: usize, to: &mut Vec<u8>) {
        match self.format {
            Format::Json => to.extend_from_slice(b"]}"),
            Format::Ndjson => to.extend_from_slice(b"]}\n"),
            Format::Csv if members == 0 => {
                to.extend_from_slice(&self.line);
                to.extend_from_slice(NO_INSTANCE);
            }
            Format::Csv => {}
        }
    }
}

fn is_active(tokens: &TokenBook) -> impl Fn(&str) -> bool {
    |id| tokens.named(id).is_some_and(|(_, active)| active)
}

/// A JSON object that is left open, with an empty list as its last member.
fn open_ended(value: &impl Serialize, list: &str, to: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer(&mut *to, value)?;
    // Every object that comes here has members.
    to.pop();
    to.extend_from_slice(b",\"");
    to.extend_from_slice(list.as_bytes());
    to.extend_from_slice(b"\":[");
    Ok(())
}

fn cells<T: AsRef<str>>(to: &mut Vec<u8>, texts: &[T]) {
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            to.push(b',');
        }
        to.extend_from_slice(cell(text.as_ref()).as_bytes());
    }
}

/// An instant in milliseconds as spreadsheets read it; empty for 0, which stands for none.
pub(super) fn instant(millis: i64) -> String {
    if millis == 0 {
        return String::new();
    }
    Timestamp::from_millis(millis).to_utc().to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The conditions that were understood, under their own names.
fn filters(query: &Query) -> serde_json::Map<String, serde_json::Value> {
    let mut filters = serde_json::Map::new();
    for (name, value) in form_urlencoded::parse(query.conditions().to_url().as_bytes()) {
        let known = filters.entry(name).or_insert(serde_json::Value::Null);
        *known = match known.take() {
            serde_json::Value::Null => value.into(),
            serde_json::Value::Array(mut values) => {
                values.push(value.into());
                values.into()
            }
            first => vec![first, value.into()].into(),
        };
    }
    filters
}
