-- What needs lists or the inside of an event.

-- part: from_here
-- Not forgotten yet, and of this project or of all.
m.state <> 'archived' AND (:every_project OR m.project_id IS NULL OR m.project_id = :project_id)

-- name: memories_waiting
-- Memories that wait for a person, newest first: set aside, or with the label.
SELECT {whole_memory} FROM memory m
 WHERE (m.state = 'quarantined' OR m.needs_review = 1) AND {filters}
 ORDER BY m.num DESC LIMIT :limit

-- name: memories_labelled
-- Active memories with the label, for the rule that takes it off, a page at a time.
SELECT {whole_memory} FROM memory m
 WHERE m.needs_review = 1 AND m.state = 'active' AND m.num > :after ORDER BY m.num LIMIT :limit

-- name: memory_descendants
-- What was derived from memories, over any depth, with how far away it is.
WITH RECURSIVE descendant (id, depth) AS (
    SELECT value COLLATE "C", 0 FROM unnest(text_list(:ids)) AS given (value)
    UNION
    SELECT m.id, d.depth + 1 FROM descendant d
      JOIN relation r ON r.target_memory_id = d.id AND r.type = 'derived_from'
      JOIN memory m ON m.num = r.memory_num
     WHERE d.depth < :most)
SELECT id, MIN(depth) AS depth FROM descendant GROUP BY id HAVING MIN(depth) > 0 ORDER BY depth, id

-- name: from_channel
-- What came by one way.
SELECT m.id FROM memory m WHERE m.channel = :name AND {from_here} ORDER BY m.num

-- name: from_source
-- What one maker made.
SELECT m.id FROM memory m WHERE m.source = :name AND {from_here} ORDER BY m.num

-- name: from_session
-- What one session left.
SELECT m.id FROM memory m WHERE m.session_id = :name AND {from_here} ORDER BY m.num

-- name: from_event
-- What came from one event.
SELECT m.id FROM memory m
 WHERE EXISTS (SELECT 1 FROM json_array_elements_text(as_json(m.event_ids)) AS e (value)
                WHERE e.value = :name)
   AND {from_here} ORDER BY m.num

-- name: from_tool
-- What came from what one tool did.
SELECT m.id FROM memory m
 WHERE EXISTS (SELECT 1 FROM json_array_elements_text(as_json(m.event_ids)) AS e (value) JOIN event v ON v.id = e.value
                WHERE as_json(v.data) ->> 'tool' = :name)
   AND {from_here} ORDER BY m.num

-- name: from_file
-- What came from a file that was read.
SELECT m.id FROM memory m
 WHERE (EXISTS (SELECT 1 FROM json_array_elements_text(as_json(m.event_ids)) AS e (value) JOIN event v ON v.id = e.value,
                            json_array_elements_text(as_json(v.data) -> 'files') AS f (value)
                 WHERE f.value = :name)
        OR EXISTS (SELECT 1 FROM relation r
                    WHERE r.memory_num = m.num AND r.type = 'derived_from' AND r.target_path = :name))
   AND {from_here} ORDER BY m.num

-- name: from_url
-- What came from an address that was read.
SELECT m.id FROM memory m
 WHERE (EXISTS (SELECT 1 FROM json_array_elements_text(as_json(m.event_ids)) AS e (value) JOIN event v ON v.id = e.value
                 WHERE strpos(COALESCE(as_json(v.data) ->> 'command', ''), :name) > 0
                    OR strpos(COALESCE(as_json(v.data) ->> 'data', ''), :name) > 0)
        OR EXISTS (SELECT 1 FROM relation r
                    WHERE r.memory_num = m.num AND r.type = 'derived_from' AND r.target_path = :name))
   AND {from_here} ORDER BY m.num
