-- The durable record of the fleet. SQLite has the same tables and columns (../sqlite).
--
-- Times are milliseconds since the Unix epoch, UTC, as the server's clock read them.
-- An absent organization or project is '' because a key cannot hold NULL. Lists and objects are JSON in TEXT.

-- Accounts, organizations and projects that people created. A delegate may report from a scope below one of
-- these that is not listed here.
CREATE TABLE scopes (
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    -- Shown on the scope's page.
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (account, organization, project)
);

-- Delegate tokens. A revoked one stays, because its name stays taken and its agents must be told apart from
-- strangers.
CREATE TABLE tokens (
    -- Random; what instances refer to, so that a token's name never has to be unique beyond its scope.
    id           TEXT NOT NULL PRIMARY KEY,
    -- The owner scope: where delegates of this token land.
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    -- What people call it.
    name         TEXT NOT NULL,
    -- The key, encrypted under the master key that the database never sees.
    sealed       BYTEA NOT NULL,
    -- SHA-256 of the token's text: the hint that newer agents send, to find the right key at the first try.
    hash         TEXT NOT NULL,
    -- ACTIVE or REVOKED.
    status       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    -- NULL for the server itself.
    created_by   TEXT,
    -- When it will be revoked by itself.
    revoke_after BIGINT,
    -- When it was revoked; a purge counts from here.
    revoked_at   BIGINT,
    -- Newest successful authentication: tells whether a token can go.
    last_used    BIGINT,
    UNIQUE (account, organization, project, name),
    FOREIGN KEY (account, organization, project) REFERENCES scopes (account, organization, project)
);

-- Groups: all delegates of one name in one scope.
CREATE TABLE delegate_groups (
    account       TEXT NOT NULL,
    -- Internal key, so that history survives a change of what people see.
    id            TEXT NOT NULL,
    -- The owner scope.
    organization  TEXT NOT NULL,
    project       TEXT NOT NULL,
    -- The delegate name, exactly as reported.
    name          TEXT NOT NULL,
    -- Given once and stable for life, because other systems store it.
    identifier    TEXT NOT NULL,
    -- Type, family, description and tags of the latest registration.
    kind          TEXT NOT NULL,
    family        TEXT NOT NULL,
    description   TEXT NOT NULL,
    tags          TEXT NOT NULL,
    -- Whether an upgrader that never called is late or just new.
    first_seen    BIGINT NOT NULL,
    -- Decides how long a group without members is still listed.
    last_active   BIGINT NOT NULL,
    -- Tells whether the group upgrades itself.
    upgrader_seen BIGINT,
    -- Marked by a person as updated by hand on purpose.
    by_choice     BOOLEAN NOT NULL,
    -- Name of the token of the latest registration, as shown even after the token is gone.
    token_name    TEXT NOT NULL,
    PRIMARY KEY (account, id),
    UNIQUE (account, organization, project, name),
    UNIQUE (account, organization, project, identifier)
);

