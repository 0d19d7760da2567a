-- What a scan said of each part of a project ('' for its habits): which memory holds it, and what the files were then.
CREATE TABLE survey (
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    part       TEXT NOT NULL,
    scanned_at INTEGER NOT NULL,
    -- The beginnings of the hashes of its files, in order.
    seen       TEXT NOT NULL,
    -- Topics with the ids of memories. A memory that is gone stays named here, so that it is not brought back.
    said       TEXT NOT NULL,
    PRIMARY KEY (project_id, part)
) STRICT, WITHOUT ROWID;
