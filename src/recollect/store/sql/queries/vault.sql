-- name: vault_by_root
-- The vault in a folder.
SELECT num, root, project_id, kinds, own, seen_to, synced_at FROM vault WHERE root = :root

-- name: vaults_all
-- Every vault.
SELECT num, root, project_id, kinds, own, seen_to, synced_at FROM vault ORDER BY num

-- name: vault_insert
-- A folder becomes a vault.
INSERT INTO vault (root, project_id, kinds, own) VALUES (:root, :project_id, :kinds, :own)

-- name: vault_synced
-- The notes of a vault show every change of memories up to this one.
UPDATE vault SET seen_to = :seen_to, synced_at = :at WHERE num = :num

-- name: vault_notes_seen
-- What was last seen of every note that is there.
SELECT num, path, memory_id, size, mtime, inode, hash, base, shown, pending, problem
  FROM vault_note WHERE vault = :vault AND gone_at IS NULL

-- name: vault_note_by_path
-- What was last seen of one note, also of one that is gone.
SELECT num, path, memory_id, size, mtime, inode, hash, base, shown, pending, problem, gone_at
  FROM vault_note WHERE vault = :vault AND path = :path

-- name: vault_note_of_memory
-- The note that shows a memory, also one that is gone: the one that is there first.
SELECT num, path, memory_id, size, mtime, inode, hash, base, shown, pending, problem, gone_at
  FROM vault_note WHERE vault = :vault AND memory_id = :memory_id ORDER BY gone_at IS NOT NULL, num

-- name: vault_note_paths
-- Where the notes of memories are.
SELECT path FROM vault_note
 WHERE vault = :vault AND memory_id IS NOT NULL AND gone_at IS NULL

-- name: vault_note_put
-- What is seen of a note now.
INSERT INTO vault_note (vault, path, name_key, memory_id, size, mtime, inode, hash, base, shown, pending, problem)
VALUES (:vault, :path, :name_key, :memory_id, :size, :mtime, :inode, :hash, :base, :shown, '', :problem)
ON CONFLICT (vault, path) DO UPDATE
   SET memory_id = excluded.memory_id, size = excluded.size, mtime = excluded.mtime, inode = excluded.inode,
       hash = excluded.hash, base = excluded.base, shown = excluded.shown, pending = '',
       problem = excluded.problem, gone_at = NULL
RETURNING num

-- name: vault_note_pending
-- This version is about to be written.
UPDATE vault_note SET pending = :pending, memory_id = COALESCE(:memory_id, memory_id) WHERE num = :num

-- name: vault_note_moved
-- A note has another path now.
UPDATE vault_note SET path = :path, name_key = :name_key WHERE num = :num

-- name: vault_note_set_aside
-- Another note takes the place of one that was there: its row and versions stay, its path is free.
UPDATE vault_note SET path = path || ' (before ' || num || ')', name_key = '', gone_at = COALESCE(gone_at, 0)
 WHERE vault = :vault AND path = :path AND num <> :num

-- name: vault_note_gone
-- A note is no longer there.
UPDATE vault_note SET gone_at = :at, pending = '' WHERE num = :num

-- name: vault_note_untied
-- A note has nothing to do with a memory any more.
UPDATE vault_note SET memory_id = NULL, base = '', shown = '' WHERE num = :num

-- name: vault_note_described
-- The title and tags of a note.
UPDATE vault_note SET title = :title, tags = :tags WHERE num = :num

-- name: vault_problems
-- Notes that are left alone, and why.
SELECT path, problem FROM vault_note
 WHERE vault = :vault AND problem <> '' AND gone_at IS NULL ORDER BY path

-- name: vault_counts
-- How many notes there are, and how many show a memory.
SELECT COUNT(*) AS notes,
       COUNT(memory_id) + (SELECT COUNT(*) FROM vault_line l WHERE l.vault = :vault) AS memories
  FROM vault_note
 WHERE vault = :vault AND gone_at IS NULL

