-- What a new database of PostgreSQL gets. Every table has its organisation first in every key; a rule of the database
-- (see `protect_table` among the templates) shows each organisation its own rows. Numbers named `num` and `seq` count
-- within an organisation and are given by the driver; times are microseconds since 1970 in UTC. Texts are compared by
-- their bytes, as SQLite does.

CREATE TABLE migration (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at BIGINT NOT NULL
);

-- Whose memories these are. Its writers take turns on its row, which keeps the last number given in each table.
CREATE TABLE organisation (
    num        INTEGER PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    commits    BIGINT NOT NULL DEFAULT 0,
    numbers    TEXT NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

-- The organisation for which a connection asks. Nothing is shown to a connection that has not said it.
CREATE FUNCTION current_org() RETURNS INTEGER LANGUAGE SQL STABLE PARALLEL SAFE
    AS $$ SELECT CAST(NULLIF(current_setting('recollect.org', true), '') AS INTEGER) $$;

-- The person for whom a connection asks, and the projects that were granted to them; NULL: nobody in particular, and all.
CREATE FUNCTION current_person() RETURNS TEXT LANGUAGE SQL STABLE PARALLEL SAFE
    AS $$ SELECT NULLIF(current_setting('recollect.person', true), '') $$;
CREATE FUNCTION granted_projects() RETURNS TEXT[] LANGUAGE SQL STABLE PARALLEL SAFE
    AS $$ SELECT CAST(NULLIF(current_setting('recollect.projects', true), '') AS TEXT[]) $$;

-- Lists come as JSON, as in SQLite.
CREATE FUNCTION text_list(list TEXT) RETURNS TEXT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN list IS NOT NULL
                      THEN ARRAY(SELECT json_array_elements_text(CAST(list AS JSON)) COLLATE "C") END $$;
CREATE FUNCTION number_list(list TEXT) RETURNS BIGINT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CAST(translate(list, '[]"', '{}') AS BIGINT[]) $$;
-- A text of JSON; the one character that a text of PostgreSQL cannot hold may be escaped in it.
CREATE FUNCTION as_json(text TEXT) RETURNS JSON LANGUAGE SQL IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CAST(replace(text, '\u0000', '\ufffd') AS JSON) $$;

CREATE TABLE meta (
    org   INTEGER NOT NULL DEFAULT current_org(),
    key   TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, key)
);

CREATE TABLE project (
    org        INTEGER NOT NULL DEFAULT current_org(),
    id         TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org, id),
    UNIQUE (org, key)
);

-- Every key a project is known by: its root commit, its remote, its path.
CREATE TABLE project_key (
    org        INTEGER NOT NULL DEFAULT current_org(),
    key        TEXT COLLATE "C" NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, key),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE
);
CREATE INDEX project_key_by_project ON project_key (org, project_id);

-- Where a project has been seen.
CREATE TABLE project_path (
    org        INTEGER NOT NULL DEFAULT current_org(),
    path       TEXT COLLATE "C" NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    seen_at    BIGINT NOT NULL,
    PRIMARY KEY (org, path),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE
);
CREATE INDEX project_path_by_project ON project_path (org, project_id);

-- How git identified the repository with this common directory, so that its history is walked once.
CREATE TABLE identity (
    org        INTEGER NOT NULL DEFAULT current_org(),
    common_dir TEXT COLLATE "C" NOT NULL,
    found      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, common_dir)
);

CREATE TABLE session (
    org        INTEGER NOT NULL DEFAULT current_org(),
    id         TEXT COLLATE "C" NOT NULL,
    project_id TEXT COLLATE "C",
    started_at BIGINT NOT NULL,
    last_at    BIGINT NOT NULL,
    client     TEXT COLLATE "C" NOT NULL DEFAULT '',
    branch     TEXT COLLATE "C" NOT NULL DEFAULT '',
    phase      TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- A reference to a unit of work, as it is written: methodology:outer/inner.
    work       TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- How it ended: passed, failed, abandoned; empty while nobody can say.
    outcome    TEXT COLLATE "C" NOT NULL DEFAULT '',
    tokens     BIGINT NOT NULL DEFAULT 0,
    parent_id  TEXT COLLATE "C",
    ended_at   BIGINT,
    -- The last moment that was learned from; what comes later is learned again.
    learned_to BIGINT,
    -- Whose it is, where several people share a store; NULL: nobody's in particular.
    owner      TEXT COLLATE "C",
    PRIMARY KEY (org, id),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE
);
CREATE INDEX session_by_time ON session (org, project_id, last_at);

-- What filters read stands first, the long text last: a filter then never touches overflow pages.
CREATE TABLE memory (
    org              INTEGER NOT NULL DEFAULT current_org(),
    num              BIGINT NOT NULL,
    id               TEXT COLLATE "C" NOT NULL,
    state            TEXT COLLATE "C" NOT NULL
        CHECK (state IN ('candidate', 'active', 'quarantined', 'inactive', 'archived')),
    project_id       TEXT COLLATE "C",
    kind             TEXT COLLATE "C" NOT NULL,
    scope            TEXT COLLATE "C" NOT NULL CHECK (scope IN ('global', 'module', 'work_unit', 'session')),
    confidence       DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    session_id       TEXT COLLATE "C",
    happened_at      BIGINT NOT NULL,
    last_accessed_at BIGINT,
    access_count     BIGINT NOT NULL DEFAULT 0,
    stale_at         BIGINT,
    pinned           BIGINT NOT NULL DEFAULT 0,
    verified         BIGINT NOT NULL DEFAULT 0,
    needs_review     BIGINT NOT NULL DEFAULT 0,
    channel          TEXT COLLATE "C" NOT NULL,
    source           TEXT COLLATE "C" NOT NULL,
    methodology      TEXT COLLATE "C",
    work_path        TEXT COLLATE "C",
    work_label       TEXT COLLATE "C",
    phase            TEXT COLLATE "C",
    commit_sha       TEXT COLLATE "C",
    half_life_days   DOUBLE PRECISION,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    normal_hash      TEXT COLLATE "C" NOT NULL,
    text_hash        TEXT COLLATE "C" NOT NULL,
    citation         TEXT COLLATE "C" NOT NULL,
    event_ids        TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    fields           TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    text             TEXT COLLATE "C" NOT NULL,
    seal             TEXT COLLATE "C",
    stale_why        TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- What it was worth, and when, before ageing took from it; NULL: as it stands, since it was made.
    base_confidence  DOUBLE PRECISION,
    reinforced_at    BIGINT,
    sessions         TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    -- Whose it is, where several people share a store; NULL: everybody's.
    owner            TEXT COLLATE "C",
    PRIMARY KEY (org, num),
    UNIQUE (org, id),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE,
    FOREIGN KEY (org, session_id) REFERENCES session (org, id)
);
CREATE INDEX memory_by_normal_hash ON memory (org, normal_hash);
CREATE INDEX memory_by_session ON memory (org, session_id, num) WHERE session_id IS NOT NULL;
CREATE INDEX memory_by_time ON memory (org, happened_at);
CREATE INDEX memory_by_commit ON memory (org, commit_sha) WHERE commit_sha IS NOT NULL;
CREATE INDEX memory_to_review ON memory (org, needs_review) WHERE needs_review = 1;

