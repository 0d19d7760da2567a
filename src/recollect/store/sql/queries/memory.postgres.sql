-- What PostgreSQL says in its own way: lists, full text in tables of our own, vector functions, its catalogue.

-- part: filters
-- Which memories may answer; a NULL list filters nothing, a memory without a project belongs to all.
    m.state = ANY (text_list(:states))
AND (:every_project OR m.project_id IS NULL OR m.project_id = :project_id)
AND (:kinds IS NULL OR m.kind = ANY (text_list(:kinds)))
AND (:scopes IS NULL OR m.scope = ANY (text_list(:scopes)))
AND (:sources IS NULL OR m.source = ANY (text_list(:sources)))
AND (:sessions IS NULL OR m.session_id = ANY (text_list(:sessions)))
AND m.confidence >= :min_confidence
AND (NOT :fresh OR m.stale_at IS NULL)
AND (:methodology IS NULL OR m.methodology = :methodology)
AND (:work_path IS NULL OR m.work_path = :work_path
     OR substr(m.work_path, 1, length(:work_prefix)) = :work_prefix)
AND (:since IS NULL OR m.happened_at >= :since)
AND (:until IS NULL OR m.happened_at < :until)
AND (:subjects IS NULL OR EXISTS (
     SELECT 1 FROM memory_subject s
      WHERE s.memory_num = m.num AND s.subject = ANY (text_list(:subjects))))
AND (:tags IS NULL OR EXISTS (
     SELECT 1 FROM memory_tag t
      WHERE t.memory_num = m.num AND t.tag = ANY (text_list(:tags))))

-- part: whole_memory
-- A memory with what hangs on it.
m.num, m.id, m.text, m.kind, m.state, m.confidence, m.scope, m.project_id, m.session_id, m.happened_at,
m.last_accessed_at, m.access_count, m.stale_at, m.pinned, m.verified, m.needs_review, m.channel, m.source,
m.methodology, m.work_path, m.work_label, m.phase, m.commit_sha, m.half_life_days, m.created_at, m.updated_at,
m.citation, m.event_ids, m.fields, m.stale_why, m.base_confidence, m.reinforced_at, m.sessions, m.seal, m.owner,
(SELECT u.useful FROM usefulness u WHERE u.memory_num = m.num) AS useful,
(SELECT u.noise FROM usefulness u WHERE u.memory_num = m.num) AS noise,
(SELECT CAST(COALESCE(json_agg(s.subject ORDER BY s.position), '[]') AS TEXT)
   FROM memory_subject s WHERE s.memory_num = m.num) AS subjects,
(SELECT CAST(COALESCE(json_agg(t.tag ORDER BY t.position), '[]') AS TEXT)
   FROM memory_tag t WHERE t.memory_num = m.num) AS tags,
(SELECT CAST(COALESCE(json_agg(json_build_array(r.type, r.target_memory_id, r.target_path, r.confidence, r.auto_extracted)
                               ORDER BY r.seq), '[]') AS TEXT)
   FROM relation r WHERE r.memory_num = m.num) AS relations

-- name: memory_by_id
-- One memory, whole.
SELECT {whole_memory} FROM memory m WHERE m.id = :id

-- name: memories_by_num
-- Several memories, whole.
SELECT {whole_memory} FROM memory m WHERE m.num = ANY (number_list(:nums))

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
       (m.channel = 'agent' AND m.verified = 0) AS unconfirmed, m.stale_at, m.fields, octet_length(m.text) AS size,
       (octet_length(m.text) <= 600 AND right(rtrim(m.text), 1) = '?') AS asks,
       COALESCE((SELECT u.useful - u.noise FROM usefulness u WHERE u.memory_num = m.num), 0) AS judged,
       EXISTS (SELECT 1 FROM memory_anchor a WHERE a.memory_num = m.num AND a.state = 'changed') AS changed
  FROM memory m WHERE m.num = ANY (number_list(:nums)) AND {filters}

-- part: place
-- How long a memory is, and the session and project in which a short one that is in use was noted.
m.num, octet_length(m.text) AS size,
CASE WHEN m.state = 'active' AND octet_length(m.text) <= :short
     THEN m.session_id || ' ' || COALESCE(m.project_id, '') END AS room

-- name: places_by_num
-- Size and room of given memories.
SELECT {place} FROM memory m WHERE m.num = ANY (number_list(:nums))

-- name: places_all
-- Size and room of every memory.
SELECT {place} FROM memory m

-- name: memory_mean_size
-- How long the newest texts are on average.
SELECT CAST(AVG(size) AS DOUBLE PRECISION) AS size FROM (
    SELECT octet_length(text) AS size FROM memory ORDER BY num DESC LIMIT :newest) AS latest

