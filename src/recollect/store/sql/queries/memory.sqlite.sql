-- What SQLite says in its own way: JSON lists, full text, vector functions, its catalogue.

-- part: filters
-- Which memories may answer; a NULL list filters nothing, a memory without a project belongs to all.
    m.state IN (SELECT value FROM json_each(:states))
AND (:every_project OR m.project_id IS NULL OR m.project_id = :project_id)
AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
AND (:scopes IS NULL OR m.scope IN (SELECT value FROM json_each(:scopes)))
AND (:sources IS NULL OR m.source IN (SELECT value FROM json_each(:sources)))
AND (:sessions IS NULL OR m.session_id IN (SELECT value FROM json_each(:sessions)))
AND m.confidence >= :min_confidence
AND (NOT :fresh OR m.stale_at IS NULL)
AND (NOT :by_person OR m.verified = 1 OR (m.channel IN ('user', 'operator', 'vault') AND m.source <> 'mcp_auto'))
AND (:methodology IS NULL OR m.methodology = :methodology)
AND (:work_path IS NULL OR m.work_path = :work_path
     OR substr(m.work_path, 1, length(:work_prefix)) = :work_prefix)
AND (:since IS NULL OR m.happened_at >= :since)
AND (:until IS NULL OR m.happened_at < :until)
AND (:subjects IS NULL OR EXISTS (
     SELECT 1 FROM memory_subject s
      WHERE s.memory_num = m.num AND s.subject IN (SELECT value FROM json_each(:subjects))))
AND (:tags IS NULL OR EXISTS (
     SELECT 1 FROM memory_tag t
      WHERE t.memory_num = m.num AND t.tag IN (SELECT value FROM json_each(:tags))))

-- part: whole_memory
-- A memory with what hangs on it.
m.num, m.id, m.text, m.kind, m.state, m.confidence, m.scope, m.project_id, m.session_id, m.happened_at,
m.last_accessed_at, m.access_count, m.stale_at, m.pinned, m.verified, m.needs_review, m.channel, m.source,
m.methodology, m.work_path, m.work_label, m.phase, m.commit_sha, m.half_life_days, m.created_at, m.updated_at,
m.citation, m.event_ids, m.fields, m.stale_why, m.base_confidence, m.reinforced_at, m.sessions, m.seal, m.owner,
(SELECT u.useful FROM usefulness u WHERE u.memory_num = m.num) AS useful,
(SELECT u.noise FROM usefulness u WHERE u.memory_num = m.num) AS noise,
(SELECT json_group_array(s.subject ORDER BY s.position) FROM memory_subject s WHERE s.memory_num = m.num)
    AS subjects,
(SELECT json_group_array(t.tag ORDER BY t.position) FROM memory_tag t WHERE t.memory_num = m.num) AS tags,
(SELECT json_group_array(json_array(r.type, r.target_memory_id, r.target_path, r.confidence, r.auto_extracted))
   FROM relation r WHERE r.memory_num = m.num) AS relations

-- name: memory_by_id
-- One memory, whole.
SELECT {whole_memory} FROM memory m WHERE m.id = :id

-- name: memories_by_num
-- Several memories, whole.
SELECT {whole_memory} FROM memory m WHERE m.num IN (SELECT value FROM json_each(:nums))

-- name: memories_listed
-- Memories that pass a filter, newest first.
SELECT {whole_memory} FROM memory m WHERE {filters}
 ORDER BY m.happened_at DESC, m.num DESC LIMIT :limit OFFSET :offset

-- name: memories_counted
-- How many pass a filter.
SELECT COUNT(*) AS memories FROM memory m WHERE {filters}

-- name: memories_any
-- Whether any passes a filter.
SELECT 1 FROM memory m WHERE {filters} LIMIT 1

-- name: memories_page
-- All memories in the order they were made, a page at a time; for export.
SELECT {whole_memory} FROM memory m
 WHERE m.num > :after AND (:every_project OR m.project_id IS NULL OR m.project_id = :project_id)
 ORDER BY m.num LIMIT :limit

-- name: memories_sealed
-- Memories with their seals, a page at a time; to check every one.
SELECT {whole_memory}, m.text_hash FROM memory m WHERE m.num > :after ORDER BY m.num LIMIT :limit

