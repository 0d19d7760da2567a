-- name: events_known
-- Which of these events are kept already.
SELECT id FROM event WHERE id IN (SELECT value FROM json_each(:ids))
