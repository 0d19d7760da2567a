-- Queries in the common part of the dialects: `:name` parameters, CAST instead of ::, no JSON, no full text.

-- name: meta_get
-- One setting that belongs to the store itself.
SELECT value FROM meta WHERE key = :key

-- name: meta_set
-- Keep one setting that belongs to the store itself.
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: meta_delete
-- A setting that belongs to the store no more.
DELETE FROM meta WHERE key = :key

-- name: commit_count
-- One more commit, counted inside it.
UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'commits' RETURNING value

-- name: migration_record
-- Note that a step of the schema was taken.
INSERT INTO migration (number, name, applied_at) VALUES (:number, :name, :applied_at)

-- name: project_by_key
-- The project known by this key.
SELECT p.id, p.key, p.name, p.created_at
  FROM project_key k JOIN project p ON p.id = k.project_id
 WHERE k.key = :key

-- name: project_key_set
-- The project is known by this key too.
INSERT INTO project_key (key, project_id) VALUES (:key, :project_id)
ON CONFLICT (key) DO UPDATE SET project_id = excluded.project_id

-- name: project_keys_move
-- Keys of one project go to another.
UPDATE project_key SET project_id = :into_id WHERE project_id = :from_id

-- name: project_by_path
-- The project last seen at this folder.
SELECT p.id, p.key, p.name, p.created_at
  FROM project_path pp JOIN project p ON p.id = pp.project_id
 WHERE pp.path = :path

-- name: project_insert
-- A project seen for the first time.
INSERT INTO project (id, key, name, created_at) VALUES (:id, :key, :name, :created_at)

-- name: project_rekey
-- The same project, known from now on by a better identity.
UPDATE project SET key = :key, name = :name WHERE id = :id

-- name: project_called
-- Projects by id, name or folder, for people who type one of them.
SELECT p.id, p.key, p.name, p.created_at FROM project p
 WHERE p.id = :name OR p.name = :name OR p.key = :name
    OR EXISTS (SELECT 1 FROM project_path pp WHERE pp.project_id = p.id AND pp.path = :name)
 ORDER BY p.id LIMIT 4

-- name: project_delete
-- A project that was folded into another.
DELETE FROM project WHERE id = :id

-- name: project_paths
-- The folders a project was seen at, newest first.
SELECT path, seen_at FROM project_path WHERE project_id = :project_id ORDER BY seen_at DESC, path

-- name: project_path_set
-- This folder belongs to that project.
INSERT INTO project_path (path, project_id, seen_at) VALUES (:path, :project_id, :seen_at)
ON CONFLICT (path) DO UPDATE SET project_id = excluded.project_id, seen_at = excluded.seen_at

-- name: project_paths_move
-- Folders of one project go to another.
UPDATE project_path SET project_id = :into_id WHERE project_id = :from_id

-- name: project_sessions_move
-- Sessions of one project go to another.
UPDATE session SET project_id = :into_id WHERE project_id = :from_id

-- name: projects_all
-- Every project with how many memories it holds, the most used first.
SELECT p.id, p.key, p.name, p.created_at, COUNT(m.num) AS memories
  FROM project p LEFT JOIN memory m ON m.project_id = p.id
 GROUP BY p.id, p.key, p.name, p.created_at
 ORDER BY memories DESC, p.name

-- name: identity_get
-- How git identified the repository with this common directory.
SELECT found FROM identity WHERE common_dir = :common_dir

-- name: identity_set
-- Remember how git identified it.
INSERT INTO identity (common_dir, found) VALUES (:common_dir, :found)
ON CONFLICT (common_dir) DO UPDATE SET found = excluded.found

-- name: session_seen
-- A session begins with the first thing heard of it and lasts to the last.
INSERT INTO session (id, project_id, started_at, last_at, owner) VALUES (:id, :project_id, :at, :at, :owner)
ON CONFLICT (id) DO UPDATE SET
    last_at = CASE WHEN excluded.last_at > session.last_at THEN excluded.last_at ELSE session.last_at END,
    started_at = CASE WHEN excluded.started_at < session.started_at THEN excluded.started_at ELSE session.started_at END

-- name: sessions_count
-- How many sessions there have been.
SELECT COUNT(*) AS sessions FROM session

-- name: sessions_recent
-- The newest sessions of a project, or of all.
SELECT id, project_id, started_at, last_at FROM session
 WHERE (:every_project OR project_id IS NULL OR project_id = :project_id)
 ORDER BY last_at DESC, id DESC LIMIT :limit

-- name: memory_num
-- The row number behind an id.
SELECT num FROM memory WHERE id = :id

-- name: memory_ids_from
-- Ids that begin with some characters, for people who type the first few.
SELECT id FROM memory WHERE id >= :prefix AND id < :beyond ORDER BY id LIMIT :limit

