-- What was read, as the words of its sentences.

-- name: read_statement_put
-- A sentence that was read; read again, it is known by its newest reading.
INSERT INTO read_statement (project_id, key, words, source, event_id, session_id, at)
VALUES (:project_id, :key, :words, :source, :event_id, :session_id, :at)
ON CONFLICT (project_id, key) DO UPDATE SET
    source = CASE WHEN read_statement.source = 'code' AND excluded.source = 'prose'
                  THEN 'prose' ELSE read_statement.source END,
    event_id = excluded.event_id, session_id = excluded.session_id, at = excluded.at

-- name: read_statements_after
-- The sentences read in a project, from a number on.
SELECT num, words, source, event_id FROM read_statement
 WHERE project_id = :project_id AND num > :num AND words <> '' AND source <> 'own' ORDER BY num

-- name: read_statements_cut
-- Whether a session read more than could be kept.
SELECT event_id FROM read_statement WHERE project_id = :project_id AND key = :key

-- name: read_statements_old
-- Sentences that were read so long ago, or so many others ago, that they go.
SELECT num FROM read_statement
 WHERE at < :before OR at < (SELECT at FROM read_statement ORDER BY at DESC, num LIMIT 1 OFFSET :most)
 LIMIT :limit

-- name: read_statement_delete
-- Forget a sentence that was read.
DELETE FROM read_statement WHERE num = :num

-- name: read_statements_of_event_delete
-- Forget what an event had read.
DELETE FROM read_statement WHERE event_id = :event_id