-- name: vault_hidden_notes
-- Which of these notes show a memory that is not active: its words are not for agents.
SELECT n.num FROM vault_note n CROSS JOIN memory m
 WHERE n.memory_id IS NOT NULL AND m.id = n.memory_id AND n.vault = :vault AND m.state <> 'active'

-- name: vault_hidden_path
-- Whether the note at a path shows a memory that is not active.
SELECT m.state FROM vault_note n JOIN memory m ON m.id = n.memory_id
 WHERE n.vault = :vault AND n.path = :path AND n.gone_at IS NULL AND m.state <> 'active'

-- name: vault_line_put
-- A memory is shown by a line of a note.
INSERT INTO vault_line (vault, memory_id, note, shown) VALUES (:vault, :memory_id, :note, :shown)
ON CONFLICT (vault, memory_id) DO UPDATE SET note = excluded.note, shown = excluded.shown

-- name: vault_line_of_memory
-- The line that shows a memory, and the note it stands in.
SELECT l.memory_id, l.note, l.shown, n.path FROM vault_line l JOIN vault_note n ON n.num = l.note
 WHERE l.vault = :vault AND l.memory_id = :memory_id

-- name: vault_lines_of_note
-- The lines of a note that show memories.
SELECT l.memory_id, l.note, l.shown, n.path FROM vault_line l JOIN vault_note n ON n.num = l.note WHERE l.note = :note

-- name: vault_line_delete
-- A memory is no longer shown by a line.
DELETE FROM vault_line WHERE vault = :vault AND memory_id = :memory_id

-- name: vault_lines_purged
-- Lines of memories that are no longer in the store at all.
SELECT l.memory_id, l.note, l.shown, n.path FROM vault_line l JOIN vault_note n ON n.num = l.note
 WHERE l.vault = :vault AND l.memory_id NOT IN (SELECT id FROM memory)

-- name: version_put
-- A version of a note was seen; the same one again is the newest again.
INSERT INTO vault_version (note, hash, at, writer, body) VALUES (:note, :hash, :at, :writer, :body)
ON CONFLICT (note, hash) DO UPDATE SET at = excluded.at

-- name: version_get
-- One version of a note.
SELECT body FROM vault_version WHERE note = :note AND hash = :hash

-- name: versions_of_note
-- The versions of a note, newest first.
SELECT hash, at, writer, body FROM vault_version WHERE note = :note ORDER BY at DESC, seq DESC LIMIT :limit

-- name: versions_of_path
-- The versions of the note at a path, newest first.
SELECT v.hash, v.at, v.writer, v.body FROM vault_version v JOIN vault_note n ON n.num = v.note
 WHERE n.vault = :vault AND n.path = :path ORDER BY v.at DESC, v.seq DESC LIMIT :limit

-- name: versions_prune
-- Old versions of a note go, but for the newest and those that a merge may still need.
DELETE FROM vault_version
 WHERE note = :note AND at < :before
   AND hash NOT IN (SELECT hash FROM vault_note WHERE num = :note UNION SELECT base FROM vault_note WHERE num = :note
                    UNION SELECT pending FROM vault_note WHERE num = :note)
   AND seq NOT IN (SELECT seq FROM vault_version WHERE note = :note ORDER BY at DESC, seq DESC LIMIT :keep)

-- name: versions_forget
-- What was removed for good is removed here too.
DELETE FROM vault_version WHERE note = :note

-- name: vault_memories_purged
-- Notes of memories that are no longer in the store at all.
SELECT num, path, memory_id, size, mtime, inode, hash, base, shown, pending, problem FROM vault_note
 WHERE vault = :vault AND memory_id IS NOT NULL AND gone_at IS NULL
   AND memory_id NOT IN (SELECT id FROM memory)

-- name: chunks_of_note
-- The parts of a note.
SELECT num FROM vault_chunk WHERE note = :note

-- name: chunks_all
-- Every part of every note, with what its note is filed under.
SELECT c.num, c.line, c.heading, c.text, n.title, n.tags
  FROM vault_chunk c JOIN vault_note n ON n.num = c.note ORDER BY c.num

