//! What the store keeps of people, keys and deeds; see [`AccessStore`].

pub(super) mod adapter;
pub(super) mod decode;
pub(super) mod request;
mod rows;
mod saved;
pub(super) mod sql;
mod step;

use std::sync::Arc;

use async_trait::async_trait;
use fleet::delegate::Approval;
use fleet::scope::Scope;
use fleet::time::Timestamp;

pub use self::rows::{
    ApiKeyRow, AssignmentRow, AuditFound, AuditRow, AuditWanted, DeedsWanted, EmbedKeyRow, LinkRow, Purpose,
    RoleRow, SavedFilterRow, SessionRow, UserKind, UserRow,
};
use super::mirrors::MirrorChange;
use super::{StoreError, TokenRow, Tombstone};

/// People, roles, keys, sessions, and what was done. Everything is changed through [`AccessStore::commit`], so that
/// a deed and its line in the audit log are written together or not at all.
#[async_trait]
pub trait AccessStore: Send + Sync + 'static {
    /// Makes all changes in one transaction, in their order. Calls `done` once they are durable and before it waits for
    /// other nodes: what these go on to do comes later in memory, too.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when a name is taken, [`StoreError::Missing`] when what is to be changed is not there;
    /// then nothing is changed.
    async fn commit_then(
        &self,
        changes: &[Change],
        done: &mut (dyn FnMut() + Send),
    ) -> Result<(), StoreError>;

    /// The same for changes that memory need not follow, or reads anew.
    ///
    /// # Errors
    /// As [`AccessStore::commit_then`].
    async fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.commit_then(changes, &mut || {}).await
    }

    /// Everything that decides about access, sessions and links excepted.
    async fn access(&self) -> Result<AccessTables, StoreError>;

    /// The session of a hash.
    async fn session(&self, hash: &str) -> Result<Option<SessionRow>, StoreError>;

    /// The sessions of somebody, newest first.
    async fn sessions_of(&self, user: &str) -> Result<Vec<SessionRow>, StoreError>;

    /// The link of a hash.
    async fn link(&self, hash: &str) -> Result<Option<LinkRow>, StoreError>;

    /// Lines of the audit log, newest first: deeds of people and of the server, and what delegates did.
    async fn audit(&self, wanted: &AuditWanted) -> Result<Vec<AuditFound>, StoreError>;

    /// What people did to one delegate and its instances, newest first.
    async fn deeds_on(&self, wanted: &DeedsWanted<'_>) -> Result<Vec<AuditFound>, StoreError>;
}

