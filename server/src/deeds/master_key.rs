//! The master key is replaced: every token and every key of a mirror is sealed anew.

use fleet::time::Timestamp;

use super::{Actor, DeedError};
use crate::store::SharedStore;
use crate::store::access::Change;
use crate::store::mirrors::MirrorChange;
use crate::tokens::vault::Vault;

/// Tokens of one transaction.
const TOGETHER: usize = 500;

/// Seals every token and key of a mirror that an old key sealed under the one that seals now; tells how many those were.
///
/// Done again after an interruption it goes on where it stopped. Servers that know both keys may run meanwhile.
///
/// # Errors
/// One of them can be opened with none of the keys: nothing was changed. Or nothing more was stored.
pub async fn rotate(
    store: &SharedStore,
    vault: &Vault,
    actor: &Actor,
    now: Timestamp,
) -> Result<usize, DeedError> {
    let mut changes = Vec::new();
    for row in store.tokens().await? {
        if vault.is_current(&row.sealed, &row.id) {
            continue;
        }
        let key = vault.unseal(&row.sealed, &row.id).map_err(|_| {
            DeedError::Refused(format!("token {} of {} opens with no key of the file", row.name, row.scope))
        })?;
        let sealed = vault.seal(&key, &row.id).into();
        changes.push(Change::ResealToken { id: row.id, was: row.sealed.into(), sealed });
    }
    for row in store.mirrors().await? {
        if vault.is_current(&row.sealed, &row.id) {
            continue;
        }
        let key = vault.unseal_text(&row.sealed, &row.id).map_err(|_| {
            DeedError::Refused(format!("the key of mirror {} opens with no key of the file", row.name))
        })?;
        let sealed = vault.seal_text(&key, &row.id).into();
        changes.push(Change::Mirror(MirrorChange::Reseal { id: row.id, was: row.sealed.into(), sealed }));
    }
    let sealed = changes.len();
    for some in changes.chunks(TOGETHER) {
        store.commit(some).await?;
    }
    if sealed > 0 {
        let line = actor
            .line(now, "master_key.rotate", "key", "master", None)
            .says(format!("{sealed} tokens and keys of mirrors were sealed under another master key"));
        store.commit(&[line.change()]).await?;
    }
    Ok(sealed)
}
