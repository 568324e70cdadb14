//! The rows of people, keys and deeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use fleet::access::{PermissionSet, Reach, Resources};
use fleet::scope::Scope;
use fleet::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What a user is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum UserKind {
    /// Signs in.
    #[default]
    Person,
    /// Has keys only.
    Service,
}

/// Somebody.
#[derive(Clone, PartialEq, Eq)]
pub struct UserRow {
    /// Random, 22 characters.
    pub id: Arc<str>,
    /// Lower-case; unique.
    pub email: Arc<str>,
    /// Empty if not given.
    pub name: Arc<str>,
    /// Person or service account.
    pub kind: UserKind,
    /// Argon2id in PHC form; never shown by `Debug`.
    pub password: Option<Box<str>>,
    /// Issuer and subject at the identity provider, as one text.
    pub external_id: Option<Box<str>>,
    /// Shut out.
    pub disabled: bool,
    /// Creation.
    pub created_at: Timestamp,
    /// E-mail of who created it; none for the command line and the first start.
    pub created_by: Option<Box<str>>,
    /// Newest sign-in.
    pub last_sign_in: Option<Timestamp>,
}

impl std::fmt::Debug for UserRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UserRow").field("id", &self.id).field("email", &self.email).finish_non_exhaustive()
    }
}

/// A role that people made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleRow {
    /// Where it was made; it can be assigned there and below.
    pub scope: Scope,
    /// Stable word.
    pub id: Arc<str>,
    /// Name for people.
    pub name: Arc<str>,
    /// What it allows.
    pub permissions: PermissionSet,
    /// Creation.
    pub created_at: Timestamp,
}

/// A role given to somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignmentRow {
    /// Random, 22 characters.
    pub id: Arc<str>,
    /// Whom.
    pub user: Arc<str>,
    /// Where it holds, and below.
    pub reach: Reach,
    /// A built-in word, or `id@scope` of a custom role.
    pub role: Arc<str>,
    /// On which delegates.
    pub resources: Resources,
    /// Given by the identity provider.
    pub external: bool,
    /// When.
    pub created_at: Timestamp,
    /// E-mail of who gave it; none for the command line, the first start and the identity provider.
    pub created_by: Option<Box<str>>,
}

/// Where somebody is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// SHA-256 of the secret in the cookie, lower-case hexadecimal.
    pub hash: Arc<str>,
    /// Who.
    pub user: Arc<str>,
    /// Sign-in.
    pub created_at: Timestamp,
    /// Newest request, to the minute.
    pub last_seen: Timestamp,
    /// Browser, as it names itself; shortened.
    pub agent: Box<str>,
    /// From where.
    pub address: Box<str>,
}

/// A key of scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRow {
    /// Public part of the key.
    pub id: Arc<str>,
    /// Its owner.
    pub user: Arc<str>,
    /// What it is bound to.
    pub scope: Scope,
    /// What its owner calls it.
    pub name: Arc<str>,
    /// SHA-256 of the secret part, lower-case hexadecimal.
    pub hash: Box<str>,
    /// Creation.
    pub created_at: Timestamp,
    /// E-mail of who created it; none for the command line.
    pub created_by: Option<Box<str>>,
    /// End.
    pub expires_at: Option<Timestamp>,
    /// Revocation.
    pub revoked_at: Option<Timestamp>,
    /// Newest use, to the minute.
    pub last_used: Option<Timestamp>,
}

/// A key of a framed page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedKeyRow {
    /// Public part of the key.
    pub id: Arc<str>,
    /// What it shows.
    pub scope: Scope,
    /// What people call it.
    pub name: Arc<str>,
    /// SHA-256 of the secret part, lower-case hexadecimal.
    pub hash: Box<str>,
    /// Query of the page that it shows.
    pub filter: Box<str>,
    /// Sites that may frame it.
    pub origins: Vec<String>,
    /// Creation.
    pub created_at: Timestamp,
    /// E-mail of who created it.
    pub created_by: Box<str>,
    /// End.
    pub expires_at: Option<Timestamp>,
    /// Revocation.
    pub revoked_at: Option<Timestamp>,
}

