//! Other servers whose fleets are shown here, each with its last list.

use std::sync::Arc;

use async_trait::async_trait;
use fleet::mirror::Trouble;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::StoreError;
use super::access::request::Step;
use super::columns::Columns;
use super::decode::{optional_time, time};
use super::request::{Request, Value};
use super::words::Word;

/// Mirrors as they are kept. They are changed through [`super::access::AccessStore::commit`].
#[async_trait]
pub trait MirrorStore: Send + Sync + 'static {
    /// Every mirror, by account and creation.
    async fn mirrors(&self) -> Result<Vec<MirrorRow>, StoreError>;

    /// The last good list of a mirror; none before the first.
    async fn mirror_list(&self, id: &str) -> Result<Option<String>, StoreError>;
}

/// One mirror.
#[derive(Clone, PartialEq, Eq)]
pub struct MirrorRow {
    /// Random, 22 characters.
    pub id: Arc<str>,
    /// The account in which its delegates are shown.
    pub account: Arc<str>,
    /// Unique in the account.
    pub name: Arc<str>,
    /// Address of the source.
    pub url: Box<str>,
    /// What is asked for at the source; never empty.
    pub scopes: Vec<Scope>,
    /// The API key, sealed under the master key; never shown by `Debug`.
    pub sealed: Vec<u8>,
    /// Creation.
    pub created_at: Timestamp,
    /// E-mail of who created it; none for the command line.
    pub created_by: Option<Box<str>>,
    /// The last look, good or bad.
    pub tried_at: Option<Timestamp>,
    /// Why that failed; none while all is well.
    pub trouble: Option<Trouble>,
    /// The same in words; empty while all is well.
    pub detail: Box<str>,
    /// Instant of the last good list.
    pub as_of: Option<Timestamp>,
    /// Its entries that could not be understood.
    pub skipped: u32,
    /// When the next look is due, or may be taken over from a node that began one and went away.
    pub due_at: Timestamp,
    /// What one look leaves to the next, as JSON.
    pub memory: Box<str>,
}

impl std::fmt::Debug for MirrorRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MirrorRow")
            .field("id", &self.id)
            .field("account", &self.account)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A change of a mirror.
#[derive(Clone, Debug)]
pub enum MirrorChange {
    /// Inserts one. [`StoreError::Exists`] if its account has one of that name.
    Insert(MirrorRow),
    /// Removes one with its list. [`StoreError::Missing`] if it is gone.
    Remove(Arc<str>),
    /// Begins a look. [`StoreError::Missing`] if another node did so first.
    Claim {
        /// Which.
        id: Arc<str>,
        /// When it was due.
        was: Timestamp,
        /// Until when it is the caller's alone.
        due_at: Timestamp,
    },
    /// Notes how a look ended. [`StoreError::Missing`] if its time was over and another one has begun, or the mirror is
    /// gone.
    Looked {
        /// Which.
        id: Arc<str>,
        /// The end of its time, as it was claimed.
        lease: Timestamp,
        /// How.
        look: Look,
        /// What takes the place of the last list; none: that one stays.
        list: Option<Kept>,
    },
    /// Keeps the key of one under another master key, if it is still sealed as it `was`.
    Reseal {
        /// Which.
        id: Arc<str>,
        /// Before.
        was: Box<[u8]>,
        /// After.
        sealed: Box<[u8]>,
    },
}

/// How a look ended.
#[derive(Clone, Debug)]
pub struct Look {
    /// When.
    pub at: Timestamp,
    /// Why it failed; none if it did not.
    pub trouble: Option<Trouble>,
    /// The same in words.
    pub detail: Box<str>,
    /// When the next one is due.
    pub due_at: Timestamp,
    /// What it leaves to that one.
    pub memory: Box<str>,
}

/// A list as it is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Entries that could not be understood.
    pub skipped: u32,
    /// The rest, as JSON.
    pub body: Box<str>,
}

macro_rules! columns {
    () => {
        "account, id, name, url, scopes, sealed, created_at, created_by, tried_at, trouble, detail, as_of, skipped, \
         due_at, memory"
    };
}

pub(super) const MIRRORS: &str =
    concat!("SELECT ", columns!(), " FROM mirrors ORDER BY account, created_at, id");
pub(super) const LIST: &str = "SELECT body FROM mirror_lists WHERE mirror = $1";
const INSERT: &str = concat!(
    "INSERT INTO mirrors (",
    columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
);
const REMOVE: &str = "DELETE FROM mirrors WHERE id = $1";
const CLAIM: &str = "UPDATE mirrors SET due_at = $3 WHERE id = $1 AND due_at = $2";
const LOOKED: &str = "UPDATE mirrors SET tried_at = $2, trouble = $3, detail = $4, due_at = $5, memory = $6 \
                      WHERE id = $1 AND due_at = $7";
const LISTED: &str = "UPDATE mirrors SET as_of = $2, skipped = $3 WHERE id = $1";
const PUT_LIST: &str = "INSERT INTO mirror_lists (mirror, body) VALUES ($1, $2) \
                        ON CONFLICT (mirror) DO UPDATE SET body = excluded.body";
