//! The master key: tokens rest in the database sealed under it (`agent-protocol 1.1`). While it is being replaced there
//! are several: the first one seals, all of them open.

mod file;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes256Gcm, KeyInit as _, Nonce};
use zeroize::{Zeroize as _, Zeroizing};

use super::key::TokenKey;

/// Bytes of a master key.
pub const MASTER_KEY_LEN: usize = 32;

/// Bytes of a nonce.
const NONCE_LEN: usize = 12;
/// Keys of one file: the one that seals, and those that are being replaced.
const MAX_KEYS: usize = 4;

/// Seals token keys under the first master key and opens them with any. `Debug` shows nothing of them.
pub struct Vault {
    sealing: Aes256Gcm,
    old: Vec<Aes256Gcm>,
}

/// A vault from a key file, and what an administrator should know of that file.
#[derive(Debug)]
pub struct Opened {
    /// The vault.
    pub vault: Vault,
    /// The file did not exist before.
    pub created: bool,
    /// Other accounts of the machine may read the file.
    pub exposed: bool,
}

/// What goes wrong with master keys. Never holds key material.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The key file cannot be read, created or written.
    #[error("the master key file {} cannot be {doing}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read`, `created` or `written`.
        doing: &'static str,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The key file holds something else.
    #[error("the master key file {} must hold exactly 64 hexadecimal characters a line, {MAX_KEYS} lines at most", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
    /// The key file has no room for one more.
    #[error("the master key file {} holds {MAX_KEYS} keys already; run `rollcall key rotate --drop-old` first", path.display())]
    TooMany {
        /// The file.
        path: PathBuf,
    },
    /// A sealed key was made under another master key or for another token, or it is damaged.
    #[error("a sealed token cannot be opened with this master key")]
    Unreadable,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(..)")
    }
}

impl Vault {
    /// The vault of this master key.
    #[must_use]
    pub fn from_key(mut key: [u8; MASTER_KEY_LEN]) -> Self {
        let vault = Self { sealing: Aes256Gcm::new(&key.into()), old: Vec::new() };
        key.zeroize();
        vault
    }

    /// The vault of several master keys: the first one seals.
    fn from_keys(first: [u8; MASTER_KEY_LEN], old: &[[u8; MASTER_KEY_LEN]]) -> Self {
        Self { old: old.iter().map(|key| Aes256Gcm::new(key.into())).collect(), ..Self::from_key(first) }
    }

    /// Opens the vault of a key file, which is created with a fresh key and for its owner only if it does not
    /// exist. A file that exists is never written.
    ///
    /// # Errors
    /// [`VaultError::File`] and [`VaultError::NotAKey`]; both name the file.
    pub fn open_or_create(path: &Path) -> Result<Opened, VaultError> {
        let created = match fs::symlink_metadata(path) {
            Ok(_) => false,
            Err(error) if error.kind() == io::ErrorKind::NotFound => file::create(path)?,
            Err(error) => return Err(file::failed(path, "read", error)),
        };
        let read = file::read(path)?;
        let [first, old @ ..] = &read.keys[..] else {
            return Err(VaultError::NotAKey { path: path.to_owned() });
        };
        Ok(Opened { vault: Self::from_keys(*first, old), created, exposed: read.exposed })
    }

    /// Puts a fresh key before those of the file. What they sealed can still be opened.
    ///
    /// # Errors
    /// [`VaultError::File`], [`VaultError::NotAKey`] and [`VaultError::TooMany`]; the file is as it was.
    pub fn add_key(path: &Path) -> Result<(), VaultError> {
        let mut keys = file::read(path)?.keys;
        if keys.len() == MAX_KEYS {
            return Err(VaultError::TooMany { path: path.to_owned() });
        }
        let fresh = Zeroizing::new(rand::random::<[u8; MASTER_KEY_LEN]>());
        keys.insert(0, *fresh);
        file::replace(path, &keys)
    }

    /// Leaves only the first key of the file: what others sealed is lost.
    ///
    /// # Errors
    /// [`VaultError::File`] and [`VaultError::NotAKey`]; the file is as it was.
    pub fn drop_old_keys(path: &Path) -> Result<(), VaultError> {
        let keys = file::read(path)?.keys;
        file::replace(path, &keys[..1])
    }

    /// Seals a key for the token of this id: a random nonce, then the ciphertext with its tag.
    #[must_use]
    pub fn seal(&self, key: &TokenKey, token_id: &str) -> Vec<u8> {
        self.seal_bytes(key.bytes(), token_id)
    }

    /// The same with a text, for whatever has this id.
    #[must_use]
    pub fn seal_text(&self, text: &str, id: &str) -> Vec<u8> {
        self.seal_bytes(text.as_bytes(), id)
    }

    fn seal_bytes(&self, msg: &[u8], id: &str) -> Vec<u8> {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let payload = Payload { msg, aad: id.as_bytes() };
        // Only texts of many gigabytes cannot be sealed; then there is nothing to open either.
        let sealed = self.sealing.encrypt(&nonce.into(), payload).unwrap_or_default();
        [&nonce[..], &sealed].concat()
    }

    /// Opens what [`Vault::seal`] made for the same token id, with any of the keys.
    ///
    /// # Errors
    /// [`VaultError::Unreadable`].
    pub fn unseal(&self, sealed: &[u8], token_id: &str) -> Result<TokenKey, VaultError> {
        let key = self.opened(sealed, token_id)?;
        Ok(TokenKey::from_bytes(key.as_slice().try_into().map_err(|_| VaultError::Unreadable)?))
    }

