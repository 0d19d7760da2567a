-- The vault: notes that people and agents write together, every version seen, their search index; and messages.

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
