//! SQL about people, keys and deeds; both databases read it alike.

use crate::store::statements::statements;

macro_rules! user_columns {
    () => {
        "id, email, name, kind, password, external_id, disabled, created_at, created_by, last_sign_in"
    };
}

macro_rules! assignment_columns {
    () => {
        "account, organization, project, id, user_id, role, resources, external, created_at, created_by"
    };
}

macro_rules! session_columns {
    () => {
        "hash, user_id, created_at, last_seen, agent, address"
    };
}

macro_rules! api_key_columns {
    () => {
        "account, organization, project, id, user_id, name, hash, created_at, created_by, expires_at, revoked_at, \
         last_used"
    };
}

macro_rules! embed_key_columns {
    () => {
        "account, organization, project, id, name, hash, filter, origins, created_at, created_by, expires_at, \
         revoked_at"
    };
}

macro_rules! saved_filter_columns {
    () => {
        "account, organization, project, id, user_id, name, everyone, query, created_at, changed_at"
    };
}

/// Lines of the audit log under a condition, in the order that `decode::audit` reads.
macro_rules! audit_lines {
    ($where:literal) => {
        concat!(
            "SELECT account, organization, project, id, happened_at, actor, action, resource, name, summary, \
                before_values, after_values \
             FROM audit_log WHERE ",
            $where,
            "happened_at >= $1 AND happened_at < $2 AND lower(actor) LIKE $3 ESCAPE '\\' \
                AND ($4 = '' OR action = $4) AND ($5 = '' OR resource = $5) \
                AND (happened_at < $6 OR happened_at = $6 AND id < $7) \
             ORDER BY happened_at DESC, id DESC LIMIT $8"
        )
    };
}

