//! Batches in PostgreSQL: one array per column, side by side through `UNNEST`.

use crate::store::sql::{group_columns, instance_columns};
use crate::store::statements::statements;

/// Milliseconds since the Unix epoch by the clock of the database.
macro_rules! now {
    () => {
        "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    };
}

/// Groups as they are new, and of known ones what moves one way.
macro_rules! advance_groups {
    () => {
        "INSERT INTO delegate_groups (account, id, organization, project, name, identifier, kind, family, \
            description, tags, first_seen, last_active, upgrader_seen, by_choice, token_name, approval, returned_at) \
        SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], \
            $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::boolean[], \
            $15::text[], $16::text[], $17::bigint[]) \
        ON CONFLICT (account, id) DO UPDATE SET \
            first_seen = LEAST(delegate_groups.first_seen, excluded.first_seen), \
            last_active = GREATEST(delegate_groups.last_active, excluded.last_active), \
            upgrader_seen = GREATEST(delegate_groups.upgrader_seen, excluded.upgrader_seen), \
            returned_at = GREATEST(delegate_groups.returned_at, excluded.returned_at)"
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
        SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], \
            $7::text[], $8::text[], $9::boolean[], $10::text[], $11::text[], $12::text[], $13::bigint[], \
            $14::text[], $15::text[], $16::text[], $17::boolean[], $18::bigint[], $19::bigint[], $20::boolean[], \
            $21::bigint[], $22::boolean[], $23::text[]) \
        ON CONFLICT (account, id) DO UPDATE SET \
            group_id = excluded.group_id, \
            last_heartbeat = GREATEST(instances.last_heartbeat, excluded.last_heartbeat), \
            registered_at = LEAST(instances.registered_at, excluded.registered_at), \
            goodbye_at = CASE WHEN instances.goodbye_at - excluded.last_heartbeat BETWEEN 1 AND $24 \
                THEN GREATEST(instances.goodbye_at, excluded.goodbye_at) ELSE excluded.goodbye_at END, \
            host_name = excluded.host_name, ip = excluded.ip, \
            ng = excluded.ng, kind = excluded.kind, family = excluded.family, version = excluded.version, \
            version_since = excluded.version_since, tags = excluded.tags, transport = excluded.transport, \
            token_id = excluded.token_id, immutable = excluded.immutable, capacity = excluded.capacity, \
            clock_skew = excluded.clock_skew, incomplete = excluded.incomplete, \
            double_seen = excluded.double_seen, heartbeat_as_object = excluded.heartbeat_as_object, \
            details = excluded.details \
        WHERE NOT (excluded.incomplete AND NOT instances.incomplete)";

    /// Aliases.
    UPSERT_ALIASES = "INSERT INTO aliases (account, alias, instance_id) \
        SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[]) \
        ON CONFLICT (account, alias) DO UPDATE SET instance_id = excluded.instance_id";

    /// Instances that never were.
    REMOVE_INSTANCES = "DELETE FROM instances USING UNNEST($1::text[], $2::text[]) AS removed (account, id) \
        WHERE instances.account = removed.account AND instances.id = removed.id";

    /// Aliases of instances that never were.
    REMOVE_ALIASES = "DELETE FROM aliases USING UNNEST($1::text[], $2::text[]) AS removed (account, id) \
        WHERE aliases.account = removed.account AND aliases.instance_id = removed.id";

    /// Last heartbeats into rows, forward only.
    SETTLE = "UPDATE instances SET last_heartbeat = beat.at \
        FROM UNNEST($1::text[], $2::text[], $3::bigint[]) AS beat (account, id, at) \
        WHERE instances.account = beat.account AND instances.id = beat.id \
            AND (instances.last_heartbeat IS NULL OR instances.last_heartbeat < beat.at)";

    /// History in the order of the arrays; lines that are stored already are passed over.
    INSERT_TRANSITIONS = "INSERT INTO transitions (account, group_id, instance_id, happened_at, from_state, \
            to_state, cause, note) \
        SELECT account, group_id, instance_id, happened_at, from_state, to_state, cause, note \
        FROM UNNEST($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], \
            $8::text[]) WITH ORDINALITY AS line (account, group_id, instance_id, happened_at, from_state, to_state, \
            cause, note, place) \
        ORDER BY place \
        ON CONFLICT DO NOTHING";

    /// Tombstones.
    UPSERT_TOMBSTONES = "INSERT INTO tombstones (account, group_id, instance_id, deleted_at, deleted_by, lifted_at) \
        SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[]) \
        ON CONFLICT (account, group_id, instance_id) DO UPDATE SET deleted_at = excluded.deleted_at, \
            deleted_by = excluded.deleted_by, lifted_at = excluded.lifted_at";

    /// Last uses of tokens, forward only.
    TOKEN_USES = "UPDATE tokens SET last_used = used.at \
        FROM UNNEST($1::text[], $2::bigint[]) AS used (id, at) \
        WHERE tokens.id = used.id AND (tokens.last_used IS NULL OR tokens.last_used < used.at)";

    /// Instances with any sign of life since $1, or those without if $2 is false.
    LOAD_INSTANCES = concat!(
        "SELECT ", instance_columns!(), " FROM instances \
         WHERE ((last_heartbeat >= $1 OR registered_at >= $1 OR goodbye_at >= $1) IS TRUE) = $2"
    );

    /// The next number, whose row stays locked until the end of the transaction.
    NEXT_NUMBER = "UPDATE revisions SET revision = revision + 1 WHERE topic = 'fleet' RETURNING revision";

    /// Waits for the lock that [`NEXT_NUMBER`] takes, and keeps it until the end of the transaction, without a change.
    HOLD_NUMBER = "SELECT revision FROM revisions WHERE topic = 'fleet' FOR UPDATE";

    /// The number of the newest change.
    NUMBER = "SELECT revision FROM revisions WHERE topic = 'fleet'";

    /// Tells the change $1 of node $2, and rings the bell when it is committed.
    TELL = concat!(
        "WITH told AS (INSERT INTO news (number, node, told_at, changes) VALUES ($1, $2, ", now!(), ", $3)) \
         SELECT pg_notify('rollcall', $2)"
    );

    /// Changes behind $1: number, and what it touched unless node $2 did it.
    NEWS = "SELECT number, CASE WHEN node <> $2 THEN changes END FROM news WHERE number > $1 ORDER BY number";

    /// What every node had the time to read.
    FORGET_NEWS = concat!("DELETE FROM news WHERE told_at < ", now!(), " - $1");

    /// Node $1 of version $2 lives and follows up to $3. A crash of the database may lose it: nothing rests on it then.
    SIGN = concat!(
        "INSERT INTO nodes (id, version, seen_at, applied) SELECT $1, $2, ", now!(), ", $3 \
         WHERE set_config('synchronous_commit', 'off', true) = 'off' \
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, applied = excluded.applied"
    );

    /// Node $1 is gone.
    SIGN_OFF = "DELETE FROM nodes WHERE id = $1";

    /// Nodes that have been silent for $1 are gone.
    FORGET_NODES = concat!("DELETE FROM nodes WHERE seen_at < ", now!(), " - $1");

    /// Nodes that have not been silent for $1.
    NODES = concat!(
        "SELECT id, version, applied, ", now!(), " - seen_at FROM nodes WHERE seen_at > ", now!(), " - $1 ORDER BY id"
    );

    /// How many other nodes than $1 live, having been heard within $3, and do not follow up to $2 yet.
    BEHIND = concat!(
        "SELECT count(*) FROM nodes WHERE id <> $1 AND applied < $2 AND seen_at > ", now!(), " - $3"
    );

    /// Takes the lock of a job until the end of the transaction; tells whether it was free.
    TRY_ALONE = "SELECT pg_try_advisory_xact_lock(hashtext($1))";

    /// Waits for the lock of a job, and keeps it until the end of the transaction.
    TAKE_TURN = "SELECT pg_advisory_xact_lock(hashtext($1))";

    /// Whether no transaction is open: in one, its beginning lies behind that of the statement.
    IS_AT_REST = "SELECT now() = statement_timestamp()";

    /// Groups by their keys.
    GROUPS_OF = concat!(
        "SELECT ", group_columns!(), " FROM delegate_groups WHERE (account, id) IN \
         (SELECT * FROM UNNEST($1::text[], $2::text[]))"
    );

    /// Instances by their keys.
    INSTANCES_OF = concat!(
        "SELECT ", instance_columns!(), " FROM instances WHERE (account, id) IN \
         (SELECT * FROM UNNEST($1::text[], $2::text[]))"
    );

    /// Aliases by their keys.
    ALIASES_OF = "SELECT account, alias, instance_id FROM aliases WHERE (account, alias) IN \
        (SELECT * FROM UNNEST($1::text[], $2::text[]))";

    /// Tombstones by their keys.
    TOMBSTONES_OF = "SELECT account, group_id, instance_id, deleted_at, deleted_by, lifted_at FROM tombstones \
        WHERE (account, group_id, instance_id) IN (SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[]))";

    /// Whether migrations were ever recorded: 1 or 0.
    HAS_MIGRATIONS = "SELECT count(*) FROM pg_tables \
        WHERE schemaname = current_schema() AND tablename = '_sqlx_migrations'";

    /// `on` where nothing can be written, such as on a standby.
    READ_ONLY = "SELECT current_setting('transaction_read_only')";
}
