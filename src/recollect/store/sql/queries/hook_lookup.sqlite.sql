-- What a hook asks at a tool's result. `store/hook_lookup.py` reads this file alone, so nothing here includes a part. Who may
-- speak at such a moment is decided by `model/trust.py`; a test holds these queries to it.

-- name: glance_project
-- The project that was seen at a folder.
SELECT project_id FROM project_path WHERE path = :path

-- name: glance_about
-- What may be said unasked about some subjects, the surest first; `source` is empty for what somebody stands behind.
SELECT m.id, m.kind, m.text, m.confidence, m.access_count,
       CASE WHEN m.verified = 0 AND m.channel IN ('observed', 'commit') AND m.source <> 'mcp_auto' THEN 'observed'
            ELSE '' END AS mark,
       CASE WHEN m.verified = 1
              OR (m.source <> 'mcp_auto'
                  AND (m.channel IN ('user', 'operator', 'vault')
                       OR (m.channel = 'agent' AND m.event_ids <> '[]')))
            THEN '' ELSE m.channel || ' ' || COALESCE(m.session_id, '') END AS source
  FROM memory m
 WHERE m.num IN (SELECT memory_num FROM memory_subject
                  WHERE subject = :file OR (subject >= :symbols AND subject < :beyond))
   AND m.state = 'active' AND m.stale_at IS NULL AND (m.project_id = :project_id OR m.project_id IS NULL)
   -- What this session wrote itself is no news to it, unless a summary took it away.
   AND (m.session_id IS NULL OR m.session_id <> :session_id
        OR EXISTS (SELECT 1 FROM event e WHERE e.session_id = m.session_id AND e.type = 'compacted'
                      AND e.at >= m.created_at))
   AND ((m.kind IN (SELECT value FROM json_each(:kinds)) AND m.confidence >= :least)
        OR (m.kind IN (SELECT value FROM json_each(:person_kinds))
            AND (m.verified = 1 OR (m.channel IN ('user', 'operator', 'vault') AND m.source <> 'mcp_auto'))))
   AND (m.pinned = 1 OR NOT EXISTS (
        SELECT 1 FROM usefulness u WHERE u.memory_num = m.num AND u.noise - u.useful >= :silent_at))
   AND (m.verified = 1
        OR (m.channel IN ('user', 'operator', 'vault') AND m.source <> 'mcp_auto')
        OR (((SELECT COUNT(DISTINCT x.value) FROM json_each(json_insert(m.sessions, '$[#]', m.session_id)) x
                     WHERE x.value IS NOT NULL) >= :min_proofs
             OR (SELECT u.useful FROM usefulness u WHERE u.memory_num = m.num) >= :min_proofs) AND m.channel <> 'read'
            AND (m.source = 'mcp_auto'
                 OR (m.channel NOT IN ('import', 'plugin', 'vault_external')
                     AND (m.channel <> 'agent' OR m.event_ids <> '[]')))))
 ORDER BY m.verified DESC, m.confidence DESC, m.access_count DESC, m.num DESC LIMIT :limit

-- name: glance_said
-- What people said in a project, for the commands it names; what was typed before what was confirmed, the newest first.
SELECT m.id, m.kind, m.text, m.confidence, '' AS mark, '' AS source
  FROM memory m
 WHERE (m.verified = 1 OR (m.channel IN ('user', 'operator', 'vault') AND m.source <> 'mcp_auto'))
   AND m.state = 'active' AND m.stale_at IS NULL AND (m.project_id = :project_id OR m.project_id IS NULL)
   AND m.kind IN (SELECT value FROM json_each(:kinds))
 ORDER BY m.channel IN ('user', 'operator', 'vault') DESC, m.num DESC LIMIT :limit

