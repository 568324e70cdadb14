//! Passwords: Argon2id, off the threads that heartbeats need.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

/// Shortest password, in characters.
pub const MIN: usize = 12;
/// Longest password, in bytes: hashing must not become work that a stranger can order.
pub const MAX: usize = 1024;
/// Hashes that are made at once; each takes 19 MiB.
const AT_ONCE: usize = 2;
/// What the password of somebody who does not exist is compared with, so that the answer takes as long.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$Um9sbGNhbGxSb2xsY2FsbA$c2g2NTN5c2c3Mzc1Z2RrYWpzaGQ3NjM1cWs";

/// Why a password is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Too short.
    #[error("at least {MIN} characters")]
    Short,
    /// Too long.
    #[error("at most {MAX} bytes")]
    Long,
    /// The work was broken off by a shutdown.
    #[error("the server is stopping")]
    Stopping,
}

/// Makes and checks hashes, a few at a time.
#[derive(Clone, Debug)]
pub struct Passwords(Arc<Semaphore>);

impl Default for Passwords {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Passwords {
    /// The hash of a new password, in PHC form.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub async fn hash(&self, password: Zeroizing<String>) -> Result<Box<str>, PasswordError> {
        check(&password)?;
        let hashed = self.work(move || {
            let salt = SaltString::generate(&mut OsRng);
            Argon2::default().hash_password(password.as_bytes(), &salt).map(|hash| hash.to_string().into())
        });
        hashed.await?.map_err(|_| PasswordError::Long)
    }

    /// Whether a password fits a hash; without one, the same work is done for nothing.
    ///
    /// # Errors
    /// [`PasswordError::Stopping`].
    pub async fn verify(
        &self,
        password: Zeroizing<String>,
        hash: Option<Box<str>>,
    ) -> Result<bool, PasswordError> {
        if password.len() > MAX {
            return Ok(false);
        }
        self.work(move || {
            let known = hash.is_some();
            let text = hash.as_deref().unwrap_or(NOBODY);
            let fits = PasswordHash::new(text)
                .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok());
            fits && known
        })
        .await
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let _turn = self.0.acquire().await.map_err(|_| PasswordError::Stopping)?;
        tokio::task::spawn_blocking(work).await.map_err(|_| PasswordError::Stopping)
    }
}

/// Whether a password can be taken at all.
///
/// # Errors
/// [`PasswordError`].
pub fn check(password: &str) -> Result<(), PasswordError> {
    if password.len() > MAX {
        return Err(PasswordError::Long);
    }
    if password.chars().count() < MIN {
        return Err(PasswordError::Short);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Zeroizing<String> {
        Zeroizing::new(text.to_owned())
    }

    #[tokio::test]
    async fn a_password_fits_its_hash_only() {
        let passwords = Passwords::default();
        let hash = passwords.hash(text("correct horse battery")).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(passwords.verify(text("correct horse battery"), Some(hash.clone())).await, Ok(true));
        assert_eq!(passwords.verify(text("correct horse batterx"), Some(hash)).await, Ok(false));
    }

    #[tokio::test]
    async fn nobody_has_no_password() {
        assert!(PasswordHash::new(NOBODY).is_ok(), "or the work would not be done");
        assert_eq!(Passwords::default().verify(text("anything at all"), None).await, Ok(false));
    }

    #[test]
    fn length_is_bounded_on_both_sides() {
        assert_eq!(check("elevenchars"), Err(PasswordError::Short));
        assert_eq!(check("twelve chars"), Ok(()));
        assert_eq!(check("zwölf zwölf "), Ok(()));
        assert_eq!(check(&"a".repeat(1024)), Ok(()));
        assert_eq!(check(&"a".repeat(1025)), Err(PasswordError::Long));
    }
}
