-- Notes that wait until their work has proved good, and how far each session was learned from.

CREATE TABLE note (
    id         TEXT PRIMARY KEY,
    project_id TEXT,
    session_id TEXT NOT NULL,
    agent      TEXT NOT NULL DEFAULT '',
    at         INTEGER NOT NULL,
    step       INTEGER NOT NULL DEFAULT 0,
    origin     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    text       TEXT NOT NULL,
    count      INTEGER NOT NULL DEFAULT 1,
    work       TEXT NOT NULL DEFAULT '',
    branch     TEXT NOT NULL DEFAULT '',
    subjects   TEXT NOT NULL DEFAULT '[]',
    facts      TEXT NOT NULL DEFAULT '{}',
    state      TEXT NOT NULL,
    why        TEXT NOT NULL DEFAULT '',
    event_ids  TEXT NOT NULL DEFAULT '[]',
    commit_sha TEXT NOT NULL DEFAULT '',
    memory_id  TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX note_by_session ON note (session_id, at);
CREATE INDEX note_waiting ON note (project_id, state, at);

-- What a note is about: two notes with a key in common are about the same thing.
CREATE TABLE note_key (
    key     TEXT NOT NULL,
    note_id TEXT NOT NULL REFERENCES note (id) ON DELETE CASCADE,
    PRIMARY KEY (key, note_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_key_by_note ON note_key (note_id);

-- The last moment of a session that was learned from; what comes later is learned again.
ALTER TABLE session ADD COLUMN learned_to INTEGER;
