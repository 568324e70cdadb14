//! Puts the parts together, runs them, and takes them apart in order.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::agent::metrics::AgentMetrics;
use crate::agent::{AgentParts, AgentSettings, AgentState};
use crate::auth::oidc::Oidc;
use crate::auth::session::Auth;
use crate::clock::Clock;
use crate::command::CommandError;
use crate::config::Config;
use crate::jobs::{self, Chores};
use crate::mirror::Mirrors;
use crate::reload::{Look, Reloader};
use crate::roster::{Limits, Roster, RosterParts};
use crate::routes;
use crate::store::SharedStore;
use crate::tokens::book::{EXP_LEEWAY_SECONDS, TokenBook};
use crate::tokens::vault::Vault;
use crate::web::listen::{self, Listening};
use crate::web::timing::Timing;
use crate::web::tls::{Certificates, Exchange, TlsFiles};
use crate::web::{self, AppState};

/// How long open requests may take to end after a signal; agents give up after 28 s without a listener.
const DRAIN: Duration = Duration::from_secs(10);

/// A server that is ready to run.
pub struct Application {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsFiles>,
    parts: Parts,
}

/// Everything behind the listener; tests use it without one.
pub struct Parts {
    /// All routes.
    pub router: Router,
    /// What the routes of people and tools share.
    pub state: AppState,
    /// The live fleet.
    pub roster: Arc<Roster>,
    /// Delegate tokens.
    pub tokens: Arc<TokenBook>,
    /// The durable record.
    pub store: SharedStore,
    /// Reads the servers whose delegates are shown here.
    pub mirrors: Arc<Mirrors>,
    /// Path in front of agent paths.
    pub agent_prefix: Option<Arc<str>>,
    stop: CancellationToken,
    stop_writer: CancellationToken,
    flusher: JoinHandle<()>,
    jobs: Vec<JoinHandle<()>>,
}

impl Parts {
    /// Loads everything and starts the flusher and the jobs.
    ///
    /// # Errors
    /// The store cannot be read, or the site folder is not there.
    pub async fn build(
        config: &Config,
        store: SharedStore,
        vault: Arc<Vault>,
        clock: Clock,
    ) -> Result<Self, CommandError> {
        let stop = CancellationToken::new();
        let stop_writer = CancellationToken::new();
        let tokens = Arc::new(TokenBook::new(EXP_LEEWAY_SECONDS));
        let auth = Arc::new(Auth::start(Arc::clone(&store), clock.clone()).await?);
        let (look, asked) = Look::new();
        let (reloader, reference) = Reloader::start(
            Arc::clone(&store),
            Arc::clone(&tokens),
            Arc::clone(&vault),
            Arc::clone(&auth),
            asked,
            clock.clone(),
        )
        .await?;
        let roster_parts = RosterParts {
            store: Arc::clone(&store),
            tokens: Arc::clone(&tokens),
            clock: clock.clone(),
            reference,
            limits: Limits::default(),
            stop: stop_writer.clone(),
        };
        let (roster, flusher) = Roster::start(roster_parts).await?;
        let registry = prometheus::Registry::new();
        let agent = AgentState::new(AgentParts {
            roster: Arc::clone(&roster),
            tokens: Arc::clone(&tokens),
            clock: clock.clone(),
            settings: AgentSettings {
                image_repository: config.serve.image_repository.clone(),
                trusted_proxies: config.serve.trusted_proxies.clone(),
                ..AgentSettings::default()
            },
            metrics: AgentMetrics::new(&registry)?,
            shutdown: stop.clone(),
        });
        let assets = find_site(config.serve.site.as_deref())?;
        if assets.is_none() {
            tracing::warn!(
                "no folder site with scripts and styles beside the program: pages come bare; run: make build"
            );
        }
        let oidc = |settings| Oidc::new(settings, clock.clone(), Arc::clone(&vault));
        let oidc = config.serve.oidc.clone().map(oidc).transpose()?;
        let parts = web::Parts {
            roster: Arc::clone(&roster),
            store: Arc::clone(&store),
            tokens: Arc::clone(&tokens),
            vault: Arc::clone(&vault),
            auth: Arc::clone(&auth),
            oidc,
            clock: clock.clone(),
            timing: Timing::new(&registry)?,
            registry,
            site: assets,
            look,
            stop: stop.clone(),
        };
        let state = AppState::new(parts, &config.serve);
        let chores = Chores {
            roster: Arc::clone(&roster),
            store: Arc::clone(&store),
            tokens: Arc::clone(&tokens),
            agent: agent.clone(),
            clock: clock.clone(),
        };
        let mirrors = Arc::new(Mirrors::new(Arc::clone(&roster), Arc::clone(&store), vault, clock.clone()));
        reloader.announce().await?;
        let jobs = vec![
            tokio::spawn(reloader.run(Arc::clone(&roster), stop.clone())),
            tokio::spawn(jobs::settle::run(Arc::clone(&roster), clock.clone(), stop.clone())),
            tokio::spawn(jobs::run(Arc::clone(&roster), clock, stop.clone())),
            tokio::spawn(chores.run(stop.clone())),
            tokio::spawn(Arc::clone(&mirrors).run(stop.clone())),
            tokio::spawn({
                let (load, stop) = (Arc::clone(&state.load), stop.clone());
                async move { load.measure(stop).await }
            }),
        ];
        let agent_prefix = config.serve.agent_prefix.as_deref().map(Arc::from);
        Ok(Self {
            mirrors,
            router: routes::table(state.clone(), agent),
            state,
            roster,
            tokens,
            store,
            agent_prefix,
            stop,
            stop_writer,
            flusher,
            jobs,
        })
    }

