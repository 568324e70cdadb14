//! Tokens, deletions, people, roles, embed keys, and the viewer's own page.

use std::collections::BTreeMap;
use std::sync::Arc;

use app::port::PortError;
use app::port::access::{
    AccessPort, ApiKey, Assignment, AuditPage, AuditQuery, Deletion, Doors, EmbedKey, Me, People, Person,
    Role, Session, Setting, Setup, Token, TokenGroup, TokenUse,
};
use app::port::mirrors::{Mirror, Shown};
use async_trait::async_trait;
use fleet::access::{BuiltIn, Grants, Permission, Reach};
use fleet::policy::DeletedPolicy;
use fleet::scope::Scope;
use fleet::time::Timestamp;

use super::ViewerPort;
use crate::auth::Via;
use crate::auth::directory::Tables;
use crate::auth::secret;
use crate::deeds::people::manageable;
use crate::deeds::tokens::find;
use crate::deeds::{Actor, DeedError};
use crate::roster::TokenUser;
use crate::store::access::{AssignmentRow, Purpose, UserKind, UserRow};
use crate::store::{StoreError, TokenRow, TokenStatus};

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "a page cannot be read");
        Self(PortError::NotReady)
    }
}

/// An error on the way to a page.
struct Failed(PortError);

impl From<Failed> for PortError {
    fn from(failed: Failed) -> Self {
        failed.0
    }
}

impl From<DeedError> for Failed {
    fn from(error: DeedError) -> Self {
        Self(match error {
            DeedError::Denied(denial) => PortError::Denied(denial.to_string()),
            DeedError::Unknown(what) => PortError::Unknown(what),
            DeedError::Field { field, message } => PortError::BadParameter { field, message },
            DeedError::Refused(message) => PortError::Denied(message),
            DeedError::Unavailable => PortError::NotReady,
        })
    }
}

impl ViewerPort {
    /// People and keys with their last uses, for which nothing is read anew otherwise.
    async fn newest(&self) -> Arc<Tables> {
        let directory = &self.state.auth.directory;
        if let Err(error) = directory.reload(&*self.state.store).await {
            tracing::warn!(%error, "people and keys cannot be read again: a page shows older sign-ins and uses");
        }
        directory.tables()
    }

    fn describe(&self, row: &TokenRow, instances: u64) -> Token {
        let purge = self.state.roster.reference().keep.revoked_tokens;
        Token {
            id: Arc::clone(&row.id),
            name: Arc::clone(&row.name),
            active: row.status == TokenStatus::Active,
            created_at: row.created_at,
            created_by: row.created_by.as_deref().map(ToOwned::to_owned),
            revoke_after: row.revoke_after,
            revoked_at: row.revoked_at,
            purged_at: row.revoked_at.map(|at| at.plus(purge)),
            last_used: self.state.tokens.last_used(&row.id).max(row.last_used),
            instances,
        }
    }

    /// The groups that use a token, as far as the viewer sees them.
    fn users_of(&self, row: &TokenRow, grants: &Grants) -> Vec<TokenUser> {
        let mut used = self.state.roster.token_use(row.scope.account(), &row.id, self.state.clock.now());
        used.retain(|group| grants.see(&group.facts.scope, &group.facts.identifier));
        used
    }

    /// An assignment as the viewer sees it.
    fn assignment(tables: &Tables, row: &AssignmentRow, removable: bool) -> Assignment {
        Assignment {
            id: Arc::clone(&row.id),
            reach: row.reach.clone(),
            role: tables.role_name(&row.role),
            resources: row.resources.clone(),
            external: row.external,
            removable: removable && !row.external,
        }
    }

    fn person(&self, tables: &Tables, user: &UserRow, scope: &Scope) -> Option<Person> {
        let who = self.who().ok()?;
        let concerns = |row: &&AssignmentRow| match &row.reach {
            Reach::Server => true,
            Reach::Scope(own) => own.contains(scope) || scope.contains(own),
        };
        let mut assignments: Vec<Assignment> = tables
            .assignments_of(&user.id)
            .filter(concerns)
            .map(|row| {
                let mine = match &row.reach {
                    Reach::Server => who.grants.decide_for_server(Permission::UserManage).is_ok(),
                    Reach::Scope(own) => who.grants.allow(Permission::UserManage, own, None),
                };
                Self::assignment(tables, row, mine && user.id != who.id)
            })
            .collect();
        assignments.sort_by(|a, b| widest(&a.reach, &b.reach).then_with(|| a.role.cmp(&b.role)));
        (!assignments.is_empty()).then(|| Person {
            id: Arc::clone(&user.id),
            email: Arc::clone(&user.email),
            name: Arc::clone(&user.name),
            disabled: user.disabled,
            external: user.external_id.is_some(),
            service: user.kind == UserKind::Service,
            last_sign_in: user.last_sign_in,
            assignments,
            manage: manageable(tables, &Actor::person(who, ""), &user.id).map_err(|error| error.to_string()),
        })
    }