-- name: memory_highest_num
-- About how many memories there are: the newest number.
SELECT COALESCE(MAX(num), 0) AS num FROM memory

-- name: memory_highest_id
-- The id that sorts last.
SELECT MAX(id) AS id FROM memory

-- name: memory_all_nums
-- Every memory's row number.
SELECT num FROM memory ORDER BY num

-- name: memory_same_form
-- Memories whose text has the same normal form; for the first and cheapest duplicate check.
SELECT num FROM memory
 WHERE normal_hash = :normal_hash AND kind = :kind
   AND (project_id = :project_id OR (project_id IS NULL AND :project_id IS NULL))
   AND state IN ('active', 'quarantined', 'candidate')
 ORDER BY num LIMIT :limit

-- name: memory_insert
-- A new memory.
INSERT INTO memory (id, state, project_id, kind, scope, confidence, session_id, happened_at, pinned, verified,
                    needs_review, channel, source, methodology, work_path, work_label, phase, commit_sha,
                    half_life_days, created_at, updated_at, normal_hash, text_hash, citation, event_ids, fields,
                    text, stale_at, stale_why, base_confidence, reinforced_at, sessions, last_accessed_at,
                    access_count, seal, owner)
VALUES (:id, :state, :project_id, :kind, :scope, :confidence, :session_id, :happened_at, :pinned, :verified,
        :needs_review, :channel, :source, :methodology, :work_path, :work_label, :phase, :commit_sha,
        :half_life_days, :created_at, :updated_at, :normal_hash, :text_hash, :citation, :event_ids, :fields,
        :text, :stale_at, :stale_why, :base_confidence, :reinforced_at, :sessions, :last_accessed_at,
        :access_count, :seal, :owner)

-- name: memory_update
-- Everything about a memory that a change may touch.
UPDATE memory
   SET state = :state, project_id = :project_id, kind = :kind, scope = :scope, confidence = :confidence,
       happened_at = :happened_at, pinned = :pinned, verified = :verified, needs_review = :needs_review,
       methodology = :methodology, work_path = :work_path, work_label = :work_label,
       half_life_days = :half_life_days, updated_at = :updated_at, normal_hash = :normal_hash,
       text_hash = :text_hash, citation = :citation, fields = :fields, text = :text, stale_at = :stale_at,
       stale_why = :stale_why,
       base_confidence = :base_confidence, reinforced_at = :reinforced_at, sessions = :sessions
 WHERE id = :id

-- name: memory_doubted
-- It is not what was written: out of use until a person looks.
UPDATE memory SET state = 'quarantined', needs_review = 1 WHERE num = :num

-- name: memory_numbers
-- The numbers of all memories.
SELECT num FROM memory

-- name: memory_reduced
-- What damage made of a row is no memory: its words and its name stay, the rest is as if nobody knew.
UPDATE memory SET kind = 'fact', scope = 'module', channel = 'read', source = 'observer_inferred', methodology = NULL,
       work_path = NULL, work_label = NULL, phase = NULL, commit_sha = NULL, half_life_days = NULL, event_ids = '[]',
       fields = :fields, sessions = '[]', stale_at = NULL, last_accessed_at = NULL, reinforced_at = NULL,
       happened_at = :now, created_at = :now, updated_at = :now
 WHERE num = :num

-- name: memories_purged
-- Memories that were removed for good, but are back from an earlier copy.
SELECT m.id FROM memory m WHERE m.id IN (SELECT h.memory_id FROM history h WHERE h.action = 'purge')

-- name: memories_lost
-- Memories that are known by their story alone.
SELECT DISTINCT h.memory_id AS id FROM history h
 WHERE h.memory_id NOT IN (SELECT m.id FROM memory m)
   AND h.memory_id NOT IN (SELECT p.memory_id FROM history p WHERE p.action = 'purge')
 ORDER BY h.memory_id

-- name: memory_seal
-- The memory as it is now is what was meant.
UPDATE memory SET seal = :seal WHERE num = :num

-- name: memories_unsealed
-- Memories from before there were seals.
SELECT num FROM memory WHERE seal IS NULL ORDER BY num

-- name: memory_delete
-- A memory that is to be gone for good.
DELETE FROM memory WHERE id = :id

-- name: memory_accessed
-- It was asked for and shown.
UPDATE memory SET access_count = access_count + :times, last_accessed_at = :at WHERE id = :id

-- name: subject_insert
-- A memory is about this.
INSERT INTO memory_subject (subject, memory_num, position) VALUES (:subject, :memory_num, :position)

-- name: subjects_clear
-- A memory is about other things from now on.
DELETE FROM memory_subject WHERE memory_num = :memory_num

-- name: subject_word_insert
-- A word by which a question may name a subject.
INSERT INTO subject_word (word, subject) VALUES (:word, :subject) ON CONFLICT DO NOTHING