-- name: glance_errors
-- The errors a project knows a way out of, and that may be spoken of when the very error comes again; the newest first.
SELECT m.id, m.kind, m.text, m.confidence, m.access_count, json_extract(m.fields, '$.error') AS error,
       CASE WHEN m.verified = 0 AND m.channel IN ('observed', 'commit') AND m.source <> 'mcp_auto' THEN 'observed'
            ELSE '' END AS mark,
       CASE WHEN m.verified = 1
              OR (m.source <> 'mcp_auto'
                  AND (m.channel IN ('user', 'operator', 'vault')
                       OR (m.channel = 'agent' AND m.event_ids <> '[]')))
            THEN '' ELSE m.channel || ' ' || COALESCE(m.session_id, '') END AS source
  FROM memory m
 WHERE m.kind = 'error_pattern' AND m.state = 'active' AND m.stale_at IS NULL
   AND (m.project_id = :project_id OR m.project_id IS NULL) AND m.confidence >= :least
   AND (m.pinned = 1 OR NOT EXISTS (
        SELECT 1 FROM usefulness u WHERE u.memory_num = m.num AND u.noise - u.useful >= :silent_at))
   AND (m.verified = 1
        OR (m.source <> 'mcp_auto'
            AND (m.channel IN ('user', 'operator', 'vault', 'observed', 'commit')
                 OR (m.channel = 'agent' AND m.event_ids <> '[]')
                 OR (m.channel = 'qa' AND ((SELECT COUNT(DISTINCT x.value) FROM json_each(json_insert(m.sessions, '$[#]', m.session_id)) x
                     WHERE x.value IS NOT NULL) >= :min_proofs
             OR (SELECT u.useful FROM usefulness u WHERE u.memory_num = m.num) >= :min_proofs))))
        OR (m.source = 'mcp_auto' AND m.channel <> 'read' AND ((SELECT COUNT(DISTINCT x.value) FROM json_each(json_insert(m.sessions, '$[#]', m.session_id)) x
                     WHERE x.value IS NOT NULL) >= :min_proofs
             OR (SELECT u.useful FROM usefulness u WHERE u.memory_num = m.num) >= :min_proofs)))
 ORDER BY m.num DESC LIMIT :limit

-- name: glance_has_error_notes
-- Whether a project has any such note: a hook that finds none loads nothing to read errors with.
SELECT 1 AS one FROM note n
 WHERE n.project_id = :project_id AND n.state = 'validated' AND n.memory_id IS NULL
   AND n.origin IN ('error_retry', 'lint_rule') LIMIT 1

-- name: glance_error_notes
-- What other sessions of a project noted about one error that they mended, and that is no memory yet; the newest first.
SELECT DISTINCT n.* FROM note n JOIN note_key k ON k.note_id = n.id
 WHERE k.key IN (SELECT value FROM json_each(:keys)) AND n.project_id = :project_id AND n.session_id <> :session_id
   AND n.origin IN ('error_retry', 'lint_rule') AND n.state = 'validated' AND n.memory_id IS NULL
 ORDER BY n.at DESC, n.id DESC LIMIT :limit

-- name: glance_notes
-- What a session's agent noted about a file and did not take back; the newest first. Told to whoever did not write it, and
-- to its own agent once a summary took it away.
SELECT n.id, n.kind, n.text FROM note n
 WHERE n.session_id = :session_id AND n.origin = 'agent' AND n.state IN ('open', 'held', 'validated')
   AND EXISTS (SELECT 1 FROM json_each(n.subjects) s WHERE s.value = :file)
   AND (n.agent <> :agent OR EXISTS (SELECT 1 FROM event e WHERE e.session_id = n.session_id
                                        AND e.type = 'compacted' AND e.at >= n.at))
 ORDER BY n.at DESC, n.id DESC LIMIT :limit

-- name: glance_told
-- What an agent has before it still.
SELECT DISTINCT memory_id FROM injection
 WHERE session_id = :session_id AND agent = :agent AND lost_at IS NULL

-- name: glance_commits
-- How many transactions have changed the store.
SELECT value FROM meta WHERE key = 'commits'

-- name: glance_subjects
-- What the memories are about that may speak at a tool's result; more than those that will, never fewer.
SELECT DISTINCT s.subject FROM memory_subject s JOIN memory m ON m.num = s.memory_num
 WHERE m.state = 'active' AND m.stale_at IS NULL AND m.kind IN (SELECT value FROM json_each(:kinds)) LIMIT :limit

-- name: glance_said_anywhere
-- What people said, in any project, and what it is about: the things it names may be met at a tool's result.
SELECT m.text, s.subject FROM memory m LEFT JOIN memory_subject s ON s.memory_num = m.num
 WHERE (m.verified = 1 OR (m.channel IN ('user', 'operator', 'vault') AND m.source <> 'mcp_auto'))
   AND m.state = 'active' AND m.stale_at IS NULL AND m.kind IN (SELECT value FROM json_each(:kinds)) LIMIT :limit

-- name: glance_knows_errors
-- Whether a way out of any error is known, in any project.
SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM memory WHERE kind = 'error_pattern' AND state = 'active')
    OR EXISTS (SELECT 1 FROM note WHERE state = 'validated' AND memory_id IS NULL
                                    AND origin IN ('error_retry', 'lint_rule'))
