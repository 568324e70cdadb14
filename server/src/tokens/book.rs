//! Every account's tokens in memory, and the check of a credential against them (`agent-protocol 1.6`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aes_gcm::{Aes128Gcm, KeyInit as _};
use fleet::time::{SECOND, Timestamp};
use parking_lot::{Mutex, RwLock};
use quick_cache::sync::Cache;
use sha2::{Digest as _, Sha256};

use super::vault::{Vault, VaultError};
use super::{Caller, KnownToken};
use crate::agent::jwe::{Jwe, MAX_JWE};
use crate::store::{TokenRow, TokenStatus};

/// How many checked credentials are remembered; about 150 bytes each.
pub const CACHED_CREDENTIALS: usize = 100_000;
/// Leeway on `exp` unless it is set otherwise, in seconds (`agent-protocol 1.6`, A3).
pub const EXP_LEEWAY_SECONDS: i64 = 300;

/// Why a credential opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// No credential, or one without the right form.
    #[error("the credential is missing or unreadable")]
    Malformed,
    /// No token of the account opens it, or it speaks for another account.
    #[error("the credential fits no token of the account")]
    Invalid,
    /// It belongs to a revoked token.
    #[error("the token was revoked")]
    Revoked,
    /// Its time is over.
    #[error("the credential is out of date")]
    Expired,
    /// Nobody can tell at the moment: tokens are not loaded, not up to date, or unreadable (A4).
    #[error("tokens cannot be checked for now")]
    Unavailable,
}

/// Every account's tokens. Reading never waits for the database.
#[derive(Debug)]
pub struct TokenBook {
    accounts: RwLock<Arc<Accounts>>,
    /// Writers take turns; readers never wait for the work of one.
    writing: Mutex<()>,
    checked: Cache<[u8; 32], Checked>,
    ready: AtomicBool,
    outdated: AtomicBool,
    leeway: i64,
}

type Accounts = HashMap<Arc<str>, Arc<AccountTokens>>;

#[derive(Debug, Default)]
struct AccountTokens {
    /// In the order of creation.
    tokens: Vec<Arc<Entry>>,
    /// Some token of this account could not be unsealed.
    unreadable: bool,
}

struct Entry {
    known: Arc<KnownToken>,
    cipher: Aes128Gcm,
    /// SHA-256 of the token's text without leading zeros.
    hash: Box<str>,
    /// Inserted after the rows of the next replacement may have been read.
    fresh: AtomicBool,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.known.id).finish()
    }
}

/// A credential that was found good; useless as soon as its token is not.
#[derive(Clone, Debug)]
struct Checked {
    caller: Caller,
    /// First millisecond at which it is out of date, leeway included.
    until: i64,
}

impl Default for TokenBook {
    /// An empty book with the usual leeway.
    fn default() -> Self {
        Self::new(EXP_LEEWAY_SECONDS)
    }
}

impl TokenBook {
    /// An empty book that answers [`AuthError::Unavailable`] until the first [`TokenBook::replace`].
    #[must_use]
    pub fn new(exp_leeway_seconds: i64) -> Self {
        Self {
            accounts: RwLock::default(),
            writing: Mutex::default(),
            checked: Cache::new(CACHED_CREDENTIALS),
            ready: AtomicBool::new(false),
            outdated: AtomicBool::new(false),
            leeway: exp_leeway_seconds.saturating_mul(SECOND),
        }
    }

    /// Whether tokens were loaded at all.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Notes that the store could not be read: credentials of known active tokens still pass, but until the next
    /// [`TokenBook::replace`] or [`TokenBook::confirm`] nobody is called invalid for certain (A4).
    pub fn doubt(&self) {
        self.outdated.store(true, Ordering::Release);
    }

    /// Notes that the store was read and holds nothing new.
    pub fn confirm(&self) {
        self.outdated.store(false, Ordering::Release);
    }

