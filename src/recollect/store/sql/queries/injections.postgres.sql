-- name: memories_applied
-- What was put before the agents of a session.
SELECT {whole_memory} FROM memory m
 WHERE m.id IN (SELECT memory_id FROM injection WHERE session_id = :session_id)
 ORDER BY m.num

-- name: memories_by_ids
-- Several memories, whole, by their ids.
SELECT {whole_memory} FROM memory m WHERE m.id = ANY (text_list(:ids)) ORDER BY m.num

-- name: injections_about
-- What a session's agent has before it that is about one of these files or names it, and was told before a moment.
SELECT DISTINCT i.memory_id FROM injection i
  JOIN memory m ON m.id = i.memory_id
  JOIN memory_subject s ON s.memory_num = m.num
 WHERE i.session_id = :session_id AND i.used = '' AND i.at <= :at
   AND i.moment NOT IN ('file', 'failure') AND s.subject = ANY (text_list(:subjects))
 UNION
SELECT memory_id FROM injection
 WHERE session_id = :session_id AND used = '' AND at <= :at
   AND memory_id = ANY (text_list(:subjects))