CREATE TABLE memory_subject (
    org        INTEGER NOT NULL DEFAULT current_org(),
    subject    TEXT COLLATE "C" NOT NULL,
    memory_num BIGINT NOT NULL,
    position   BIGINT NOT NULL,
    FOREIGN KEY (org, memory_num) REFERENCES memory (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, subject, memory_num)
);
CREATE INDEX memory_subject_by_memory ON memory_subject (org, memory_num, position);

-- The words by which a question may name a subject: `auth.py`, `auth`, `caddy`, `alex`.
CREATE TABLE subject_word (
    org     INTEGER NOT NULL DEFAULT current_org(),
    word    TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, word, subject)
);
CREATE INDEX subject_word_by_subject ON subject_word (org, subject);

-- What has become of the files that memories are about, since they were learned.
CREATE TABLE memory_anchor (
    org          INTEGER NOT NULL DEFAULT current_org(),
    memory_num   BIGINT NOT NULL,
    path         TEXT COLLATE "C" NOT NULL,
    learned_path TEXT COLLATE "C" NOT NULL,
    learned_in   TEXT COLLATE "C" NOT NULL,
    blob         TEXT COLLATE "C" NOT NULL,
    is_folder    BIGINT NOT NULL,
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('unchanged', 'changed', 'gone', 'restructured')),
    tracked_path TEXT COLLATE "C" NOT NULL,
    tracked_in   TEXT COLLATE "C" NOT NULL,
    seen_blob    TEXT COLLATE "C" NOT NULL,
    commits      BIGINT NOT NULL,
    lines        BIGINT NOT NULL,
    FOREIGN KEY (org, memory_num) REFERENCES memory (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, memory_num, path)
);
CREATE INDEX memory_anchor_changed ON memory_anchor (org, memory_num) WHERE state = 'changed';

CREATE TABLE memory_tag (
    org        INTEGER NOT NULL DEFAULT current_org(),
    tag        TEXT COLLATE "C" NOT NULL,
    memory_num BIGINT NOT NULL,
    position   BIGINT NOT NULL,
    FOREIGN KEY (org, memory_num) REFERENCES memory (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, tag, memory_num)
);
CREATE INDEX memory_tag_by_memory ON memory_tag (org, memory_num, position);

CREATE TABLE relation (
    org              INTEGER NOT NULL DEFAULT current_org(),
    seq              BIGINT NOT NULL,
    memory_num       BIGINT NOT NULL,
    type             TEXT COLLATE "C" NOT NULL
        CHECK (type IN ('required_with', 'conflicts_with', 'validates', 'supersedes', 'derived_from')),
    target_memory_id TEXT COLLATE "C",
    target_path      TEXT COLLATE "C",
    confidence       DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    auto_extracted   BIGINT NOT NULL,
    PRIMARY KEY (org, seq),
    FOREIGN KEY (org, memory_num) REFERENCES memory (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, target_memory_id) REFERENCES memory (org, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    CHECK ((target_memory_id IS NULL) <> (target_path IS NULL))
);
CREATE INDEX relation_by_memory ON relation (org, memory_num);
CREATE INDEX relation_by_target ON relation (org, target_memory_id) WHERE target_memory_id IS NOT NULL;

-- A model is known by its id; a search never mixes two.
CREATE TABLE model (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    dimensions BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, id)
);

-- A changed vector gets a new seq, so that a process that holds the vectors reads on from the last it has.
CREATE TABLE vector (
    org        INTEGER NOT NULL DEFAULT current_org(),
    seq        BIGINT NOT NULL,
    model_num  BIGINT NOT NULL,
    memory_num BIGINT NOT NULL,
    vector     BYTEA NOT NULL,
    PRIMARY KEY (org, seq),
    FOREIGN KEY (org, model_num) REFERENCES model (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, memory_num) REFERENCES memory (org, num) ON DELETE CASCADE,
    UNIQUE (org, memory_num, model_num)
);

-- Word vectors of a text, for the closer second look; apart, so that a scan over vectors stays dense.
CREATE TABLE vector_words (
    org   INTEGER NOT NULL DEFAULT current_org(),
    seq   BIGINT NOT NULL,
    words BYTEA NOT NULL,
    PRIMARY KEY (org, seq),
    FOREIGN KEY (org, seq) REFERENCES vector (org, seq) ON DELETE CASCADE
);

-- Cells of like vectors, so that a look for duplicates costs the same at any size.
CREATE TABLE vector_cell (
    org       INTEGER NOT NULL DEFAULT current_org(),
    num       BIGINT NOT NULL,
    model_num BIGINT NOT NULL,
    pivot     BYTEA NOT NULL,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, model_num) REFERENCES model (org, num) ON DELETE CASCADE
);
CREATE INDEX vector_cell_by_model ON vector_cell (org, model_num);

-- The sign bits of every vector that is in a cell.
CREATE TABLE vector_signs (
    org        INTEGER NOT NULL DEFAULT current_org(),
    model_num  BIGINT NOT NULL,
    cell       BIGINT NOT NULL,
    seq        BIGINT NOT NULL,
    memory_num BIGINT NOT NULL,
    signs      BYTEA NOT NULL,
    FOREIGN KEY (org, cell) REFERENCES vector_cell (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, seq) REFERENCES vector (org, seq) ON DELETE CASCADE,
    PRIMARY KEY (org, model_num, cell, seq)
);
CREATE INDEX vector_signs_by_vector ON vector_signs (org, seq);
CREATE INDEX vector_signs_by_cell ON vector_signs (org, cell);

-- Up to which vector those of a model are in cells, and how often they were filed.
CREATE TABLE vector_filed (
    org       INTEGER NOT NULL DEFAULT current_org(),
    model_num BIGINT NOT NULL,
    seq       BIGINT NOT NULL,
    cells     BIGINT NOT NULL,
    PRIMARY KEY (org, model_num),
    FOREIGN KEY (org, model_num) REFERENCES model (org, num) ON DELETE CASCADE
);

