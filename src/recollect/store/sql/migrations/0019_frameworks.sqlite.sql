-- What a framework keeps in order: the lines of a transcript, the items of a conversation.
CREATE TABLE framework_log (
    num        INTEGER PRIMARY KEY,
    framework  TEXT NOT NULL,
    -- The framework's own name for a project; empty where it has none.
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- Empty for the conversation itself; else the part of it, such as a subagent's.
    part       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- What the framework itself says about it, as JSON.
    summary    TEXT,
    UNIQUE (framework, owner, name, part)
) STRICT;

CREATE TABLE framework_entry (
    log    INTEGER NOT NULL REFERENCES framework_log (num) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,
    -- The framework's own id: an entry that comes again is known by it.
    uid    TEXT,
    body   TEXT NOT NULL,
    PRIMARY KEY (log, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX framework_entry_once ON framework_entry (log, uid) WHERE uid IS NOT NULL;

-- Values by namespace and key. A namespace is its labels, each with U+001F behind it.
CREATE TABLE framework_item (
    num         INTEGER PRIMARY KEY,
    namespace   TEXT NOT NULL,
    item_key    TEXT NOT NULL,
    value       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    ttl_seconds REAL,
    expires_at  INTEGER,
    UNIQUE (namespace, item_key)
) STRICT;
CREATE INDEX framework_item_by_expiry ON framework_item (expires_at) WHERE expires_at IS NOT NULL;

-- What is searched of an item, as vectors: float32, little endian, unit length.
CREATE TABLE framework_vector (
    item   INTEGER NOT NULL REFERENCES framework_item (num) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    -- Vectors of different models are never compared.
    model  TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (item, number)
) STRICT, WITHOUT ROWID;

-- The state of a program at one step. What its channels held stands apart, so that a step costs what it changed.
CREATE TABLE framework_checkpoint (
    num       INTEGER PRIMARY KEY,
    thread    TEXT NOT NULL,
    namespace TEXT NOT NULL,
    id        TEXT NOT NULL,
    parent_id TEXT,
    run_id    TEXT,
    kind      TEXT NOT NULL,
    body      BLOB NOT NULL,
    metadata_kind TEXT NOT NULL,
    metadata  BLOB NOT NULL,
    -- Channel to version, as JSON.
    versions  TEXT NOT NULL,
    -- Channels whose value is made from earlier steps, as a JSON list.
    deltas    TEXT NOT NULL,
    UNIQUE (thread, namespace, id)
) STRICT;
CREATE INDEX framework_checkpoint_by_run ON framework_checkpoint (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE framework_channel (
    num       INTEGER PRIMARY KEY,
    thread    TEXT NOT NULL,
    namespace TEXT NOT NULL,
    channel   TEXT NOT NULL,
    version   TEXT NOT NULL,
    kind      TEXT NOT NULL,
    body      BLOB NOT NULL,
    UNIQUE (thread, namespace, channel, version)
) STRICT;

-- What a task of a step gave back before the step was over.
CREATE TABLE framework_write (
    num           INTEGER PRIMARY KEY,
    thread        TEXT NOT NULL,
    namespace     TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_id       TEXT NOT NULL,
    number        INTEGER NOT NULL,
    channel       TEXT NOT NULL,
    kind          TEXT NOT NULL,
    body          BLOB NOT NULL,
    task_path     TEXT NOT NULL,
    UNIQUE (thread, namespace, checkpoint_id, task_id, number)
) STRICT;
