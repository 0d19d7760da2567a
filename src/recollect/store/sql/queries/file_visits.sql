-- name: past_session_seen_to
-- How far a session was read for foresight.
SELECT seen_to FROM past_session WHERE session_id = :session_id

-- name: past_session_forget
-- What foresight kept of a session goes, with its files and words.
DELETE FROM past_session WHERE session_id = :session_id

-- name: past_session_put
-- What foresight keeps of a session.
INSERT INTO past_session (session_id, branch, folder, at, seen_to)
VALUES (:session_id, :branch, :folder, :at, :seen_to)

-- name: past_path_put
-- A path gets its number.
INSERT INTO past_path (path, name) VALUES (:path, :name) ON CONFLICT DO NOTHING

-- name: past_file_put
-- A file in a session.
INSERT INTO past_file (session, path, touched, edited, branch, length)
SELECT :session, num, :touched, :edited, :branch, :length FROM past_path WHERE path = :path

-- name: past_word_put
-- A word seen in a file.
INSERT INTO past_word (word, session, path, times)
SELECT :word, :session, num, :times FROM past_path WHERE path = :path

-- name: past_name_put
-- A name that a file defines.
INSERT INTO past_name (name, session, path)
SELECT :name, :session, num FROM past_path WHERE path = :path

-- name: past_sessions_behind
-- Sessions that went on after foresight read them, or that it never read, the newest first.
SELECT s.id FROM session s LEFT JOIN past_session p ON p.session_id = s.id
 WHERE s.project_id IS NOT NULL AND (p.num IS NULL OR p.seen_to < s.last_at)
 ORDER BY s.last_at DESC, s.id DESC LIMIT :limit

-- name: past_sessions_beyond
-- Of a project's sessions, all but the newest so many.
SELECT p.session_id FROM past_session p JOIN session s ON s.id = p.session_id
 WHERE s.project_id = :project_id ORDER BY p.at DESC, p.num DESC LIMIT :most OFFSET :keep

-- name: past_words_forget
-- The words seen in files by sessions from before a moment.
DELETE FROM past_word WHERE session IN (SELECT num FROM past_session WHERE at < :before)

-- name: past_names_forget
-- The names that files were seen to define, by sessions from before a moment.
DELETE FROM past_name WHERE session IN (SELECT num FROM past_session WHERE at < :before)

-- name: past_paths_prune
-- Paths that no session has any more.
DELETE FROM past_path WHERE num NOT IN (SELECT path FROM past_file)

-- name: past_sessions_recent
-- A project's sessions, the newest first.
SELECT p.num, p.session_id, p.branch, p.folder FROM past_session p JOIN session s ON s.id = p.session_id
 WHERE s.project_id = :project_id AND p.session_id <> :but_not
 ORDER BY p.at DESC, p.num DESC LIMIT :limit