    fn assignable(tables: &Tables, scope: &Scope) -> Vec<Role> {
        let mut used: BTreeMap<&str, u64> = BTreeMap::new();
        for row in &tables.assignments {
            if matches!(&row.reach, Reach::Scope(own) if scope.contains(own)) {
                *used.entry(&*row.role).or_default() += 1;
            }
        }
        let built_in = BuiltIn::ALL.into_iter().map(|role| Role {
            id: role.as_str().into(),
            name: role.label().into(),
            scope: None,
            permissions: role.permissions(),
            assignments: used.get(role.as_str()).copied().unwrap_or(0),
        });
        let own = tables.roles.iter().filter(|role| role.scope.contains(scope)).map(|role| {
            let full = format!("{}@{}", role.id, role.scope);
            Role {
                assignments: used.get(&*full).copied().unwrap_or(0),
                id: if role.scope == *scope { Arc::clone(&role.id) } else { full.into() },
                name: Arc::clone(&role.name),
                scope: Some(role.scope.clone()),
                permissions: role.permissions,
            }
        });
        built_in.chain(own).collect()
    }

    fn known(&self, scope: &Scope) -> Result<(), PortError> {
        if self.state.roster.has_scope(scope) { Ok(()) } else { Err(PortError::UnknownScope(scope.clone())) }
    }
}

/// The widest first.
fn widest(a: &Reach, b: &Reach) -> std::cmp::Ordering {
    let depth = |reach: &Reach| match reach {
        Reach::Server => 0,
        Reach::Scope(scope) => 1 + scope.ancestors().count(),
    };
    depth(a).cmp(&depth(b)).then_with(|| a.cmp(b))
}

#[async_trait]
impl AccessPort for ViewerPort {
    async fn tokens(&self, scope: &Scope) -> Result<Vec<Token>, PortError> {
        self.grants(Permission::DelegateView, scope)?;
        self.known(scope)?;
        let rows = self.state.store.tokens().await.map_err(Failed::from)?;
        let grants = &self.who()?.grants;
        let counts =
            grants.see_all(scope).then(|| self.state.roster.token_counts(scope, self.state.clock.now()));
        let count = |row: &TokenRow| match &counts {
            Some(counts) => counts.get(&row.id).copied().unwrap_or(0),
            // Who does not see every delegate does not count them either.
            None => self.users_of(row, grants).iter().map(|group| group.instances).sum(),
        };
        let here = rows.iter().filter(|row| *row.scope == *scope);
        Ok(here.map(|row| self.describe(row, count(row))).collect())
    }

    async fn token(&self, scope: &Scope, id: &str) -> Result<TokenUse, PortError> {
        let grants = self.grants(Permission::DelegateView, scope)?;
        let actor = Actor::person(self.who()?, "");
        let row = find(&self.state.store, &actor, scope, id).await.map_err(Failed::from)?;
        let seen = self.users_of(&row, grants);
        let instances = seen.iter().map(|group| group.instances).sum();
        let groups = seen.into_iter().map(|group| TokenGroup {
            scope: (*group.facts.scope).clone(),
            name: Arc::clone(&group.facts.name),
            identifier: Arc::clone(&group.facts.identifier),
            instances: group.instances,
            connected: group.connected,
        });
        Ok(TokenUse { token: self.describe(&row, instances), groups: groups.collect() })
    }

    async fn deletion(
        &self,
        scope: &Scope,
        identifier: &str,
        instance: Option<&str>,
    ) -> Result<Deletion, PortError> {
        let who = self.who()?;
        let actor = Actor::person(who, "");
        let roster = &self.state.roster;
        let group = roster.group_id(scope, identifier).ok_or(PortError::Unknown("delegate"))?;
        let deeds = self.state.delegates(&actor);
        let found = deeds.deletion(scope, &group, instance).map_err(Failed::from)?;
        let reference = roster.reference();
        let instance = found.host_name.map(|host| (Arc::clone(&found.tombstone.instance), host));
        Ok(Deletion {
            scope: (*found.facts.scope).clone(),
            name: Arc::clone(&found.facts.name),
            identifier: Arc::clone(&found.facts.identifier),
            instance,
            instances: found.instances,
            connected: found.connected,
            connected_allowed: reference.delete_connected(&found.facts.scope),
            reappears: reference.deleted_policy(&found.facts.scope) == DeletedPolicy::Reappear,
        })
    }

    async fn people(&self, scope: &Scope) -> Result<People, PortError> {
        self.grants(Permission::UserManage, scope)?;
        self.known(scope)?;
        let tables = self.newest().await;
        let mut people: Vec<Person> =
            tables.users.values().filter_map(|user| self.person(&tables, user, scope)).collect();
        people.sort_by(|a, b| a.email.cmp(&b.email));
        let roles = Self::assignable(&tables, scope).into_iter().map(|role| Role {
            // The form adds the scope itself.
            id: role.id.split_once('@').map_or_else(|| Arc::clone(&role.id), |(id, _)| id.into()),
            ..role
        });
        Ok(People { people, roles: roles.collect() })
    }