-- The full-text index: under which terms a memory is filed, and in which memories a term occurs, how often in the text and
-- how often among its subjects and tags. The terms are made by us, so that both databases find the same.
CREATE TABLE memory_words (
    org        INTEGER NOT NULL DEFAULT current_org(),
    memory_num BIGINT NOT NULL,
    terms      TEXT[] COLLATE "C" NOT NULL,
    PRIMARY KEY (org, memory_num)
);
CREATE TABLE memory_term (
    org        INTEGER NOT NULL DEFAULT current_org(),
    in_text    SMALLINT NOT NULL,
    in_names   SMALLINT NOT NULL,
    memory_num BIGINT NOT NULL,
    term       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, term, memory_num)
);

CREATE TABLE history (
    org       INTEGER NOT NULL DEFAULT current_org(),
    seq       BIGINT NOT NULL,
    act_id    TEXT COLLATE "C" NOT NULL,
    memory_id TEXT COLLATE "C" NOT NULL,
    at        BIGINT NOT NULL,
    actor     TEXT COLLATE "C" NOT NULL,
    action    TEXT COLLATE "C" NOT NULL,
    why       TEXT COLLATE "C" NOT NULL,
    before    TEXT COLLATE "C" NOT NULL,
    after     TEXT COLLATE "C" NOT NULL,
    undone_by TEXT COLLATE "C",
    PRIMARY KEY (org, seq)
);
CREATE INDEX history_by_memory ON history (org, memory_id, seq);

CREATE TABLE event (
    org        INTEGER NOT NULL DEFAULT current_org(),
    seq        BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    type       TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C",
    project_id TEXT COLLATE "C",
    memory_id  TEXT COLLATE "C",
    data       TEXT COLLATE "C" NOT NULL,
    -- Set for what an agent did; an inbox may be read twice, an event is kept once.
    id         TEXT COLLATE "C",
    PRIMARY KEY (org, seq)
);
CREATE INDEX event_by_session ON event (org, session_id, seq) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX event_by_id ON event (org, id) WHERE id IS NOT NULL;

-- How often each file was touched: votes that fade by occasion (a commit or a session), as of one of them.
CREATE TABLE file_votes (
    org        INTEGER NOT NULL DEFAULT current_org(),
    project_id TEXT COLLATE "C" NOT NULL,
    path       TEXT COLLATE "C" NOT NULL,
    weight     DOUBLE PRECISION NOT NULL,
    occasion   BIGINT NOT NULL,
    commits    BIGINT NOT NULL,
    sessions   BIGINT NOT NULL,
    last_at    BIGINT,
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE,
    PRIMARY KEY (org, project_id, path)
);

-- Which files were touched together. `forward` counts the sessions in which `path` came first, `apart` sums their
-- distance in microseconds.
CREATE TABLE tie (
    org        INTEGER NOT NULL DEFAULT current_org(),
    project_id TEXT COLLATE "C" NOT NULL,
    path       TEXT COLLATE "C" NOT NULL,
    other      TEXT COLLATE "C" NOT NULL CHECK (path < other),
    weight     DOUBLE PRECISION NOT NULL,
    occasion   BIGINT NOT NULL,
    commits    BIGINT NOT NULL,
    sessions   BIGINT NOT NULL,
    forward    BIGINT NOT NULL,
    apart      BIGINT NOT NULL,
    last_at    BIGINT,
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE,
    PRIMARY KEY (org, project_id, path, other)
);
CREATE INDEX tie_by_other ON tie (org, project_id, other);

-- How far a project's ties have come: so many occasions, and the newest commit among them.
CREATE TABLE ties_learned (
    org        INTEGER NOT NULL DEFAULT current_org(),
    project_id TEXT COLLATE "C" NOT NULL,
    occasion   BIGINT NOT NULL,
    commit_sha TEXT COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (org, project_id),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE
);

-- How far each past transcript was read, so that an import can be stopped and goes on where it was.
CREATE TABLE transcript (
    org         INTEGER NOT NULL DEFAULT current_org(),
    path        TEXT COLLATE "C" NOT NULL,
    client      TEXT COLLATE "C" NOT NULL,
    size        BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
    -- The byte up to which its events are kept; 0 for a format that is read as a whole.
    read_to     BIGINT NOT NULL,
    session_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, path)
);

-- A folder whose code is in the graph; worktrees of one project stand apart.
CREATE TABLE code_tree (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    root       TEXT COLLATE "C" NOT NULL,
    built_at   BIGINT,
    -- Grows with every change, so that of two builds at once the later one looks again.
    generation BIGINT NOT NULL DEFAULT 0,
    settings   TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    left_out   TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE,
    UNIQUE (org, root)
);
CREATE INDEX code_tree_by_project ON code_tree (org, project_id);

-- What the bytes of a file say, whatever it is called and wherever it lies.
CREATE TABLE code_parse (
    org      INTEGER NOT NULL DEFAULT current_org(),
    num      BIGINT NOT NULL,
    blob     TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    version  BIGINT NOT NULL,
    used_at  BIGINT NOT NULL,
    outline  BYTEA NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, blob, language)
);

CREATE TABLE code_file (
    org       INTEGER NOT NULL DEFAULT current_org(),
    num       BIGINT NOT NULL,
    tree_num  BIGINT NOT NULL,
    path      TEXT COLLATE "C" NOT NULL,
    language  TEXT COLLATE "C" NOT NULL,
    seen      TEXT COLLATE "C" NOT NULL,
    blob      TEXT COLLATE "C" NOT NULL,
    package   TEXT COLLATE "C" NOT NULL,
    module    TEXT COLLATE "C" NOT NULL,
    signature TEXT COLLATE "C" NOT NULL,
    -- Why it is not read; empty for a file in the graph.
    left_out  TEXT COLLATE "C" NOT NULL,
    broken    BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, tree_num) REFERENCES code_tree (org, num) ON DELETE CASCADE,
    UNIQUE (org, tree_num, path)
);

-- Names a file asks others for: when such a name comes or goes, its edges are made anew.
CREATE TABLE code_mention (
    org      INTEGER NOT NULL DEFAULT current_org(),
    name     TEXT COLLATE "C" NOT NULL,
    file_num BIGINT NOT NULL,
    FOREIGN KEY (org, file_num) REFERENCES code_file (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, name, file_num)
);
CREATE INDEX code_mention_by_file ON code_mention (org, file_num);

