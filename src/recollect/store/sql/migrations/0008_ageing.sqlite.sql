-- What repetition, judgement, ageing and pruning leave behind.

ALTER TABLE memory ADD COLUMN base_confidence REAL;
ALTER TABLE memory ADD COLUMN reinforced_at INTEGER;
ALTER TABLE memory ADD COLUMN sessions TEXT NOT NULL DEFAULT '[]';

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
