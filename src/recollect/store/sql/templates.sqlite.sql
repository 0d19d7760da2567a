-- Statements over tables that are known by the catalogue alone; `@word` is filled in with quoted names from there.

-- name: read_after
-- Rows of a table in order, a page at a time.
SELECT rowid, @columns FROM @table WHERE rowid > :after ORDER BY rowid LIMIT :limit

-- name: read_one
-- One row, where a page of them cannot be read.
SELECT rowid, @columns FROM @table WHERE rowid = :rowid

-- name: read_of
-- The rows that belong to one memory.
SELECT @columns FROM @table WHERE @key = :num

-- name: drop_of
-- The rows that belong to one memory make room.
DELETE FROM @table WHERE @key = :num

-- name: read_highest
-- Up to where there may be rows.
SELECT MAX(rowid) FROM @table

-- name: read_forward
-- Rows of a table without row numbers, up to the first that cannot be read.
SELECT @columns FROM @table ORDER BY @key

-- name: read_backward
-- The same from the other end.
SELECT @columns FROM @table ORDER BY @key DESC

-- name: write_over
-- A row that is newer than what is there.
INSERT OR REPLACE INTO @table (@columns) VALUES (@values)

-- name: write_missing
-- A row that only fills a gap.
INSERT OR IGNORE INTO @table (@columns) VALUES (@values)

-- name: drop_dangling
-- Rows that point to a row which is not there.
DELETE FROM @table WHERE @from IS NOT NULL AND @from NOT IN (SELECT @to FROM @parent) RETURNING 1

-- name: change_row
-- Some columns of one row say something else.
UPDATE OR REPLACE @table SET @changes WHERE @row

-- name: drop_row
-- One row goes.
DELETE FROM @table WHERE @row

-- name: page_first
-- The first rows of a table by its key.
SELECT @columns FROM @table ORDER BY @key LIMIT ?

-- name: page_after
-- Those after a row.
SELECT @columns FROM @table WHERE (@key) > (@values) ORDER BY @key LIMIT ?

-- name: count_rows
-- How many there are.
SELECT COUNT(*) FROM @table

-- name: add_row
-- A row from elsewhere.
INSERT INTO @table (@columns) VALUES (@values)

-- name: clear_table
-- All rows go.
DELETE FROM @table

-- name: visible_rows
-- What a person is shown; named queries read these in place of the tables. `@own` and `@granted` compare a row's columns.
CREATE TEMP VIEW visible_project AS SELECT * FROM main.project t WHERE @project;
CREATE TEMP VIEW visible_memory AS SELECT * FROM main.memory t WHERE @own AND @granted;
CREATE TEMP VIEW visible_session AS SELECT * FROM main.session t WHERE @own AND @granted;
CREATE TEMP VIEW visible_history AS SELECT * FROM main.history t
 WHERE EXISTS (SELECT 1 FROM visible_memory v WHERE v.id = t.memory_id);
CREATE TEMP VIEW visible_event AS SELECT * FROM main.event t
 WHERE (t.session_id IS NULL OR EXISTS (SELECT 1 FROM visible_session v WHERE v.id = t.session_id))
   AND (t.memory_id IS NULL OR EXISTS (SELECT 1 FROM visible_memory v WHERE v.id = t.memory_id)) AND @granted;
CREATE TEMP VIEW visible_note AS SELECT * FROM main.note t
 WHERE EXISTS (SELECT 1 FROM visible_session v WHERE v.id = t.session_id)

-- name: own_rows
-- A row that is everybody's, or this person's.
(t.owner IS NULL OR t.owner = '@person')

-- name: granted_rows
-- A row of a project that was granted.
(t.project_id IS NULL OR t.project_id IN (@projects))

-- name: granted_project
-- A project that was granted.
(t.id IN (@projects))
