-- Several people share a store: whose a memory is, who may see it, and who did what.

ALTER TABLE session ADD COLUMN owner TEXT;
ALTER TABLE memory ADD COLUMN owner TEXT;

-- Who may use a store that several people share.
CREATE TABLE person (
    name       TEXT PRIMARY KEY,
    role       TEXT NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- An argon2 hash for the dashboard; empty: this person has not chosen a password.
    password   TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys of programs. The key itself is nowhere: its first characters find the row, its SHA-256 proves it.
CREATE TABLE access_token (
    prefix     TEXT PRIMARY KEY,
    person     TEXT NOT NULL REFERENCES person (name) ON DELETE CASCADE,
    digest     TEXT NOT NULL,
    label      TEXT NOT NULL,
    -- The most it may: never more than its person.
    role       TEXT NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- Whether an agent holds it: then nothing is confirmed, pinned or purged with it.
    agent      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX access_token_by_person ON access_token (person);

-- Which projects a person may see; `*` is every project.
CREATE TABLE project_grant (
    person     TEXT NOT NULL REFERENCES person (name) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    may_write  INTEGER NOT NULL,
    PRIMARY KEY (person, project_id)
) STRICT, WITHOUT ROWID;

-- Who did what and when; never what a memory says.
CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    person TEXT NOT NULL,
    token  TEXT NOT NULL,
    act    TEXT NOT NULL,
    target TEXT NOT NULL,
    status INTEGER NOT NULL
) STRICT;

-- What was answered to a request that has a key of its own, so that asking again changes nothing.
CREATE TABLE answered_request (
    person TEXT NOT NULL,
    key    TEXT NOT NULL,
    act    TEXT NOT NULL,
    at     INTEGER NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (person, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answered_request_by_time ON answered_request (at);

-- Memories that a person would share, where a project wants a second person to agree.
CREATE TABLE share_request (
    memory_id TEXT PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    person    TEXT NOT NULL,
    at        INTEGER NOT NULL,
    why       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
