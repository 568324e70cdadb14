//! What people's browsers speak: pages, live updates, assets, probes.

pub mod guard;
pub mod headers;
pub mod live;
pub mod metrics;
pub mod page;
pub mod port;
pub mod preferences;
pub mod probes;
pub mod request_id;
pub mod scope;
pub mod statics;

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use app::port::SharedPort;
use leptos::prelude::LeptosOptions;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Config;
use crate::roster::Roster;
use crate::store::SharedStore;

/// Open live streams; each costs a task and a socket, and one more browser must not cost the agents theirs.
const MAX_VIEWERS: usize = 10_000;

/// What handlers share; cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

/// See [`AppState`].
pub struct Shared {
    /// The live fleet.
    pub roster: Arc<Roster>,
    /// The durable record, for readiness.
    pub store: SharedStore,
    /// Tells the time.
    pub clock: Clock,
    /// Counters of the agent protocol.
    pub registry: prometheus::Registry,
    /// What pages ask.
    pub port: SharedPort,
    /// Folder with scripts and styles.
    pub site: Option<PathBuf>,
    /// How pages refer to scripts and styles.
    pub leptos: LeptosOptions,
    /// Hosts besides loopback that pages may be asked under.
    pub allowed_hosts: Vec<String>,
    /// Places for live streams.
    pub viewers: Arc<Semaphore>,
    /// The last look at the database.
    pub readiness: probes::Readiness,
    /// Ends live streams.
    pub stop: CancellationToken,
}

impl AppState {
    /// Puts the shared parts together.
    pub fn new(
        roster: Arc<Roster>,
        store: SharedStore,
        clock: Clock,
        registry: prometheus::Registry,
        site: Option<PathBuf>,
        config: &Config,
        stop: CancellationToken,
    ) -> Self {
        // Tests build several servers in one process; the renderer wants to be told of its executor once.
        let _ = any_spawner::Executor::init_tokio();
        Self(Arc::new(Shared {
            port: Arc::new(port::RosterPort::new(Arc::clone(&roster), clock.clone())),
            roster,
            store,
            clock,
            registry,
            leptos: statics::options(site.as_deref()),
            site,
            allowed_hosts: config.serve.allowed_hosts.clone(),
            viewers: Arc::new(Semaphore::new(MAX_VIEWERS)),
            readiness: probes::Readiness::default(),
            stop,
        }))
    }
}

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
