-- Notes searched by meaning: a vector for each part, made bit by bit after syncs.

-- A part of a note as one model sees it. Numbers are never given again: a process that holds vectors reads on from the last.
CREATE TABLE vault_vector (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    model_num INTEGER NOT NULL REFERENCES model (num) ON DELETE CASCADE,
    chunk     INTEGER NOT NULL REFERENCES vault_chunk (num) ON DELETE CASCADE,
    vector    BLOB NOT NULL,
    UNIQUE (chunk, model_num)
) STRICT;
