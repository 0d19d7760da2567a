-- Who talks: an agent with its persona, as JSON.
CREATE TABLE chat_agent (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    persona    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A conversation with an agent.
CREATE TABLE chat_session (
    id          TEXT PRIMARY KEY,
    agent_id    TEXT NOT NULL REFERENCES chat_agent (id) ON DELETE CASCADE,
    project_id  TEXT REFERENCES project (id) ON DELETE SET NULL,
    title       TEXT NOT NULL DEFAULT '',
    -- anthropic or openai: how its messages are written.
    shape       TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    archived_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_session_by_time ON chat_session (last_at);
CREATE INDEX chat_session_by_agent ON chat_session (agent_id);
CREATE INDEX chat_session_by_project ON chat_session (project_id);

-- What was said, as the provider's API writes it; the outputs of tools stand apart.
CREATE TABLE chat_message (
    session_id TEXT NOT NULL REFERENCES chat_session (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (session_id, number)
) STRICT, WITHOUT ROWID;

-- What a tool gave back: the part of a message that is large and may go first.
CREATE TABLE chat_output (
    session_id TEXT NOT NULL,
    number     INTEGER NOT NULL,
    part       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    text       TEXT NOT NULL,
    PRIMARY KEY (session_id, number, part),
    FOREIGN KEY (session_id, number) REFERENCES chat_message (session_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_output_by_time ON chat_output (at);
