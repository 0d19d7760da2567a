-- name: surveys_of_project
-- What scans said of the parts of a project.
SELECT part, scanned_at, seen, said FROM survey WHERE project_id = :project_id ORDER BY part

-- name: survey_put
-- What a scan says of one part now.
INSERT INTO survey (project_id, part, scanned_at, seen, said)
VALUES (:project_id, :part, :scanned_at, :seen, :said)
ON CONFLICT (project_id, part) DO UPDATE
   SET scanned_at = excluded.scanned_at, seen = excluded.seen, said = excluded.said

-- name: project_surveys_move
-- What scans said of one project's parts goes to another, where nothing is said of them.
UPDATE survey SET project_id = :into_id
 WHERE project_id = :from_id
   AND NOT EXISTS (SELECT 1 FROM survey o WHERE o.project_id = :into_id AND o.part = survey.part)
