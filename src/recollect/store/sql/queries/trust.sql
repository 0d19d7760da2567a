-- What the door and the review ask: evidence of a session, ancestors and descendants, what waits for a person.

-- name: session_outputs
-- The last things that tools gave back in a session, newest first.
SELECT data FROM event
 WHERE session_id = :session_id AND type = 'tool_finished' AND id IS NOT NULL
 ORDER BY seq DESC LIMIT :limit

-- name: memory_ancestors
-- What memories were derived from, over any depth.
WITH RECURSIVE ancestor (id) AS (
    SELECT id FROM memory WHERE id = :id
    UNION
    SELECT r.target_memory_id FROM ancestor a
      JOIN memory m ON m.id = a.id
      JOIN relation r ON r.memory_num = m.num
     WHERE r.type = 'derived_from' AND r.target_memory_id IS NOT NULL AND (m.verified = 0 OR m.id = :id))
SELECT m.id, m.channel, m.source, m.state, m.verified, m.event_ids <> '[]' AS has_events
  FROM ancestor a JOIN memory m ON m.id = a.id

-- name: notes_of_session
-- How many memories a session has left by one way.
SELECT COUNT(*) AS notes FROM memory WHERE session_id = :session_id AND channel = :channel

-- name: notes_without_session
-- How many memories came by one way since a moment without a session, among the newest.
SELECT COUNT(*) AS notes FROM (
    SELECT channel, session_id, created_at FROM memory ORDER BY num DESC LIMIT :newest) AS latest
 WHERE latest.channel = :channel AND latest.session_id IS NULL AND latest.created_at >= :since

-- name: memories_waiting_count
-- How many memories of a project, or of none, wait for a person.
SELECT COUNT(*) AS waiting FROM memory
 WHERE (state = 'quarantined' OR (needs_review = 1 AND state = 'active'))
   AND (project_id = :project_id OR project_id IS NULL)
