-- name: injection_put
-- Something was put before an agent.
INSERT INTO injection (session_id, agent, moment, memory_id, at, tokens, score, bar, position, why)
VALUES (:session_id, :agent, :moment, :memory_id, :at, :tokens, :score, :bar, :position, :why)

-- name: injections_of_session
-- All that was put before the agents of a session, in the order it was.
SELECT session_id, agent, moment, memory_id, at, tokens, score, bar, position, why, used, used_at, lost_at
  FROM injection WHERE session_id = :session_id ORDER BY seq

-- name: injections_of_memory
-- The sessions that a memory was put before.
SELECT session_id, MIN(seq) AS first FROM injection WHERE memory_id = :memory_id GROUP BY session_id ORDER BY first

-- name: injection_uses
-- How many sessions a memory was put before, and how many of them used it.
SELECT COUNT(DISTINCT session_id) AS told, COUNT(DISTINCT CASE WHEN used <> '' THEN session_id END) AS used
  FROM injection WHERE memory_id = :memory_id

-- name: injections_told
-- What an agent has before it still.
SELECT DISTINCT memory_id FROM injection
 WHERE session_id = :session_id AND agent = :agent AND lost_at IS NULL

-- name: injections_lost
-- A compaction took all that was told before it out of the sight of a session's own agent.
UPDATE injection SET lost_at = :at WHERE session_id = :session_id AND agent = '' AND lost_at IS NULL AND at <= :at

-- name: injection_used
-- What was told has been used, in a way that says more than what was known.
UPDATE injection SET used = :used, used_at = :at
 WHERE session_id = :session_id AND memory_id = :memory_id AND used <> :used AND at <= :at

-- name: injections_cited_since
-- What a session's agent cited after a moment.
SELECT DISTINCT memory_id FROM injection
 WHERE session_id = :session_id AND used = 'cited' AND used_at > :since

-- name: injections_drop
-- Old lines of the ledger, a few at a time; those of each project's newest sessions stay.
DELETE FROM injection WHERE seq IN (
    SELECT seq FROM injection
     WHERE at < :before AND session_id NOT IN (
        SELECT id FROM (
            SELECT id, ROW_NUMBER() OVER (PARTITION BY COALESCE(project_id, '') ORDER BY last_at DESC, id DESC) AS place
              FROM session) AS placed
         WHERE place <= :newest)
     ORDER BY seq LIMIT :limit)