-- name: fulltext_counts
-- In how many memories each term occurs.
SELECT term, COUNT(*) AS doc FROM memory_term WHERE term = ANY (text_list(:terms)) GROUP BY term

-- name: fulltext_terms_from
-- The terms that begin like one of these, in the order of the alphabet.
SELECT DISTINCT t.term FROM unnest(text_list(:beginnings)) AS b (beginning)
  JOIN memory_term t ON t.term >= b.beginning AND t.term < b.beginning || chr(1114111)
 ORDER BY t.term LIMIT :limit

-- name: fulltext_postings
-- Every occurrence of each term: in which memory, in which column.
SELECT term, memory_num AS num, in_text, in_names FROM memory_term WHERE term = ANY (text_list(:terms))

-- name: fulltext_best
-- The memories that answer words best by the index's own ranking.
SELECT t.memory_num AS num
  FROM memory_term t JOIN (
       SELECT term, LN(1 + (SELECT COUNT(*) FROM memory_words) / CAST(COUNT(*) AS DOUBLE PRECISION)) AS idf
         FROM memory_term WHERE term = ANY (text_list(:terms)) GROUP BY term) AS rare ON rare.term = t.term
 GROUP BY t.memory_num
 ORDER BY SUM(rare.idf * (t.in_text + t.in_names) / (t.in_text + t.in_names + 1.2)) DESC, t.memory_num LIMIT :limit

-- name: fulltext_occurrences
-- Every term, with the numbers of the memories that hold it, by column.
SELECT term,
       COALESCE(string_agg(CASE WHEN in_text > 0 THEN rtrim(repeat(memory_num || ',', in_text), ',') END, ','), '') AS text,
       COALESCE(string_agg(CASE WHEN in_names > 0 THEN rtrim(repeat(memory_num || ',', in_names), ',') END, ','), '')
           AS subjects
  FROM memory_term GROUP BY term

-- name: fulltext_add
-- File new memories under their words, all at once.
WITH given AS MATERIALIZED (
    SELECT num, term, in_text, in_names
      FROM unnest(number_list(:nums), text_list(:terms), number_list(:in_text), number_list(:in_names))
           AS listed (num, term, in_text, in_names)),
filed AS (
    INSERT INTO memory_words (memory_num, terms)
    SELECT f.num, COALESCE(array_agg(g.term) FILTER (WHERE g.term IS NOT NULL), '{}')
      FROM unnest(number_list(:filed)) AS f (num) LEFT JOIN given g ON g.num = f.num GROUP BY f.num)
INSERT INTO memory_term (term, memory_num, in_text, in_names)
SELECT term, num, in_text, in_names FROM given

-- name: fulltext_put
-- File a memory under its words; an older entry gives way.
WITH gone AS (
    DELETE FROM memory_term t USING memory_words w
     WHERE w.memory_num = :num AND t.memory_num = :num AND t.term = ANY (w.terms) AND t.term <> ALL (text_list(:terms))),
filed AS (
    INSERT INTO memory_words (memory_num, terms) VALUES (:num, text_list(:terms))
    ON CONFLICT (memory_num) DO UPDATE SET terms = excluded.terms)
INSERT INTO memory_term (term, memory_num, in_text, in_names)
SELECT term, :num, in_text, in_names
  FROM unnest(text_list(:terms), number_list(:in_text), number_list(:in_names)) AS given (term, in_text, in_names)
ON CONFLICT (term, memory_num) DO UPDATE SET in_text = excluded.in_text, in_names = excluded.in_names

-- name: fulltext_remove
-- Take a memory out of the index.
WITH filed AS (DELETE FROM memory_words WHERE memory_num = :num RETURNING terms)
DELETE FROM memory_term WHERE memory_num = :num AND term IN (SELECT unnest(terms) FROM filed)

-- name: fulltext_clear
-- Empty the index, to write it anew.
WITH filed AS (DELETE FROM memory_words)
DELETE FROM memory_term

-- name: fulltext_optimize
-- Nothing of a memory that is gone is left in the index.
DELETE FROM memory_term WHERE memory_num NOT IN (SELECT memory_num FROM memory_words)

-- name: vectors_of
-- The vectors of given memories.
SELECT v.memory_num AS num, v.vector FROM vector v
 WHERE v.model_num = :model_num AND v.memory_num = ANY (number_list(:nums))

-- name: vector_words_of
-- The word vectors of given memories.
SELECT v.memory_num AS num, w.words FROM vector v JOIN vector_words w ON w.seq = v.seq
 WHERE v.model_num = :model_num AND v.memory_num = ANY (number_list(:nums))

-- name: vectors_missing
-- Memories that a model has not seen yet, oldest first; for a re-index that can stop and go on.
SELECT m.num, m.id, m.text FROM memory m
 WHERE m.num > :after AND m.kind = ANY (text_list(:kinds)) AND NOT EXISTS (
       SELECT 1 FROM vector v WHERE v.model_num = :model_num AND v.memory_num = m.num)
 ORDER BY m.num LIMIT :limit