    /// Opens what [`Vault::seal_text`] made for the same id, with any of the keys.
    ///
    /// # Errors
    /// [`VaultError::Unreadable`].
    pub fn unseal_text(&self, sealed: &[u8], id: &str) -> Result<Zeroizing<String>, VaultError> {
        let bytes = self.opened(sealed, id)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| VaultError::Unreadable)?;
        Ok(Zeroizing::new(text.to_owned()))
    }

    /// Whether the key that seals has sealed this, and not an old one.
    #[must_use]
    pub fn is_current(&self, sealed: &[u8], id: &str) -> bool {
        opened(&self.sealing, sealed, id).is_some()
    }

    fn opened(&self, sealed: &[u8], id: &str) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let mut keys = std::iter::once(&self.sealing).chain(&self.old);
        keys.find_map(|key| opened(key, sealed, id)).ok_or(VaultError::Unreadable)
    }
}

fn opened(key: &Aes256Gcm, sealed: &[u8], id: &str) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, msg) = sealed.split_at_checked(NONCE_LEN)?;
    let payload = Payload { msg, aad: id.as_bytes() };
    Some(Zeroizing::new(key.decrypt(Nonce::from_slice(nonce), payload).ok()?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_missing_folder_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/keys/master.key");
        Vault::open_or_create(&path).unwrap();
        assert!(path.is_file());
    }

    #[test]
    fn a_new_key_seals_while_the_old_one_still_opens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let before = Vault::open_or_create(&path).unwrap().vault;
        let key = TokenKey::random();
        let old = before.seal(&key, "t");
        Vault::add_key(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let both = Vault::open_or_create(&path).unwrap().vault;
        assert_eq!(both.unseal(&old, "t").unwrap().bytes(), key.bytes());
        assert!(!both.is_current(&old, "t"));
        let new = both.seal(&key, "t");
        assert!(both.is_current(&new, "t") && before.unseal(&new, "t").is_err());

        Vault::drop_old_keys(&path).unwrap();
        let after = Vault::open_or_create(&path).unwrap().vault;
        assert_eq!(after.unseal(&new, "t").unwrap().bytes(), key.bytes());
        assert!(after.unseal(&old, "t").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
    }

    #[test]
    fn a_file_takes_no_more_keys_than_it_can_be_read_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        Vault::open_or_create(&path).unwrap();
        for _ in 1..MAX_KEYS {
            Vault::add_key(&path).unwrap();
        }
        let full = fs::read_to_string(&path).unwrap();
        assert!(matches!(Vault::add_key(&path), Err(VaultError::TooMany { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), full);
        Vault::open_or_create(&path).unwrap();
        fs::write(&path, format!("{full}{}\n", "ab".repeat(32))).unwrap();
        assert!(matches!(Vault::open_or_create(&path), Err(VaultError::NotAKey { .. })));
    }

    #[test]
    fn a_key_opens_only_with_its_vault_and_its_token() {
        let vault = Vault::from_key([7; 32]);
        let key = TokenKey::random();
        let sealed = vault.seal(&key, "token-1");
        assert_eq!(vault.unseal(&sealed, "token-1").unwrap().bytes(), key.bytes());
        assert_ne!(sealed, vault.seal(&key, "token-1"), "nonces never repeat");
        assert!(vault.unseal(&sealed, "token-2").is_err());
        assert!(Vault::from_key([8; 32]).unseal(&sealed, "token-1").is_err());
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert!(vault.unseal(&damaged, "token-1").is_err());
            assert!(vault.unseal(&sealed[..at], "token-1").is_err());
        }
    }

    #[test]
    fn the_file_is_made_once_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let first = Vault::open_or_create(&path).unwrap();
        assert!(first.created && !first.exposed);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.trim().len(), 64);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        let sealed = first.vault.seal(&TokenKey::random(), "t");
        let second = Vault::open_or_create(&path).unwrap();
        assert!(!second.created);
        assert!(second.vault.unseal(&sealed, "t").is_ok());
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
    }

    #[test]
    fn of_many_that_create_at_once_all_get_the_same_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let opened: Vec<Opened> = std::thread::scope(|scope| {
            let open = || Vault::open_or_create(&path).unwrap();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(opened.iter().filter(|opened| opened.created).count(), 1);
        let sealed = opened[0].vault.seal(&TokenKey::random(), "t");
        assert!(opened.iter().all(|opened| opened.vault.unseal(&sealed, "t").is_ok()));
    }

    #[test]
    fn a_file_that_others_can_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        Vault::open_or_create(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(Vault::open_or_create(&path).unwrap().exposed);
    }

    #[test]
    fn errors_name_file_and_problem_but_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broken.key");
        let almost = "ab".repeat(31);
        for content in [&almost, "", &"ab".repeat(33), &"x".repeat(5000)] {
            fs::write(&path, content).unwrap();
            let text = Vault::open_or_create(&path).unwrap_err().to_string();
            assert!(text.contains("broken.key") && text.contains("64 hexadecimal characters"));
            assert!(!text.contains("abab"));
            assert_eq!(&fs::read_to_string(&path).unwrap(), content, "never overwritten");
        }
        let under_a_file = path.join("folder/master.key");
        let text = Vault::open_or_create(&under_a_file).unwrap_err().to_string();
        assert!(text.contains("broken.key/folder/master.key") && text.contains("cannot be"), "{text}");
    }
}