-- name: candidates_by_num
-- What ranking needs to know of candidates that pass the filter.
SELECT m.num, m.kind, m.confidence, m.happened_at, m.created_at, m.last_accessed_at, m.access_count, m.session_id,
       m.channel = 'agent' AND NOT m.verified AS unconfirmed, m.stale_at, m.fields, octet_length(m.text) AS size,
       CASE WHEN octet_length(m.text) <= 600 THEN substr(rtrim(m.text), -1) = '?' ELSE 0 END AS asks,
       COALESCE((SELECT u.useful - u.noise FROM usefulness u WHERE u.memory_num = m.num), 0) AS judged,
       EXISTS (SELECT 1 FROM memory_anchor a WHERE a.memory_num = m.num AND a.state = 'changed') AS changed
  FROM memory m WHERE m.num IN (SELECT value FROM json_each(:nums)) AND {filters}

-- part: place
-- How long a memory is, and the session and project in which a short one that is in use was noted.
m.num, octet_length(m.text) AS size,
CASE WHEN m.state = 'active' AND octet_length(m.text) <= :short
     THEN m.session_id || ' ' || COALESCE(m.project_id, '') END AS room

-- name: places_by_num
-- Size and room of given memories.
SELECT {place} FROM memory m WHERE m.num IN (SELECT value FROM json_each(:nums))

-- name: places_all
-- Size and room of every memory.
SELECT {place} FROM memory m

-- name: memory_mean_size
-- How long the newest texts are on average.
SELECT AVG(size) AS size FROM (
    SELECT octet_length(text) AS size FROM memory ORDER BY num DESC LIMIT :newest)

-- name: fulltext_counts
-- In how many memories each term occurs.
SELECT term, doc FROM memory_vocab WHERE term IN (SELECT value FROM json_each(:terms))

-- name: fulltext_terms_from
-- The terms that begin like one of these, in the order of the alphabet.
SELECT DISTINCT v.term FROM json_each(:beginnings) b
  JOIN memory_vocab v ON v.term >= b.value AND v.term < b.value || char(1114111)
 ORDER BY v.term LIMIT :limit

-- name: fulltext_postings
-- Every occurrence of each term: in which memory, in which column.
SELECT term, doc AS num, col = 'text' AS in_text, col = 'subjects' AS in_names FROM memory_term
 WHERE term IN (SELECT value FROM json_each(:terms))

-- name: fulltext_best
-- The memories that answer words best by the index's own ranking.
SELECT rowid AS num FROM memory_fts WHERE memory_fts MATCH :words ORDER BY rank LIMIT :limit

-- name: fulltext_occurrences
-- Every term, with the numbers of the memories that hold it, by column.
SELECT term, COALESCE(group_concat(CASE WHEN col = 'text' THEN doc END), '') AS text,
       COALESCE(group_concat(CASE WHEN col = 'subjects' THEN doc END), '') AS subjects
  FROM memory_term GROUP BY term

-- name: fulltext_add
-- File a new memory under its words.
INSERT INTO memory_fts (rowid, text, subjects) VALUES (:num, :text, :subjects)

-- name: fulltext_put
-- File a memory under its words; an older entry gives way.
INSERT OR REPLACE INTO memory_fts (rowid, text, subjects) VALUES (:num, :text, :subjects)

-- name: fulltext_remove
-- Take a memory out of the index.
DELETE FROM memory_fts WHERE rowid = :num

-- name: fulltext_clear
-- Empty the index, to write it anew.
INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')

-- name: fulltext_optimize
-- Write the index as one piece, so that nothing deleted is left in it.
INSERT INTO memory_fts (memory_fts) VALUES ('optimize')

-- name: vector_scan
-- The nearest by one vector, exactly, in a process that has no numpy.
SELECT memory_num AS num, COALESCE(1 - vec_distance_cosine(vector, :vector), 0.0) AS cosine
  FROM vector WHERE model_num = :model_num
 ORDER BY cosine DESC LIMIT :limit

-- name: vector_scan_passing
-- The same among the memories that pass a filter; reading every memory's row takes as long as all the vectors.
SELECT v.memory_num AS num, COALESCE(1 - vec_distance_cosine(v.vector, :vector), 0.0) AS cosine
  FROM vector v JOIN memory m ON m.num = v.memory_num
 WHERE v.model_num = :model_num AND {filters}
 ORDER BY cosine DESC LIMIT :limit

