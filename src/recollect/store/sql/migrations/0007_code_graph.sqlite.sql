-- The code graph: files by checkout, outlines by content, nodes, edges both ways, and what people add to it.

-- A folder whose code is in the graph; worktrees of one project stand apart.
CREATE TABLE code_tree (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    root       TEXT NOT NULL UNIQUE,
    built_at   INTEGER,
    -- Grows with every change, so that of two builds at once the later one looks again.
    generation INTEGER NOT NULL DEFAULT 0,
    settings   TEXT NOT NULL DEFAULT '{}',
    left_out   TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX code_tree_by_project ON code_tree (project_id);

-- What the bytes of a file say, whatever it is called and wherever it lies.
CREATE TABLE code_parse (
    num      INTEGER PRIMARY KEY,
    blob     TEXT NOT NULL,
    language TEXT NOT NULL,
    version  INTEGER NOT NULL,
    used_at  INTEGER NOT NULL,
    outline  BLOB NOT NULL,
    UNIQUE (blob, language)
) STRICT;

CREATE TABLE code_file (
    num       INTEGER PRIMARY KEY AUTOINCREMENT,
    tree_num  INTEGER NOT NULL REFERENCES code_tree (num) ON DELETE CASCADE,
    path      TEXT NOT NULL,
    language  TEXT NOT NULL,
    seen      TEXT NOT NULL,
    blob      TEXT NOT NULL,
    package   TEXT NOT NULL,
    module    TEXT NOT NULL,
    signature TEXT NOT NULL,
    -- Why it is not read; empty for a file in the graph.
    left_out  TEXT NOT NULL,
    broken    INTEGER NOT NULL,
    UNIQUE (tree_num, path)
) STRICT;

-- Names a file asks others for: when such a name comes or goes, its edges are made anew.
CREATE TABLE code_mention (
    name     TEXT NOT NULL,
    file_num INTEGER NOT NULL REFERENCES code_file (num) ON DELETE CASCADE,
    PRIMARY KEY (name, file_num)
) STRICT, WITHOUT ROWID;
CREATE INDEX code_mention_by_file ON code_mention (file_num);

-- A file's own node has an empty qualified name; directories and modules belong to no file.
CREATE TABLE code_node (
    num       INTEGER PRIMARY KEY,
    tree_num  INTEGER NOT NULL REFERENCES code_tree (num) ON DELETE CASCADE,
    file_num  INTEGER REFERENCES code_file (num) ON DELETE CASCADE,
    kind      TEXT NOT NULL,
    name      TEXT NOT NULL,
    qualified TEXT NOT NULL,
    line      INTEGER NOT NULL,
    end_line  INTEGER NOT NULL,
    UNIQUE (file_num, qualified)
) STRICT;
CREATE INDEX code_node_by_name ON code_node (name);
CREATE INDEX code_node_apart ON code_node (tree_num, kind, name) WHERE file_num IS NULL;

CREATE TABLE code_edge (
    from_num   INTEGER NOT NULL REFERENCES code_node (num) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    to_num     INTEGER NOT NULL REFERENCES code_node (num) ON DELETE CASCADE,
    confidence REAL NOT NULL CHECK (confidence > 0 AND confidence <= 1),
    lines      TEXT NOT NULL,
    PRIMARY KEY (from_num, kind, to_num)
) STRICT, WITHOUT ROWID;
CREATE INDEX code_edge_back ON code_edge (to_num, kind, from_num);

-- Patterns, dataflows, invariants and decisions that somebody added, with who and by which way.
CREATE TABLE code_note (
    num        INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('pattern', 'dataflow', 'invariant', 'decision')),
    name       TEXT NOT NULL,
    text       TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence > 0 AND confidence <= 1),
    channel    TEXT NOT NULL,
    added_by   TEXT NOT NULL,
    added_at   INTEGER NOT NULL,
    UNIQUE (project_id, kind, name)
) STRICT;

-- Connections no code shows. Ends are keys, so that they outlive a rebuilt graph and hold in every worktree.
CREATE TABLE code_link (
    num        INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    source     TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN
               ('depends_logically', 'is_entrypoint_for', 'handles_errors_from', 'applies_pattern', 'flows_to')),
    target     TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence > 0 AND confidence <= 1),
    channel    TEXT NOT NULL,
    added_by   TEXT NOT NULL,
    added_at   INTEGER NOT NULL,
    UNIQUE (project_id, source, kind, target)
) STRICT;
CREATE INDEX code_link_back ON code_link (project_id, target);
