//! Sessions: a random secret in a cookie, its hash in the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use fleet::time::{DAY, HOUR, MINUTE, Timestamp};
use quick_cache::sync::Cache;
use zeroize::Zeroizing;

use super::directory::Directory;
use super::limiter::{Limiter, Rate};
use super::password::Passwords;
use super::{AuthError, Identity, Via, embed_key, secret};
use crate::clock::Clock;
use crate::store::access::{Change, SessionRow, UserKind, UserRow};
use crate::store::{SharedStore, StoreError};

/// A session ends when nothing was asked for so long.
pub const IDLE: i64 = 12 * HOUR;
/// A session ends so long after sign-in, whatever happens.
pub const ABSOLUTE: i64 = 7 * DAY;
/// How exactly the newest request is kept in the store.
const TOUCH_EVERY: i64 = MINUTE;
/// Sessions that are remembered without asking the store.
const REMEMBERED: usize = 20_000;
/// Sign-ins that are tried with one name from one address.
const BY_PAIR: Rate = Rate { burst: 5, every: 30_000 };
/// Sign-ins that are tried with one name from anywhere.
const BY_USER: Rate = Rate { burst: 50, every: 5_000 };
/// Sign-ins that are tried from one address.
const BY_ADDRESS: Rate = Rate { burst: 30, every: 5_000 };
/// Requests of one person: many tabs that are kept fresh fit in, a loop does not.
const BY_PERSON: Rate = Rate { burst: 5_000, every: 5 };
/// Requests for embedded pages from one network: a company behind one address reads them by the hundred.
const FRAMES: Rate = Rate { burst: 600, every: 50 };
/// Names and addresses that are remembered.
const TRIED: usize = 20_000;

/// Everything that sign-in works with.
pub struct Auth {
    /// Where sessions are kept.
    pub store: SharedStore,
    /// Tells the time.
    pub clock: Clock,
    /// Everybody.
    pub directory: Directory,
    /// Makes and checks hashes.
    pub passwords: Passwords,
    /// Requests with one API key.
    pub(super) key_rate: parking_lot::RwLock<Option<Arc<Limiter>>>,
    pub(super) touched_keys: Cache<Arc<str>, i64>,
    /// Requests for embedded pages, by address.
    pub frames: Limiter,
    sessions: Cache<Arc<str>, Arc<Known>>,
    by_person: Limiter,
    by_pair: Limiter,
    by_user: Limiter,
    by_address: Limiter,
}

#[derive(Debug)]
struct Known {
    row: SessionRow,
    last_seen: AtomicI64,
    stored: AtomicI64,
}

impl Known {
    fn lives(&self, now: Timestamp) -> bool {
        lives(self.row.created_at, self.last_seen(), now)
    }

    fn last_seen(&self) -> Timestamp {
        Timestamp::from_millis(self.last_seen.load(Ordering::Relaxed))
    }

    fn ends(&self) -> Ends {
        Ends { idle: self.last_seen().plus(IDLE), latest: self.row.created_at.plus(ABSOLUTE) }
    }
}

/// When a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// If nothing more is asked for.
    pub idle: Timestamp,
    /// Whatever happens.
    pub latest: Timestamp,
}

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// E-mail or password is wrong, or the person is shut out: nobody learns which.
    #[error("E-mail or password is not right.")]
    Wrong,
    /// Too many tries.
    #[error("Too many tries. The next one is possible in {} s.", seconds(*.0))]
    TooMany(i64),
    /// The store cannot be read or written.
    #[error("Sign-in does not work at the moment. Try again in a minute.")]
    Unavailable,
}

const fn seconds(millis: i64) -> i64 {
    millis / 1_000 + if millis % 1_000 > 0 { 1 } else { 0 }
}

/// What counts as one address: a single IPv4 address, a /64 of IPv6, which one machine has to itself.
fn network(address: &str) -> String {
    match address.parse() {
        Ok(std::net::IpAddr::V6(v6)) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        _ => address.to_owned(),
    }
}

/// Whether a session still counts.
#[must_use]
pub fn is_live(session: &SessionRow, now: Timestamp) -> bool {
    lives(session.created_at, session.last_seen, now)
}

