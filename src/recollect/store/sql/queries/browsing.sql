-- What a person sees who looks through the memory: counts, days, and where a memory went.

-- name: browse_counts
-- Of what is in use: how many, how many are stale, stood by, and how sure on average.
SELECT COUNT(*) AS active,
       COALESCE(SUM(CASE WHEN stale_at IS NULL THEN 0 ELSE 1 END), 0) AS stale,
       COALESCE(SUM(verified), 0) AS verified,
       COALESCE(AVG(confidence), 0) AS confidence
  FROM memory
 WHERE state = 'active' AND (:every_project OR project_id IS NULL OR project_id = :project_id)

-- name: browse_memory_days
-- How many memories were made on each day since a moment.
SELECT created_at / :day AS day, COUNT(*) AS memories FROM memory
 WHERE created_at >= :since AND (:every_project OR project_id IS NULL OR project_id = :project_id)
 GROUP BY created_at / :day ORDER BY day

-- name: browse_injection_days
-- What was told on each day since a moment, what it cost, and how much of it was used.
SELECT i.at / :day AS day, COUNT(*) AS lines, SUM(i.tokens) AS tokens,
       SUM(CASE WHEN i.used IN ('cited', 'read') THEN 1 ELSE 0 END) AS used
  FROM injection i JOIN session s ON s.id = i.session_id
 WHERE i.at >= :since AND (:every_project OR s.project_id IS NULL OR s.project_id = :project_id)
 GROUP BY i.at / :day ORDER BY day

-- name: browse_subjects
-- Things of one type that memories in use are about, the most known first.
SELECT s.subject, COUNT(*) AS memories
  FROM memory_subject s JOIN memory m ON m.num = s.memory_num
 WHERE s.subject >= :low AND s.subject < :high AND m.state = 'active'
   AND (:every_project OR m.project_id IS NULL OR m.project_id = :project_id)
 GROUP BY s.subject ORDER BY memories DESC, s.subject LIMIT :limit

-- name: browse_methodologies
-- Ways of working that memories belong to.
SELECT DISTINCT methodology FROM memory WHERE methodology IS NOT NULL ORDER BY methodology

-- name: browse_injections
-- Where a memory was put before an agent, the newest first.
SELECT session_id, agent, moment, memory_id, at, tokens, score, bar, position, why, used, used_at, lost_at
  FROM injection WHERE memory_id = :memory_id ORDER BY at DESC, seq DESC LIMIT :limit

-- name: relations_to
-- Who bears on a memory, and how.
SELECT m.id, r.type, r.confidence, r.auto_extracted FROM relation r JOIN memory m ON m.num = r.memory_num
 WHERE r.target_memory_id = :id ORDER BY m.id DESC LIMIT :limit

-- name: browse_sessions
-- The newest sessions of a project, or of all, with what came of each.
SELECT s.id,
       (SELECT COUNT(*) FROM memory m WHERE m.session_id = s.id) AS learned,
       (SELECT COUNT(*) FROM injection i WHERE i.session_id = s.id) AS told,
       (SELECT COALESCE(SUM(i.tokens), 0) FROM injection i WHERE i.session_id = s.id) AS tokens,
       (SELECT COUNT(*) FROM injection i WHERE i.session_id = s.id AND i.used IN ('cited', 'read')) AS used
  FROM session s
 WHERE (:every_project OR s.project_id IS NULL OR s.project_id = :project_id)
 ORDER BY s.last_at DESC, s.id DESC LIMIT :limit

-- name: browse_sessions_since
-- How many sessions of a project, or of all, were heard of since a moment.
SELECT COUNT(*) AS sessions FROM session
 WHERE last_at >= :since AND (:every_project OR project_id IS NULL OR project_id = :project_id)
