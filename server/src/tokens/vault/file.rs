//! The file of master keys: a line for each, the one that seals first. Only its owner may read it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::{MASTER_KEY_LEN, MAX_KEYS, VaultError};
use crate::tokens::key::{from_hex, to_hex};

/// Anything longer than this is no key file.
const MAX_LEN: u64 = 1024;

/// What a file holds.
pub(super) struct Read {
    pub(super) keys: Zeroizing<Vec<[u8; MASTER_KEY_LEN]>>,
    /// Other accounts of the machine may read it.
    pub(super) exposed: bool,
}

/// Creates the file, and its folder, whole or not at all; false if another process was faster.
pub(super) fn create(path: &Path) -> Result<bool, VaultError> {
    let fresh = Zeroizing::new(rand::random::<[u8; MASTER_KEY_LEN]>());
    fs::create_dir_all(folder_of(path)).map_err(|error| failed(path, "created", error))?;
    let beside = write_beside(path, &[*fresh]).map_err(|error| failed(path, "created", error))?;
    // Unlike a rename, a link never replaces a file that appeared meanwhile.
    let linked = match fs::hard_link(&beside, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(path, "created", error)),
    };
    // The name is random: what is left behind after a crash disturbs nobody.
    let _ = fs::remove_file(&beside);
    if let Ok(true) = linked {
        sync_folder(path)?;
    }
    linked
}

/// Puts other keys in place of those of the file, whole or not at all.
pub(super) fn replace(path: &Path, keys: &[[u8; MASTER_KEY_LEN]]) -> Result<(), VaultError> {
    let in_file = |error| failed(path, "written", error);
    let beside = write_beside(path, keys).map_err(in_file)?;
    fs::rename(&beside, path).map_err(|error| {
        let _ = fs::remove_file(&beside);
        in_file(error)
    })?;
    sync_folder(path)
}

/// The keys of the file, and whether others may read it.
pub(super) fn read(path: &Path) -> Result<Read, VaultError> {
    let in_file = |error| failed(path, "read", error);
    let about = fs::metadata(path).map_err(in_file)?;
    let not_a_key = || VaultError::NotAKey { path: path.to_owned() };
    if about.len() > MAX_LEN {
        return Err(not_a_key());
    }
    let bytes = Zeroizing::new(fs::read(path).map_err(in_file)?);
    let text = std::str::from_utf8(&bytes).map_err(|_| not_a_key())?;
    let keys: Option<Vec<_>> = text.trim().lines().map(|line| from_hex(line.trim())).collect();
    let keys = Zeroizing::new(keys.unwrap_or_default());
    if keys.is_empty() || keys.len() > MAX_KEYS {
        return Err(not_a_key());
    }
    Ok(Read { keys, exposed: about.permissions().mode() & 0o077 != 0 })
}

/// Writes a new file that only its owner may read, under a random name in the same folder.
fn write_beside(path: &Path, keys: &[[u8; MASTER_KEY_LEN]]) -> io::Result<PathBuf> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{:016x}", rand::random::<u64>()));
    let beside = PathBuf::from(beside);
    let mut text = Zeroizing::new(String::new());
    for key in keys {
        text.push_str(&Zeroizing::new(to_hex(key)));
        text.push('\n');
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map(|()| beside)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn sync_folder(path: &Path) -> Result<(), VaultError> {
    let synced = fs::File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    synced.map_err(|error| failed(path, "written", error))
}

pub(super) fn failed(path: &Path, doing: &'static str, error: io::Error) -> VaultError {
    VaultError::File { path: path.to_owned(), doing, error }
}