const fn lives(created_at: Timestamp, last_seen: Timestamp, now: Timestamp) -> bool {
    last_seen.age(now) <= IDLE && created_at.age(now) <= ABSOLUTE
}

/// Whether somebody may sign in: people who are not shut out. Service accounts have keys only.
#[must_use]
pub fn may_enter(user: &UserRow) -> bool {
    !user.disabled && user.kind == UserKind::Person
}

/// Where a sign-in comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Address, empty if unknown.
    pub address: String,
    /// Browser, as it names itself.
    pub agent: String,
}

impl Auth {
    /// Reads everybody.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn start(store: SharedStore, clock: Clock) -> Result<Self, StoreError> {
        let directory = Directory::default();
        directory.reload(&*store).await?;
        Ok(Self {
            store,
            clock,
            directory,
            passwords: Passwords::default(),
            key_rate: parking_lot::RwLock::default(),
            touched_keys: Cache::new(TRIED),
            frames: Limiter::new(FRAMES, TRIED),
            sessions: Cache::new(REMEMBERED),
            by_person: Limiter::new(BY_PERSON, TRIED),
            by_pair: Limiter::new(BY_PAIR, TRIED),
            by_user: Limiter::new(BY_USER, TRIED),
            by_address: Limiter::new(BY_ADDRESS, TRIED),
        })
    }

    /// Takes over what another process changed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn reload(&self) -> Result<(), StoreError> {
        self.directory.reload(&*self.store).await?;
        self.sessions.clear();
        Ok(())
    }

    /// Limits requests with one API key to so many a minute; 0 is no limit.
    pub fn limit_keys(&self, per_minute: u32) {
        let limiter = (per_minute > 0)
            .then(|| Rate { burst: per_minute, every: (MINUTE / i64::from(per_minute)).max(1) })
            .map(|rate| Arc::new(Limiter::new(rate, TRIED)));
        *self.key_rate.write() = limiter;
    }

    /// Who signs in with e-mail and password.
    ///
    /// # Errors
    /// [`SignInError`].
    pub async fn check_password(
        &self,
        email: &str,
        password: Zeroizing<String>,
        origin: &Origin,
    ) -> Result<UserRow, SignInError> {
        let now = self.clock.now();
        let name = email.trim().to_lowercase();
        let address = network(&origin.address);
        let pair = (&name, &address);
        let failed_before = self.by_pair.is_used(&pair, now);
        let (address, own) = (self.by_address.take(&address, now), self.by_pair.take(&pair, now));
        if let Some(wait) = address.err().max(own.err()) {
            return Err(SignInError::TooMany(wait));
        }
        // However many others try this name: an address that has not failed is heard.
        let by_name = self.by_user.take(&name, now);
        if failed_before {
            by_name.map_err(SignInError::TooMany)?;
        }
        let user = self.directory.tables().by_email(&name).filter(|user| may_enter(user)).cloned();
        let hash = user.as_ref().and_then(|user| user.password.clone());
        let fits = self.passwords.verify(password, hash).await.map_err(|_| SignInError::Unavailable)?;
        match user {
            Some(user) if fits => {
                self.by_pair.forgive(&pair);
                self.by_user.forgive(&name);
                Ok(user)
            }
            _ => Err(SignInError::Wrong),
        }
    }

    /// A new session: the secret for the cookie, and the change that stores it.
    #[must_use]
    pub fn new_session(&self, user: &UserRow, origin: &Origin) -> (Zeroizing<String>, Vec<Change>) {
        let now = self.clock.now();
        let secret = secret::random();
        let row = SessionRow {
            hash: secret::hash(&secret).into(),
            user: Arc::clone(&user.id),
            created_at: now,
            last_seen: now,
            agent: origin.agent.chars().take(200).collect::<String>().into(),
            address: origin.address.clone().into(),
        };
        (secret, vec![Change::PutSession(row), Change::NoteSignIn { user: Arc::clone(&user.id), at: now }])
    }

    /// The same caller, unless they ask for more than a person can look at.
    ///
    /// # Errors
    /// [`AuthError::TooMany`].
    pub fn paced(&self, who: Identity) -> Result<Identity, AuthError> {
        let taken = self.by_person.take(&who.id, self.clock.now());
        taken.map(|()| who).map_err(AuthError::too_many)
    }

    /// Who comes with this cookie.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn session(&self, secret: &str) -> Result<Identity, AuthError> {
        self.session_of(secret::hash(secret).into()).await
    }

    async fn session_of(&self, hash: Arc<str>) -> Result<Identity, AuthError> {
        let now = self.clock.now();
        // One that looks ended may have been used on another node.
        let known = match self.sessions.get(&hash).filter(|known| known.lives(now)) {
            Some(known) => known,
            None => self.read_session(&hash).await?,
        };
        if !known.lives(now) {
            self.sessions.remove(&hash);
            return Err(AuthError::SessionEnded);
        }
        known.last_seen.fetch_max(now.millis(), Ordering::Relaxed);
        self.touch(&known, now).await;
        let identity = self.identity(&known.row.user, Via::Session(hash)).ok_or(AuthError::SessionEnded)?;
        Ok(Identity { ends: Some(known.ends()), ..identity })
    }

    async fn read_session(&self, hash: &Arc<str>) -> Result<Arc<Known>, AuthError> {
        let found = self.store.session(hash).await.map_err(|error| {
            tracing::error!(%error, "a session cannot be read");
            AuthError::Unavailable
        })?;
        let row = found.ok_or(AuthError::SessionEnded)?;
        let seen = row.last_seen.millis();
        let known = Arc::new(Known { row, last_seen: AtomicI64::new(seen), stored: AtomicI64::new(seen) });
        self.sessions.insert(Arc::clone(hash), Arc::clone(&known));
        Ok(known)
    }

    /// Somebody, if they exist and are not shut out.
    #[must_use]
    pub fn identity(&self, user: &str, via: Via) -> Option<Identity> {
        let tables = self.directory.tables();
        let row = tables.users.get(user).filter(|user| !user.disabled)?;
        let name = if row.name.is_empty() { &row.email } else { &row.name };
        Some(Identity {
            id: Arc::clone(&row.id),
            email: Arc::clone(&row.email),
            name: Arc::clone(name),
            grants: tables.grants(user),
            via,
            ends: None,
        })
    }

    /// The same caller as they are now; none when their session or key does not count any more.
    pub async fn again(&self, who: &Identity) -> Option<Identity> {
        match &who.via {
            Via::Session(hash) => self.session_of(Arc::clone(hash)).await.ok(),
            Via::Key(id) => {
                let tables = self.directory.tables();
                let now = self.clock.now();
                let row = tables.api_keys.get(id)?;
                let open = row.revoked_at.is_none() && row.expires_at.is_none_or(|end| end > now);
                let identity = open.then(|| self.identity(&row.user, who.via.clone())).flatten()?;
                Some(Identity { grants: identity.grants.within(&row.scope), ..identity })
            }
            Via::Embed(id) => {
                let tables = self.directory.tables();
                let row = tables.embed_keys.iter().find(|row| row.id == *id)?;
                embed_key::is_open(row, self.clock.now()).then(|| embed_key::identity(row))
            }
            Via::Rights => None,
        }
    }

    /// Newest use of an API key, as far as this process saw it.
    #[must_use]
    pub fn key_used(&self, id: &Arc<str>) -> Option<Timestamp> {
        self.touched_keys.get(id).map(Timestamp::from_millis)
    }

    /// Forgets a session at once.
    pub fn forget(&self, hash: &str) {
        self.sessions.remove(hash);
    }

    /// Forgets everything that is remembered of sessions.
    pub fn forget_all(&self) {
        self.sessions.clear();
    }

    /// Keeps the newest request of a session, once a minute. That this fails must not turn anybody away.
    async fn touch(&self, known: &Known, now: Timestamp) {
        let stored = known.stored.load(Ordering::Relaxed);
        if now.millis() - stored < TOUCH_EVERY
            || known
                .stored
                .compare_exchange(stored, now.millis(), Ordering::Relaxed, Ordering::Relaxed)
                .is_err()
        {
            return;
        }
        let touch = Change::TouchSession { hash: Arc::clone(&known.row.hash), at: now };
        if let Err(error) = self.store.commit(&[touch]).await {
            tracing::warn!(%error, "the newest request of a session cannot be stored");
        }
    }
}