-- A file's own node has an empty qualified name; directories and modules belong to no file.
CREATE TABLE code_node (
    org       INTEGER NOT NULL DEFAULT current_org(),
    num       BIGINT NOT NULL,
    tree_num  BIGINT NOT NULL,
    file_num  BIGINT,
    kind      TEXT COLLATE "C" NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    qualified TEXT COLLATE "C" NOT NULL,
    line      BIGINT NOT NULL,
    end_line  BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, tree_num) REFERENCES code_tree (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, file_num) REFERENCES code_file (org, num) ON DELETE CASCADE,
    UNIQUE (org, file_num, qualified)
);
CREATE INDEX code_node_by_name ON code_node (org, name);
CREATE INDEX code_node_apart ON code_node (org, tree_num, kind, name) WHERE file_num IS NULL;

CREATE TABLE code_edge (
    org        INTEGER NOT NULL DEFAULT current_org(),
    from_num   BIGINT NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL,
    to_num     BIGINT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL CHECK (confidence > 0 AND confidence <= 1),
    lines      TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (org, from_num) REFERENCES code_node (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, to_num) REFERENCES code_node (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, from_num, kind, to_num)
);
CREATE INDEX code_edge_back ON code_edge (org, to_num, kind, from_num);

-- Patterns, dataflows, invariants and decisions that somebody added, with who and by which way.
CREATE TABLE code_note (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL CHECK (kind IN ('pattern', 'dataflow', 'invariant', 'decision')),
    name       TEXT COLLATE "C" NOT NULL,
    text       TEXT COLLATE "C" NOT NULL,
    confidence DOUBLE PRECISION NOT NULL CHECK (confidence > 0 AND confidence <= 1),
    channel    TEXT COLLATE "C" NOT NULL,
    added_by   TEXT COLLATE "C" NOT NULL,
    added_at   BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE,
    UNIQUE (org, project_id, kind, name)
);

-- Connections no code shows. Ends are keys, so that they outlive a rebuilt graph and hold in every worktree.
CREATE TABLE code_link (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    source     TEXT COLLATE "C" NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL
        CHECK (kind IN ('depends_logically', 'is_entrypoint_for', 'handles_errors_from', 'applies_pattern', 'flows_to')),
    target     TEXT COLLATE "C" NOT NULL,
    confidence DOUBLE PRECISION NOT NULL CHECK (confidence > 0 AND confidence <= 1),
    channel    TEXT COLLATE "C" NOT NULL,
    added_by   TEXT COLLATE "C" NOT NULL,
    added_at   BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE,
    UNIQUE (org, project_id, source, kind, target)
);
CREATE INDEX code_link_back ON code_link (org, project_id, target);
-- Apart from the memory, because ranking reads it and must not read over a long text to get there.
CREATE TABLE usefulness (
    org        INTEGER NOT NULL DEFAULT current_org(),
    memory_num BIGINT NOT NULL,
    useful     BIGINT NOT NULL,
    noise      BIGINT NOT NULL,
    PRIMARY KEY (org, memory_num),
    FOREIGN KEY (org, memory_num) REFERENCES memory (org, num) ON DELETE CASCADE
);

-- What was pruned, when and by which rule, until it goes for good or is brought back.
CREATE TABLE pruned (
    org        INTEGER NOT NULL DEFAULT current_org(),
    memory_num BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    rule       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, memory_num),
    FOREIGN KEY (org, memory_num) REFERENCES memory (org, num) ON DELETE CASCADE
);

-- Notes that wait until their work has proved good.
CREATE TABLE note (
    org        INTEGER NOT NULL DEFAULT current_org(),
    id         TEXT COLLATE "C" NOT NULL,
    project_id TEXT COLLATE "C",
    session_id TEXT COLLATE "C" NOT NULL,
    agent      TEXT COLLATE "C" NOT NULL DEFAULT '',
    at         BIGINT NOT NULL,
    step       BIGINT NOT NULL DEFAULT 0,
    origin     TEXT COLLATE "C" NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL,
    text       TEXT COLLATE "C" NOT NULL,
    count      BIGINT NOT NULL DEFAULT 1,
    work       TEXT COLLATE "C" NOT NULL DEFAULT '',
    branch     TEXT COLLATE "C" NOT NULL DEFAULT '',
    subjects   TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    facts      TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    state      TEXT COLLATE "C" NOT NULL,
    why        TEXT COLLATE "C" NOT NULL DEFAULT '',
    event_ids  TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    commit_sha TEXT COLLATE "C" NOT NULL DEFAULT '',
    memory_id  TEXT COLLATE "C",
    PRIMARY KEY (org, id)
);
CREATE INDEX note_by_session ON note (org, session_id, at);
CREATE INDEX note_waiting ON note (org, project_id, state, at);

-- What a note is about: two notes with a key in common are about the same thing.
CREATE TABLE note_key (
    org     INTEGER NOT NULL DEFAULT current_org(),
    key     TEXT COLLATE "C" NOT NULL,
    note_id TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (org, note_id) REFERENCES note (org, id) ON DELETE CASCADE,
    PRIMARY KEY (org, key, note_id)
);
CREATE INDEX note_key_by_note ON note_key (org, note_id);

-- The ledger: what was put before which agent, when and why, what it cost, and whether it was used.
CREATE TABLE injection (
    org        INTEGER NOT NULL DEFAULT current_org(),
    seq        BIGINT NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    -- Which subagent; empty for the session's own agent.
    agent      TEXT COLLATE "C" NOT NULL DEFAULT '',
    moment     TEXT COLLATE "C" NOT NULL,
    -- A memory, or a note of the session's own scratchpad.
    memory_id  TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    tokens     BIGINT NOT NULL,
    score      DOUBLE PRECISION NOT NULL,
    bar        DOUBLE PRECISION NOT NULL,
    position   BIGINT NOT NULL,
    why        TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- cited, read, corrected; empty while nobody can say.
    used       TEXT COLLATE "C" NOT NULL DEFAULT '',
    used_at    BIGINT,
    -- When a compaction took it out of the agent's sight.
    lost_at    BIGINT,
    PRIMARY KEY (org, seq)
);
CREATE INDEX injection_by_session ON injection (org, session_id, agent, memory_id);
CREATE INDEX injection_by_memory ON injection (org, memory_id, at);