    async fn roles(&self, scope: &Scope) -> Result<Vec<Role>, PortError> {
        self.grants(Permission::RoleManage, scope)?;
        self.known(scope)?;
        Ok(Self::assignable(&self.state.auth.directory.tables(), scope))
    }

    async fn settings(&self, scope: &Scope) -> Result<Vec<Setting>, PortError> {
        self.grants(Permission::DelegateView, scope)?;
        self.known(scope)?;
        self.list_settings(scope).await
    }

    async fn audit(&self, scope: &Scope, query: &AuditQuery) -> Result<AuditPage, PortError> {
        self.grants(Permission::AuditView, scope)?;
        self.known(scope)?;
        self.audit_page(scope, query).await
    }

    async fn mirrors(&self, scope: &Scope) -> Result<Vec<Mirror>, PortError> {
        self.grants(Permission::SettingManage, scope)?;
        self.known(scope)?;
        let rows = self.state.store.mirrors().await.map_err(Failed::from)?;
        let here = rows.into_iter().filter(|row| *row.account == *scope.account());
        let described = here.map(|row| {
            let told = self.state.roster.told(&row.id);
            Mirror {
                shown: told.map(|fleet| {
                    let (groups, instances) = fleet.size();
                    Shown { as_of: fleet.source.as_of, groups, instances }
                }),
                url: row.url.into(),
                scopes: row.scopes,
                created_by: row.created_by.map(Into::into),
                trouble: if row.trouble.is_some() { format!("{}.", row.detail) } else { String::new() },
                skipped: row.skipped,
                id: row.id,
                name: row.name,
            }
        });
        Ok(described.collect())
    }

    async fn embeds(&self, scope: &Scope) -> Result<Vec<EmbedKey>, PortError> {
        self.grants(Permission::EmbedManage, scope)?;
        self.known(scope)?;
        let tables = self.state.auth.directory.tables();
        let here = tables.embed_keys.iter().filter(|key| key.scope == *scope);
        Ok(here
            .map(|key| EmbedKey {
                id: Arc::clone(&key.id),
                name: Arc::clone(&key.name),
                filter: key.filter.to_string(),
                origins: key.origins.clone(),
                created_at: key.created_at,
                created_by: key.created_by.to_string(),
                expires_at: key.expires_at,
                revoked_at: key.revoked_at,
            })
            .collect())
    }

    async fn me(&self) -> Result<Me, PortError> {
        let who = self.who()?;
        if !who.is_session() {
            return Err(PortError::Denied(
                "This page is for people in a browser, not for an API key".to_owned(),
            ));
        }
        let tables = self.newest().await;
        let user = tables.users.get(&who.id).ok_or(PortError::Unknown("user"))?;
        let mut assignments: Vec<Assignment> =
            tables.assignments_of(&user.id).map(|row| Self::assignment(&tables, row, false)).collect();
        assignments.sort_by(|a, b| widest(&a.reach, &b.reach));
        let mine = |key: &&crate::store::access::ApiKeyRow| key.user == user.id && key.revoked_at.is_none();
        let mut keys: Vec<_> = tables.api_keys.values().filter(mine).collect();
        keys.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let sessions = self.state.store.sessions_of(&user.id).await.map_err(Failed::from)?;
        let now = self.state.clock.now();
        Ok(Me {
            has_password: user.password.is_some(),
            assignments,
            keys: keys
                .into_iter()
                .map(|key| ApiKey {
                    id: Arc::clone(&key.id),
                    name: Arc::clone(&key.name),
                    scope: key.scope.clone(),
                    created_at: key.created_at,
                    expires_at: key.expires_at,
                    last_used: self.state.auth.key_used(&key.id).max(key.last_used),
                })
                .collect(),
            sessions: sessions
                .into_iter()
                .filter(|session| crate::auth::session::is_live(session, now))
                .map(|session| Session {
                    current: who.via == Via::Session(Arc::clone(&session.hash)),
                    created_at: session.created_at,
                    last_seen: session.last_seen,
                    agent: session.agent.into(),
                    address: session.address.into(),
                })
                .collect(),
            scopes: self.reachable_scopes().into_iter().filter(|scope| who.grants.see_any(scope)).collect(),
        })
    }

    async fn doors(&self) -> Doors {
        let provider = self.state.provider_name();
        let tables = self.state.auth.directory.tables();
        Doors { empty: !tables.anybody(provider.is_some()), provider }
    }

    async fn setup(&self, code: &str) -> Option<Setup> {
        let link = self.state.store.link(&secret::hash(code)).await.ok()??;
        let now: Timestamp = self.state.clock.now();
        let first = !self.state.auth.directory.tables().anybody(false);
        let open = first && link.purpose == Purpose::Setup && link.expires_at > now;
        open.then(|| Setup {
            accounts: self.state.roster.accounts().iter().map(ToString::to_string).collect(),
        })
    }
}