const RESEAL: &str = "UPDATE mirrors SET sealed = $3 WHERE id = $1 AND sealed = $2";
/// What must be there to be changed.
const WHAT: &str = "this mirror";

/// The statements of a change, in their order.
pub(super) fn steps(change: &MirrorChange) -> Result<Vec<Step<'_>>, StoreError> {
    Ok(match change {
        MirrorChange::Insert(row) => {
            vec![Step::new(insertion(row)?).unique(format!("a mirror {}", row.name))]
        }
        MirrorChange::Remove(id) => vec![Step::new(Request::of(REMOVE).with(&**id)).wanted(WHAT)],
        MirrorChange::Claim { id, was, due_at } => {
            vec![Step::new(Request::of(CLAIM).with(&**id).with(*was).with(*due_at)).wanted(WHAT)]
        }
        MirrorChange::Looked { id, lease, look, list } => looked(id, *lease, look, list.as_ref()),
        MirrorChange::Reseal { id, was, sealed } => {
            vec![Step::new(Request::of(RESEAL).with(&**id).with(&**was).with(&**sealed))]
        }
    })
}

fn looked<'a>(id: &'a str, lease: Timestamp, look: &'a Look, list: Option<&'a Kept>) -> Vec<Step<'a>> {
    let request = Request::of(LOOKED)
        .with(id)
        .with(look.at)
        .with(Value::OptionalText(look.trouble.map(Word::word)))
        .with(&*look.detail)
        .with(look.due_at)
        .with(&*look.memory)
        .with(lease);
    let mut steps = vec![Step::new(request).wanted(WHAT)];
    if let Some(kept) = list {
        let listed = Request::of(LISTED).with(id).with(look.at).with(Value::Integer(kept.skipped.into()));
        steps.push(Step::new(listed));
        steps.push(Step::new(Request::of(PUT_LIST).with(id).with(&*kept.body)));
    }
    steps
}

fn insertion(row: &MirrorRow) -> Result<Request<'_>, StoreError> {
    let scopes: Vec<String> = row.scopes.iter().map(ToString::to_string).collect();
    let scopes = serde_json::to_string(&scopes).map_err(super::error::encode)?;
    Ok(Request::of(INSERT)
        .with(&*row.account)
        .with(&*row.id)
        .with(&*row.name)
        .with(&*row.url)
        .with(Value::Text(scopes.into()))
        .with(&row.sealed[..])
        .with(row.created_at)
        .with(Value::OptionalText(row.created_by.as_deref()))
        .with(row.tried_at)
        .with(Value::OptionalText(row.trouble.map(Word::word)))
        .with(&*row.detail)
        .with(row.as_of)
        .with(Value::Integer(row.skipped.into()))
        .with(row.due_at)
        .with(&*row.memory))
}

pub(super) fn decode<'r>(row: &impl Columns<'r>) -> Result<MirrorRow, StoreError> {
    let scopes: Vec<String> = serde_json::from_str(row.text(4)?).map_err(|_| row.corrupt(4))?;
    let scopes: Result<Vec<Scope>, _> = scopes.iter().map(|scope| scope.parse()).collect();
    Ok(MirrorRow {
        account: row.text(0)?.into(),
        id: row.text(1)?.into(),
        name: row.text(2)?.into(),
        url: row.text(3)?.into(),
        scopes: scopes.map_err(|_| row.corrupt(4))?,
        sealed: row.bytes(5)?.to_vec(),
        created_at: time(row, 6)?,
        created_by: row.optional_text(7)?.map(Into::into),
        tried_at: optional_time(row, 8)?,
        trouble: match row.optional_text(9)? {
            None => None,
            Some(_) => Some(row.word(9)?),
        },
        detail: row.text(10)?.into(),
        as_of: optional_time(row, 11)?,
        skipped: u32::try_from(row.integer(12)?).map_err(|_| row.corrupt(12))?,
        due_at: time(row, 13)?,
        memory: row.text(14)?.into(),
    })
}

pub(super) fn body<'r>(row: &impl Columns<'r>) -> Result<String, StoreError> {
    Ok(row.text(0)?.to_owned())
}

/// Implements [`MirrorStore`] for an adapter that has `read`.
macro_rules! mirror_store {
    ($adapter:ident) => {
        #[async_trait]
        impl $crate::store::mirrors::MirrorStore for $adapter {
            async fn mirrors(&self) -> Result<Vec<$crate::store::mirrors::MirrorRow>, StoreError> {
                let request = Request::of($crate::store::mirrors::MIRRORS);
                self.read(request, "mirrors", |row| $crate::store::mirrors::decode(row)).await
            }

            async fn mirror_list(&self, id: &str) -> Result<Option<String>, StoreError> {
                let request = Request::of($crate::store::mirrors::LIST).with(id);
                let found =
                    self.read(request, "mirror_lists", |row| $crate::store::mirrors::body(row)).await?;
                Ok(found.into_iter().next())
            }
        }
    };
}

pub(super) use mirror_store;
