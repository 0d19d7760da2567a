-- name: event_session
-- The session an event is kept under.
SELECT session_id FROM event WHERE id = :id

-- name: events_unknown
-- How many events are kept that this version has no name for.
SELECT COUNT(*) AS found FROM event WHERE type = 'unknown' AND id IS NOT NULL

-- name: transcript_state
-- How far a transcript was read.
SELECT size, modified_at, read_to FROM transcript WHERE path = :path

-- name: transcript_read
-- A transcript was read so far.
INSERT INTO transcript (path, client, size, modified_at, read_to, session_id)
VALUES (:path, :client, :size, :modified_at, :read_to, :session_id)
ON CONFLICT (path) DO UPDATE SET
    client = excluded.client,
    size = excluded.size,
    modified_at = excluded.modified_at,
    read_to = excluded.read_to,
    session_id = excluded.session_id

-- name: event_last
-- The last thing an agent did in a session.
SELECT data FROM event WHERE session_id = :session_id AND id IS NOT NULL ORDER BY at DESC, seq DESC LIMIT 1

-- name: sessions_left_open
-- Sessions of one client in a project that nobody has said to be over; no subagents.
SELECT id FROM session
 WHERE COALESCE(project_id, '') = COALESCE(:project_id, '') AND client = :client
   AND ended_at IS NULL AND parent_id IS NULL
 ORDER BY last_at DESC, id DESC LIMIT :limit

-- name: sessions_unended
-- Sessions that nobody has said to be over and that are not learned from to their end; no subagents.
SELECT id FROM session
 WHERE ended_at IS NULL AND parent_id IS NULL AND (learned_to IS NULL OR learned_to < last_at)
 ORDER BY last_at DESC, id DESC LIMIT :limit

-- name: session_end
-- A session was over when it was last heard of.
UPDATE session SET ended_at = last_at WHERE id = :id AND ended_at IS NULL