-- name: vectors_missing_count
-- How many memories a model has not seen yet.
SELECT COUNT(*) AS memories FROM memory m
 WHERE m.kind = ANY (text_list(:kinds)) AND NOT EXISTS (
       SELECT 1 FROM vector v WHERE v.model_num = :model_num AND v.memory_num = m.num)

-- name: memory_forms_known
-- Those of these normal forms that any memory has.
SELECT DISTINCT normal_hash FROM memory WHERE normal_hash = ANY (text_list(:hashes))

-- name: subjects_known
-- Those of these subjects whose words are filed already.
SELECT j.value AS subject FROM unnest(text_list(:subjects)) AS j (value)
 WHERE EXISTS (SELECT 1 FROM subject_word w WHERE w.subject = j.value)

-- name: subjects_by_words
-- Subjects that each of these words may name, so many of each.
SELECT word, subject
  FROM (SELECT word, subject, ROW_NUMBER() OVER (PARTITION BY word ORDER BY subject) AS place
          FROM subject_word WHERE word = ANY (text_list(:words))) AS named
 WHERE place <= :limit

-- name: subjects_of_nums
-- What given memories are about.
SELECT memory_num AS num, subject FROM memory_subject
 WHERE memory_num = ANY (number_list(:nums))

-- name: subjects_held
-- Each of these subjects with the memories about it that pass the filter, and what tells them apart.
SELECT ms.subject, m.num, m.kind, m.stale_at IS NOT NULL AS stale, m.verified, m.confidence
  FROM unnest(text_list(:about)) AS j (value) JOIN memory_subject ms ON ms.subject = j.value JOIN memory m ON m.num = ms.memory_num
 WHERE {filters}

-- name: memory_nums_about_any
-- Memories about any of these subjects that pass the filter, newest first.
SELECT DISTINCT m.num FROM memory_subject ms JOIN memory m ON m.num = ms.memory_num
 WHERE ms.subject = ANY (text_list(:about)) AND {filters}
 ORDER BY m.num DESC LIMIT :limit

-- name: memory_nums_in_time
-- Memories that happened in a stretch of time and pass the filter, newest first.
SELECT m.num FROM memory m
 WHERE m.happened_at >= :from_at AND m.happened_at < :to_at AND {filters}
 ORDER BY m.happened_at DESC, m.num DESC LIMIT :limit

-- name: verify_counts
-- Memories, and whole entries of the full-text index.
SELECT (SELECT COUNT(*) FROM memory) AS memories,
       (SELECT COUNT(*) FROM memory_words w
         WHERE cardinality(w.terms) = (SELECT COUNT(*) FROM memory_term t
                                        WHERE t.memory_num = w.memory_num AND t.term = ANY (w.terms))) AS filed

-- name: verify_links
-- Rows that point to a row that is not there.
SELECT 'relation' AS at_table, r.seq AS at_row, 'memory' AS parent FROM relation r
 WHERE r.target_memory_id IS NOT NULL AND r.target_memory_id NOT IN (SELECT id FROM memory)

-- name: integrity
-- What the server has found wrong.
SELECT 'the index ' || c.relname || ' is not whole' AS said
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = current_schema() AND NOT i.indisvalid
 UNION ALL
SELECT checksum_failures || ' pages of the database have a wrong checksum' FROM pg_stat_database
 WHERE datname = current_database() AND checksum_failures > 0

-- name: sizes
-- Bytes of the file that hold something.
SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = current_schema() AND c.relkind = 'r'

-- name: vector_scan
-- The nearest by one vector, in a process that has just started.
SELECT n.memory_num AS num, 1 - (n.embedding <=> CAST(:vector AS EMBEDDING)) AS cosine
  FROM vector_near n WHERE n.model_num = :model_num
 ORDER BY n.embedding <=> CAST(:vector AS EMBEDDING) LIMIT :limit

-- name: vector_scan_passing
-- The same among the memories that pass a filter.
SELECT n.memory_num AS num, 1 - (n.embedding <=> CAST(:vector AS EMBEDDING)) AS cosine
  FROM vector_near n JOIN memory m ON m.num = n.memory_num
 WHERE n.model_num = :model_num AND {filters}
 ORDER BY n.embedding <=> CAST(:vector AS EMBEDDING) LIMIT :limit

-- name: vector_likeness
-- How near given memories are.
SELECT n.memory_num AS num, 1 - (n.embedding <=> CAST(:vector AS EMBEDDING)) AS cosine
  FROM vector_near n WHERE n.model_num = :model_num AND n.memory_num = ANY (number_list(:nums))
