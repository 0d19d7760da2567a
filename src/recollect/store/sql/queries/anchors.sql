-- name: anchors_clear
-- A memory stands on other files from now on.
DELETE FROM memory_anchor WHERE memory_num = (SELECT num FROM memory WHERE id = :memory_id)

-- name: anchor_insert
-- A memory stands on this file.
INSERT INTO memory_anchor (memory_num, path, learned_path, learned_in, blob, is_folder, state, tracked_path,
                           tracked_in, seen_blob, commits, lines)
SELECT num, :path, :learned_path, :learned_in, :blob, :is_folder, :state, :tracked_path, :tracked_in, :seen_blob,
       :commits, :lines
  FROM memory WHERE id = :memory_id

-- name: anchors_of_project
-- What the memories of a project that are in use stand on.
SELECT m.id AS memory_id, a.path, a.learned_path, a.learned_in, a.blob, a.is_folder, a.state, a.tracked_path,
       a.tracked_in, a.seen_blob, a.commits, a.lines
  FROM memory_anchor a JOIN memory m ON m.num = a.memory_num
 WHERE m.project_id = :project_id AND m.state <> 'archived'
 ORDER BY a.memory_num, a.path

-- name: memories_about_type
-- Memories in use that are about something of one type: a range of the index instead of a pattern.
SELECT DISTINCT m.num FROM memory_subject s JOIN memory m ON m.num = s.memory_num
 WHERE s.subject >= :low AND s.subject < :high AND m.project_id = :project_id AND m.state <> 'archived'

-- name: memories_of_kind
-- Memories of a kind in use.
SELECT num FROM memory WHERE project_id = :project_id AND kind = :kind AND state <> 'archived'

-- name: memories_stale
-- What is stale in a project, the newest mark first.
SELECT num FROM memory
 WHERE project_id = :project_id AND stale_at IS NOT NULL AND state <> 'archived'
 ORDER BY stale_at DESC, num DESC LIMIT :limit

-- name: history_undone
-- Whether an act of this kind on a memory was taken back.
SELECT 1 AS undone FROM history
 WHERE memory_id = :memory_id AND action = :action AND undone_by IS NOT NULL LIMIT 1

-- name: sessions_since
-- How many sessions of a project began after a moment.
SELECT COUNT(*) AS sessions FROM session WHERE project_id = :project_id AND started_at > :since