-- name: subject_words_between
-- Words that begin alike; for names with a small slip in them.
SELECT DISTINCT word FROM subject_word WHERE word >= :low AND word < :high ORDER BY word LIMIT :limit

-- name: subjects_between
-- Subjects that begin alike: what lies in a folder, the symbols of a file.
SELECT DISTINCT subject FROM memory_subject WHERE subject >= :low AND subject < :high ORDER BY subject LIMIT :limit

-- name: subject_words_orphaned
-- Words of subjects that no memory is about any more.
DELETE FROM subject_word WHERE subject NOT IN (SELECT subject FROM memory_subject)

-- name: tag_insert
-- A memory carries this tag.
INSERT INTO memory_tag (tag, memory_num, position) VALUES (:tag, :memory_num, :position)

-- name: tags_clear
-- A memory carries other tags from now on.
DELETE FROM memory_tag WHERE memory_num = :memory_num

-- name: relation_insert
-- A memory bears on another or on a file.
INSERT INTO relation (memory_num, type, target_memory_id, target_path, confidence, auto_extracted)
VALUES (:memory_num, :type, :target_memory_id, :target_path, :confidence, :auto_extracted)

-- name: relations_clear
-- A memory bears on other things from now on.
DELETE FROM relation WHERE memory_num = :memory_num

-- name: model_by_id
-- The number of a model in this store.
SELECT num, id, dimensions FROM model WHERE id = :id

-- name: model_insert
-- A model this store has not met before.
INSERT INTO model (id, dimensions) VALUES (:id, :dimensions)

-- name: models_all
-- The models of this store and how many vectors each has made.
SELECT mo.num, mo.id, mo.dimensions, COUNT(v.seq) AS vectors
  FROM model mo LEFT JOIN vector v ON v.model_num = mo.num
 GROUP BY mo.num, mo.id, mo.dimensions ORDER BY mo.num

-- name: model_delete
-- Forget a model and all its vectors.
DELETE FROM model WHERE num = :num

-- name: vector_delete
-- Make room for a memory's new vector.
DELETE FROM vector WHERE model_num = :model_num AND memory_num = :memory_num

-- name: vector_insert
-- A memory as one model sees it.
INSERT INTO vector (model_num, memory_num, vector) VALUES (:model_num, :memory_num, :vector)

-- name: vector_words_insert
-- Its words as that model sees them.
INSERT INTO vector_words (seq, words) VALUES (:seq, :words)

-- name: vectors_after
-- Vectors of a model made since the last that was read; the plus keeps the search on seq, where it is short.
SELECT v.seq, v.memory_num, v.vector FROM vector v
 WHERE +v.model_num = :model_num AND v.seq > :seq ORDER BY v.seq

-- name: vector_highest_seq
-- About how many vectors were ever made: the newest number.
SELECT COALESCE(MAX(seq), 0) AS seq FROM vector

-- name: vectors_filed
-- How far the vectors of a model are filed into cells, and how often that was done.
SELECT seq, cells FROM vector_filed WHERE model_num = :model_num

-- name: vectors_filed_set
-- They are filed up to here now.
INSERT INTO vector_filed (model_num, seq, cells) VALUES (:model_num, :seq, :cells)
ON CONFLICT (model_num) DO UPDATE SET seq = excluded.seq, cells = excluded.cells

-- name: cells_all
-- The cells of a model with their pivots.
SELECT num, pivot FROM vector_cell WHERE model_num = :model_num ORDER BY num

-- name: cell_insert
-- A new cell around this pivot.
INSERT INTO vector_cell (model_num, pivot) VALUES (:model_num, :pivot)

-- name: cell_move
-- The cell has another pivot from now on.
UPDATE vector_cell SET pivot = :pivot WHERE num = :num

-- name: cell_size
-- How many vectors are in a cell.
SELECT COUNT(*) AS members FROM vector_signs WHERE model_num = :model_num AND cell = :cell

-- name: cell_members
-- The memories in a cell with their sign bits.
SELECT memory_num AS num, signs FROM vector_signs WHERE model_num = :model_num AND cell = :cell ORDER BY seq

-- name: cell_vectors
-- The vectors in a cell, to split it.
SELECT s.seq, v.vector FROM vector_signs s JOIN vector v ON v.seq = s.seq
 WHERE s.model_num = :model_num AND s.cell = :cell ORDER BY s.seq

-- name: cell_member_insert
-- A vector goes into a cell.
INSERT INTO vector_signs (model_num, cell, seq, memory_num, signs)
VALUES (:model_num, :cell, :seq, :memory_num, :signs)

-- name: cell_member_move
-- A vector goes into another cell.
UPDATE vector_signs SET cell = :other WHERE model_num = :model_num AND cell = :cell AND seq = :seq

