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