    /// Makes `rows` the content of the book. Tokens that persist keep their [`KnownToken`]; those that are gone or
    /// revoked are shut out at once. Returns the ids of active tokens that this vault cannot open.
    pub fn replace(&self, rows: &[TokenRow], vault: &Vault) -> Vec<Arc<str>> {
        let _turn = self.writing.lock();
        let before = Arc::clone(&self.accounts.read());
        let mut old: HashMap<&str, &Arc<Entry>> = before
            .values()
            .flat_map(|account| &account.tokens)
            .map(|entry| (&*entry.known.id, entry))
            .collect();
        let mut unreadable = Vec::new();
        let mut accounts: HashMap<&str, AccountTokens> = HashMap::new();
        let mut rows: Vec<&TokenRow> = rows.iter().collect();
        rows.sort_by_key(|row| (row.created_at, &row.id));
        for row in rows {
            let account = accounts.entry(row.scope.account()).or_default();
            let known =
                old.remove(&*row.id).map(Arc::clone).map_or_else(|| entry(row, vault).map(Arc::new), Ok);
            if let Ok(entry) = known {
                update(&entry, row);
                account.tokens.push(entry);
                continue;
            }
            // A revoked one counts too: its delegates must not be told that their token never was.
            account.unreadable = true;
            if row.status == TokenStatus::Active {
                unreadable.push(Arc::clone(&row.id));
            }
        }
        for entry in old.into_values() {
            if entry.fresh.swap(false, Ordering::Relaxed) {
                // The rows were read before this token was inserted.
                accounts.entry(entry.known.scope.account()).or_default().tokens.push(Arc::clone(entry));
            } else {
                entry.known.revoke();
            }
        }
        let accounts = accounts.into_iter().map(|(id, account)| (Arc::from(id), Arc::new(account))).collect();
        *self.accounts.write() = Arc::new(accounts);
        self.confirm();
        self.ready.store(true, Ordering::Release);
        unreadable
    }

    /// Adds a token that was just stored, so that it opens at once.
    ///
    /// # Errors
    /// The vault cannot open it.
    pub fn insert(&self, row: &TokenRow, vault: &Vault) -> Result<(), VaultError> {
        let new = entry(row, vault)?;
        update(&new, row);
        new.fresh.store(true, Ordering::Relaxed);
        let _turn = self.writing.lock();
        let mut accounts = Accounts::clone(&self.accounts.read());
        let account = row.scope.account();
        let (mut tokens, unreadable) = accounts
            .get(account)
            .map_or_else(Default::default, |known| (known.tokens.clone(), known.unreadable));
        if tokens.iter().all(|known| known.known.id != row.id) {
            tokens.push(Arc::new(new));
            accounts.insert(account.into(), Arc::new(AccountTokens { tokens, unreadable }));
            *self.accounts.write() = Arc::new(accounts);
        }
        Ok(())
    }

    /// Shuts a token out at once; false if there is none of this id.
    pub fn revoke(&self, id: &str) -> bool {
        self.known(id).inspect(|token| token.revoke()).is_some()
    }

    /// Forgets a token that was removed; it is shut out if it was not already. False if there is none of this id.
    pub fn remove(&self, id: &str) -> bool {
        let _turn = self.writing.lock();
        let mut accounts = Accounts::clone(&self.accounts.read());
        let held = |account: &Arc<AccountTokens>| account.tokens.iter().any(|entry| &*entry.known.id == id);
        let Some(account) = accounts.values_mut().find(|account| held(account)) else { return false };
        let (gone, tokens): (Vec<_>, Vec<_>) =
            account.tokens.iter().cloned().partition(|entry| &*entry.known.id == id);
        *account = Arc::new(AccountTokens { tokens, unreadable: account.unreadable });
        *self.accounts.write() = Arc::new(accounts);
        for entry in gone {
            entry.known.revoke();
        }
        true
    }

