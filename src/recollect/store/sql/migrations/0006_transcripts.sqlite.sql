-- How far each past transcript was read, so that an import can be stopped and goes on where it was.

CREATE TABLE transcript (
    path        TEXT PRIMARY KEY,
    client      TEXT NOT NULL,
    size        INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    -- The byte up to which its events are kept; 0 for a format that is read as a whole.
    read_to     INTEGER NOT NULL,
    session_id  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
