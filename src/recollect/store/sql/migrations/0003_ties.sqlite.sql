-- Which files go together, from commits and sessions.

CREATE TABLE file_votes (
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    path       TEXT NOT NULL,
    weight     REAL NOT NULL,
    occasion   INTEGER NOT NULL,
    commits    INTEGER NOT NULL,
    sessions   INTEGER NOT NULL,
    last_at    INTEGER,
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE tie (
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    path       TEXT NOT NULL,
    other      TEXT NOT NULL CHECK (path < other),
    weight     REAL NOT NULL,
    occasion   INTEGER NOT NULL,
    commits    INTEGER NOT NULL,
    sessions   INTEGER NOT NULL,
    forward    INTEGER NOT NULL,
    apart      INTEGER NOT NULL,
    last_at    INTEGER,
    PRIMARY KEY (project_id, path, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX tie_by_other ON tie (project_id, other);

CREATE TABLE ties_learned (
    project_id TEXT PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    occasion   INTEGER NOT NULL,
    commit_sha TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
