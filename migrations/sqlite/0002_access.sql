-- Who may look and act: people, roles, keys, sessions; what was done. PostgreSQL has the same tables and columns
-- (../postgres).
--
-- Secrets are kept as hashes only: a copy of this file signs nobody in. 'hash' is a SHA-256 in lower-case hexadecimal.

-- People, and service accounts, which have keys and no sign-in.
CREATE TABLE users (
    id           TEXT NOT NULL PRIMARY KEY,
    -- Lower-case; what people sign in with. Service accounts have a name in its place.
    email        TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    -- PERSON or SERVICE.
    kind         TEXT NOT NULL,
    -- Argon2id in PHC form; NULL for those who only come through the identity provider.
    password     TEXT,
    -- Issuer and subject at the identity provider, as one text.
    external_id  TEXT UNIQUE,
    -- Shut out, while history still names them.
    disabled     INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    -- NULL for the command line and the link of the first start.
    created_by   TEXT,
    last_sign_in INTEGER
) STRICT;

-- Roles that people made; the built-in ones are in the program.
CREATE TABLE roles (
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    -- The stable word; assignments name it together with the scope.
    id           TEXT NOT NULL,
    name         TEXT NOT NULL,
    -- JSON list of permission words.
    permissions  TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (account, organization, project, id)
) STRICT, WITHOUT ROWID;

-- Roles given to people. They hold in their scope and below.
CREATE TABLE assignments (
    id           TEXT NOT NULL PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- '' for the whole server.
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    -- A built-in word, or 'id@scope' of a custom role.
    role         TEXT NOT NULL,
    -- JSON list of delegate identifiers; NULL for all.
    resources    TEXT,
    -- Given by the identity provider: follows the groups there.
    external     INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    created_by   TEXT
) STRICT;

-- Assignments of somebody.
CREATE INDEX assignments_user ON assignments (user_id);

-- Where people are signed in.
CREATE TABLE sessions (
    -- Of the secret in the cookie.
    hash       TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    -- Newest request, to the minute: an idle session ends.
    last_seen  INTEGER NOT NULL,
    -- Browser and address, so that people recognize their own.
    agent      TEXT NOT NULL,
    address    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Sign-out everywhere.
CREATE INDEX sessions_user ON sessions (user_id);

-- Keys of scripts. A key can do what its owner can, inside one scope.
CREATE TABLE api_keys (
    -- The public part of the key.
    id           TEXT NOT NULL PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    name         TEXT NOT NULL,
    -- Of the secret part.
    hash         TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    created_by   TEXT,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    -- To the minute.
    last_used    INTEGER
) STRICT;

-- Keys of pages that other sites frame.
CREATE TABLE embed_keys (
    id           TEXT NOT NULL PRIMARY KEY,
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL,
    -- Query of the page that it shows.
    filter       TEXT NOT NULL,
    -- JSON list of the sites that may frame it.
    origins      TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    created_by   TEXT NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER
) STRICT;

-- Links that work once: for the first start, and to sign in from the command line.
CREATE TABLE links (
    hash       TEXT NOT NULL PRIMARY KEY,
    -- SETUP or SIGN_IN.
    purpose    TEXT NOT NULL,
    -- Whom it signs in; '' for the first start.
    user_id    TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What people and the server did. What delegates did is in 'transitions'.
CREATE TABLE audit (
    -- Order of arrival.
    id            INTEGER PRIMARY KEY,
    happened_at   INTEGER NOT NULL,
    -- users.id; '' for the server. Not a foreign key: history outlives people.
    actor_id      TEXT NOT NULL,
    -- E-mail at that time, or SYSTEM.
    actor         TEXT NOT NULL,
    action        TEXT NOT NULL,
    -- Type and name of what it was done to.
    resource      TEXT NOT NULL,
    name          TEXT NOT NULL,
    -- '' for the whole server.
    account       TEXT NOT NULL,
    organization  TEXT NOT NULL,
    project       TEXT NOT NULL,
    summary       TEXT NOT NULL,
    -- JSON objects of texts.
    before_values TEXT NOT NULL,
    after_values  TEXT NOT NULL,
    -- Of the request that did it; '' for the command line.
    request_id    TEXT NOT NULL
) STRICT;

CREATE INDEX audit_account ON audit (account, happened_at);

-- The audit log shows what delegates did, too.
CREATE INDEX transitions_account ON transitions (account, happened_at);

-- APPROVED, PENDING or REJECTED.
ALTER TABLE delegate_groups ADD COLUMN approval TEXT NOT NULL DEFAULT 'APPROVED';
-- When it called again after a person had deleted it.
ALTER TABLE delegate_groups ADD COLUMN returned_at INTEGER;

INSERT INTO revisions (topic, revision) VALUES ('access', 0);

-- The audit log as people read it: deeds, and what delegates did.
CREATE VIEW audit_log AS
SELECT 'a' || printf('%020d', id) AS id, happened_at, actor, action, resource, name, account, organization, project,
    summary, before_values, after_values
FROM audit
UNION ALL
SELECT 't' || printf('%020d', line.id), line.happened_at, 'SYSTEM',
    CASE line.cause WHEN 'registered' THEN 'delegate.register' WHEN 'goodbye' THEN 'delegate.unregister'
        WHEN 'version' THEN 'delegate.version' ELSE 'delegate.return' END,
    'delegate', owner.name, owner.account, owner.organization, owner.project,
    CASE line.cause WHEN 'registered' THEN 'Instance ' || line.instance_id || ' registered'
        WHEN 'goodbye' THEN 'Instance ' || line.instance_id || ' said goodbye'
        WHEN 'version' THEN 'Instance ' || line.instance_id || ' changed its version: ' || line.note
        ELSE 'Instance ' || line.instance_id || ' returned' END,
    '{}', '{}'
FROM transitions AS line
JOIN delegate_groups AS owner ON owner.account = line.account AND owner.id = line.group_id
WHERE line.cause IN ('registered', 'goodbye', 'version', 'return', 'long_pause');