    /// Ends jobs and streams, writes what is left, closes the store.
    pub async fn shut_down(self) {
        self.stop.cancel();
        for job in self.jobs {
            // A job that failed has said so; there is nothing left to do for it.
            let _ = job.await;
        }
        self.stop_writer.cancel();
        let _ = self.flusher.await;
        self.store.close().await;
    }
}

impl Application {
    /// Loads everything, then listens: agents that find the door open are served (`agent-protocol 6`).
    ///
    /// # Errors
    /// The parts cannot be built, or the address is taken.
    pub async fn build(
        config: &Config,
        store: SharedStore,
        vault: Arc<Vault>,
        clock: Clock,
    ) -> Result<Self, CommandError> {
        let tls = config.serve.tls.clone().map(|(cert, key)| TlsFiles { cert, key });
        if let Some(files) = tls.clone() {
            // Before anything listens: files that cannot be used end the start with their name.
            Certificates::open(files)?;
        }
        let parts = Parts::build(config, store, vault, clock).await?;
        let listener = TcpListener::bind(config.serve.listen)
            .await
            .map_err(|error| format!("listen: {}: {error}", config.serve.listen))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, tls, parts })
    }

    /// Where it listens; tells the port that was asked for as 0.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until SIGINT or SIGTERM, then drains.
    ///
    /// # Errors
    /// The listener failed.
    pub async fn run_until_signal(self) -> Result<(), CommandError> {
        self.run(signal()).await
    }

    /// Serves until `ended`, then drains.
    ///
    /// # Errors
    /// The listener failed.
    pub async fn run(self, ended: impl Future<Output = ()> + Send + 'static) -> Result<(), CommandError> {
        let Self { listener, address, tls, parts } = self;
        tracing::info!(%address, "listening");
        let draining = parts.stop.clone();
        let prefix = parts.agent_prefix.clone();
        let service = parts.router.clone().map_request(crate::agent::path::rewrite(prefix.as_deref()));
        let ended = async move {
            ended.await;
            tracing::info!("stopping");
            draining.cancel();
        };
        let exchange = tls.map(Exchange::open).transpose()?;
        let tls = exchange.as_ref().map(|exchange| exchange.acceptor.clone());
        let listening = Listening { listener, tls, service, limit: listen::room(), drain: DRAIN };
        let watch = async {
            match &exchange {
                Some(exchange) => exchange.watch().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = listening.serve(ended) => {}
            () = watch => {}
        }
        parts.shut_down().await;
        Ok(())
    }
}

async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let terminate = async {
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(error) => {
                tracing::error!(%error, "SIGTERM cannot be caught");
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminate => {}
    }
}

/// The folder with scripts and styles: the one that was named, else `site` beside the program or one level up, where
/// a build leaves it.
///
/// # Errors
/// The named folder is none, or the program's own place is unknown.
pub fn find_site(named: Option<&Path>) -> Result<Option<PathBuf>, CommandError> {
    if let Some(site) = named {
        return if site.join("pkg").is_dir() {
            Ok(Some(site.to_owned()))
        } else {
            Err(format!("site: {} holds no folder pkg; build it with: make build", site.display()).into())
        };
    }
    let program = std::env::current_exe()?;
    let around = program.ancestors().skip(1).take(2).map(|folder| folder.join("site"));
    let found = around.into_iter().find(|site| site.join("pkg").is_dir());
    Ok(found)
}
