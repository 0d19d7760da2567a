-- name: chunk_file
-- File a part of a note under its words.
INSERT INTO vault_term (term, chunk_num, in_title, in_heading, in_tags, in_text)
SELECT term, :num, in_title, in_heading, in_tags, in_text
  FROM unnest(text_list(:terms), number_list(:in_title), number_list(:in_heading), number_list(:in_tags),
              number_list(:in_text)) AS given (term, in_title, in_heading, in_tags, in_text)

-- name: chunks_unfile
-- Take the parts of a note out of the full-text index.
DELETE FROM vault_term WHERE chunk_num IN (SELECT num FROM vault_chunk WHERE note = :note)

-- name: chunks_unfile_marked
-- Take the parts that hold a mark out of the full-text index.
DELETE FROM vault_term
 WHERE chunk_num IN (SELECT num FROM vault_chunk WHERE strpos(text, :mark) > 0 OR strpos(heading, :mark) > 0)

-- name: chunks_unfile_all
-- Empty the index of notes, to write it anew.
DELETE FROM vault_term

-- name: vault_optimize
-- Nothing of a part that is gone is left in the index of notes.
DELETE FROM vault_term WHERE chunk_num NOT IN (SELECT num FROM vault_chunk)

-- name: link_insert
-- A link of a note.
INSERT INTO vault_link (note, target, line) VALUES (:note, :target, :line) ON CONFLICT DO NOTHING

-- name: chunk_counts
-- In how many parts each term occurs.
SELECT term, COUNT(*) AS doc FROM vault_term WHERE term = ANY (text_list(:terms)) GROUP BY term

-- name: chunks_best
-- The parts of notes that answer words best; a word in the title counts most.
SELECT c.num, c.note, c.line, c.heading, c.text, n.path, n.title, f.score
  FROM (SELECT t.chunk_num AS num,
               -SUM(rare.idf * 2.2 * t.times / (t.times + 1.2)) AS score
          FROM (SELECT term, chunk_num, 6.0 * in_title + 3.0 * in_heading + 3.0 * in_tags + in_text AS times
                  FROM vault_term WHERE term = ANY (text_list(:terms))) AS t
          JOIN (SELECT term, LN(1 + (SELECT COUNT(*) FROM vault_chunk) / CAST(COUNT(*) AS DOUBLE PRECISION)) AS idf
                  FROM vault_term WHERE term = ANY (text_list(:terms)) GROUP BY term) AS rare ON rare.term = t.term
         GROUP BY t.chunk_num ORDER BY score, num LIMIT :limit) f
  JOIN vault_chunk c ON c.num = f.num JOIN vault_note n ON n.num = c.note
 WHERE n.vault = :vault AND n.gone_at IS NULL AND n.path >= :from_path AND n.path < :to_path
 ORDER BY f.score, c.num

-- name: memory_ids_changed
-- The memories that have changed since.
SELECT DISTINCT memory_id FROM history WHERE seq > :seq

-- name: agent_wrote
-- Whether an agent is known to have written a file of this name since.
SELECT 1 AS written FROM event
 WHERE at > :since AND type = 'tool_finished' AND as_json(data) ->> 'action' IN ('edit', 'create')
   AND EXISTS (SELECT 1 FROM json_array_elements_text(as_json(data) -> 'files') AS f (value) WHERE value = :path OR value LIKE '%/' || :path)
 LIMIT 1

-- name: chunks_of_vectors
-- The parts that these vectors are of, in notes of one vault and folder.
SELECT v.seq, c.num, c.note, c.line, c.heading, c.text, n.path, n.title
  FROM vault_vector v JOIN vault_chunk c ON c.num = v.chunk JOIN vault_note n ON n.num = c.note
 WHERE v.seq = ANY (number_list(:seqs)) AND n.vault = :vault AND n.gone_at IS NULL
   AND n.path >= :from_path AND n.path < :to_path
