//! Batches in `SQLite`: one JSON array of rows as the only parameter.
//!
//! `jsonb_each` hands on each row in binary form; `json_each` would write every row as text again, to be parsed
//! again for every column. `WHERE true` keeps the parser from reading `ON CONFLICT` as the condition of a join.

use crate::store::sql::instance_columns;
use crate::store::statements::statements;

/// Groups as they are new, and of known ones what moves one way.
macro_rules! advance_groups {
    () => {
        "INSERT INTO delegate_groups (account, id, organization, project, name, identifier, kind, family, \
            description, tags, first_seen, last_active, upgrader_seen, by_choice, token_name, approval, returned_at) \
        SELECT value ->> 'account', value ->> 'id', value ->> 'organization', value ->> 'project', \
            value ->> 'name', value ->> 'identifier', value ->> 'kind', value ->> 'family', \
            value ->> 'description', value ->> 'tags', value ->> 'first_seen', value ->> 'last_active', \
            value ->> 'upgrader_seen', value ->> 'by_choice', value ->> 'token_name', value ->> 'approval', \
            value ->> 'returned_at' \
        FROM jsonb_each($1) WHERE true \
        ON CONFLICT (account, id) DO UPDATE SET \
            first_seen = min(first_seen, excluded.first_seen), \
            last_active = max(last_active, excluded.last_active), \
            upgrader_seen = max(coalesce(upgrader_seen, excluded.upgrader_seen), \
                coalesce(excluded.upgrader_seen, upgrader_seen)), \
            returned_at = max(coalesce(returned_at, excluded.returned_at), \
                coalesce(excluded.returned_at, returned_at))"
    };
}

statements! {
    /// Groups, by the rules of `Batch::groups`: what tells one from others, approval and choice are those of the first row.
    UPSERT_GROUPS = concat!(
        advance_groups!(),
        ", kind = excluded.kind, family = excluded.family, description = excluded.description, tags = excluded.tags, \
            token_name = excluded.token_name"
    );

    /// Groups that only come along, by the rules of `Batch::companions`.
    ADVANCE_GROUPS = advance_groups!();

    /// Instances, by the rules of `Batch::instances`.
    UPSERT_INSTANCES = "INSERT INTO instances (account, id, group_id, last_heartbeat, registered_at, goodbye_at, \
            host_name, ip, ng, kind, family, version, version_since, tags, transport, token_id, immutable, \
            capacity, clock_skew, incomplete, double_seen, heartbeat_as_object, details) \
        SELECT value ->> 'account', value ->> 'id', value ->> 'group_id', value ->> 'last_heartbeat', \
            value ->> 'registered_at', value ->> 'goodbye_at', value ->> 'host_name', value ->> 'ip', \
            value ->> 'ng', value ->> 'kind', value ->> 'family', value ->> 'version', \
            value ->> 'version_since', value ->> 'tags', value ->> 'transport', value ->> 'token_id', \
            value ->> 'immutable', value ->> 'capacity', value ->> 'clock_skew', value ->> 'incomplete', \
            value ->> 'double_seen', value ->> 'heartbeat_as_object', value ->> 'details' \
        FROM jsonb_each($1) WHERE true \
        ON CONFLICT (account, id) DO UPDATE SET \
            group_id = excluded.group_id, \
            last_heartbeat = max(coalesce(last_heartbeat, excluded.last_heartbeat), \
                coalesce(excluded.last_heartbeat, last_heartbeat)), \
            registered_at = min(registered_at, excluded.registered_at), \
            goodbye_at = excluded.goodbye_at, host_name = excluded.host_name, ip = excluded.ip, \
            ng = excluded.ng, kind = excluded.kind, family = excluded.family, version = excluded.version, \
            version_since = excluded.version_since, tags = excluded.tags, transport = excluded.transport, \
            token_id = excluded.token_id, immutable = excluded.immutable, capacity = excluded.capacity, \
            clock_skew = excluded.clock_skew, incomplete = excluded.incomplete, \
            double_seen = excluded.double_seen, heartbeat_as_object = excluded.heartbeat_as_object, \
            details = excluded.details \
        WHERE NOT (excluded.incomplete AND NOT instances.incomplete)";

    /// Aliases.
    UPSERT_ALIASES = "INSERT INTO aliases (account, alias, instance_id) \
        SELECT value ->> 'account', value ->> 'alias', value ->> 'instance_id' FROM jsonb_each($1) WHERE true \
        ON CONFLICT (account, alias) DO UPDATE SET instance_id = excluded.instance_id";

    /// Instances that never were.
    REMOVE_INSTANCES = "DELETE FROM instances \
        WHERE (account, id) IN (SELECT value ->> 'account', value ->> 'id' FROM jsonb_each($1))";

    /// Aliases of instances that never were.
    REMOVE_ALIASES = "DELETE FROM aliases \
        WHERE (account, instance_id) IN (SELECT value ->> 'account', value ->> 'id' FROM jsonb_each($1))";

    /// Last heartbeats into rows, forward only.
    SETTLE = "UPDATE instances SET last_heartbeat = beat.at \
        FROM (SELECT value ->> 'account' AS account, value ->> 'id' AS id, value ->> 'at' AS at \
            FROM jsonb_each($1)) AS beat \
        WHERE instances.account = beat.account AND instances.id = beat.id \
            AND (instances.last_heartbeat IS NULL OR instances.last_heartbeat < beat.at)";

    /// History in the order of the array; lines that are stored already are passed over.
    INSERT_TRANSITIONS = "INSERT INTO transitions (account, group_id, instance_id, happened_at, from_state, \
            to_state, cause, note) \
        SELECT value ->> 'account', value ->> 'group_id', value ->> 'instance_id', value ->> 'happened_at', \
            value ->> 'from_state', value ->> 'to_state', value ->> 'cause', value ->> 'note' \
        FROM jsonb_each($1) WHERE true ORDER BY key \
        ON CONFLICT DO NOTHING";

    /// Tombstones.
    UPSERT_TOMBSTONES = "INSERT INTO tombstones (account, group_id, instance_id, deleted_at, deleted_by, lifted_at) \
        SELECT value ->> 'account', value ->> 'group_id', value ->> 'instance_id', value ->> 'deleted_at', \
            value ->> 'deleted_by', value ->> 'lifted_at' \
        FROM jsonb_each($1) WHERE true \
        ON CONFLICT (account, group_id, instance_id) DO UPDATE SET deleted_at = excluded.deleted_at, \
            deleted_by = excluded.deleted_by, lifted_at = excluded.lifted_at";

    /// Last uses of tokens, forward only.
    TOKEN_USES = "UPDATE tokens SET last_used = used.at \
        FROM (SELECT value ->> 'id' AS id, value ->> 'at' AS at FROM jsonb_each($1)) AS used \
        WHERE tokens.id = used.id AND (tokens.last_used IS NULL OR tokens.last_used < used.at)";

    /// The next instances behind row $1 with any sign of life since $2, or those without if $4 is 0, $3 at most: the last
    /// row, and one JSON array of arrays. One value for a thousand rows, because the driver spends more on handing over a row than all else
    /// costs together.
    PACKED_INSTANCES = concat!(
        "SELECT max(place), json_group_array(json_array(", instance_columns!(), ")) \
         FROM (SELECT rowid AS place, * FROM instances \
            WHERE rowid > $1 \
                AND ((last_heartbeat >= $2 OR registered_at >= $2 OR goodbye_at >= $2) IS TRUE) = $4 \
            ORDER BY rowid LIMIT $3)"
    );

    /// Whether migrations were ever recorded: 1 or 0.
    HAS_MIGRATIONS = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'";
}