-- What work that passed did, act by act: a bounded row a unit, to find what sessions do the same way.
CREATE TABLE trail (
    org        INTEGER NOT NULL DEFAULT current_org(),
    session_id TEXT COLLATE "C" NOT NULL,
    work       TEXT COLLATE "C" NOT NULL DEFAULT '',
    project_id TEXT COLLATE "C",
    at         BIGINT NOT NULL,
    task       TEXT COLLATE "C" NOT NULL DEFAULT '',
    parts      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, session_id, work)
);
CREATE INDEX trail_by_project ON trail (org, project_id, at);

-- What is kept of past sessions to foresee the files of the next: the files of each and the words seen in them.
CREATE TABLE past_session (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    branch     TEXT COLLATE "C" NOT NULL DEFAULT '',
    folder     TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- When it last touched a file, and how far it was read.
    at         BIGINT NOT NULL,
    seen_to    BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, session_id) REFERENCES session (org, id) ON DELETE CASCADE,
    UNIQUE (org, session_id)
);

CREATE TABLE past_path (
    org  INTEGER NOT NULL DEFAULT current_org(),
    num  BIGINT NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    -- The last part of the path, as people write it.
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, path)
);
CREATE INDEX past_path_by_name ON past_path (org, name);

-- A file in a session. One that was never touched was only named, by a search, a command or the agent.
CREATE TABLE past_file (
    org     INTEGER NOT NULL DEFAULT current_org(),
    session BIGINT NOT NULL,
    path    BIGINT NOT NULL,
    touched BIGINT NOT NULL,
    edited  BIGINT NOT NULL,
    branch  TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- How many words were seen of it.
    length  BIGINT NOT NULL,
    FOREIGN KEY (org, session) REFERENCES past_session (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, path) REFERENCES past_path (org, num),
    PRIMARY KEY (org, session, path)
);
CREATE INDEX past_file_by_path ON past_file (org, path);

CREATE TABLE past_word (
    org     INTEGER NOT NULL DEFAULT current_org(),
    word    TEXT COLLATE "C" NOT NULL,
    session BIGINT NOT NULL,
    path    BIGINT NOT NULL,
    times   BIGINT NOT NULL,
    FOREIGN KEY (org, session) REFERENCES past_session (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, word, session, path)
);
CREATE INDEX past_word_by_session ON past_word (org, session);

-- A name that a file was seen to define.
CREATE TABLE past_name (
    org     INTEGER NOT NULL DEFAULT current_org(),
    name    TEXT COLLATE "C" NOT NULL,
    session BIGINT NOT NULL,
    path    BIGINT NOT NULL,
    FOREIGN KEY (org, session) REFERENCES past_session (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, name, session, path)
);
CREATE INDEX past_name_by_session ON past_name (org, session);

-- What a scan said of each part of a project ('' for its habits): which memory holds it, and what the files were then.
CREATE TABLE survey (
    org        INTEGER NOT NULL DEFAULT current_org(),
    project_id TEXT COLLATE "C" NOT NULL,
    part       TEXT COLLATE "C" NOT NULL,
    scanned_at BIGINT NOT NULL,
    -- The beginnings of the hashes of its files, in order.
    seen       TEXT COLLATE "C" NOT NULL,
    -- Topics with the ids of memories. A memory that is gone stays named here, so that it is not brought back.
    said       TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE CASCADE,
    PRIMARY KEY (org, project_id, part)
);

-- Who talks: an agent with its persona, as JSON.
CREATE TABLE chat_agent (
    org        INTEGER NOT NULL DEFAULT current_org(),
    id         TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    persona    TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org, id),
    UNIQUE (org, name)
);

-- A conversation with an agent.
CREATE TABLE chat_session (
    org         INTEGER NOT NULL DEFAULT current_org(),
    id          TEXT COLLATE "C" NOT NULL,
    agent_id    TEXT COLLATE "C" NOT NULL,
    project_id  TEXT COLLATE "C",
    title       TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- anthropic or openai: how its messages are written.
    shape       TEXT COLLATE "C" NOT NULL,
    started_at  BIGINT NOT NULL,
    last_at     BIGINT NOT NULL,
    archived_at BIGINT,
    PRIMARY KEY (org, id),
    FOREIGN KEY (org, agent_id) REFERENCES chat_agent (org, id) ON DELETE CASCADE,
    FOREIGN KEY (org, project_id) REFERENCES project (org, id) ON DELETE SET NULL (project_id)
);
CREATE INDEX chat_session_by_time ON chat_session (org, last_at);
CREATE INDEX chat_session_by_agent ON chat_session (org, agent_id);
CREATE INDEX chat_session_by_project ON chat_session (org, project_id);

-- What was said, as the provider's API writes it; the outputs of tools stand apart.
CREATE TABLE chat_message (
    org        INTEGER NOT NULL DEFAULT current_org(),
    session_id TEXT COLLATE "C" NOT NULL,
    number     BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    body       TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (org, session_id) REFERENCES chat_session (org, id) ON DELETE CASCADE,
    PRIMARY KEY (org, session_id, number)
);

-- What a tool gave back: the part of a message that is large and may go first.
CREATE TABLE chat_output (
    org        INTEGER NOT NULL DEFAULT current_org(),
    session_id TEXT COLLATE "C" NOT NULL,
    number     BIGINT NOT NULL,
    part       BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    text       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, session_id, number, part),
    FOREIGN KEY (org, session_id, number) REFERENCES chat_message (org, session_id, number) ON DELETE CASCADE
);
CREATE INDEX chat_output_by_time ON chat_output (org, at);

-- A run of a scheduled agent. A chain is all runs that one start led to.
CREATE TABLE ops_run (
    org           INTEGER NOT NULL DEFAULT current_org(),
    id            TEXT COLLATE "C" NOT NULL,
    job           TEXT COLLATE "C" NOT NULL,
    chain_id      TEXT COLLATE "C" NOT NULL,
    parent_id     TEXT COLLATE "C",
    trigger       TEXT COLLATE "C" NOT NULL,
    tier          BIGINT NOT NULL,
    attempt       BIGINT NOT NULL,
    state         TEXT COLLATE "C" NOT NULL,
    dry_run       BIGINT NOT NULL,
    started_at    BIGINT NOT NULL,
    ended_at      BIGINT,
    -- A process is known by its id and the moment of its birth: ids are used again.
    runner_pid    BIGINT,
    runner_birth  DOUBLE PRECISION,
    pid           BIGINT,
    pid_birth     DOUBLE PRECISION,
    exit_code     BIGINT,
    model         TEXT COLLATE "C" NOT NULL,
    agent_session TEXT COLLATE "C" NOT NULL,
    tokens_in     BIGINT NOT NULL,
    tokens_out    BIGINT NOT NULL,
    cost_usd      DOUBLE PRECISION,
    turns         BIGINT NOT NULL,
    prompt        TEXT COLLATE "C" NOT NULL,
    summary       TEXT COLLATE "C" NOT NULL,
    error         TEXT COLLATE "C" NOT NULL,
    memories_told BIGINT NOT NULL,
    malformed     BIGINT NOT NULL,
    quoted        BIGINT NOT NULL,
    client        TEXT COLLATE "C" NOT NULL,
    folder        TEXT COLLATE "C" NOT NULL,
    structured    BIGINT NOT NULL,
    -- Somebody asked it to end.
    stop_wanted   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (org, id)
);
CREATE INDEX ops_run_by_job ON ops_run (org, job, started_at);
CREATE INDEX ops_run_by_state ON ops_run (org, state, started_at);