-- name: vector_likeness
-- How near given memories are.
SELECT v.memory_num AS num, COALESCE(1 - vec_distance_cosine(v.vector, :vector), 0.0) AS cosine
  FROM vector v
 WHERE v.model_num = :model_num AND v.memory_num IN (SELECT value FROM json_each(:nums))

-- name: vectors_of
-- The vectors of given memories.
SELECT v.memory_num AS num, v.vector FROM vector v
 WHERE v.model_num = :model_num AND v.memory_num IN (SELECT value FROM json_each(:nums))

-- name: vector_words_of
-- The word vectors of given memories.
SELECT v.memory_num AS num, w.words FROM vector v JOIN vector_words w ON w.seq = v.seq
 WHERE v.model_num = :model_num AND v.memory_num IN (SELECT value FROM json_each(:nums))

-- name: vectors_missing
-- Memories that a model has not seen yet, oldest first; for a re-index that can stop and go on.
SELECT m.num, m.id, m.text FROM memory m
 WHERE m.num > :after AND m.kind IN (SELECT value FROM json_each(:kinds)) AND NOT EXISTS (
       SELECT 1 FROM vector v WHERE v.model_num = :model_num AND v.memory_num = m.num)
 ORDER BY m.num LIMIT :limit

-- name: vectors_missing_count
-- How many memories a model has not seen yet.
SELECT COUNT(*) AS memories FROM memory m
 WHERE m.kind IN (SELECT value FROM json_each(:kinds)) AND NOT EXISTS (
       SELECT 1 FROM vector v WHERE v.model_num = :model_num AND v.memory_num = m.num)

-- name: memory_forms_known
-- Those of these normal forms that any memory has.
SELECT DISTINCT normal_hash FROM memory WHERE normal_hash IN (SELECT value FROM json_each(:hashes))

-- name: subjects_known
-- Those of these subjects whose words are filed already.
SELECT j.value AS subject FROM json_each(:subjects) j
 WHERE EXISTS (SELECT 1 FROM subject_word w WHERE w.subject = j.value)

-- name: subjects_by_words
-- Subjects that each of these words may name, so many of each.
SELECT word, subject
  FROM (SELECT word, subject, ROW_NUMBER() OVER (PARTITION BY word ORDER BY subject) AS place
          FROM subject_word WHERE word IN (SELECT value FROM json_each(:words)))
 WHERE place <= :limit

-- name: subjects_of_nums
-- What given memories are about.
SELECT memory_num AS num, subject FROM memory_subject
 WHERE memory_num IN (SELECT value FROM json_each(:nums))

-- name: subjects_held
-- Each of these subjects with the memories about it that pass the filter, and what tells them apart.
SELECT ms.subject, m.num, m.kind, m.stale_at IS NOT NULL AS stale, m.verified, m.confidence
  FROM json_each(:about) j CROSS JOIN memory_subject ms ON ms.subject = j.value JOIN memory m ON m.num = ms.memory_num
 WHERE {filters}

-- name: memory_nums_about_any
-- Memories about any of these subjects that pass the filter, newest first.
SELECT DISTINCT m.num FROM memory_subject ms JOIN memory m ON m.num = ms.memory_num
 WHERE ms.subject IN (SELECT value FROM json_each(:about)) AND {filters}
 ORDER BY m.num DESC LIMIT :limit

-- name: memory_nums_in_time
-- Memories that happened in a stretch of time and pass the filter, newest first.
SELECT m.num FROM memory m
 WHERE m.happened_at >= :from_at AND m.happened_at < :to_at AND {filters}
 ORDER BY m.happened_at DESC, m.num DESC LIMIT :limit

-- name: verify_counts
-- Memories, and entries of the full-text index.
SELECT (SELECT COUNT(*) FROM memory) AS memories,
       (SELECT COUNT(*) FROM memory_fts_docsize) AS filed

-- name: verify_links
-- Rows that point to a row that is not there.
SELECT "table" AS at_table, rowid AS at_row, parent FROM pragma_foreign_key_check()

-- name: integrity
-- What SQLite finds wrong with the file; the one word ok if nothing.
SELECT integrity_check AS said FROM pragma_integrity_check()

-- name: sizes
-- Bytes of the file that hold something.
SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()
