-- What only a file of SQLite is asked: its catalogue, to save what can be read of a damaged one, and its index.

-- name: any_table
-- Whether the file holds anything at all.
SELECT name FROM sqlite_schema LIMIT 1

-- name: tables_all
-- Tables that hold rows of ours, not those SQLite and the search index keep for themselves.
SELECT name, wr FROM pragma_table_list
 WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name

-- name: table_columns
-- The columns of a table, and their place in its key.
SELECT name, pk FROM pragma_table_info(:table) ORDER BY cid

-- name: table_links
-- Where the rows of a table point to.
SELECT "from", "table" AS parent, "to" FROM pragma_foreign_key_list(:table)

-- name: projects_made_up
-- A project for memories whose own cannot be read.
INSERT INTO project (id, key, name, created_at)
SELECT project_id, 'lost:' || project_id, 'lost', MIN(created_at) FROM memory
 WHERE project_id IS NOT NULL AND project_id NOT IN (SELECT id FROM project) GROUP BY project_id

-- name: sessions_made_up
-- A session for memories whose own cannot be read.
INSERT INTO session (id, project_id, started_at, last_at)
SELECT session_id, NULL, MIN(happened_at), MAX(happened_at) FROM memory
 WHERE session_id IS NOT NULL AND session_id NOT IN (SELECT id FROM session) GROUP BY session_id

-- name: fulltext_check
-- Complain if the index is not sound.
INSERT INTO memory_fts (memory_fts, rank) VALUES ('integrity-check', 0)