/// A filter that somebody keeps under a name (`product 11.4`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFilterRow {
    /// Random, 22 characters.
    pub id: Arc<str>,
    /// Where it is offered.
    pub scope: Scope,
    /// Who made it.
    pub owner: Arc<str>,
    /// What they call it; each of theirs in a scope has a name of its own.
    pub name: Arc<str>,
    /// Offered to everyone who sees the scope, or to its owner alone.
    pub everyone: bool,
    /// Query of the Delegates page.
    pub query: Box<str>,
    /// Creation.
    pub created_at: Timestamp,
    /// Newest change.
    pub changed_at: Timestamp,
}

/// What a link does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Purpose {
    /// Creates the first admin.
    Setup,
    /// Signs somebody in.
    SignIn,
}

/// A link that works once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// SHA-256 of the code in the link, lower-case hexadecimal.
    pub hash: Arc<str>,
    /// What it does.
    pub purpose: Purpose,
    /// Whom it signs in; empty for the first start.
    pub user: Arc<str>,
    /// End.
    pub expires_at: Timestamp,
}

/// A deed (`product 14`). Never holds a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditRow {
    /// When.
    pub at: Timestamp,
    /// Id of who did it; empty for the server.
    pub actor_id: Arc<str>,
    /// E-mail at that time, or `SYSTEM`.
    pub actor: Arc<str>,
    /// What, such as `token.revoke`.
    pub action: &'static str,
    /// Type of what it was done to.
    pub resource: &'static str,
    /// Its name.
    pub name: String,
    /// Where; none for the whole server.
    pub scope: Option<Scope>,
    /// One sentence.
    pub summary: String,
    /// Values before.
    pub before: BTreeMap<String, String>,
    /// Values after.
    pub after: BTreeMap<String, String>,
    /// Of the request that did it; empty for the command line.
    pub request_id: String,
}

/// Which lines of the audit log.
#[derive(Clone, Debug)]
pub struct AuditWanted {
    /// Where: this scope, or with `below` those below it, too. None for everything.
    pub scope: Option<Scope>,
    /// Scopes below, too.
    pub below: bool,
    /// Lines of the server as a whole, too.
    pub server: bool,
    /// Part of the actor, without regard to case; empty for all.
    pub actor: String,
    /// Exact; empty for all.
    pub action: String,
    /// Exact; empty for all.
    pub resource: String,
    /// First instant.
    pub from: Timestamp,
    /// First instant that is too late.
    pub to: Timestamp,
    /// Only lines behind this one in the order of the log: instant and id.
    pub behind: Option<(Timestamp, String)>,
    /// Lines at most.
    pub limit: u32,
}

/// Which deeds on a delegate.
#[derive(Clone, Copy, Debug)]
pub struct DeedsWanted<'a> {
    /// Scope of the delegate.
    pub scope: &'a Scope,
    /// What the log calls the thing itself: the delegate, or one instance of it.
    pub name: &'a str,
    /// How the names of other things begin that count, such as `edge / ` for all instances.
    pub prefix: &'a str,
    /// Last instant.
    pub until: Timestamp,
    /// Lines at most; the oldest are left out.
    pub limit: u32,
}

/// A line of the audit log as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFound {
    /// Unique: `a` and a number for deeds, `t` and a number for what delegates did; numbers have 20 digits, so that
    /// their order is that of the text.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// E-mail, or `SYSTEM`.
    pub actor: String,
    /// What.
    pub action: String,
    /// Type of what it was done to.
    pub resource: String,
    /// Its name.
    pub name: String,
    /// Where; none for the whole server.
    pub scope: Option<Scope>,
    /// One sentence.
    pub summary: String,
    /// Values before.
    pub before: BTreeMap<String, String>,
    /// Values after.
    pub after: BTreeMap<String, String>,
}
