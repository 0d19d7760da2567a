-- name: events_known
-- Which of these events are kept already.
SELECT id FROM event WHERE id = ANY (text_list(:ids))

-- name: files_changed
-- The files that a session changed, the last one first.
SELECT f.value AS file, MAX(e.seq) AS last FROM event e, json_array_elements_text(as_json(e.data) -> 'files') AS f (value)
 WHERE e.session_id = :session_id AND e.type = 'tool_finished' AND e.id IS NOT NULL
   AND as_json(e.data) ->> 'action' IN ('edit', 'create', 'delete')
 GROUP BY f.value ORDER BY last DESC LIMIT :limit
