-- People who share a store: their accounts, their keys, what was granted to them, what they did and what they share.

-- name: person_insert
-- A new person.
INSERT INTO person (name, role, password, created_at) VALUES (:name, :role, :password, :created_at)

-- name: person_by_name
-- One person.
SELECT name, role, password, created_at FROM person WHERE name = :name

-- name: people_all
-- Everybody, by name.
SELECT name, role, password, created_at FROM person ORDER BY name

-- name: person_change
-- Another role or password.
UPDATE person SET role = :role, password = :password WHERE name = :name

-- name: person_delete
-- A person goes, and their keys and grants with them.
DELETE FROM person WHERE name = :name

-- name: token_insert
-- A new key.
INSERT INTO access_token (prefix, person, digest, label, role, agent, created_at, expires_at)
VALUES (:prefix, :person, :digest, :label, :role, :agent, :created_at, :expires_at)

-- name: token_by_prefix
-- A key by its first characters, with its person's own role.
SELECT t.*, p.role AS person_role FROM access_token t JOIN person p ON p.name = t.person WHERE t.prefix = :prefix

-- name: tokens_all
-- Keys, the oldest first; of one person, if one is named.
SELECT t.*, p.role AS person_role FROM access_token t JOIN person p ON p.name = t.person
 WHERE :person IS NULL OR t.person = :person ORDER BY t.created_at, t.prefix

-- name: token_revoke
-- A key is good no longer.
UPDATE access_token SET revoked_at = :at WHERE prefix = :prefix AND revoked_at IS NULL

-- name: token_used
-- When a key was last used.
UPDATE access_token SET used_at = :at WHERE prefix = :prefix

-- name: grant_put
-- A person may see a project, and perhaps write there.
INSERT INTO project_grant (person, project_id, may_write) VALUES (:person, :project_id, :may_write)
ON CONFLICT (person, project_id) DO UPDATE SET may_write = excluded.may_write

-- name: grant_delete
-- A person may see a project no longer.
DELETE FROM project_grant WHERE person = :person AND project_id = :project_id

-- name: grants_of
-- What was granted to a person.
SELECT project_id, may_write FROM project_grant WHERE person = :person ORDER BY project_id

-- name: audit_insert
-- Somebody did something.
INSERT INTO audit (at, person, token, act, target, status) VALUES (:at, :person, :token, :act, :target, :status)

-- name: audit_recent
-- What was done last, the newest first; by one person, if one is named.
SELECT seq, at, person, token, act, target, status FROM audit
 WHERE :person IS NULL OR person = :person ORDER BY seq DESC LIMIT :limit

-- name: audit_rename
-- Who did it is no longer known by name.
UPDATE audit SET person = :name, token = '', target = CASE WHEN target = :person THEN :name ELSE target END
 WHERE person = :person OR target = :person

-- name: answered_get
-- What was answered to a request with this key.
SELECT act, answer FROM answered_request WHERE person = :person AND key = :key

-- name: answered_put
-- What was answered, in the transaction that did what was asked.
INSERT INTO answered_request (person, key, act, at, answer) VALUES (:person, :key, :act, :at, :answer)

-- name: answered_forget
-- Answers that nobody will ask for again.
DELETE FROM answered_request WHERE at < :before

-- name: answered_forget_person
-- Answers to one person.
DELETE FROM answered_request WHERE person = :person

-- name: share_put
-- A person would share a memory.
INSERT INTO share_request (memory_id, person, at, why) VALUES (:memory_id, :person, :at, :why)
ON CONFLICT (memory_id) DO UPDATE SET person = excluded.person, at = excluded.at, why = excluded.why

-- name: share_get
-- Who would share a memory.
SELECT memory_id, person, at, why FROM share_request WHERE memory_id = :memory_id

-- name: share_delete
-- It is decided.
DELETE FROM share_request WHERE memory_id = :memory_id

-- name: shares_waiting
-- What waits for a second person, the oldest first.
SELECT memory_id, person, at, why FROM share_request ORDER BY at, memory_id LIMIT :limit

-- name: memory_owner_set
-- Whose a memory is from now on; NULL: everybody's.
UPDATE memory SET owner = :owner WHERE id = :id

-- name: memories_owned
-- The memories that are one person's.
SELECT id FROM memory WHERE owner = :owner ORDER BY num

-- name: session_owner
-- Whose a session is.
SELECT owner FROM session WHERE id = :id

-- name: owned_events_delete
-- What happened in one person's sessions goes.
DELETE FROM event WHERE session_id IN (SELECT id FROM session WHERE owner = :owner)

-- name: owned_notes_delete
-- What was noted in one person's sessions goes.
DELETE FROM note WHERE session_id IN (SELECT id FROM session WHERE owner = :owner)

-- name: owned_sessions_disown
-- One person's sessions are nobody's in particular: what is left of each is its id and its times.
UPDATE session SET owner = NULL, branch = '', work = '', client = '' WHERE owner = :owner

-- name: history_rename
-- Who changed something is no longer known by name.
UPDATE history SET actor = :name WHERE actor = :person