    /// Ids of active tokens whose automatic revocation is due, to be revoked in the store and then here: until then
    /// they open nothing, but connections that are open stay so.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Vec<Arc<str>> {
        let accounts = Arc::clone(&self.accounts.read());
        let tokens = accounts.values().flat_map(|account| &account.tokens);
        let due = tokens.filter(|entry| entry.known.is_active() && !entry.known.is_open(now));
        due.map(|entry| Arc::clone(&entry.known.id)).collect()
    }

    /// The token of this internal id; none if it is gone.
    fn known(&self, id: &str) -> Option<Arc<KnownToken>> {
        let accounts = Arc::clone(&self.accounts.read());
        let mut tokens = accounts.values().flat_map(|account| &account.tokens);
        tokens.find(|entry| &*entry.known.id == id).map(|entry| Arc::clone(&entry.known))
    }

    /// Newest successful authentication with a token.
    #[must_use]
    pub fn last_used(&self, id: &str) -> Option<Timestamp> {
        self.known(id)?.last_used()
    }

    /// Notes a successful authentication on another node, which has stored it.
    pub fn heard(&self, id: &str, at: Timestamp) {
        if let Some(token) = self.known(id) {
            token.heard(at);
        }
    }

    /// Name of the token of this internal id, and whether it is active; none if it is gone.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<(Arc<str>, bool)> {
        self.known(id).map(|token| (Arc::clone(&token.name), token.is_active()))
    }

    /// Last uses that were not returned before, for the store.
    #[must_use]
    pub fn uses_since_last(&self) -> Vec<(Arc<str>, Timestamp)> {
        let accounts = Arc::clone(&self.accounts.read());
        let tokens = accounts.values().flat_map(|account| &account.tokens);
        tokens.filter_map(|entry| Some((Arc::clone(&entry.known.id), entry.known.take_use()?))).collect()
    }

    /// Who calls with this credential (`agent-protocol 1.6`, steps 3 to 8). `hint`: `delegateTokenHash`.
    ///
    /// # Errors
    /// [`AuthError`]; the dangerous ones only when the tokens are known for certain.
    pub fn authenticate(
        &self,
        account: &str,
        jwe: &str,
        hint: Option<&str>,
        now: Timestamp,
    ) -> Result<Caller, AuthError> {
        if jwe.is_empty() || jwe.len() > MAX_JWE {
            return Err(AuthError::Malformed);
        }
        if !self.is_ready() {
            return Err(AuthError::Unavailable);
        }
        let digest = digest(account, jwe);
        if let Some(checked) = self.checked.get(&digest) {
            if checked.caller.token.is_open(now) {
                return self.admit(checked, now);
            }
            self.checked.remove(&digest);
        }
        let checked = self.check(account, jwe, hint, now)?;
        self.checked.insert(digest, checked.clone());
        self.admit(checked, now)
    }

    /// The last step, which depends on the time alone.
    fn admit(&self, checked: Checked, now: Timestamp) -> Result<Caller, AuthError> {
        if now.millis() >= checked.until {
            return Err(self.certain(AuthError::Expired));
        }
        checked.caller.token.touch(now);
        Ok(checked.caller)
    }

    /// Finds the token of a credential that was not seen before.
    fn check(
        &self,
        account: &str,
        jwe: &str,
        hint: Option<&str>,
        now: Timestamp,
    ) -> Result<Checked, AuthError> {
        let mut jwe = Jwe::parse(jwe).map_err(|_| AuthError::Malformed)?;
        let accounts = Arc::clone(&self.accounts.read());
        let Some((id, known)) = accounts.get_key_value(account) else {
            return Err(self.certain(AuthError::Invalid));
        };
        let (open, shut): (Vec<&Entry>, Vec<&Entry>) =
            known.tokens.iter().map(|entry| &**entry).partition(|entry| entry.known.is_open(now));
        let hint = hint.map(stripped).filter(|hint| !hint.is_empty());
        let hinted = open.iter().filter(|entry| hint.is_some_and(|hint| *entry.hash == *hint));
        let Some(entry) = hinted.chain(&open).find(|entry| jwe.open(&entry.cipher)) else {
            let error = if shut.iter().any(|entry| jwe.open(&entry.cipher)) {
                AuthError::Revoked
            } else if known.unreadable {
                AuthError::Unavailable
            } else {
                AuthError::Invalid
            };
            return Err(self.certain(error));
        };
        let claims = jwe.claims().map_err(|_| AuthError::Malformed)?;
        if claims.sub.as_deref() != Some(account) {
            return Err(self.certain(AuthError::Invalid));
        }
        let until = claims.exp.saturating_mul(SECOND).saturating_add(self.leeway);
        Ok(Checked { caller: Caller { account: Arc::clone(id), token: Arc::clone(&entry.known) }, until })
    }

    /// A verdict, or none while the store cannot be read.
    fn certain(&self, verdict: AuthError) -> AuthError {
        if self.outdated.load(Ordering::Acquire) { AuthError::Unavailable } else { verdict }
    }
}

fn entry(row: &TokenRow, vault: &Vault) -> Result<Entry, VaultError> {
    let key = vault.unseal(&row.sealed, &row.id)?;
    let (id, name, scope) = (Arc::clone(&row.id), Arc::clone(&row.name), Arc::clone(&row.scope));
    Ok(Entry {
        known: Arc::new(KnownToken::new(id, name, scope, row.last_used)),
        cipher: Aes128Gcm::new(key.bytes().into()),
        hash: stripped(&key.hash()).into(),
        fresh: AtomicBool::new(false),
    })
}

/// Takes over what may change in a token's row. A token never comes back from being revoked.
fn update(entry: &Entry, row: &TokenRow) {
    entry.fresh.store(false, Ordering::Relaxed);
    entry.known.set_revoke_after(row.revoke_after);
    if row.status == TokenStatus::Revoked && entry.known.is_active() {
        entry.known.revoke();
    }
}

/// Newer clients drop leading zeros (`agent-protocol 1.9`).
fn stripped(hash: &str) -> &str {
    hash.trim_start_matches('0')
}

fn digest(account: &str, jwe: &str) -> [u8; 32] {
    let mut hasher = Sha256::new();
    // No credential holds this byte, so no two pairs run together to one text.
    for part in [account.as_bytes(), b"\0", jwe.as_bytes()] {
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests;
