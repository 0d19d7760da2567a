-- What was read, as the words of its sentences: enough to see later that a note says the same in other words.
CREATE TABLE read_statement (
    num        INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    -- A hash of the words: what is read twice is kept once.
    key        TEXT NOT NULL,
    words      TEXT NOT NULL,
    -- prose; code, where only what instructs is somebody's word; own, what the agent wrote itself before it read it.
    source     TEXT NOT NULL,
    event_id   TEXT NOT NULL,
    session_id TEXT NOT NULL,
    at         INTEGER NOT NULL,
    UNIQUE (project_id, key)
) STRICT;
CREATE INDEX read_statement_by_time ON read_statement (at);
