//! What people's browsers speak: pages, live updates, assets, probes.

pub mod catch_up;
pub mod done;
pub mod embed;
pub mod forms;
pub mod guard;
pub mod headers;
pub mod listen;
pub mod live;
pub mod metrics;
pub mod page;
pub mod parts;
pub mod patience;
pub mod port;
pub mod preferences;
pub mod probes;
pub mod refusal;
pub mod request_id;
pub mod scope;
pub mod shed;
pub mod statics;
pub mod timing;
pub mod tls;

use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use ipnet::IpNet;
use leptos::prelude::LeptosOptions;
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::auth::Identity;
use crate::auth::directory::Tables;
use crate::auth::oidc::Oidc;
use crate::auth::session::Auth;
use crate::clock::Clock;
use crate::config::Serve;
use crate::deeds::delegates::Delegates;
use crate::deeds::{Actor, DeedError};
use crate::reload::Look;
use crate::roster::Roster;
use crate::store::SharedStore;
use crate::store::access::Change;
use crate::tokens::book::TokenBook;
use crate::tokens::vault::Vault;

/// Open live streams; each costs a task and a socket, and one more browser must not cost the agents theirs.
const MAX_VIEWERS: usize = 10_000;

/// What handlers share; cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

/// What the state is made of.
pub struct Parts {
    /// The live fleet.
    pub roster: Arc<Roster>,
    /// The durable record.
    pub store: SharedStore,
    /// Delegate tokens.
    pub tokens: Arc<TokenBook>,
    /// Seals delegate tokens.
    pub vault: Arc<Vault>,
    /// Who signs in, and how.
    pub auth: Arc<Auth>,
    /// The identity provider, if one is set up.
    pub oidc: Option<Oidc>,
    /// Tells the time.
    pub clock: Clock,
    /// Times of answers.
    pub timing: timing::Timing,
    /// Counters of the agent protocol, and those times.
    pub registry: prometheus::Registry,
    /// Folder with scripts and styles.
    pub site: Option<PathBuf>,
    /// Asks for a look at what was changed in the store.
    pub look: Look,
    /// Ends live streams.
    pub stop: CancellationToken,
}

/// See [`AppState`].
pub struct Shared {
    parts: Parts,
    /// How pages refer to scripts and styles.
    pub leptos: LeptosOptions,
    /// Hosts besides loopback that pages may be asked under.
    pub allowed_hosts: Vec<String>,
    /// Whether browsers reach this server over TLS, here or at a proxy in front.
    pub tls: bool,
    /// The address that browsers use, if it was set.
    pub public_url: Option<String>,
    /// Repository of delegate images, if it was set.
    pub image_repository: Option<String>,
    /// Proxies whose word about the address of a caller counts.
    pub trusted_proxies: Vec<IpNet>,
    /// Places for live streams.
    pub viewers: Arc<Semaphore>,
    /// Live streams by person.
    pub viewers_of: parking_lot::Mutex<HashMap<Arc<str>, usize>>,
    /// Live parts of pages that viewers share.
    pub shared_parts: parts::Parts,
    /// How late work gets its turn.
    pub load: Arc<shed::Load>,
    /// The last look at the database.
    pub readiness: probes::Readiness,
    /// Deeds about access take turns, so that each rests on what the one before left.
    pub turn: Mutex<()>,
}

impl AppState {
    /// Puts the shared parts together.
    #[must_use]
    pub fn new(parts: Parts, config: &Serve) -> Self {
        // Tests build several servers in one process; the renderer wants to be told of its executor once.
        let _ = any_spawner::Executor::init_tokio();
        Self(Arc::new(Shared {
            leptos: statics::options(parts.site.as_deref()),
            allowed_hosts: config.hosts(),
            tls: config.over_tls(),
            public_url: config.public_url.clone(),
            image_repository: config.image_repository.clone(),
            trusted_proxies: config.trusted_proxies.clone(),
            viewers: Arc::new(Semaphore::new(MAX_VIEWERS)),
            viewers_of: parking_lot::Mutex::default(),
            shared_parts: parts::Parts::default(),
            load: Arc::default(),
            readiness: probes::Readiness::default(),
            turn: Mutex::default(),
            parts,
        }))
    }

    /// Does a deed about people, roles or keys: one at a time, by what everybody may do at that moment.
    ///
    /// # Errors
    /// It is refused, or nothing was stored.
    pub async fn deed<T>(
        &self,
        who: &Identity,
        request_id: &str,
        deed: impl FnOnce(&Tables, &Actor) -> Result<(T, Vec<Change>), DeedError>,
    ) -> Result<T, DeedError> {
        let _turn = self.turn.lock().await;
        let _alone = self.store.turn("access").await?;
        if self.store.is_shared() {
            self.auth.reload().await?;
        }
        let ended = || DeedError::Refused("Your session has ended; sign in again".to_owned());
        let who = self.auth.again(who).await.ok_or_else(ended)?;
        let (value, changes) = deed(&self.auth.directory.tables(), &Actor::person(&who, request_id))?;
        self.change_access(&changes).await?;
        Ok(value)
    }

    /// Makes changes to people, roles, sessions and keys, and lets every further request follow them.
    ///
    /// # Errors
    /// Nothing was changed.
    pub async fn change_access(&self, changes: &[Change]) -> Result<(), DeedError> {
        self.store.commit(changes).await?;
        if changes.iter().any(|change| matches!(change, Change::RemoveSessions { .. })) {
            self.auth.forget_all();
        }
        if let Err(error) = self.auth.directory.reload(&*self.store).await {
            // It is stored; the next look at the store brings it in.
            tracing::error!(%error, "people and roles cannot be read again");
        }
        Ok(())
    }

    /// What this actor does with delegates now.
    #[must_use]
    pub fn delegates<'a>(&'a self, actor: &'a Actor) -> Delegates<'a> {
        Delegates { roster: &self.roster, store: &self.store, actor, now: self.clock.now() }
    }

    /// Returns when what was just changed in the store holds here; see [`Look::taken`].
    pub async fn follow(&self) {
        self.look.taken().await;
    }

    /// The name of the identity provider, if one is set up.
    #[must_use]
    pub fn provider_name(&self) -> Option<String> {
        self.oidc.as_ref().map(|oidc| oidc.name().to_owned())
    }
}

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Deref for Shared {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}
