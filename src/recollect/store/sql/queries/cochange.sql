-- name: file_votes_of_project
-- Every file of a project with its votes.
SELECT path, weight, occasion, commits, sessions, last_at FROM file_votes WHERE project_id = :project_id

-- name: ties_of_project
-- Everything that ties the files of a project.
SELECT path, other, weight, occasion, commits, sessions, forward, apart, last_at FROM tie WHERE project_id = :project_id

-- name: ties_of_path
-- What ties one file to others.
SELECT path, other, weight, occasion, commits, sessions, forward, apart, last_at
  FROM tie WHERE project_id = :project_id AND path = :path
 UNION ALL
SELECT path, other, weight, occasion, commits, sessions, forward, apart, last_at
  FROM tie WHERE project_id = :project_id AND other = :path

-- name: tie_of_two
-- What ties two files, named in the order of their names.
SELECT path, other, weight, occasion, commits, sessions, forward, apart, last_at
  FROM tie WHERE project_id = :project_id AND path = :path AND other = :other

-- name: file_votes_of_path
-- The votes of one file.
SELECT path, weight, occasion, commits, sessions, last_at FROM file_votes WHERE project_id = :project_id AND path = :path

-- name: ties_learned
-- How far a project's ties have come.
SELECT occasion, commit_sha FROM ties_learned WHERE project_id = :project_id

-- name: ties_learned_put
-- A project's ties have come so far.
INSERT INTO ties_learned (project_id, occasion, commit_sha) VALUES (:project_id, :occasion, :commit_sha)
ON CONFLICT (project_id) DO UPDATE SET occasion = excluded.occasion, commit_sha = excluded.commit_sha

-- name: file_votes_put
-- The votes of one file.
INSERT INTO file_votes (project_id, path, weight, occasion, commits, sessions, last_at)
VALUES (:project_id, :path, :weight, :occasion, :commits, :sessions, :last_at)
ON CONFLICT (project_id, path) DO UPDATE SET weight = excluded.weight, occasion = excluded.occasion,
    commits = excluded.commits, sessions = excluded.sessions, last_at = excluded.last_at

-- name: file_votes_delete
-- A file is gone, or has another name.
DELETE FROM file_votes WHERE project_id = :project_id AND path = :path

-- name: tie_put
-- What ties two files.
INSERT INTO tie (project_id, path, other, weight, occasion, commits, sessions, forward, apart, last_at)
VALUES (:project_id, :path, :other, :weight, :occasion, :commits, :sessions, :forward, :apart, :last_at)
ON CONFLICT (project_id, path, other) DO UPDATE SET weight = excluded.weight, occasion = excluded.occasion,
    commits = excluded.commits, sessions = excluded.sessions, forward = excluded.forward, apart = excluded.apart,
    last_at = excluded.last_at

-- name: ties_delete
-- Nothing ties a file any more.
DELETE FROM tie WHERE project_id = :project_id AND (path = :path OR other = :path)

-- name: ties_forget
-- A project's ties are to be learned anew.
DELETE FROM tie WHERE project_id = :project_id

-- name: file_votes_forget
-- A project's files are to be learned anew.
DELETE FROM file_votes WHERE project_id = :project_id
