-- Memories as lines of notes, each with a block id.

-- The line that shows a memory, and a digest of what it said when both sides agreed.
CREATE TABLE vault_line (
    vault     INTEGER NOT NULL REFERENCES vault (num) ON DELETE CASCADE,
    memory_id TEXT NOT NULL,
    note      INTEGER NOT NULL REFERENCES vault_note (num) ON DELETE CASCADE,
    shown     TEXT NOT NULL,
    PRIMARY KEY (vault, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX vault_line_by_note ON vault_line (note);