statements! {
    /// Everybody.
    USERS = concat!("SELECT ", user_columns!(), " FROM users");

    /// Somebody new.
    INSERT_USER = concat!(
        "INSERT INTO users (", user_columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
    );

    /// Another password; not for somebody who is shut out.
    SET_PASSWORD = "UPDATE users SET password = $2 WHERE id = $1 AND disabled = 0";

    /// Out or in.
    SET_DISABLED = "UPDATE users SET disabled = $2 WHERE id = $1 AND disabled <> $2";

    /// Tied to the identity provider.
    SET_EXTERNAL_ID = "UPDATE users SET external_id = $2 WHERE id = $1";

    /// A sign-in.
    NOTE_SIGN_IN = "UPDATE users SET last_sign_in = $2 WHERE id = $1";

    /// Every role.
    ROLES = "SELECT account, organization, project, id, name, permissions, created_at FROM roles";

    /// A new role.
    INSERT_ROLE = "INSERT INTO roles (account, organization, project, id, name, permissions, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";

    /// A role changes.
    CHANGE_ROLE = "UPDATE roles SET name = $5, permissions = $6 \
        WHERE account = $1 AND organization = $2 AND project = $3 AND id = $4";

    /// A role goes.
    REMOVE_ROLE = "DELETE FROM roles \
        WHERE account = $1 AND organization = $2 AND project = $3 AND id = $4";

    /// Assignments of a role go.
    REMOVE_ASSIGNMENTS_OF_ROLE = "DELETE FROM assignments WHERE role = $1";

    /// Every assignment.
    ASSIGNMENTS = concat!("SELECT ", assignment_columns!(), " FROM assignments");

    /// An assignment of a built-in role.
    PUT_ASSIGNMENT = concat!(
        "INSERT INTO assignments (", assignment_columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
    );

    /// Whether a role is there, and stays until the end of the transaction.
    HOLD_ROLE = "UPDATE roles SET name = name \
        WHERE account = $1 AND organization = $2 AND project = $3 AND id = $4";

    /// An assignment goes.
    REMOVE_ASSIGNMENT = "DELETE FROM assignments WHERE id = $1";

    /// Every API key.
    API_KEYS = concat!("SELECT ", api_key_columns!(), " FROM api_keys");

    /// A new API key.
    INSERT_API_KEY = concat!(
        "INSERT INTO api_keys (", api_key_columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    );

    /// An API key ends.
    REVOKE_API_KEY = "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";

    /// A use of an API key.
    TOUCH_API_KEY = "UPDATE api_keys SET last_used = $2 WHERE id = $1 AND (last_used IS NULL OR last_used < $2)";

    /// Every embed key.
    EMBED_KEYS = concat!("SELECT ", embed_key_columns!(), " FROM embed_keys");

    /// A new embed key.
    INSERT_EMBED_KEY = concat!(
        "INSERT INTO embed_keys (", embed_key_columns!(), ") \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    );

    /// An embed key ends.
    REVOKE_EMBED_KEY = "UPDATE embed_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";

    /// Every saved filter.
    SAVED_FILTERS = concat!("SELECT ", saved_filter_columns!(), " FROM saved_filters");

    /// A new saved filter.
    INSERT_SAVED_FILTER = concat!(
        "INSERT INTO saved_filters (", saved_filter_columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
    );

    /// A saved filter changes.
    CHANGE_SAVED_FILTER = "UPDATE saved_filters SET name = $2, everyone = $3, query = $4, changed_at = $5 WHERE id = $1";

    /// A saved filter goes.
    REMOVE_SAVED_FILTER = "DELETE FROM saved_filters WHERE id = $1";

    /// A session.
    SESSION = concat!("SELECT ", session_columns!(), " FROM sessions WHERE hash = $1");

    /// Sessions of somebody.
    SESSIONS_OF = concat!(
        "SELECT ", session_columns!(), " FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, hash"
    );

    /// A new session.
    PUT_SESSION = concat!("INSERT INTO sessions (", session_columns!(), ") VALUES ($1, $2, $3, $4, $5, $6)");

    /// The newest request of a session.
    TOUCH_SESSION = "UPDATE sessions SET last_seen = $2 WHERE hash = $1 AND last_seen < $2";

    /// A session ends.
    REMOVE_SESSION = "DELETE FROM sessions WHERE hash = $1";

    /// All sessions of somebody end, except one.
    REMOVE_SESSIONS = "DELETE FROM sessions WHERE user_id = $1 AND hash <> $2";

    /// Links that sign somebody in.
    REMOVE_LINKS = "DELETE FROM links WHERE user_id = $1";

    /// Old sessions end.
    EXPIRE_SESSIONS = "DELETE FROM sessions WHERE created_at < $1 OR last_seen < $2";

    /// A link.
    LINK = "SELECT hash, purpose, user_id, expires_at FROM links WHERE hash = $1";

    /// A new link.
    PUT_LINK = "INSERT INTO links (hash, purpose, user_id, expires_at) VALUES ($1, $2, $3, $4)";

    /// Links that are out of date.
    EXPIRE_LINKS = "DELETE FROM links WHERE expires_at <= $1";

    /// A link is used up.
    TAKE_LINK = "DELETE FROM links WHERE hash = $1 AND expires_at > $2";

    /// An active token becomes a revoked one.
    REVOKE_TOKEN_BY_ID = "UPDATE tokens SET status = 'REVOKED', revoked_at = $2 WHERE id = $1 AND status = 'ACTIVE'";

    /// A token rests under another key.
    RESEAL_TOKEN = "UPDATE tokens SET sealed = $3 WHERE id = $1 AND sealed = $2";

    /// A revoked token goes.
    REMOVE_TOKEN = "DELETE FROM tokens WHERE id = $1 AND status = 'REVOKED'";

    /// A deletion; one that stands already is left alone.
    BURY = "INSERT INTO tombstones (account, group_id, instance_id, deleted_at, deleted_by, lifted_at) \
        VALUES ($1, $2, $3, $4, $5, NULL) \
        ON CONFLICT (account, group_id, instance_id) DO UPDATE SET deleted_at = excluded.deleted_at, \
            deleted_by = excluded.deleted_by, lifted_at = NULL \
        WHERE tombstones.lifted_at IS NOT NULL";

    /// A deletion that stands is lifted.
    LIFT = "UPDATE tombstones SET lifted_at = $4 \
        WHERE account = $1 AND group_id = $2 AND instance_id = $3 AND lifted_at IS NULL";

    /// Whether a group is let in.
    SET_APPROVAL = "UPDATE delegate_groups SET approval = $4 WHERE account = $1 AND id = $2 AND approval = $3";

    /// Whether a group is updated by hand on purpose; $3 is 0 or 1.
    SET_BY_CHOICE = "UPDATE delegate_groups SET by_choice = (CAST($3 AS BIGINT) = 1) \
        WHERE account = $1 AND id = $2 AND by_choice <> (CAST($3 AS BIGINT) = 1)";

    /// Custom tags of a group.
    SET_TAGS = "UPDATE delegate_groups SET tags = $3 WHERE account = $1 AND id = $2";

    /// A line of the audit log.
    PUT_AUDIT = "INSERT INTO audit (account, organization, project, happened_at, actor_id, actor, action, resource, \
            name, summary, before_values, after_values, request_id) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

    /// Old lines of the audit log go.
    PURGE_AUDIT = "DELETE FROM audit WHERE happened_at < $1";

    /// Lines of the audit log of a scope, newest first. $12: 1 for scopes below, too; $13: the account again, or '' for
    /// lines of the server, too. Both names of accounts lead through the index.
    AUDIT = audit_lines!(
        "account IN ($9, $13) AND (organization = $10 OR CAST($12 AS BIGINT) = 1 AND $10 = '') \
            AND (project = $11 OR CAST($12 AS BIGINT) = 1 AND $11 = '') AND "
    );

    /// What people did to a delegate and its instances, newest first. $6 begins the names of its instances.
    DEEDS_ON = "SELECT account, organization, project, CAST(id AS TEXT) AS id, happened_at, actor, action, resource, \
            name, summary, before_values, after_values \
        FROM audit \
        WHERE account = $1 AND organization = $2 AND project = $3 AND happened_at <= $4 \
            AND resource IN ('delegate', 'instance') \
            AND (name = $5 OR substr(name, 1, length(CAST($6 AS TEXT))) = CAST($6 AS TEXT)) \
        ORDER BY happened_at DESC, audit.id DESC LIMIT $7";

    /// All lines of the audit log, newest first.
    AUDIT_OF_ALL = audit_lines!("");
}
