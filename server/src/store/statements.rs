//! The shape of SQL in this program: named constants, listed so that a test can prepare each on its database.

/// Declares SQL constants and `ALL`, the list of their names and texts.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)+) => {
        $($(#[$doc])* pub(in crate::store) const $name: &str = $sql;)+

        /// Every statement of this module: name and text.
        pub(in crate::store) const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),+];
    };
}

pub(super) use statements;

/// Every SQL text that the `SQLite` adapter sends: name and text.
pub fn sqlite() -> impl Iterator<Item = (&'static str, &'static str)> {
    super::sql::ALL.iter().chain(super::access::sql::ALL).chain(super::sqlite::sql::ALL).copied()
}

/// Every SQL text that the PostgreSQL adapter sends: name and text.
pub fn postgres() -> impl Iterator<Item = (&'static str, &'static str)> {
    super::sql::ALL.iter().chain(super::access::sql::ALL).chain(super::postgres::sql::ALL).copied()
}
