-- name: anchors_of_memories
-- What given memories stand on.
SELECT m.id AS memory_id, a.path, a.learned_path, a.learned_in, a.blob, a.is_folder, a.state, a.tracked_path,
       a.tracked_in, a.seen_blob, a.commits, a.lines
  FROM memory_anchor a JOIN memory m ON m.num = a.memory_num
 WHERE m.id = ANY (text_list(:memory_ids))
 ORDER BY a.memory_num, a.path

-- name: anchors_advance
-- Files that stand where they stood, seen from a later commit.
UPDATE memory_anchor SET tracked_in = :tracked_in
 WHERE tracked_in = :was_in AND tracked_path = ANY (text_list(:paths)) AND state <> 'gone'
   AND memory_num IN (SELECT num FROM memory WHERE project_id = :project_id)
