-- Statements of the driver itself, and over tables that are known by the catalogue alone; `@word` is filled in.

-- name: set_session
-- How a connection reads our names; short statements gain nothing from compiled ones.
SET search_path TO @schema, public; SET jit = off

-- name: who_serves
-- The process that serves a connection, and whether the rules that keep organisations apart do not bind who is connected.
SELECT pg_backend_pid(), rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user

-- name: is_above_rules
-- Whether the rules that keep organisations apart do not bind who is connected.
SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user

-- name: has_role
-- Whether there is a role of this name.
SELECT 1 FROM pg_roles WHERE rolname = '@role'

-- name: create_role
-- The role that owns our tables where a superuser connects.
CREATE ROLE @role NOLOGIN

-- name: set_role
-- From now on as that role.
SET ROLE @role

-- name: create_schema
-- A place of our own among another's tables.
CREATE SCHEMA IF NOT EXISTS @schema AUTHORIZATION @role

-- name: create_own_schema
-- The same, for a role that is nobody's superior.
CREATE SCHEMA IF NOT EXISTS @schema

-- name: has_schema
-- Whether anything of ours is here.
SELECT to_regclass('@schema.migration') IS NOT NULL

-- name: create_lock
-- The row on which those wait who would change the schema; a lock that every engine has.
CREATE TABLE IF NOT EXISTS @schema.schema_lock (id INTEGER PRIMARY KEY)

-- name: fill_lock
-- Its one row.
INSERT INTO @schema.schema_lock (id) VALUES (1) ON CONFLICT DO NOTHING

-- name: take_lock
-- Nobody else changes the schema until this transaction is over.
SELECT id FROM @schema.schema_lock FOR UPDATE

-- name: schema_number
-- The newest step that was taken.
SELECT MAX(number) FROM @schema.migration

-- name: set_organisation
-- The organisation for which a connection asks, and the person there.
SELECT set_config('recollect.org', '@org', @local), set_config('recollect.person', '@person', @local),
       set_config('recollect.projects', '@projects', @local)

-- name: begin_change
-- A transaction that changes something: the organisation's row first, on which its writers take turns.
BEGIN;
SELECT set_config('recollect.org', '@org', true), set_config('recollect.person', '@person', true),
       set_config('recollect.projects', '@projects', true), set_config('lock_timeout', '@wait', true);
SELECT commits, numbers FROM organisation WHERE num = @org FOR UPDATE

-- name: begin_moment
-- A transaction in which all is read as it is now.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT set_config('recollect.org', '@org', true), set_config('recollect.person', '@person', true),
       set_config('recollect.projects', '@projects', true);
SELECT commits, numbers FROM organisation WHERE num = @org

-- name: unprotected_tables
-- Tables of organisations that no rule keeps apart yet.
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org' AND NOT a.attisdropped
 WHERE n.nspname = '@schema' AND c.relkind IN ('r', 'p') AND NOT c.relforcerowsecurity ORDER BY c.relname

-- name: protect_table
-- Each organisation sees and writes its own rows alone, whoever asks and whatever is asked.
ALTER TABLE @schema.@table ENABLE ROW LEVEL SECURITY;
ALTER TABLE @schema.@table FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON @schema.@table USING (org = @schema.current_org()) WITH CHECK (org = @schema.current_org())

-- name: extension_schema
-- Where pgvector's functions are, if it is installed.
SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'

-- name: has_extension
-- Whether pgvector could be installed.
SELECT 1 FROM pg_available_extensions WHERE name = 'vector'

-- name: create_extension
-- Install it.
CREATE EXTENSION IF NOT EXISTS vector

-- name: has_near_vectors
-- Whether vectors are kept as pgvector takes them.
SELECT to_regclass('@schema.vector_near') IS NOT NULL

-- name: tables_of_rows
-- The columns of every table of an organisation, each with its place in the key (0: in none).
SELECT c.relname, a.attname, COALESCE(array_position(CAST(i.indkey AS SMALLINT[]), a.attnum), -1) + 1
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE n.nspname = '@schema' AND c.relkind = 'r' AND c.relforcerowsecurity ORDER BY c.relname, a.attnum

-- name: page_first
-- The first rows of a table by its key.
SELECT @columns FROM @table ORDER BY @key LIMIT %s

-- name: page_after
-- Those after a row.
SELECT @columns FROM @table WHERE (@key) > (@values) ORDER BY @key LIMIT %s

-- name: count_rows
-- How many there are.
SELECT COUNT(*) FROM @table

-- name: add_row
-- A row from elsewhere.
INSERT INTO @table (@columns) VALUES (@values)

-- name: change_row
-- Some columns of one row say something else.
UPDATE @table SET @changes WHERE @row

-- name: drop_row
-- One row goes.
DELETE FROM @table WHERE @row

-- name: clear_table
-- All rows of the organisation go.
DELETE FROM @table

-- name: highest_number
-- The newest number of a table.
SELECT MAX(@column) FROM @table
