//! What migrations are still to be applied.

use sqlx::migrate::{AppliedMigration, MigrateError, Migrator};

/// Where applied migrations are recorded.
pub(super) const TABLE: &str = "_sqlx_migrations";

/// How many migrations are not applied yet.
///
/// # Errors
/// The database has one that this program does not know, or knows differently.
pub(super) fn pending(migrator: &Migrator, applied: &[AppliedMigration]) -> Result<usize, MigrateError> {
    for done in applied {
        let known = migrator.iter().find(|migration| migration.version == done.version);
        let known = known.ok_or(MigrateError::VersionMissing(done.version))?;
        if known.checksum != done.checksum {
            return Err(MigrateError::VersionMismatch(done.version));
        }
    }
    Ok(migrator.iter().count() - applied.len())
}