/// One change; see [`AccessStore::commit`].
#[derive(Clone, Debug)]
pub enum Change {
    /// Inserts a person. [`StoreError::Exists`] if the e-mail is another one's.
    InsertUser(UserRow),
    /// Gives somebody another password. [`StoreError::Missing`] if they are shut out.
    SetPassword {
        /// Who.
        user: Arc<str>,
        /// Argon2id in PHC form.
        hash: Box<str>,
    },
    /// Shuts somebody out or lets them in. [`StoreError::Missing`] if that is so already.
    SetDisabled {
        /// Who.
        user: Arc<str>,
        /// Out, or in.
        disabled: bool,
    },
    /// Ties somebody to the identity provider.
    SetExternalId {
        /// Who.
        user: Arc<str>,
        /// Issuer and subject.
        external_id: Box<str>,
    },
    /// Notes a sign-in.
    NoteSignIn {
        /// Who.
        user: Arc<str>,
        /// When.
        at: Timestamp,
    },
    /// Inserts a role. [`StoreError::Exists`] if its scope has one of that word.
    InsertRole(RoleRow),
    /// Replaces name and permissions of the role of this scope and word. [`StoreError::Missing`] if there is none.
    ChangeRole(RoleRow),
    /// Removes a role and its assignments.
    RemoveRole {
        /// Where it was made.
        scope: Scope,
        /// Its word.
        id: Arc<str>,
    },
    /// Inserts an assignment. [`StoreError::Missing`] if its custom role does not exist.
    PutAssignment(AssignmentRow),
    /// Removes an assignment by id.
    RemoveAssignment(Arc<str>),
    /// Inserts an API key.
    InsertApiKey(ApiKeyRow),
    /// Revokes an API key. [`StoreError::Missing`] if it is revoked already.
    RevokeApiKey {
        /// Its id.
        id: Arc<str>,
        /// When.
        at: Timestamp,
    },
    /// Notes a use of an API key.
    TouchApiKey {
        /// Its id.
        id: Arc<str>,
        /// When.
        at: Timestamp,
    },
    /// Inserts an embed key.
    InsertEmbedKey(EmbedKeyRow),
    /// Revokes an embed key. [`StoreError::Missing`] if it is revoked already.
    RevokeEmbedKey {
        /// Its id.
        id: Arc<str>,
        /// When.
        at: Timestamp,
    },
    /// Inserts a saved filter. [`StoreError::Exists`] if its owner has one of that name in that scope.
    InsertSavedFilter(SavedFilterRow),
    /// Replaces name, visibility and query of the filter of this id, and notes the change. [`StoreError::Missing`] if it
    /// is gone, [`StoreError::Exists`] as before.
    ChangeSavedFilter(SavedFilterRow),
    /// Removes a saved filter by id. [`StoreError::Missing`] if it is gone.
    RemoveSavedFilter(Arc<str>),
    /// Inserts a session.
    PutSession(SessionRow),
    /// Notes the newest request of a session; passed over if it is gone.
    TouchSession {
        /// Its hash.
        hash: Arc<str>,
        /// When.
        at: Timestamp,
    },
    /// Ends a session; passed over if it is gone.
    RemoveSession(Arc<str>),
    /// Ends every session of somebody, except one, and every link that signs them in.
    RemoveSessions {
        /// Whose.
        user: Arc<str>,
        /// The hash of the one that stays; empty for none.
        except: Arc<str>,
    },
    /// Ends sessions that were created or seen last before these instants.
    ExpireSessions {
        /// Absolute limit.
        created_before: Timestamp,
        /// Idle limit.
        seen_before: Timestamp,
    },
    /// Inserts a link; links that are out of date by `now` go.
    PutLink(LinkRow, Timestamp),
    /// Uses a link up. [`StoreError::Missing`] if it is gone or out of date.
    TakeLink {
        /// Its hash.
        hash: Arc<str>,
        /// Now.
        at: Timestamp,
    },
    /// Adds a delegate token.
    InsertToken(TokenRow),
    /// Revokes an active token by id. [`StoreError::Missing`] otherwise.
    RevokeToken {
        /// Internal id.
        id: Arc<str>,
        /// When.
        at: Timestamp,
    },
    /// Removes a revoked token by id. [`StoreError::Missing`] otherwise.
    RemoveToken(Arc<str>),
    /// Keeps a token under another master key, if it is still sealed as it `was`. Counts as no change of tokens: what
    /// they are stays the same.
    ResealToken {
        /// Internal id.
        id: Arc<str>,
        /// As it was read.
        was: Box<[u8]>,
        /// As it is to be.
        sealed: Box<[u8]>,
    },
    /// Sets a setting or, without a value, removes it. No scope is the whole server.
    PutSetting {
        /// Where.
        scope: Option<Scope>,
        /// Its key.
        key: String,
        /// Its value.
        value: Option<String>,
        /// When.
        at: Timestamp,
    },
    /// Makes a catalog document the current one.
    PutCatalog {
        /// JSON.
        document: String,
        /// When.
        at: Timestamp,
    },
    /// Deletes a group or instance. [`StoreError::Missing`] if it is deleted already.
    Bury(Tombstone),
    /// Lifts a deletion. [`StoreError::Missing`] if it was lifted already.
    Lift(Tombstone),
    /// Sets the approval of a group, which the fleet's own writes never touch once the group is stored.
    SetApproval {
        /// Account identifier.
        account: Arc<str>,
        /// Internal id of the group.
        group: Arc<str>,
        /// What it must be. [`StoreError::Missing`] otherwise.
        from: Approval,
        /// What it becomes.
        to: Approval,
    },
    /// Replaces the custom tags of a group, until the next registration of a member. [`StoreError::Missing`] if there is no
    /// such group.
    SetTags {
        /// Account identifier.
        account: Arc<str>,
        /// Internal id of the group.
        group: Arc<str>,
        /// As they are kept: clean, the implicit tag not among them.
        tags: Vec<String>,
    },
    /// Marks a group as updated by hand on purpose, or ends that; the fleet's own writes never touch it once the group
    /// is stored. [`StoreError::Missing`] if that is so already.
    SetByChoice {
        /// Account identifier.
        account: Arc<str>,
        /// Internal id of the group.
        group: Arc<str>,
        /// By hand, or not.
        by_choice: bool,
    },
    /// Changes a mirror.
    Mirror(MirrorChange),
    /// Adds a line to the audit log.
    Audit(AuditRow),
    /// Removes lines of the audit log from before this instant.
    PurgeAudit(Timestamp),
}

/// Everything that decides about access.
#[derive(Clone, Debug, Default)]
pub struct AccessTables {
    /// By e-mail.
    pub users: Vec<UserRow>,
    /// By scope and id.
    pub roles: Vec<RoleRow>,
    /// By creation.
    pub assignments: Vec<AssignmentRow>,
    /// By creation.
    pub api_keys: Vec<ApiKeyRow>,
    /// By creation.
    pub embed_keys: Vec<EmbedKeyRow>,
    /// By creation.
    pub saved_filters: Vec<SavedFilterRow>,
}

impl AccessTables {
    /// Databases sort text by their own rules, so it is done here.
    pub(super) fn sort(&mut self) {
        self.users.sort_unstable_by(|a, b| a.email.cmp(&b.email));
        self.roles.sort_unstable_by(|a, b| (&a.scope, &a.id).cmp(&(&b.scope, &b.id)));
        self.assignments.sort_unstable_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        self.api_keys.sort_unstable_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        self.saved_filters.sort_unstable_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        self.embed_keys.sort_unstable_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    }
}
