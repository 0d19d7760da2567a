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