-- Instances: one running agent each. Every page keeps room for a new version of its rows, so that a heartbeat, which
-- changes no indexed column, touches no index.
CREATE TABLE instances (
    account             TEXT NOT NULL,
    -- The delegate id: unique in its account only.
    id                  TEXT NOT NULL,
    group_id            TEXT NOT NULL,
    -- Newest heartbeat, the one column that changes all the time; NULL until the first one is stored.
    last_heartbeat      BIGINT,
    -- First registration.
    registered_at       BIGINT NOT NULL,
    -- A planned stop: hides the instance at once, raises no alarm.
    goodbye_at          BIGINT,
    -- What tells an instance from another one of its group.
    host_name           TEXT NOT NULL,
    ip                  TEXT NOT NULL,
    ng                  BOOLEAN NOT NULL,
    kind                TEXT NOT NULL,
    family              TEXT NOT NULL,
    -- NULL when the delegate reports none.
    version             TEXT,
    -- Since when it reports this version: shows how an upgrade moves through a group.
    version_since       BIGINT NOT NULL,
    tags                TEXT NOT NULL,
    -- Where the last heartbeat came in.
    transport           TEXT NOT NULL,
    -- tokens.id of the token used last: revoking it must find its instances. Not a foreign key, so that a purge
    -- of tokens leaves history alone.
    token_id            TEXT NOT NULL,
    -- NULL when the delegate does not say.
    immutable           BOOLEAN,
    -- Concurrent stages or builds; NULL when not reported or unbounded.
    capacity            BIGINT,
    -- Client clock minus server clock, for the hint about wrong clocks.
    clock_skew          BIGINT,
    -- Rebuilt from a heartbeat alone: to be completed by the next registration.
    incomplete          BOOLEAN NOT NULL,
    -- When two processes were last seen to share this id.
    double_seen         BIGINT,
    -- Which form of acknowledgement this agent understands.
    heartbeat_as_object BOOLEAN NOT NULL,
    -- What is only displayed, as one JSON object: no rule reads it, so it needs no columns.
    details             TEXT NOT NULL,
    PRIMARY KEY (account, id),
    FOREIGN KEY (account, group_id) REFERENCES delegate_groups (account, id)
) WITH (fillfactor = 70);

-- Members of a group.
CREATE INDEX instances_group ON instances (account, group_id);

-- Second ids: an agent that reports under an id of its own making although its instance is known.
CREATE TABLE aliases (
    account     TEXT NOT NULL,
    -- The id that the agent uses until it restarts.
    alias       TEXT NOT NULL,
    -- The instance it means. Not a foreign key: order of arrival must never block a batch.
    instance_id TEXT NOT NULL,
    PRIMARY KEY (account, alias)
);

-- Aliases of an instance that is taken away.
CREATE INDEX aliases_instance ON aliases (account, instance_id);

-- History: every change of state with its time and cause.
CREATE TABLE transitions (
    -- Order of arrival, for changes of the same millisecond.
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account     TEXT NOT NULL,
    group_id    TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    -- When it happened, not when it was noticed.
    happened_at BIGINT NOT NULL,
    -- NULL for the first state.
    from_state  TEXT,
    to_state    TEXT NOT NULL,
    cause       TEXT NOT NULL,
    -- What changed, for people.
    note        TEXT NOT NULL,
    -- A batch that is sent again after a lost connection adds nothing. Serves the history of one instance, too.
    UNIQUE (account, group_id, instance_id, happened_at, to_state, cause)
);

-- History of a whole group, newest first.
CREATE INDEX transitions_group ON transitions (account, group_id, happened_at);

-- Deletions by people, kept because a deleted delegate may call again and a setting decides what happens then.
CREATE TABLE tombstones (
    account     TEXT NOT NULL,
    group_id    TEXT NOT NULL,
    -- '' for a whole group.
    instance_id TEXT NOT NULL,
    deleted_at  BIGINT NOT NULL,
    -- Who deleted it.
    deleted_by  TEXT NOT NULL,
    -- Set once the deletion is lifted; kept as a record.
    lifted_at   BIGINT,
    PRIMARY KEY (account, group_id, instance_id)
);

-- Catalog documents as they were imported. The one with the highest id is current; older ones tell what was known
-- when.
CREATE TABLE catalog (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    imported_at BIGINT NOT NULL,
    document    TEXT NOT NULL
);

-- Settings that differ from their defaults.
CREATE TABLE settings (
    -- '' for the whole server.
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    name         TEXT NOT NULL,
    value        TEXT NOT NULL,
    -- When it was set last.
    changed_at   BIGINT NOT NULL,
    PRIMARY KEY (account, organization, project, name)
);

-- How often a topic changed. Processes compare these to see what another process changed.
CREATE TABLE revisions (
    topic    TEXT NOT NULL PRIMARY KEY,
    revision BIGINT NOT NULL
);

INSERT INTO revisions (topic, revision) VALUES ('scopes', 0), ('tokens', 0), ('catalog', 0), ('settings', 0);
