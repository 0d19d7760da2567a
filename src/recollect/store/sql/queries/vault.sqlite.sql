-- name: chunk_file
-- File a part of a note under its words.
INSERT INTO vault_fts (rowid, title, heading, tags, text) VALUES (:num, :title, :heading, :tags, :text)

-- name: chunks_unfile
-- Take the parts of a note out of the full-text index.
DELETE FROM vault_fts WHERE rowid IN (SELECT num FROM vault_chunk WHERE note = :note)

-- name: chunks_unfile_marked
-- Take the parts that hold a mark out of the full-text index.
DELETE FROM vault_fts
 WHERE rowid IN (SELECT num FROM vault_chunk WHERE instr(text, :mark) OR instr(heading, :mark))

-- name: chunks_unfile_all
-- Empty the index of notes, to write it anew.
INSERT INTO vault_fts (vault_fts) VALUES ('delete-all')

-- name: vault_optimize
-- Write the index of notes as one piece, so that nothing deleted is left in it.
INSERT INTO vault_fts (vault_fts) VALUES ('optimize')

-- name: link_insert
-- A link of a note.
INSERT OR IGNORE INTO vault_link (note, target, line) VALUES (:note, :target, :line)

-- name: chunk_counts
-- In how many parts each term occurs.
SELECT term, doc FROM vault_vocab WHERE term IN (SELECT value FROM json_each(:terms))

-- name: chunks_best
-- The parts of notes that answer words best; a word in the title counts most.
SELECT c.num, c.note, c.line, c.heading, c.text, n.path, n.title, f.score
  FROM (SELECT rowid AS num, bm25(vault_fts, 6.0, 3.0, 3.0, 1.0) AS score FROM vault_fts
         WHERE vault_fts MATCH :words ORDER BY score, num LIMIT :limit) f
  JOIN vault_chunk c ON c.num = f.num JOIN vault_note n ON n.num = c.note
 WHERE n.vault = :vault AND n.gone_at IS NULL AND n.path >= :from_path AND n.path < :to_path
 ORDER BY f.score, c.num

-- name: chunks_of_vectors
-- The parts that these vectors are of, in notes of one vault and folder.
SELECT v.seq, c.num, c.note, c.line, c.heading, c.text, n.path, n.title
  FROM vault_vector v JOIN vault_chunk c ON c.num = v.chunk JOIN vault_note n ON n.num = c.note
 WHERE v.seq IN (SELECT value FROM json_each(:seqs)) AND n.vault = :vault AND n.gone_at IS NULL
   AND n.path >= :from_path AND n.path < :to_path

-- name: memory_ids_changed
-- The memories that have changed since.
SELECT DISTINCT memory_id FROM history WHERE seq > :seq

-- name: agent_wrote
-- Whether an agent is known to have written a file of this name since.
SELECT 1 AS written FROM event
 WHERE at > :since AND type = 'tool_finished' AND json_extract(data, '$.action') IN ('edit', 'create')
   AND EXISTS (SELECT 1 FROM json_each(data, '$.files') WHERE value = :path OR value LIKE '%/' || :path)
 LIMIT 1