-- name: chunks_clear
-- Take a note out of the search.
DELETE FROM vault_chunk WHERE note = :note

-- name: chunk_insert
-- A part of a note.
INSERT INTO vault_chunk (num, note, line, heading, text) VALUES (:num, :note, :line, :heading, :text)

-- name: chunk_last
-- The highest number of a part.
SELECT COALESCE(MAX(num), 0) AS num FROM vault_chunk

-- name: chunks_unseen
-- Parts of notes that a model has not seen yet, of the notes changed last first; with the vector of the memory that a note shows.
SELECT c.num, n.title, c.heading, c.text,
       (SELECT v.vector FROM vector v JOIN memory m ON m.num = v.memory_num
         WHERE m.id = n.memory_id AND v.model_num = :model_num) AS of_memory
  FROM vault_note n JOIN vault_chunk c ON c.note = n.num
 WHERE n.vault = :vault AND n.gone_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM vault_vector v WHERE v.chunk = c.num AND v.model_num = :model_num)
 ORDER BY n.mtime DESC, c.num LIMIT :limit

-- name: chunks_unseen_count
-- How many parts of notes a model has not seen yet.
SELECT COUNT(*) AS parts FROM vault_note n JOIN vault_chunk c ON c.note = n.num
 WHERE n.vault = :vault AND n.gone_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM vault_vector v WHERE v.chunk = c.num AND v.model_num = :model_num)

-- name: chunk_vectors_any
-- Whether a model has seen any note.
SELECT 1 AS seen FROM vault_vector WHERE model_num = :model_num LIMIT 1

-- name: chunk_vector_put
-- A part of a note as a model sees it; one that has gone meanwhile is passed over.
INSERT INTO vault_vector (model_num, chunk, vector)
SELECT :model_num, num, :vector FROM vault_chunk WHERE num = :chunk
ON CONFLICT DO NOTHING

-- name: chunk_vectors_after
-- Vectors of parts made since the last that was read.
SELECT seq, seq AS num, vector FROM vault_vector WHERE seq > :seq AND model_num = :model_num ORDER BY seq

-- name: links_clear
-- Forget the links of a note.
DELETE FROM vault_link WHERE note = :note

-- name: notes_about_to
-- The note a path or a name in a link means, the shortest path first.
SELECT num, path, title FROM vault_note
 WHERE vault = :vault AND name_key = :name_key AND gone_at IS NULL ORDER BY LENGTH(path), path

-- name: links_from
-- The notes a note links to.
SELECT DISTINCT t.num, t.path, t.title FROM vault_link l CROSS JOIN vault_note t
 WHERE l.note = :note AND t.vault = :vault AND t.name_key = l.target AND t.gone_at IS NULL AND t.num <> :note
 ORDER BY t.path

-- name: links_to
-- The notes that link to a note.
SELECT DISTINCT s.num, s.path, s.title FROM vault_note t CROSS JOIN vault_link l CROSS JOIN vault_note s
 WHERE t.num = :note AND l.target = t.name_key AND s.num = l.note AND s.vault = :vault AND s.gone_at IS NULL
   AND s.num <> :note
 ORDER BY s.path

-- name: message_put
-- A message came or is to go; one that came twice is kept once.
INSERT INTO message (id, channel, way, at, peer, text, state, foreign_id)
VALUES (:id, :channel, :way, :at, :peer, :text, :state, :foreign_id)
ON CONFLICT DO NOTHING

-- name: messages_in_state
-- Messages of one way and state, oldest first; of one channel, if it is named.
SELECT id, channel, way, at, peer, text, state, tries, problem FROM message
 WHERE way = :way AND state = :state AND (:channel IS NULL OR channel = :channel) ORDER BY at, id LIMIT :limit

-- name: message_state
-- What has become of a message.
UPDATE message SET state = :state, tries = tries + :tried, problem = :problem WHERE id = :id