-- What happened in operations. Where it was read in a run's output keeps the same output from making it twice.
CREATE TABLE ops_event (
    org       INTEGER NOT NULL DEFAULT current_org(),
    num       BIGINT NOT NULL,
    run_id    TEXT COLLATE "C",
    job       TEXT COLLATE "C" NOT NULL,
    tier      BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    type      TEXT COLLATE "C" NOT NULL,
    level     TEXT COLLATE "C" NOT NULL,
    service   TEXT COLLATE "C" NOT NULL,
    message   TEXT COLLATE "C" NOT NULL,
    memory_id TEXT COLLATE "C",
    position  BIGINT,
    place     BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, run_id, position, place, type)
);
CREATE INDEX ops_event_by_time ON ops_event (org, at);

-- Actions on services: each that was allowed counts within its window until it is reset.
CREATE TABLE ops_action (
    org       INTEGER NOT NULL DEFAULT current_org(),
    num       BIGINT NOT NULL,
    action    TEXT COLLATE "C" NOT NULL,
    service   TEXT COLLATE "C" NOT NULL,
    at        BIGINT NOT NULL,
    allowed   BIGINT NOT NULL,
    run_id    TEXT COLLATE "C",
    spent_at  BIGINT,
    succeeded BIGINT,
    message   TEXT COLLATE "C" NOT NULL,
    reset_at  BIGINT,
    -- Where in the run's output its marker was read.
    position  BIGINT,
    place     BIGINT,
    PRIMARY KEY (org, num)
);
CREATE INDEX ops_action_by_service ON ops_action (org, service, action, at);

-- Looks at services, and what they add up to.
CREATE TABLE ops_check (
    org      INTEGER NOT NULL DEFAULT current_org(),
    num      BIGINT NOT NULL,
    service  TEXT COLLATE "C" NOT NULL,
    healthy  BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    message  TEXT COLLATE "C" NOT NULL,
    run_id   TEXT COLLATE "C",
    position BIGINT NOT NULL,
    place    BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, run_id, position, place)
);
CREATE INDEX ops_check_by_time ON ops_check (org, at);

CREATE TABLE ops_health (
    org        INTEGER NOT NULL DEFAULT current_org(),
    service    TEXT COLLATE "C" NOT NULL,
    healthy    BIGINT NOT NULL,
    streak     BIGINT NOT NULL,
    since      BIGINT NOT NULL,
    checked_at BIGINT NOT NULL,
    message    TEXT COLLATE "C" NOT NULL,
    run_id     TEXT COLLATE "C",
    PRIMARY KEY (org, service)
);

-- When a job is to run next, and what its triggers last saw; nothing of a schedule lives in a process alone.
CREATE TABLE ops_due (
    org    INTEGER NOT NULL DEFAULT current_org(),
    job    TEXT COLLATE "C" NOT NULL,
    plan   TEXT COLLATE "C" NOT NULL,
    due_at BIGINT,
    seen   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, job)
);

-- A folder of notes that people and agents write together.
CREATE TABLE vault (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    root       TEXT COLLATE "C" NOT NULL,
    -- Whose memories it shows: one project's, or everybody's; and of which kinds, all if none is named.
    project_id TEXT COLLATE "C",
    kinds      TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    -- Whether the folder was empty when it began: then a new note in any folder of the layout is a memory.
    own        BIGINT NOT NULL,
    -- The newest change of memories that the notes show, and when that was.
    seen_to    BIGINT NOT NULL DEFAULT 0,
    synced_at  BIGINT,
    PRIMARY KEY (org, num),
    UNIQUE (org, root)
);

-- A note as it was last seen. A row stays when the note is gone, and so do the versions of it.
CREATE TABLE vault_note (
    org       INTEGER NOT NULL DEFAULT current_org(),
    num       BIGINT NOT NULL,
    vault     BIGINT NOT NULL,
    path      TEXT COLLATE "C" NOT NULL,
    -- The file's name without its ending, in lower case: links find a note by it.
    name_key  TEXT COLLATE "C" NOT NULL,
    title     TEXT COLLATE "C" NOT NULL DEFAULT '',
    tags      TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    memory_id TEXT COLLATE "C",
    size      BIGINT NOT NULL,
    mtime     BIGINT NOT NULL,
    inode     BIGINT NOT NULL,
    hash      TEXT COLLATE "C" NOT NULL,
    -- The version on which note and memory agreed, and a digest of the memory as it was then.
    base      TEXT COLLATE "C" NOT NULL DEFAULT '',
    shown     TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- The version that is being written: a process that ends in the middle has left it or the one before.
    pending   TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- Why it is left alone, if it is.
    problem   TEXT COLLATE "C" NOT NULL DEFAULT '',
    gone_at   BIGINT,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, vault) REFERENCES vault (org, num) ON DELETE CASCADE,
    UNIQUE (org, vault, path)
);
CREATE INDEX vault_note_by_name ON vault_note (org, vault, name_key);
CREATE INDEX vault_note_by_memory ON vault_note (org, memory_id) WHERE memory_id IS NOT NULL;

-- The line that shows a memory, and a digest of what it said when both sides agreed.
CREATE TABLE vault_line (
    org       INTEGER NOT NULL DEFAULT current_org(),
    vault     BIGINT NOT NULL,
    memory_id TEXT COLLATE "C" NOT NULL,
    note      BIGINT NOT NULL,
    shown     TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (org, vault) REFERENCES vault (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, note) REFERENCES vault_note (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, vault, memory_id)
);
CREATE INDEX vault_line_by_note ON vault_line (org, note);

