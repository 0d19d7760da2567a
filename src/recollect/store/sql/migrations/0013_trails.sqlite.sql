-- What work that passed did, act by act: a bounded row a unit, to find what sessions do the same way.

CREATE TABLE trail (
    session_id TEXT NOT NULL,
    work       TEXT NOT NULL DEFAULT '',
    project_id TEXT,
    at         INTEGER NOT NULL,
    task       TEXT NOT NULL DEFAULT '',
    parts      TEXT NOT NULL,
    PRIMARY KEY (session_id, work)
) STRICT, WITHOUT ROWID;
CREATE INDEX trail_by_project ON trail (project_id, at);
