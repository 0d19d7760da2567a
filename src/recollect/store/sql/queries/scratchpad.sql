-- name: note_put
-- A note as it is now.
INSERT INTO note (id, project_id, session_id, agent, at, step, origin, kind, text, count, work, branch, subjects, facts,
                  state, why, event_ids, commit_sha, memory_id)
VALUES (:id, :project_id, :session_id, :agent, :at, :step, :origin, :kind, :text, :count, :work, :branch, :subjects, :facts,
        :state, :why, :event_ids, :commit_sha, :memory_id)
ON CONFLICT (id) DO UPDATE SET
    text = excluded.text,
    count = excluded.count,
    subjects = excluded.subjects,
    facts = excluded.facts,
    state = excluded.state,
    why = excluded.why,
    event_ids = excluded.event_ids,
    commit_sha = excluded.commit_sha,
    memory_id = excluded.memory_id

-- name: note_key_put
-- What a note is about.
INSERT INTO note_key (key, note_id) VALUES (:key, :note_id) ON CONFLICT DO NOTHING

-- name: note_judged
-- What has become of a note.
UPDATE note SET state = :state, why = :why, memory_id = COALESCE(:memory_id, memory_id) WHERE id = :id

-- name: scratchpad_of_session
-- The scratchpad of one session, in the order it was written.
SELECT * FROM note WHERE session_id = :session_id ORDER BY at, step, id

-- name: notes_of_origin
-- The newest notes of one origin in a project.
SELECT * FROM note
 WHERE COALESCE(project_id, '') = COALESCE(:project_id, '') AND origin = :origin AND at >= :since
 ORDER BY at DESC, id LIMIT :limit

-- name: notes_of_memory
-- The notes that a memory came from.
SELECT * FROM note WHERE memory_id = :memory_id ORDER BY at, id

-- name: notes_old
-- Notes that nothing came of for so long that nothing will.
SELECT id FROM note WHERE at < :before LIMIT :limit

-- name: note_delete
-- A note is gone.
DELETE FROM note WHERE id = :id

-- name: project_notes_move
-- The notes of a project belong to another one now.
UPDATE note SET project_id = :into_id WHERE project_id = :from_id

-- name: session_learned
-- A session was learned from, up to a moment.
UPDATE session SET learned_to = :learned_to, outcome = CASE WHEN :outcome = '' THEN outcome ELSE :outcome END WHERE id = :id

-- name: session_learned_to
-- How far a session was learned from.
SELECT learned_to FROM session WHERE id = :id

-- name: sessions_to_learn
-- Sessions that are over, or silent for long, and not learned from to their end; the oldest first.
SELECT id FROM session
 WHERE (learned_to IS NULL OR learned_to < last_at) AND (ended_at IS NOT NULL OR last_at < :silent_since)
   AND EXISTS (SELECT 1 FROM event e WHERE e.session_id = session.id AND e.id IS NOT NULL)
 ORDER BY started_at, id LIMIT :limit
