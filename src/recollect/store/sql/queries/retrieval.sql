-- name: file_times
-- In how many commits and sessions a file was touched.
SELECT commits + sessions AS times FROM file_votes WHERE project_id = :project_id AND path = :path
