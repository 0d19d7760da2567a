-- A run of a scheduled agent. A chain is all runs that one start led to.
CREATE TABLE ops_run (
    id            TEXT PRIMARY KEY,
    job           TEXT NOT NULL,
    chain_id      TEXT NOT NULL,
    parent_id     TEXT,
    trigger       TEXT NOT NULL,
    tier          INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    state         TEXT NOT NULL,
    dry_run       INTEGER NOT NULL,
    started_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    -- A process is known by its id and the moment of its birth: ids are used again.
    runner_pid    INTEGER,
    runner_birth  REAL,
    pid           INTEGER,
    pid_birth     REAL,
    exit_code     INTEGER,
    model         TEXT NOT NULL,
    agent_session TEXT NOT NULL,
    tokens_in     INTEGER NOT NULL,
    tokens_out    INTEGER NOT NULL,
    cost_usd      REAL,
    turns         INTEGER NOT NULL,
    prompt        TEXT NOT NULL,
    summary       TEXT NOT NULL,
    error         TEXT NOT NULL,
    memories_told INTEGER NOT NULL,
    malformed     INTEGER NOT NULL,
    quoted        INTEGER NOT NULL,
    client        TEXT NOT NULL,
    folder        TEXT NOT NULL,
    structured    INTEGER NOT NULL,
    -- Somebody asked it to end.
    stop_wanted   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX ops_run_by_job ON ops_run (job, started_at);
CREATE INDEX ops_run_by_state ON ops_run (state, started_at);

-- What happened in operations. Where it was read in a run's output keeps the same output from making it twice.
CREATE TABLE ops_event (
    num       INTEGER PRIMARY KEY,
    run_id    TEXT,
    job       TEXT NOT NULL,
    tier      INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    type      TEXT NOT NULL,
    level     TEXT NOT NULL,
    service   TEXT NOT NULL,
    message   TEXT NOT NULL,
    memory_id TEXT,
    position  INTEGER,
    place     INTEGER NOT NULL,
    UNIQUE (run_id, position, place, type)
) STRICT;
CREATE INDEX ops_event_by_time ON ops_event (at);

-- Actions on services: each that was allowed counts within its window until it is reset.
CREATE TABLE ops_action (
    num       INTEGER PRIMARY KEY,
    action    TEXT NOT NULL,
    service   TEXT NOT NULL,
    at        INTEGER NOT NULL,
    allowed   INTEGER NOT NULL,
    run_id    TEXT,
    spent_at  INTEGER,
    succeeded INTEGER,
    message   TEXT NOT NULL,
    reset_at  INTEGER,
    -- Where in the run's output its marker was read.
    position  INTEGER,
    place     INTEGER
) STRICT;
CREATE INDEX ops_action_by_service ON ops_action (service, action, at);

-- Looks at services, and what they add up to.
CREATE TABLE ops_check (
    num      INTEGER PRIMARY KEY,
    service  TEXT NOT NULL,
    healthy  INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    message  TEXT NOT NULL,
    run_id   TEXT,
    position INTEGER NOT NULL,
    place    INTEGER NOT NULL,
    UNIQUE (run_id, position, place)
) STRICT;
CREATE INDEX ops_check_by_time ON ops_check (at);

CREATE TABLE ops_health (
    service    TEXT PRIMARY KEY,
    healthy    INTEGER NOT NULL,
    streak     INTEGER NOT NULL,
    since      INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    message    TEXT NOT NULL,
    run_id     TEXT
) STRICT, WITHOUT ROWID;

-- When a job is to run next, and what its triggers last saw; nothing of a schedule lives in a process alone.
CREATE TABLE ops_due (
    job    TEXT PRIMARY KEY,
    plan   TEXT NOT NULL,
    due_at INTEGER,
    seen   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