-- Every version seen of a note that we write to: whatever happens to the file, no words are lost.
CREATE TABLE vault_version (
    org    INTEGER NOT NULL DEFAULT current_org(),
    seq    BIGINT NOT NULL,
    note   BIGINT NOT NULL,
    hash   TEXT COLLATE "C" NOT NULL,
    at     BIGINT NOT NULL,
    -- recollect, person or program.
    writer TEXT COLLATE "C" NOT NULL,
    -- Compressed.
    body   BYTEA NOT NULL,
    PRIMARY KEY (org, seq),
    FOREIGN KEY (org, note) REFERENCES vault_note (org, num) ON DELETE CASCADE,
    UNIQUE (org, note, hash)
);

-- The parts of a note that are searched, and where each begins.
CREATE TABLE vault_chunk (
    org     INTEGER NOT NULL DEFAULT current_org(),
    num     BIGINT NOT NULL,
    note    BIGINT NOT NULL,
    line    BIGINT NOT NULL,
    heading TEXT COLLATE "C" NOT NULL,
    text    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, num),
    FOREIGN KEY (org, note) REFERENCES vault_note (org, num) ON DELETE CASCADE
);
CREATE INDEX vault_chunk_by_note ON vault_chunk (org, note);

-- A part of a note as one model sees it. Numbers are never given again: a process that holds vectors reads on from the last.
CREATE TABLE vault_vector (
    org       INTEGER NOT NULL DEFAULT current_org(),
    seq       BIGINT NOT NULL,
    model_num BIGINT NOT NULL,
    chunk     BIGINT NOT NULL,
    vector    BYTEA NOT NULL,
    PRIMARY KEY (org, seq),
    FOREIGN KEY (org, model_num) REFERENCES model (org, num) ON DELETE CASCADE,
    FOREIGN KEY (org, chunk) REFERENCES vault_chunk (org, num) ON DELETE CASCADE,
    UNIQUE (org, chunk, model_num)
);

-- The parts of notes under their terms: how often each stands in the title, the headings, the tags and the text.
CREATE TABLE vault_term (
    org        INTEGER NOT NULL DEFAULT current_org(),
    in_title   SMALLINT NOT NULL,
    in_heading SMALLINT NOT NULL,
    in_tags    SMALLINT NOT NULL,
    in_text    SMALLINT NOT NULL,
    chunk_num  BIGINT NOT NULL,
    term       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, term, chunk_num)
);
CREATE INDEX vault_term_by_chunk ON vault_term (org, chunk_num);

-- Links from notes, by the name they give; which note that is, is looked up when it is asked.
CREATE TABLE vault_link (
    org    INTEGER NOT NULL DEFAULT current_org(),
    note   BIGINT NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    line   BIGINT NOT NULL,
    FOREIGN KEY (org, note) REFERENCES vault_note (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, note, target, line)
);
CREATE INDEX vault_link_by_target ON vault_link (org, target);

-- Messages to and from people on other channels.
CREATE TABLE message (
    org        INTEGER NOT NULL DEFAULT current_org(),
    id         TEXT COLLATE "C" NOT NULL,
    channel    TEXT COLLATE "C" NOT NULL,
    -- in or out.
    way        TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    peer       TEXT COLLATE "C" NOT NULL DEFAULT '',
    text       TEXT COLLATE "C" NOT NULL,
    -- unread or read; waiting or sent.
    state      TEXT COLLATE "C" NOT NULL,
    tries      BIGINT NOT NULL DEFAULT 0,
    problem    TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- The channel's own name for it, so that it is taken in once.
    foreign_id TEXT COLLATE "C",
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX message_once ON message (org, channel, foreign_id) WHERE foreign_id IS NOT NULL;
CREATE INDEX message_by_state ON message (org, way, state, at);

-- What a framework keeps in order: the lines of a transcript, the items of a conversation.
CREATE TABLE framework_log (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    framework  TEXT COLLATE "C" NOT NULL,
    -- The framework's own name for a project; empty where it has none.
    owner      TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    -- Empty for the conversation itself; else the part of it, such as a subagent's.
    part       TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    -- What the framework itself says about it, as JSON.
    summary    TEXT COLLATE "C",
    PRIMARY KEY (org, num),
    UNIQUE (org, framework, owner, name, part)
);

CREATE TABLE framework_entry (
    org  INTEGER NOT NULL DEFAULT current_org(),
    log  BIGINT NOT NULL,
    seq  BIGINT NOT NULL,
    -- The framework's own id: an entry that comes again is known by it.
    uid  TEXT COLLATE "C",
    body TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (org, log) REFERENCES framework_log (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, log, seq)
);
CREATE UNIQUE INDEX framework_entry_once ON framework_entry (org, log, uid) WHERE uid IS NOT NULL;

-- Values by namespace and key. A namespace is its labels, each with U+001F behind it.
CREATE TABLE framework_item (
    org         INTEGER NOT NULL DEFAULT current_org(),
    num         BIGINT NOT NULL,
    namespace   TEXT COLLATE "C" NOT NULL,
    item_key    TEXT COLLATE "C" NOT NULL,
    value       TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    ttl_seconds DOUBLE PRECISION,
    expires_at  BIGINT,
    PRIMARY KEY (org, num),
    UNIQUE (org, namespace, item_key)
);
CREATE INDEX framework_item_by_expiry ON framework_item (org, expires_at) WHERE expires_at IS NOT NULL;

-- What is searched of an item, as vectors: float32, little endian, unit length.
CREATE TABLE framework_vector (
    org    INTEGER NOT NULL DEFAULT current_org(),
    item   BIGINT NOT NULL,
    number BIGINT NOT NULL,
    -- Vectors of different models are never compared.
    model  TEXT COLLATE "C" NOT NULL,
    vector BYTEA NOT NULL,
    FOREIGN KEY (org, item) REFERENCES framework_item (org, num) ON DELETE CASCADE,
    PRIMARY KEY (org, item, number)
);

-- The state of a program at one step. What its channels held stands apart, so that a step costs what it changed.
CREATE TABLE framework_checkpoint (
    org           INTEGER NOT NULL DEFAULT current_org(),
    num           BIGINT NOT NULL,
    thread        TEXT COLLATE "C" NOT NULL,
    namespace     TEXT COLLATE "C" NOT NULL,
    id            TEXT COLLATE "C" NOT NULL,
    parent_id     TEXT COLLATE "C",
    run_id        TEXT COLLATE "C",
    kind          TEXT COLLATE "C" NOT NULL,
    body          BYTEA NOT NULL,
    metadata_kind TEXT COLLATE "C" NOT NULL,
    metadata      BYTEA NOT NULL,
    -- Channel to version, as JSON.
    versions      TEXT COLLATE "C" NOT NULL,
    -- Channels whose value is made from earlier steps, as a JSON list.
    deltas        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, thread, namespace, id)
);
CREATE INDEX framework_checkpoint_by_run ON framework_checkpoint (org, run_id) WHERE run_id IS NOT NULL;

