-- name: session_worked
-- The unit of work and the phase that a way of working gave to a session; what is empty stays as it was.
UPDATE session
   SET work = CASE WHEN :work = '' THEN work ELSE :work END,
       phase = CASE WHEN :phase = '' THEN phase ELSE :phase END
 WHERE id = :id

-- name: events_newest
-- What happened last in a session, the newest first.
SELECT data FROM event WHERE session_id = :session_id AND id IS NOT NULL ORDER BY seq DESC LIMIT :limit
