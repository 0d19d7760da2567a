-- Files that memories are about are followed: where each was learned, where it stands, and why a memory is stale.

ALTER TABLE memory ADD COLUMN stale_why TEXT NOT NULL DEFAULT '';

-- What has become of the files that memories are about, since they were learned.
CREATE TABLE memory_anchor (
    memory_num   INTEGER NOT NULL REFERENCES memory (num) ON DELETE CASCADE,
    path         TEXT NOT NULL,
    learned_path TEXT NOT NULL,
    learned_in   TEXT NOT NULL,
    blob         TEXT NOT NULL,
    is_folder    INTEGER NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('unchanged', 'changed', 'gone', 'restructured')),
    tracked_path TEXT NOT NULL,
    tracked_in   TEXT NOT NULL,
    seen_blob    TEXT NOT NULL,
    commits      INTEGER NOT NULL,
    lines        INTEGER NOT NULL,
    PRIMARY KEY (memory_num, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_anchor_changed ON memory_anchor (memory_num) WHERE state = 'changed';