CREATE TABLE framework_channel (
    org       INTEGER NOT NULL DEFAULT current_org(),
    num       BIGINT NOT NULL,
    thread    TEXT COLLATE "C" NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL,
    channel   TEXT COLLATE "C" NOT NULL,
    version   TEXT COLLATE "C" NOT NULL,
    kind      TEXT COLLATE "C" NOT NULL,
    body      BYTEA NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, thread, namespace, channel, version)
);

-- What a task of a step gave back before the step was over.
CREATE TABLE framework_write (
    org           INTEGER NOT NULL DEFAULT current_org(),
    num           BIGINT NOT NULL,
    thread        TEXT COLLATE "C" NOT NULL,
    namespace     TEXT COLLATE "C" NOT NULL,
    checkpoint_id TEXT COLLATE "C" NOT NULL,
    task_id       TEXT COLLATE "C" NOT NULL,
    number        BIGINT NOT NULL,
    channel       TEXT COLLATE "C" NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    body          BYTEA NOT NULL,
    task_path     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, thread, namespace, checkpoint_id, task_id, number)
);

-- What was read, as the words of its sentences: enough to see later that a note says the same in other words.
CREATE TABLE read_statement (
    org        INTEGER NOT NULL DEFAULT current_org(),
    num        BIGINT NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    -- A hash of the words: what is read twice is kept once.
    key        TEXT COLLATE "C" NOT NULL,
    words      TEXT COLLATE "C" NOT NULL,
    -- prose; code, where only what instructs is somebody's word; own, what the agent wrote itself before it read it.
    source     TEXT COLLATE "C" NOT NULL,
    event_id   TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (org, num),
    UNIQUE (org, project_id, key)
);
CREATE INDEX read_statement_by_time ON read_statement (org, at);

-- Who may use a store that several people share.
CREATE TABLE person (
    org        INTEGER NOT NULL DEFAULT current_org(),
    name       TEXT COLLATE "C" NOT NULL,
    role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- An argon2 hash for the dashboard; empty: this person has not chosen a password.
    password   TEXT COLLATE "C" NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org, name)
);

-- Keys of programs. The key itself is nowhere: its first characters find the row, its SHA-256 proves it.
CREATE TABLE access_token (
    org        INTEGER NOT NULL DEFAULT current_org(),
    prefix     TEXT COLLATE "C" NOT NULL,
    person     TEXT COLLATE "C" NOT NULL,
    digest     TEXT COLLATE "C" NOT NULL,
    label      TEXT COLLATE "C" NOT NULL,
    -- The most it may: never more than its person.
    role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- Whether an agent holds it: then nothing is confirmed, pinned or purged with it.
    agent      BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    used_at    BIGINT,
    PRIMARY KEY (org, prefix),
    FOREIGN KEY (org, person) REFERENCES person (org, name) ON DELETE CASCADE
);
CREATE INDEX access_token_by_person ON access_token (org, person);

-- Which projects a person may see; `*` is every project.
CREATE TABLE project_grant (
    org        INTEGER NOT NULL DEFAULT current_org(),
    person     TEXT COLLATE "C" NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    may_write  BIGINT NOT NULL,
    PRIMARY KEY (org, person, project_id),
    FOREIGN KEY (org, person) REFERENCES person (org, name) ON DELETE CASCADE
);

-- Who did what and when; never what a memory says.
CREATE TABLE audit (
    org    INTEGER NOT NULL DEFAULT current_org(),
    seq    BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    token  TEXT COLLATE "C" NOT NULL,
    act    TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    status BIGINT NOT NULL,
    PRIMARY KEY (org, seq)
);

-- What was answered to a request that has a key of its own, so that asking again changes nothing.
CREATE TABLE answered_request (
    org    INTEGER NOT NULL DEFAULT current_org(),
    person TEXT COLLATE "C" NOT NULL,
    key    TEXT COLLATE "C" NOT NULL,
    act    TEXT COLLATE "C" NOT NULL,
    at     BIGINT NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, person, key)
);
CREATE INDEX answered_request_by_time ON answered_request (org, at);

-- Memories that a person would share, where a project wants a second person to agree.
CREATE TABLE share_request (
    org       INTEGER NOT NULL DEFAULT current_org(),
    memory_id TEXT COLLATE "C" NOT NULL,
    person    TEXT COLLATE "C" NOT NULL,
    at        BIGINT NOT NULL,
    why       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, memory_id),
    FOREIGN KEY (org, memory_id) REFERENCES memory (org, id) ON DELETE CASCADE
);

-- What a person is shown of what their organisation keeps: what is everybody's in the projects granted to them, and what
-- is their own. It holds beside the rule that keeps organisations apart; without a person, that one holds alone.
CREATE POLICY visible_rows ON project AS RESTRICTIVE
    USING ((SELECT granted_projects()) IS NULL OR id = ANY (CAST((SELECT granted_projects()) AS TEXT[])));
CREATE POLICY visible_rows ON memory AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR ((owner IS NULL OR owner = (SELECT current_person()))
               AND (project_id IS NULL OR (SELECT granted_projects()) IS NULL
                    OR project_id = ANY (CAST((SELECT granted_projects()) AS TEXT[])))));
CREATE POLICY visible_rows ON session AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR ((owner IS NULL OR owner = (SELECT current_person()))
               AND (project_id IS NULL OR (SELECT granted_projects()) IS NULL
                    OR project_id = ANY (CAST((SELECT granted_projects()) AS TEXT[])))));
CREATE POLICY visible_rows ON history AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR EXISTS (SELECT 1 FROM memory m WHERE m.org = history.org AND m.id = history.memory_id))
    WITH CHECK (true);
CREATE POLICY visible_rows ON event AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR ((session_id IS NULL OR EXISTS (SELECT 1 FROM session s WHERE s.org = event.org AND s.id = event.session_id))
               AND (memory_id IS NULL OR EXISTS (SELECT 1 FROM memory m WHERE m.org = event.org AND m.id = event.memory_id))
               AND (project_id IS NULL OR (SELECT granted_projects()) IS NULL
                    OR project_id = ANY (CAST((SELECT granted_projects()) AS TEXT[])))))
    WITH CHECK (true);
CREATE POLICY visible_rows ON note AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR EXISTS (SELECT 1 FROM session s WHERE s.org = note.org AND s.id = note.session_id))
    WITH CHECK (true);
