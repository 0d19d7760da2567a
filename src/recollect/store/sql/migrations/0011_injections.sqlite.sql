-- The ledger: what was put before which agent, when and why, what it cost, and whether it was used.

CREATE TABLE injection (
    seq        INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    -- Which subagent; empty for the session's own agent.
    agent      TEXT NOT NULL DEFAULT '',
    moment     TEXT NOT NULL,
    -- A memory, or a note of the session's own scratchpad.
    memory_id  TEXT NOT NULL,
    at         INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    score      REAL NOT NULL,
    bar        REAL NOT NULL,
    position   INTEGER NOT NULL,
    why        TEXT NOT NULL DEFAULT '',
    -- cited, read, corrected; empty while nobody can say.
    used       TEXT NOT NULL DEFAULT '',
    used_at    INTEGER,
    -- When a compaction took it out of the agent's sight.
    lost_at    INTEGER
) STRICT;
CREATE INDEX injection_by_session ON injection (session_id, agent, memory_id);
CREATE INDEX injection_by_memory ON injection (memory_id, at);
