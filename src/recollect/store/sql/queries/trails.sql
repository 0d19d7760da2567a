-- What work that passed did, act by act.

-- name: trail_put
-- A trail as it is now.
INSERT INTO trail (session_id, work, project_id, at, task, parts)
VALUES (:session_id, :work, :project_id, :at, :task, :parts)
ON CONFLICT (session_id, work) DO UPDATE SET at = excluded.at, task = excluded.task, parts = excluded.parts

-- name: trails_between
-- The newest trails of a project between two moments, the newest first.
SELECT * FROM trail
 WHERE COALESCE(project_id, '') = COALESCE(:project_id, '') AND at >= :since AND at <= :until
 ORDER BY at DESC, session_id, work LIMIT :limit

-- name: trails_drop
-- Trails too old to be laid beside a new one are gone.
DELETE FROM trail WHERE (session_id, work) IN (SELECT session_id, work FROM trail WHERE at < :before LIMIT :limit)

-- name: project_trails_move
-- The trails of a project belong to another one now.
UPDATE trail SET project_id = :into_id WHERE project_id = :from_id
