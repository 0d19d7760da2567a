-- Memories as lines of notes, each with a block id.

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