-- name: history_insert
-- What happened to a memory.
INSERT INTO history (act_id, memory_id, at, actor, action, why, before, after)
VALUES (:act_id, :memory_id, :at, :actor, :action, :why, :before, :after)

-- name: history_of_memory
-- The story of one memory, oldest first.
SELECT act_id, memory_id, at, actor, action, why, before, after, undone_by
  FROM history WHERE memory_id = :memory_id ORDER BY seq

-- name: history_of_act
-- All that one act changed, last change first.
SELECT act_id, memory_id, at, actor, action, why, before, after, undone_by
  FROM history WHERE act_id = :act_id ORDER BY seq DESC

-- name: history_recent
-- The last changes of all memories.
SELECT act_id, memory_id, at, actor, action, why, before, after, undone_by
  FROM history ORDER BY seq DESC LIMIT :limit

-- name: history_purged
-- Memories that were removed for good.
SELECT DISTINCT memory_id AS id FROM history WHERE action = 'purge'

-- name: history_last_act
-- The newest act that can still be undone: of one memory, or the last that somebody did, not what time or git did.
SELECT act_id FROM history
 WHERE undone_by IS NULL AND action NOT IN ('undo', 'purge', 'decay')
   AND (memory_id = :memory_id OR (:memory_id IS NULL AND actor <> 'recollect'))
 ORDER BY seq DESC LIMIT 1

-- name: history_last
-- The number of the newest change.
SELECT COALESCE(MAX(seq), 0) AS seq FROM history

-- name: history_changed
-- What has changed since, with the memory's row number; none for one that is gone.
SELECT h.seq, m.num FROM history h LEFT JOIN memory m ON m.id = h.memory_id WHERE h.seq > :seq

-- name: history_mark_undone
-- That act was taken back by this one.
UPDATE history SET undone_by = :undone_by WHERE act_id = :act_id

-- name: history_forget
-- The story of a memory that is to be gone for good.
DELETE FROM history WHERE memory_id = :memory_id

-- name: event_insert
-- Something happened that the feed of events shows.
INSERT INTO event (at, type, session_id, project_id, memory_id, data)
VALUES (:at, :type, :session_id, :project_id, :memory_id, :data)

-- name: events_forget
-- Events about a memory that is to be gone for good.
DELETE FROM event WHERE memory_id = :memory_id

-- name: stats_by_state
-- How many memories there are of each kind and state.
SELECT kind, state, COUNT(*) AS memories FROM memory
 WHERE (:every_project OR project_id IS NULL OR project_id = :project_id)
 GROUP BY kind, state ORDER BY kind, state

-- name: stats_totals
-- Sums over a project or over all.
SELECT COUNT(*) AS memories, COALESCE(SUM(LENGTH(text)), 0) AS characters, COALESCE(SUM(pinned), 0) AS pinned,
       COALESCE(SUM(needs_review), 0) AS needs_review, COALESCE(SUM(access_count), 0) AS accesses,
       MIN(created_at) AS oldest, MAX(created_at) AS newest
  FROM memory
 WHERE (:every_project OR project_id IS NULL OR project_id = :project_id)

-- name: project_memory_nums
-- The memories of a project.
SELECT num FROM memory WHERE project_id = :project_id ORDER BY num

-- name: relation_sources
-- The memories that bear on one.
SELECT DISTINCT r.memory_num AS num FROM relation r WHERE r.target_memory_id = :id

-- name: project_memories_move
-- Memories of one project go to another.
UPDATE memory SET project_id = :into_id WHERE project_id = :from_id

-- name: fingerprint_page
-- What makes two stores the same, a page at a time.
SELECT num, id, text_hash, seal, state, confidence, pinned, updated_at FROM memory
 WHERE num > :after ORDER BY num LIMIT :limit

-- name: memory_known
-- Whether there is a memory with this id.
SELECT 1 AS known FROM memory WHERE id = :id

-- name: project_code_trees_move
-- Checkouts of one project go to another.
UPDATE code_tree SET project_id = :into_id WHERE project_id = :from_id

-- name: project_code_notes_move
-- What was added to one project's graph goes to another, where it is not said already.
UPDATE code_note SET project_id = :into_id
 WHERE project_id = :from_id
   AND NOT EXISTS (SELECT 1 FROM code_note o
                    WHERE o.project_id = :into_id AND o.kind = code_note.kind AND o.name = code_note.name)

-- name: project_code_links_move
-- Its connections too.
UPDATE code_link SET project_id = :into_id
 WHERE project_id = :from_id
   AND NOT EXISTS (SELECT 1 FROM code_link o
                    WHERE o.project_id = :into_id AND o.source = code_link.source AND o.kind = code_link.kind
                      AND o.target = code_link.target)
