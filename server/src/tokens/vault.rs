//! The master key: tokens rest in the database sealed under it (`agent-protocol 1.1`).

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes256Gcm, KeyInit as _, Nonce};
use zeroize::{Zeroize as _, Zeroizing};

use super::key::{KEY_LEN, TokenKey, from_hex, to_hex};

/// Bytes of a master key.
pub const MASTER_KEY_LEN: usize = 32;

/// Bytes of a nonce.
const NONCE_LEN: usize = 12;
/// Anything longer than this is no key file.
const MAX_FILE_LEN: u64 = 1024;

/// Seals and opens token keys under one master key. `Debug` shows nothing of it.
pub struct Vault(Aes256Gcm);

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
    #[error("the master key file {} must hold exactly 64 hexadecimal characters", path.display())]
    NotAKey {
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
        let vault = Self(Aes256Gcm::new(&key.into()));
        key.zeroize();
        vault
    }

    /// Opens the vault of a key file, which is created with a fresh key and for its owner only if it does not
    /// exist. A file that exists is never written.
    ///
    /// # Errors
    /// [`VaultError::File`] and [`VaultError::NotAKey`]; both name the file.
    pub fn open_or_create(path: &Path) -> Result<Opened, VaultError> {
        let created = match fs::symlink_metadata(path) {
            Ok(_) => false,
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(path)?,
            Err(error) => return Err(failed(path, "read", error)),
        };
        let (key, exposed) = read(path)?;
        Ok(Opened { vault: Self::from_key(key), created, exposed })
    }

    /// Seals a key for the token of this id: a random nonce, then the ciphertext with its tag.
    #[must_use]
    pub fn seal(&self, key: &TokenKey, token_id: &str) -> Vec<u8> {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let payload = Payload { msg: key.bytes(), aad: token_id.as_bytes() };
        // Only texts of many gigabytes cannot be sealed; then there is nothing to open either.
        let sealed = self.0.encrypt(&nonce.into(), payload).unwrap_or_default();
        [&nonce[..], &sealed].concat()
    }

    /// Opens what [`Vault::seal`] made for the same token id.
    ///
    /// # Errors
    /// [`VaultError::Unreadable`].
    pub fn unseal(&self, sealed: &[u8], token_id: &str) -> Result<TokenKey, VaultError> {
        let (nonce, msg) = sealed.split_at_checked(NONCE_LEN).ok_or(VaultError::Unreadable)?;
        let payload = Payload { msg, aad: token_id.as_bytes() };
        let key = self.0.decrypt(Nonce::from_slice(nonce), payload).map_err(|_| VaultError::Unreadable)?;
        let key = Zeroizing::new(key);
        let bytes: [u8; KEY_LEN] = key.as_slice().try_into().map_err(|_| VaultError::Unreadable)?;
        Ok(TokenKey::from_bytes(bytes))
    }
}

/// Creates the file whole or not at all; false if another process was faster.
fn create(path: &Path) -> Result<bool, VaultError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{:016x}", rand::random::<u64>()));
    let beside = PathBuf::from(beside);
    let result = write(&beside).map_err(|error| failed(path, "created", error)).and_then(|()| {
        // Unlike a rename, a link never replaces a file that appeared meanwhile.
        match fs::hard_link(&beside, path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(path, "created", error)),
        }
    });
    // The name is random: what is left behind after a crash disturbs nobody.
    let _ = fs::remove_file(&beside);
    if let (Ok(true), Some(folder)) = (&result, path.parent()) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| failed(path, "written", error))?;
    }
    result
}

/// Writes a fresh key to a new file that only its owner may read.
fn write(path: &Path) -> io::Result<()> {
    let key = Zeroizing::new(rand::random::<[u8; MASTER_KEY_LEN]>());
    let mut text = Zeroizing::new(to_hex(key.as_slice()));
    text.push('\n');
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The key in the file, and whether others may read it.
fn read(path: &Path) -> Result<([u8; MASTER_KEY_LEN], bool), VaultError> {
    let in_file = |error| failed(path, "read", error);
    let about = fs::metadata(path).map_err(in_file)?;
    let not_a_key = || VaultError::NotAKey { path: path.to_owned() };
    if about.len() > MAX_FILE_LEN {
        return Err(not_a_key());
    }
    let bytes = Zeroizing::new(fs::read(path).map_err(in_file)?);
    let text = std::str::from_utf8(&bytes).map_err(|_| not_a_key())?;
    let key = from_hex(text.trim()).ok_or_else(not_a_key)?;
    Ok((key, about.permissions().mode() & 0o077 != 0))
}

fn failed(path: &Path, doing: &'static str, error: io::Error) -> VaultError {
    VaultError::File { path: path.to_owned(), doing, error }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let missing = folder.path().join("no/such/folder/master.key");
        let text = Vault::open_or_create(&missing).unwrap_err().to_string();
        assert!(text.contains("master.key") && text.contains("created"));
    }
}
