-- What repetition, judgement, ageing and pruning ask, in the common part of the dialects.

-- name: usefulness_insert
-- How often a memory was judged useful, and noise.
INSERT INTO usefulness (memory_num, useful, noise) VALUES (:memory_num, :useful, :noise)

-- name: usefulness_clear
-- Make room for how a memory is judged from now on.
DELETE FROM usefulness WHERE memory_num = :memory_num

-- name: relations_from
-- Where a change of one memory's confidence goes on to.
SELECT r.type, r.confidence, r.target_memory_id
  FROM relation r JOIN memory m ON m.num = r.memory_num
 WHERE m.id = :id AND r.target_memory_id IS NOT NULL ORDER BY r.seq LIMIT :limit

-- name: pruned_put
-- A memory was pruned by this rule.
INSERT INTO pruned (memory_num, at, rule) VALUES (:memory_num, :at, :rule)
ON CONFLICT (memory_num) DO UPDATE SET at = excluded.at, rule = excluded.rule

-- name: pruned_remove
-- A memory is no longer among the pruned.
DELETE FROM pruned WHERE memory_num = :memory_num

-- name: pruned_ids
-- What was pruned and can still come back, newest first.
SELECT m.id FROM pruned p JOIN memory m ON m.num = p.memory_num
 WHERE m.state = 'archived' AND (:every_project OR m.project_id IS NULL OR m.project_id = :project_id)
 ORDER BY p.at DESC, m.num DESC

-- name: pruned_before
-- What was pruned long enough ago to go for good; what a person stands by stays.
SELECT m.num FROM pruned p JOIN memory m ON m.num = p.memory_num
 WHERE m.state = 'archived' AND p.at < :before AND m.pinned = 0 AND m.verified = 0
 ORDER BY m.num LIMIT :limit

-- name: prune_expired
-- Memories of one scope that were made, or last said again, before a moment.
SELECT num FROM memory
 WHERE num > :after AND scope = :scope AND state IN ('active', 'inactive') AND pinned = 0 AND verified = 0
   AND COALESCE(reinforced_at, created_at) < :before
 ORDER BY num LIMIT :limit

-- name: prune_weak
-- Memories that are less sure than this, and that nobody has asked for or said again since a moment.
SELECT num FROM memory
 WHERE num > :after AND scope IN ('global', 'module') AND state IN ('active', 'inactive')
   AND pinned = 0 AND verified = 0 AND confidence < :below
   AND COALESCE(last_accessed_at, created_at) < :before AND COALESCE(reinforced_at, created_at) < :before
   AND (:every_project OR project_id IS NULL OR project_id = :project_id)
 ORDER BY num LIMIT :limit

-- name: prune_by_work
-- Memories of a project's units of work, with the branch their session was on.
SELECT m.num, m.methodology, m.work_path, m.work_label, s.branch, s.last_at
  FROM memory m LEFT JOIN session s ON s.id = m.session_id
 WHERE m.num > :after AND m.work_path IS NOT NULL AND (m.scope = 'work_unit' OR m.kind = 'work_unit_outcome')
   AND (m.project_id = :project_id OR (m.project_id IS NULL AND :project_id IS NULL))
   AND m.state IN ('active', 'inactive') AND m.pinned = 0 AND m.verified = 0
 ORDER BY m.num LIMIT :limit

-- name: prune_by_kind
-- Memories of one kind and, if one is named, from one source.
SELECT m.num FROM memory m
 WHERE m.num > :after AND m.kind = :kind AND (:source IS NULL OR m.source = :source)
   AND m.state IN ('active', 'inactive') AND m.pinned = 0 AND m.verified = 0
 ORDER BY m.num LIMIT :limit

-- name: prune_about_files
-- Memories of a project that are about files.
SELECT DISTINCT m.num FROM memory m JOIN memory_subject s ON s.memory_num = m.num
 WHERE m.num > :after AND s.subject >= :low AND s.subject < :beyond
   AND m.project_id = :project_id AND m.state IN ('active', 'inactive') AND m.pinned = 0 AND m.verified = 0
 ORDER BY m.num LIMIT :limit

-- name: work_branches
-- The branches on which sessions worked at units of work, and when last.
SELECT work, branch, MAX(last_at) AS last_at FROM session
 WHERE project_id = :project_id AND work <> '' AND branch <> '' GROUP BY work, branch

-- name: events_old
-- How many recorded events are older than they are kept: words by their own rule, once they were learned from.
SELECT COUNT(*) AS events
  FROM event e JOIN session s ON s.id = e.session_id
 WHERE e.id IS NOT NULL AND (
       (e.type NOT IN ('prompt', 'assistant_text', 'compacted') AND e.at < :before AND s.last_at < :before)
    OR (e.type IN ('prompt', 'assistant_text', 'compacted') AND e.at < :words_before AND s.last_at < :words_before
        AND (s.learned_to >= s.last_at OR s.last_at < :before)))

-- name: events_drop
-- Recorded events that are older than they are kept, a few at a time.
DELETE FROM event WHERE seq IN (
    SELECT e.seq FROM event e JOIN session s ON s.id = e.session_id
     WHERE e.id IS NOT NULL AND (
       (e.type NOT IN ('prompt', 'assistant_text', 'compacted') AND e.at < :before AND s.last_at < :before)
    OR (e.type IN ('prompt', 'assistant_text', 'compacted') AND e.at < :words_before AND s.last_at < :words_before
        AND (s.learned_to >= s.last_at OR s.last_at < :before))) ORDER BY e.seq LIMIT :limit)

-- name: memory_newest_at
-- When the newest memory was made.
SELECT created_at FROM memory ORDER BY num DESC LIMIT 1

-- name: conflicts_waiting
-- Memories that wait for review beside the one they contradict, newest first.
SELECT m.id AS newer, o.id AS older
  FROM memory m JOIN relation r ON r.memory_num = m.num JOIN memory o ON o.id = r.target_memory_id
 WHERE m.needs_review = 1 AND r.type = 'conflicts_with'
   AND m.state IN ('active', 'quarantined') AND o.state IN ('active', 'quarantined')
 ORDER BY m.num DESC
