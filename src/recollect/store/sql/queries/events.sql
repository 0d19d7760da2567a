-- name: event_put
-- What an agent did, once: an inbox may be read twice.
INSERT INTO event (id, at, type, session_id, project_id, data)
VALUES (:id, :at, :type, :session_id, :project_id, :data)
ON CONFLICT DO NOTHING

-- name: events_of_session
-- What agents did in a session, in the order it happened.
SELECT data FROM event WHERE session_id = :session_id AND id IS NOT NULL ORDER BY at, seq

-- name: events_of_session_by_type
-- One type of what agents did in a session, in the order it happened.
SELECT data FROM event WHERE session_id = :session_id AND type = :type AND id IS NOT NULL ORDER BY at, seq

-- name: event_by_id
-- One thing an agent did.
SELECT data FROM event WHERE id = :id

-- name: session_put
-- What is known of a session; what is not given stays as it was.
INSERT INTO session (id, project_id, started_at, last_at, client, branch, phase, work, outcome, tokens, parent_id, ended_at, owner)
VALUES (:id, :project_id, :started_at, :last_at, :client, :branch, :phase, :work, :outcome, :tokens, :parent_id, :ended_at, :owner)
ON CONFLICT (id) DO UPDATE SET
    project_id = COALESCE(excluded.project_id, session.project_id),
    started_at = CASE WHEN excluded.started_at < session.started_at THEN excluded.started_at ELSE session.started_at END,
    last_at = CASE WHEN excluded.last_at > session.last_at THEN excluded.last_at ELSE session.last_at END,
    client = CASE WHEN excluded.client = '' THEN session.client ELSE excluded.client END,
    branch = CASE WHEN excluded.branch = '' THEN session.branch ELSE excluded.branch END,
    phase = CASE WHEN excluded.phase = '' THEN session.phase ELSE excluded.phase END,
    work = CASE WHEN excluded.work = '' THEN session.work ELSE excluded.work END,
    outcome = CASE WHEN excluded.outcome = '' THEN session.outcome ELSE excluded.outcome END,
    tokens = CASE WHEN excluded.tokens = 0 THEN session.tokens ELSE excluded.tokens END,
    parent_id = COALESCE(excluded.parent_id, session.parent_id),
    ended_at = COALESCE(excluded.ended_at, session.ended_at)

-- name: session_by_id
-- What is known of one session.
SELECT id, project_id, started_at, last_at, client, branch, phase, work, outcome, tokens, parent_id, ended_at
  FROM session WHERE id = :id

-- name: project_events_move
-- What happened in one project goes to another.
UPDATE event SET project_id = :into_id WHERE project_id = :from_id
