//! What the pages about access need to know. Everything was checked already: it is what the viewer may see.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use fleet::access::{PermissionSet, Reach, Resources};
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::PortError;
pub use super::doors::{Doors, Setup};
use super::mirrors::Mirror;

/// What pages about access may ask.
#[async_trait]
pub trait AccessPort: Send + Sync + 'static {
    /// The Tokens page of a scope (`product 11.6`).
    ///
    /// # Errors
    /// [`PortError`], as of all methods here.
    async fn tokens(&self, scope: &Scope) -> Result<Vec<Token>, PortError>;

    /// One token with the groups that use it, to be revoked.
    async fn token(&self, scope: &Scope, id: &str) -> Result<TokenUse, PortError>;

    /// What a deletion would remove; `instance` for a single one of the group.
    async fn deletion(
        &self,
        scope: &Scope,
        identifier: &str,
        instance: Option<&str>,
    ) -> Result<Deletion, PortError>;

    /// The people with a role in a scope, and their assignments there, above and below.
    async fn people(&self, scope: &Scope) -> Result<People, PortError>;

    /// Roles that can be assigned in a scope: built-in ones, its own, those of scopes above.
    async fn roles(&self, scope: &Scope) -> Result<Vec<Role>, PortError>;

    /// The settings that a scope has or inherits.
    async fn settings(&self, scope: &Scope) -> Result<Vec<Setting>, PortError>;

    /// One page of the audit log.
    async fn audit(&self, scope: &Scope, query: &AuditQuery) -> Result<AuditPage, PortError>;

    /// Mirrors of an account, by creation.
    async fn mirrors(&self, scope: &Scope) -> Result<Vec<Mirror>, PortError>;

    /// Embed keys of a scope.
    async fn embeds(&self, scope: &Scope) -> Result<Vec<EmbedKey>, PortError>;

    /// The viewer's own page.
    async fn me(&self) -> Result<Me, PortError>;

    /// What the sign-in page offers; needs no identity.
    async fn doors(&self) -> Doors;

    /// What a link of the first start offers; none if it is unknown, used or out of date.
    async fn setup(&self, code: &str) -> Option<Setup>;
}

/// A delegate token; never its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Internal id, used in addresses.
    pub id: Arc<str>,
    /// Unique in its scope.
    pub name: Arc<str>,
    /// False once revoked.
    pub active: bool,
    /// Creation.
    pub created_at: Timestamp,
    /// Who created it; none for the server itself.
    pub created_by: Option<String>,
    /// Automatic revocation.
    pub revoke_after: Option<Timestamp>,
    /// Revocation.
    pub revoked_at: Option<Timestamp>,
    /// When a revoked one is removed and its name becomes free.
    pub purged_at: Option<Timestamp>,
    /// Newest successful authentication.
    pub last_used: Option<Timestamp>,
    /// Visible instances that used it last.
    pub instances: u64,
}

/// A token with those that depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenUse {
    /// The token.
    pub token: Token,
    /// Groups with an instance that used it last, by name.
    pub groups: Vec<TokenGroup>,
}

/// A group that uses a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenGroup {
    /// Its scope: the token's, or one below.
    pub scope: Scope,
    /// Delegate name.
    pub name: Arc<str>,
    /// For the address of its page.
    pub identifier: Arc<str>,
    /// Instances on this token.
    pub instances: u64,
    /// Those of them that are connected.
    pub connected: u64,
}

/// What a deletion would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The group's scope.
    pub scope: Scope,
    /// Delegate name: the text to type for a group.
    pub name: Arc<str>,
    /// For addresses.
    pub identifier: Arc<str>,
    /// Set when a single instance is meant: its id, and its host name, which is the text to type.
    pub instance: Option<(Arc<str>, Arc<str>)>,
    /// Visible instances that would go.
    pub instances: u64,
    /// Those of them that are connected.
    pub connected: u64,
    /// Whether the setting `delegates.delete_connected` allows to delete connected ones.
    pub connected_allowed: bool,
    /// Whether it comes back with its next call: `delegates.deleted_policy` is `reappear`.
    pub reappears: bool,
}

/// A deletion that can be undone for ten minutes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// Scope of the group.
    pub scope: Scope,
    /// Internal id of the group.
    pub group: Arc<str>,
    /// Delegate id of a single instance; empty for the whole group.
    pub instance: Arc<str>,
    /// Delegate name, or host name of the instance.
    pub name: Arc<str>,
    /// When it was deleted.
    pub at: Timestamp,
    /// Who deleted it.
    pub by: String,
}

/// A deleted delegate that calls again and is turned away: `delegates.deleted_policy` is `refuse`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Scope of the group.
    pub scope: Scope,
    /// Internal id of the group.
    pub group: Arc<str>,
    /// Delegate name.
    pub name: Arc<str>,
    /// When it was deleted.
    pub deleted_at: Timestamp,
    /// Its newest call.
    pub called_at: Timestamp,
    /// Whether a person rejected it, rather than deleted it.
    pub rejected: bool,
    /// The token it calls with: internal id and name.
    pub token: Option<(Arc<str>, Arc<str>)>,
}

/// The Users page of a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct People {
    /// By e-mail.
    pub people: Vec<Person>,
    /// What the form to assign offers.
    pub roles: Vec<Role>,
}

