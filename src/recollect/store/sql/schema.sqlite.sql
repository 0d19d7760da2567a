-- What a new database gets: the sum of all migrations (a test compares). Times are microseconds since 1970 in UTC;
-- numbers named `num` and `seq` never leave the store.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The store's own name and the number of its commits, which a file beside it repeats.
INSERT INTO meta (key, value) VALUES ('store', lower(hex(randomblob(8)))), ('commits', '0');

CREATE TABLE migration (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE project (
    id         TEXT PRIMARY KEY,
    key        TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every key a project is known by: its root commit, its remote, its path.
CREATE TABLE project_key (
    key        TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX project_key_by_project ON project_key (project_id);

-- Where a project has been seen.
CREATE TABLE project_path (
    path       TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_path_by_project ON project_path (project_id);

-- How git identified the repository with this common directory, so that its history is walked once.
CREATE TABLE identity (
    common_dir TEXT PRIMARY KEY,
    found      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    id         TEXT PRIMARY KEY,
    project_id TEXT REFERENCES project (id) ON DELETE CASCADE,
    started_at INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    client TEXT NOT NULL DEFAULT '',
    branch TEXT NOT NULL DEFAULT '',
    phase TEXT NOT NULL DEFAULT '',
    -- A reference to a unit of work, as it is written: methodology:outer/inner.
    work TEXT NOT NULL DEFAULT '',
    -- How it ended: passed, failed, abandoned; empty while nobody can say.
    outcome TEXT NOT NULL DEFAULT '',
    tokens INTEGER NOT NULL DEFAULT 0,
    parent_id TEXT,
    ended_at INTEGER,
    -- The last moment that was learned from; what comes later is learned again.
    learned_to INTEGER,
    -- Whose it is, where several people share a store; NULL: nobody's in particular.
    owner TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_time ON session (project_id, last_at);

-- What filters read stands first, the long text last: a filter then never touches overflow pages.
CREATE TABLE memory (
    num              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT NOT NULL UNIQUE,
    state            TEXT NOT NULL
                     CHECK (state IN ('candidate', 'active', 'quarantined', 'inactive', 'archived')),
    project_id       TEXT REFERENCES project (id) ON DELETE CASCADE,
    kind             TEXT NOT NULL,
    scope            TEXT NOT NULL CHECK (scope IN ('global', 'module', 'work_unit', 'session')),
    confidence       REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    session_id       TEXT REFERENCES session (id),
    happened_at      INTEGER NOT NULL,
    last_accessed_at INTEGER,
    access_count     INTEGER NOT NULL DEFAULT 0,
    stale_at         INTEGER,
    pinned           INTEGER NOT NULL DEFAULT 0,
    verified         INTEGER NOT NULL DEFAULT 0,
    needs_review     INTEGER NOT NULL DEFAULT 0,
    channel          TEXT NOT NULL,
    source           TEXT NOT NULL,
    methodology      TEXT,
    work_path        TEXT,
    work_label       TEXT,
    phase            TEXT,
    commit_sha       TEXT,
    half_life_days   REAL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    normal_hash      TEXT NOT NULL,
    text_hash        TEXT NOT NULL,
    citation         TEXT NOT NULL,
    event_ids        TEXT NOT NULL DEFAULT '[]',
    fields           TEXT NOT NULL DEFAULT '{}',
    text             TEXT NOT NULL,
    seal             TEXT,
    stale_why TEXT NOT NULL DEFAULT '',
    -- What it was worth, and when, before ageing took from it; NULL: as it stands, since it was made.
    base_confidence REAL,
    reinforced_at INTEGER,
    sessions TEXT NOT NULL DEFAULT '[]',
    -- Whose it is, where several people share a store; NULL: everybody's.
    owner TEXT
) STRICT;
CREATE INDEX memory_by_normal_hash ON memory (normal_hash);
CREATE INDEX memory_by_session ON memory (session_id, num) WHERE session_id IS NOT NULL;
CREATE INDEX memory_by_time ON memory (happened_at);
CREATE INDEX memory_by_commit ON memory (commit_sha) WHERE commit_sha IS NOT NULL;
CREATE INDEX memory_to_review ON memory (needs_review) WHERE needs_review = 1;

CREATE TABLE memory_subject (
    subject    TEXT NOT NULL,
    memory_num INTEGER NOT NULL REFERENCES memory (num) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    PRIMARY KEY (subject, memory_num)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_subject_by_memory ON memory_subject (memory_num, position);

-- The words by which a question may name a subject: `auth.py`, `auth`, `caddy`, `alex`.
CREATE TABLE subject_word (
    word    TEXT NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (word, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX subject_word_by_subject ON subject_word (subject);

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

CREATE TABLE memory_tag (
    tag        TEXT NOT NULL,
    memory_num INTEGER NOT NULL REFERENCES memory (num) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    PRIMARY KEY (tag, memory_num)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tag_by_memory ON memory_tag (memory_num, position);

CREATE TABLE relation (
    seq              INTEGER PRIMARY KEY,
    memory_num       INTEGER NOT NULL REFERENCES memory (num) ON DELETE CASCADE,
    type             TEXT NOT NULL CHECK (type IN
                     ('required_with', 'conflicts_with', 'validates', 'supersedes', 'derived_from')),
    target_memory_id TEXT REFERENCES memory (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    target_path      TEXT,
    confidence       REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    auto_extracted   INTEGER NOT NULL,
    CHECK ((target_memory_id IS NULL) <> (target_path IS NULL))
) STRICT;
CREATE INDEX relation_by_memory ON relation (memory_num);
CREATE INDEX relation_by_target ON relation (target_memory_id) WHERE target_memory_id IS NOT NULL;

-- A model is known by its id; a search never mixes two.
CREATE TABLE model (
    num        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
) STRICT;

-- A changed vector gets a new seq, so that a process that holds the vectors reads on from the last it has.
CREATE TABLE vector (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    model_num  INTEGER NOT NULL REFERENCES model (num) ON DELETE CASCADE,
    memory_num INTEGER NOT NULL REFERENCES memory (num) ON DELETE CASCADE,
    vector     BLOB NOT NULL,
    UNIQUE (memory_num, model_num)
) STRICT;

-- Word vectors of a text, for the closer second look; apart, so that a scan over vectors stays dense.
CREATE TABLE vector_words (
    seq   INTEGER PRIMARY KEY REFERENCES vector (seq) ON DELETE CASCADE,
    words BLOB NOT NULL
) STRICT;

-- Cells of like vectors, so that a look for duplicates costs the same at any size.
CREATE TABLE vector_cell (
    num       INTEGER PRIMARY KEY,
    model_num INTEGER NOT NULL REFERENCES model (num) ON DELETE CASCADE,
    pivot     BLOB NOT NULL
) STRICT;
CREATE INDEX vector_cell_by_model ON vector_cell (model_num);

-- The sign bits of every vector that is in a cell.
CREATE TABLE vector_signs (
    model_num  INTEGER NOT NULL,
    cell       INTEGER NOT NULL REFERENCES vector_cell (num) ON DELETE CASCADE,
    seq        INTEGER NOT NULL REFERENCES vector (seq) ON DELETE CASCADE,
    memory_num INTEGER NOT NULL,
    signs      BLOB NOT NULL,
    PRIMARY KEY (model_num, cell, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_signs_by_vector ON vector_signs (seq);
CREATE INDEX vector_signs_by_cell ON vector_signs (cell);

-- Up to which vector those of a model are in cells, and how often they were filed.
CREATE TABLE vector_filed (
    model_num INTEGER PRIMARY KEY REFERENCES model (num) ON DELETE CASCADE,
    seq       INTEGER NOT NULL,
    cells     INTEGER NOT NULL
) STRICT;

-- Contentless: what is indexed differs from what is kept (identifiers are spelt out).
CREATE VIRTUAL TABLE memory_fts USING fts5 (
    text, subjects,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- The index seen by term: in how many memories each occurs, and in which.
CREATE VIRTUAL TABLE memory_vocab USING fts5vocab ('memory_fts', 'row');
CREATE VIRTUAL TABLE memory_term USING fts5vocab ('memory_fts', 'instance');

CREATE TABLE history (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    act_id    TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    action    TEXT NOT NULL,
    why       TEXT NOT NULL,
    before    TEXT NOT NULL,
    after     TEXT NOT NULL,
    undone_by TEXT
) STRICT;
CREATE INDEX history_by_memory ON history (memory_id, seq);

CREATE TABLE event (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    type       TEXT NOT NULL,
    session_id TEXT,
    project_id TEXT,
    memory_id  TEXT,
    data       TEXT NOT NULL,
    -- Set for what an agent did; an inbox may be read twice, an event is kept once.
    id TEXT
) STRICT;
CREATE INDEX event_by_session ON event (session_id, seq) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX event_by_id ON event (id) WHERE id IS NOT NULL;

-- How often each file was touched: votes that fade by occasion (a commit or a session), as of one of them.
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

-- Which files were touched together. `forward` counts the sessions in which `path` came first, `apart` sums their
-- distance in microseconds.
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

-- How far a project's ties have come: so many occasions, and the newest commit among them.
CREATE TABLE ties_learned (
    project_id TEXT PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    occasion   INTEGER NOT NULL,
    commit_sha TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

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
-- Apart from the memory, because ranking reads it and must not read over a long text to get there.
CREATE TABLE usefulness (
    memory_num INTEGER PRIMARY KEY REFERENCES memory (num) ON DELETE CASCADE,
    useful     INTEGER NOT NULL,
    noise      INTEGER NOT NULL
) STRICT;

-- What was pruned, when and by which rule, until it goes for good or is brought back.
CREATE TABLE pruned (
    memory_num INTEGER PRIMARY KEY REFERENCES memory (num) ON DELETE CASCADE,
    at         INTEGER NOT NULL,
    rule       TEXT NOT NULL
) STRICT;

-- Notes that wait until their work has proved good.
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

-- The ledger: what was put before which agent, when and why, what it cost, and whether it was used.
CREATE TABLE injection (
    seq        INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    -- Which subagent; empty for the session's own agent.
    agent      TEXT NOT NULL DEFAULT '',
    moment     TEXT NOT NULL,
    -- A memory, or a note of the session's own scratchpad.
    memory_id  TEXT NOT NULL,
    at         INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    score      REAL NOT NULL,
    bar        REAL NOT NULL,
    position   INTEGER NOT NULL,
    why        TEXT NOT NULL DEFAULT '',
    -- cited, read, corrected; empty while nobody can say.
    used       TEXT NOT NULL DEFAULT '',
    used_at    INTEGER,
    -- When a compaction took it out of the agent's sight.
    lost_at    INTEGER
) STRICT;
CREATE INDEX injection_by_session ON injection (session_id, agent, memory_id);
CREATE INDEX injection_by_memory ON injection (memory_id, at);

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

-- What is kept of past sessions to foresee the files of the next: the files of each and the words seen in them.
CREATE TABLE past_session (
    num        INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE REFERENCES session (id) ON DELETE CASCADE,
    branch     TEXT NOT NULL DEFAULT '',
    folder     TEXT NOT NULL DEFAULT '',
    -- When it last touched a file, and how far it was read.
    at         INTEGER NOT NULL,
    seen_to    INTEGER NOT NULL
) STRICT;

CREATE TABLE past_path (
    num  INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    -- The last part of the path, as people write it.
    name TEXT NOT NULL
) STRICT;
CREATE INDEX past_path_by_name ON past_path (name);

-- A file in a session. One that was never touched was only named, by a search, a command or the agent.
CREATE TABLE past_file (
    session INTEGER NOT NULL REFERENCES past_session (num) ON DELETE CASCADE,
    path    INTEGER NOT NULL REFERENCES past_path (num),
    touched INTEGER NOT NULL,
    edited  INTEGER NOT NULL,
    branch  TEXT NOT NULL DEFAULT '',
    -- How many words were seen of it.
    length  INTEGER NOT NULL,
    PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_file_by_path ON past_file (path);

CREATE TABLE past_word (
    word    TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES past_session (num) ON DELETE CASCADE,
    path    INTEGER NOT NULL,
    times   INTEGER NOT NULL,
    PRIMARY KEY (word, session, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_word_by_session ON past_word (session);

-- A name that a file was seen to define.
CREATE TABLE past_name (
    name    TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES past_session (num) ON DELETE CASCADE,
    path    INTEGER NOT NULL,
    PRIMARY KEY (name, session, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_name_by_session ON past_name (session);

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


-- A run of a scheduled agent. A chain is all runs that one start led to.
CREATE TABLE ops_run (
    id            TEXT PRIMARY KEY,
    job           TEXT NOT NULL,
    chain_id      TEXT NOT NULL,
    parent_id     TEXT,
    trigger       TEXT NOT NULL,
    tier          INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    state         TEXT NOT NULL,
    dry_run       INTEGER NOT NULL,
    started_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    -- A process is known by its id and the moment of its birth: ids are used again.
    runner_pid    INTEGER,
    runner_birth  REAL,
    pid           INTEGER,
    pid_birth     REAL,
    exit_code     INTEGER,
    model         TEXT NOT NULL,
    agent_session TEXT NOT NULL,
    tokens_in     INTEGER NOT NULL,
    tokens_out    INTEGER NOT NULL,
    cost_usd      REAL,
    turns         INTEGER NOT NULL,
    prompt        TEXT NOT NULL,
    summary       TEXT NOT NULL,
    error         TEXT NOT NULL,
    memories_told INTEGER NOT NULL,
    malformed     INTEGER NOT NULL,
    quoted        INTEGER NOT NULL,
    client        TEXT NOT NULL,
    folder        TEXT NOT NULL,
    structured    INTEGER NOT NULL,
    -- Somebody asked it to end.
    stop_wanted   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX ops_run_by_job ON ops_run (job, started_at);
CREATE INDEX ops_run_by_state ON ops_run (state, started_at);

-- What happened in operations. Where it was read in a run's output keeps the same output from making it twice.
CREATE TABLE ops_event (
    num       INTEGER PRIMARY KEY,
    run_id    TEXT,
    job       TEXT NOT NULL,
    tier      INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    type      TEXT NOT NULL,
    level     TEXT NOT NULL,
    service   TEXT NOT NULL,
    message   TEXT NOT NULL,
    memory_id TEXT,
    position  INTEGER,
    place     INTEGER NOT NULL,
    UNIQUE (run_id, position, place, type)
) STRICT;
CREATE INDEX ops_event_by_time ON ops_event (at);

-- Actions on services: each that was allowed counts within its window until it is reset.
CREATE TABLE ops_action (
    num       INTEGER PRIMARY KEY,
    action    TEXT NOT NULL,
    service   TEXT NOT NULL,
    at        INTEGER NOT NULL,
    allowed   INTEGER NOT NULL,
    run_id    TEXT,
    spent_at  INTEGER,
    succeeded INTEGER,
    message   TEXT NOT NULL,
    reset_at  INTEGER,
    -- Where in the run's output its marker was read.
    position  INTEGER,
    place     INTEGER
) STRICT;
CREATE INDEX ops_action_by_service ON ops_action (service, action, at);

-- Looks at services, and what they add up to.
CREATE TABLE ops_check (
    num      INTEGER PRIMARY KEY,
    service  TEXT NOT NULL,
    healthy  INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    message  TEXT NOT NULL,
    run_id   TEXT,
    position INTEGER NOT NULL,
    place    INTEGER NOT NULL,
    UNIQUE (run_id, position, place)
) STRICT;
CREATE INDEX ops_check_by_time ON ops_check (at);

CREATE TABLE ops_health (
    service    TEXT PRIMARY KEY,
    healthy    INTEGER NOT NULL,
    streak     INTEGER NOT NULL,
    since      INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    message    TEXT NOT NULL,
    run_id     TEXT
) STRICT, WITHOUT ROWID;

-- When a job is to run next, and what its triggers last saw; nothing of a schedule lives in a process alone.
CREATE TABLE ops_due (
    job    TEXT PRIMARY KEY,
    plan   TEXT NOT NULL,
    due_at INTEGER,
    seen   TEXT NOT NULL
) STRICT, WITHOUT ROWID;


-- A folder of notes that people and agents write together.
CREATE TABLE vault (
    num        INTEGER PRIMARY KEY,
    root       TEXT NOT NULL UNIQUE,
    -- Whose memories it shows: one project's, or everybody's; and of which kinds, all if none is named.
    project_id TEXT,
    kinds      TEXT NOT NULL DEFAULT '[]',
    -- Whether the folder was empty when it began: then a new note in any folder of the layout is a memory.
    own        INTEGER NOT NULL,
    -- The newest change of memories that the notes show, and when that was.
    seen_to    INTEGER NOT NULL DEFAULT 0,
    synced_at  INTEGER
) STRICT;

-- A note as it was last seen. A row stays when the note is gone, and so do the versions of it.
CREATE TABLE vault_note (
    num       INTEGER PRIMARY KEY,
    vault     INTEGER NOT NULL REFERENCES vault (num) ON DELETE CASCADE,
    path      TEXT NOT NULL,
    -- The file's name without its ending, in lower case: links find a note by it.
    name_key  TEXT NOT NULL,
    title     TEXT NOT NULL DEFAULT '',
    tags      TEXT NOT NULL DEFAULT '[]',
    memory_id TEXT,
    size      INTEGER NOT NULL,
    mtime     INTEGER NOT NULL,
    inode     INTEGER NOT NULL,
    hash      TEXT NOT NULL,
    -- The version on which note and memory agreed, and a digest of the memory as it was then.
    base      TEXT NOT NULL DEFAULT '',
    shown     TEXT NOT NULL DEFAULT '',
    -- The version that is being written: a process that ends in the middle has left it or the one before.
    pending   TEXT NOT NULL DEFAULT '',
    -- Why it is left alone, if it is.
    problem   TEXT NOT NULL DEFAULT '',
    gone_at   INTEGER,
    UNIQUE (vault, path)
) STRICT;
CREATE INDEX vault_note_by_name ON vault_note (vault, name_key);
CREATE INDEX vault_note_by_memory ON vault_note (memory_id) WHERE memory_id IS NOT NULL;

-- The line that shows a memory, and a digest of what it said when both sides agreed.
CREATE TABLE vault_line (
    vault     INTEGER NOT NULL REFERENCES vault (num) ON DELETE CASCADE,
    memory_id TEXT NOT NULL,
    note      INTEGER NOT NULL REFERENCES vault_note (num) ON DELETE CASCADE,
    shown     TEXT NOT NULL,
    PRIMARY KEY (vault, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX vault_line_by_note ON vault_line (note);

-- Every version seen of a note that we write to: whatever happens to the file, no words are lost.
CREATE TABLE vault_version (
    seq    INTEGER PRIMARY KEY,
    note   INTEGER NOT NULL REFERENCES vault_note (num) ON DELETE CASCADE,
    hash   TEXT NOT NULL,
    at     INTEGER NOT NULL,
    -- recollect, person or program.
    writer TEXT NOT NULL,
    -- Compressed.
    body   BLOB NOT NULL,
    UNIQUE (note, hash)
) STRICT;

-- The parts of a note that are searched, and where each begins.
CREATE TABLE vault_chunk (
    num     INTEGER PRIMARY KEY,
    note    INTEGER NOT NULL REFERENCES vault_note (num) ON DELETE CASCADE,
    line    INTEGER NOT NULL,
    heading TEXT NOT NULL,
    text    TEXT NOT NULL
) STRICT;
CREATE INDEX vault_chunk_by_note ON vault_chunk (note);

-- A part of a note as one model sees it. Numbers are never given again: a process that holds vectors reads on from the last.
CREATE TABLE vault_vector (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    model_num INTEGER NOT NULL REFERENCES model (num) ON DELETE CASCADE,
    chunk     INTEGER NOT NULL REFERENCES vault_chunk (num) ON DELETE CASCADE,
    vector    BLOB NOT NULL,
    UNIQUE (chunk, model_num)
) STRICT;

CREATE VIRTUAL TABLE vault_fts USING fts5 (
    title, heading, tags, text,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE vault_vocab USING fts5vocab ('vault_fts', 'row');

-- Links from notes, by the name they give; which note that is, is looked up when it is asked.
CREATE TABLE vault_link (
    note   INTEGER NOT NULL REFERENCES vault_note (num) ON DELETE CASCADE,
    target TEXT NOT NULL,
    line   INTEGER NOT NULL,
    PRIMARY KEY (note, target, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX vault_link_by_target ON vault_link (target);

-- Messages to and from people on other channels.
CREATE TABLE message (
    id       TEXT PRIMARY KEY,
    channel  TEXT NOT NULL,
    -- in or out.
    way      TEXT NOT NULL,
    at       INTEGER NOT NULL,
    peer     TEXT NOT NULL DEFAULT '',
    text     TEXT NOT NULL,
    -- unread or read; waiting or sent.
    state    TEXT NOT NULL,
    tries    INTEGER NOT NULL DEFAULT 0,
    problem  TEXT NOT NULL DEFAULT '',
    -- The channel's own name for it, so that it is taken in once.
    foreign_id TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX message_once ON message (channel, foreign_id) WHERE foreign_id IS NOT NULL;
CREATE INDEX message_by_state ON message (way, state, at);

-- What a framework keeps in order: the lines of a transcript, the items of a conversation.
CREATE TABLE framework_log (
    num        INTEGER PRIMARY KEY,
    framework  TEXT NOT NULL,
    -- The framework's own name for a project; empty where it has none.
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- Empty for the conversation itself; else the part of it, such as a subagent's.
    part       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- What the framework itself says about it, as JSON.
    summary    TEXT,
    UNIQUE (framework, owner, name, part)
) STRICT;

CREATE TABLE framework_entry (
    log    INTEGER NOT NULL REFERENCES framework_log (num) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,
    -- The framework's own id: an entry that comes again is known by it.
    uid    TEXT,
    body   TEXT NOT NULL,
    PRIMARY KEY (log, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX framework_entry_once ON framework_entry (log, uid) WHERE uid IS NOT NULL;

-- Values by namespace and key. A namespace is its labels, each with U+001F behind it.
CREATE TABLE framework_item (
    num         INTEGER PRIMARY KEY,
    namespace   TEXT NOT NULL,
    item_key    TEXT NOT NULL,
    value       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    ttl_seconds REAL,
    expires_at  INTEGER,
    UNIQUE (namespace, item_key)
) STRICT;
CREATE INDEX framework_item_by_expiry ON framework_item (expires_at) WHERE expires_at IS NOT NULL;

-- What is searched of an item, as vectors: float32, little endian, unit length.
CREATE TABLE framework_vector (
    item   INTEGER NOT NULL REFERENCES framework_item (num) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    -- Vectors of different models are never compared.
    model  TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (item, number)
) STRICT, WITHOUT ROWID;

-- The state of a program at one step. What its channels held stands apart, so that a step costs what it changed.
CREATE TABLE framework_checkpoint (
    num       INTEGER PRIMARY KEY,
    thread    TEXT NOT NULL,
    namespace TEXT NOT NULL,
    id        TEXT NOT NULL,
    parent_id TEXT,
    run_id    TEXT,
    kind      TEXT NOT NULL,
    body      BLOB NOT NULL,
    metadata_kind TEXT NOT NULL,
    metadata  BLOB NOT NULL,
    -- Channel to version, as JSON.
    versions  TEXT NOT NULL,
    -- Channels whose value is made from earlier steps, as a JSON list.
    deltas    TEXT NOT NULL,
    UNIQUE (thread, namespace, id)
) STRICT;
CREATE INDEX framework_checkpoint_by_run ON framework_checkpoint (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE framework_channel (
    num       INTEGER PRIMARY KEY,
    thread    TEXT NOT NULL,
    namespace TEXT NOT NULL,
    channel   TEXT NOT NULL,
    version   TEXT NOT NULL,
    kind      TEXT NOT NULL,
    body      BLOB NOT NULL,
    UNIQUE (thread, namespace, channel, version)
) STRICT;

-- What a task of a step gave back before the step was over.
CREATE TABLE framework_write (
    num           INTEGER PRIMARY KEY,
    thread        TEXT NOT NULL,
    namespace     TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_id       TEXT NOT NULL,
    number        INTEGER NOT NULL,
    channel       TEXT NOT NULL,
    kind          TEXT NOT NULL,
    body          BLOB NOT NULL,
    task_path     TEXT NOT NULL,
    UNIQUE (thread, namespace, checkpoint_id, task_id, number)
) STRICT;

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

-- Who may use a store that several people share.
CREATE TABLE person (
    name       TEXT PRIMARY KEY,
    role       TEXT NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- An argon2 hash for the dashboard; empty: this person has not chosen a password.
    password   TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys of programs. The key itself is nowhere: its first characters find the row, its SHA-256 proves it.
CREATE TABLE access_token (
    prefix     TEXT PRIMARY KEY,
    person     TEXT NOT NULL REFERENCES person (name) ON DELETE CASCADE,
    digest     TEXT NOT NULL,
    label      TEXT NOT NULL,
    -- The most it may: never more than its person.
    role       TEXT NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- Whether an agent holds it: then nothing is confirmed, pinned or purged with it.
    agent      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX access_token_by_person ON access_token (person);

-- Which projects a person may see; `*` is every project.
CREATE TABLE project_grant (
    person     TEXT NOT NULL REFERENCES person (name) ON DELETE CASCADE,
    project_id TEXT NOT NULL,
    may_write  INTEGER NOT NULL,
    PRIMARY KEY (person, project_id)
) STRICT, WITHOUT ROWID;

-- Who did what and when; never what a memory says.
CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    person TEXT NOT NULL,
    token  TEXT NOT NULL,
    act    TEXT NOT NULL,
    target TEXT NOT NULL,
    status INTEGER NOT NULL
) STRICT;

-- What was answered to a request that has a key of its own, so that asking again changes nothing.
CREATE TABLE answered_request (
    person TEXT NOT NULL,
    key    TEXT NOT NULL,
    act    TEXT NOT NULL,
    at     INTEGER NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (person, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answered_request_by_time ON answered_request (at);

-- Memories that a person would share, where a project wants a second person to agree.
CREATE TABLE share_request (
    memory_id TEXT PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
    person    TEXT NOT NULL,
    at        INTEGER NOT NULL,
    why       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
