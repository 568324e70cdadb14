//! SQL that both databases read alike. What differs, above all the batches, is in each adapter's own `sql.rs`.

use super::statements::statements;

/// Columns of a token in the order that `decode::token` reads.
macro_rules! token_columns {
    () => {
        "account, organization, project, id, name, sealed, hash, status, created_at, created_by, revoke_after, \
         revoked_at, last_used"
    };
}

/// Columns of a transition in the order that `decode::transition` reads.
macro_rules! transition_columns {
    () => {
        "account, group_id, instance_id, happened_at, from_state, to_state, cause, note"
    };
}

/// Columns of an instance in the order that `FleetReader::instance` reads.
macro_rules! instance_columns {
    () => {
        "account, id, group_id, host_name, ip, ng, kind, family, version, version_since, tags, transport, token_id, \
         immutable, registered_at, goodbye_at, capacity, clock_skew, incomplete, double_seen, heartbeat_as_object, \
         details, last_heartbeat"
    };
}

/// Columns of a group in the order that `FleetReader::group` reads.
macro_rules! group_columns {
    () => {
        "account, id, organization, project, name, identifier, kind, family, description, tags, first_seen, \
         last_active, upgrader_seen, by_choice, token_name, approval, returned_at"
    };
}

pub(super) use {group_columns, instance_columns};

statements! {
    /// Every scope.
    SCOPES = "SELECT account, organization, project FROM scopes";

    /// A scope, unless it exists.
    INSERT_SCOPE = "INSERT INTO scopes (account, organization, project, created_at) VALUES ($1, $2, $3, $4) \
        ON CONFLICT DO NOTHING";

    /// Every token.
    TOKENS = concat!("SELECT ", token_columns!(), " FROM tokens");

    /// A token; its scope must exist.
    INSERT_TOKEN = concat!(
        "INSERT INTO tokens (", token_columns!(), ") \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
    );

    /// A catalog document.
    INSERT_CATALOG = "INSERT INTO catalog (imported_at, document) VALUES ($1, $2)";

    /// The catalog document that was put last, whatever the clock said.
    CATALOG = "SELECT document FROM catalog ORDER BY id DESC LIMIT 1";

    /// A setting.
    PUT_SETTING = "INSERT INTO settings (account, organization, project, name, value, changed_at) \
        VALUES ($1, $2, $3, $4, $5, $6) \
        ON CONFLICT (account, organization, project, name) \
        DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at";

    /// A setting goes back to its default.
    REMOVE_SETTING = "DELETE FROM settings \
        WHERE account = $1 AND organization = $2 AND project = $3 AND name = $4";

    /// Every setting.
    SETTINGS = "SELECT account, organization, project, name, value FROM settings";

    /// History of a group within a time, newest first.
    GROUP_HISTORY = concat!(
        "SELECT ", transition_columns!(), " FROM transitions \
         WHERE account = $1 AND group_id = $2 AND happened_at >= $3 AND happened_at <= $4 \
         ORDER BY happened_at DESC, id DESC LIMIT $5"
    );

    /// History of an instance within a time, newest first.
    INSTANCE_HISTORY = concat!(
        "SELECT ", transition_columns!(), " FROM transitions \
         WHERE account = $1 AND group_id = $2 AND instance_id = $3 AND happened_at >= $4 AND happened_at <= $5 \
         ORDER BY happened_at DESC, id DESC LIMIT $6"
    );

    /// Old history goes, some lines at a time.
    PURGE_HISTORY = "DELETE FROM transitions WHERE id IN \
        (SELECT id FROM transitions WHERE happened_at < $1 ORDER BY id LIMIT $2)";

    /// Changes of state since $1, oldest first; a first state is no change. An instance of a mirrored server may have the id
    /// of one of ours, but its group is not stored.
    TURNS = "SELECT t.account, t.instance_id, t.happened_at, t.to_state FROM transitions t \
        JOIN delegate_groups g ON g.account = t.account AND g.id = t.group_id \
        WHERE t.happened_at >= $1 AND t.from_state <> t.to_state ORDER BY t.happened_at, t.id";

    /// Every batch of heartbeats.
    BEATS = "SELECT entries FROM heartbeats";

    /// A batch of heartbeats.
    INSERT_BEATS = "INSERT INTO heartbeats (entries) VALUES ($1)";

    /// The newest batch of heartbeats.
    NEWEST_BEATS = "SELECT coalesce(max(number), 0) FROM heartbeats";

    /// Old batches of heartbeats go, some at a time.
    FORGET_BEATS = "DELETE FROM heartbeats WHERE number IN \
        (SELECT number FROM heartbeats WHERE number <= $1 ORDER BY number LIMIT $2)";

    /// Every change counter.
    REVISIONS = "SELECT topic, revision FROM revisions";

    /// One change counter goes on. Sent first where changes of one topic must queue up, such as catalogs, whose
    /// order is that of their ids.
    BUMP = "UPDATE revisions SET revision = revision + 1 WHERE topic = $1";

    /// Every group.
    LOAD_GROUPS = concat!("SELECT ", group_columns!(), " FROM delegate_groups");

    /// Every alias.
    LOAD_ALIASES = "SELECT account, alias, instance_id FROM aliases";

    /// Every tombstone.
    LOAD_TOMBSTONES = "SELECT account, group_id, instance_id, deleted_at, deleted_by, lifted_at FROM tombstones";
}