/// A person or service account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Internal id, used in addresses.
    pub id: Arc<str>,
    /// Signs in with it; unique on the server.
    pub email: Arc<str>,
    /// Empty if not given.
    pub name: Arc<str>,
    /// Whether sign-in is shut.
    pub disabled: bool,
    /// Whether it comes from the identity provider.
    pub external: bool,
    /// Whether it is a service account, which has keys and no sign-in.
    pub service: bool,
    /// Newest sign-in.
    pub last_sign_in: Option<Timestamp>,
    /// Assignments that concern the scope, the widest first.
    pub assignments: Vec<Assignment>,
    /// Whether the viewer may shut them out and end their sessions; why not otherwise.
    pub manage: Result<(), String>,
}

/// A role given to somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Internal id, used in addresses.
    pub id: Arc<str>,
    /// Where it holds.
    pub reach: Reach,
    /// Name of the role.
    pub role: Arc<str>,
    /// All delegates, or named ones.
    pub resources: Resources,
    /// Whether the identity provider gave it: it follows the groups there.
    pub external: bool,
    /// Whether the viewer may take it away here.
    pub removable: bool,
}

/// A role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Stable word: `admin`, `operator`, `viewer`, or that of a custom role.
    pub id: Arc<str>,
    /// Name for people.
    pub name: Arc<str>,
    /// Where a custom role was made; none for built-in ones.
    pub scope: Option<Scope>,
    /// What it allows; `core_delegate_view` is always among them.
    pub permissions: PermissionSet,
    /// How many assignments use it.
    pub assignments: u64,
}

/// A setting as a scope has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its key, such as `approval.required`.
    pub key: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// What it may be, such as `7, 14, 21 or 28`.
    pub allowed: &'static str,
    /// The value in force.
    pub value: String,
    /// Where that value comes from.
    pub source: SettingSource,
    /// Whether it holds for the whole server, whatever the scope.
    pub server: bool,
    /// Words to choose from; empty for free text.
    pub choices: &'static [&'static str],
    /// Whether the viewer may change it here; why not otherwise.
    pub change: Result<(), String>,
}

/// Where the value of a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// Nobody set it.
    Default,
    /// It was set here.
    Here,
    /// It was set in a scope above.
    Above(Scope),
    /// It holds for the whole server and was set there.
    Server,
}

/// Which lines of the audit log (`product 14`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// `user`: part of name or e-mail of who did it, without regard to case; `SYSTEM` for the server.
    pub user: String,
    /// `action`: the exact word.
    pub action: String,
    /// `resource`: the exact type, such as `token`.
    pub resource: String,
    /// `from`: first day, `2026-11-14`, UTC; none for seven days before `to`.
    pub from: Option<String>,
    /// `to`: last day; none for today.
    pub to: Option<String>,
    /// `before`: the line to continue behind.
    pub before: Option<String>,
    /// `all=true`: scopes below too.
    pub below: bool,
}

/// One page of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPage {
    /// Newest first, 100 at most.
    pub lines: Vec<AuditLine>,
    /// Continue here; none at the end.
    pub next: Option<String>,
    /// Every action there is, for the filter.
    pub actions: Vec<&'static str>,
    /// Every type of resource there is, for the filter.
    pub resources: Vec<&'static str>,
}

/// One line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// Unique.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// E-mail of who did it, `SYSTEM` for the server and for delegates.
    pub actor: String,
    /// What was done, such as `token.revoke`.
    pub action: String,
    /// Type of what it was done to, such as `token`.
    pub resource: String,
    /// Its name.
    pub name: String,
    /// Where; none for the whole server.
    pub scope: Option<Scope>,
    /// In one sentence.
    pub summary: String,
    /// Values before, by name; empty if there were none.
    pub before: BTreeMap<String, String>,
    /// Values after.
    pub after: BTreeMap<String, String>,
}

/// An embed key; never its value (`product 15.2`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedKey {
    /// Internal id, used in addresses.
    pub id: Arc<str>,
    /// What people call it.
    pub name: Arc<str>,
    /// Query of the page that it shows, such as `health=expired`; empty for the whole scope.
    pub filter: String,
    /// Sites that may frame it.
    pub origins: Vec<String>,
    /// Creation.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: String,
    /// End.
    pub expires_at: Option<Timestamp>,
    /// Revocation.
    pub revoked_at: Option<Timestamp>,
}

/// The viewer's own page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Me {
    /// Whether there is a password to change.
    pub has_password: bool,
    /// The widest assignments first.
    pub assignments: Vec<Assignment>,
    /// API keys, revoked ones excepted.
    pub keys: Vec<ApiKey>,
    /// Where one is signed in.
    pub sessions: Vec<Session>,
    /// Scopes that a key can be bound to.
    pub scopes: Vec<Scope>,
}

/// An API key; never its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Public part, used in addresses.
    pub id: Arc<str>,
    /// What its owner calls it.
    pub name: Arc<str>,
    /// What it is bound to.
    pub scope: Scope,
    /// Creation.
    pub created_at: Timestamp,
    /// End.
    pub expires_at: Option<Timestamp>,
    /// Newest use.
    pub last_used: Option<Timestamp>,
}

/// One place where somebody is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Whether it is the one of this request.
    pub current: bool,
    /// Sign-in.
    pub created_at: Timestamp,
    /// Newest request.
    pub last_seen: Timestamp,
    /// Browser, as it names itself; shortened.
    pub agent: String,
    /// From where.
    pub address: String,
}
