-- name: framework_log_put
-- A log, if it is new.
INSERT INTO framework_log (framework, owner, name, part, created_at, changed_at)
VALUES (:framework, :owner, :name, :part, :at, :at)
ON CONFLICT (framework, owner, name, part) DO NOTHING

-- name: framework_log_get
-- One log.
SELECT num, created_at, changed_at, summary FROM framework_log
 WHERE framework = :framework AND owner = :owner AND name = :name AND part = :part

-- name: framework_log_changed
-- A log went on.
UPDATE framework_log SET changed_at = :at WHERE num = :num

-- name: framework_log_summarised
-- What its framework says about a log.
UPDATE framework_log SET summary = :summary WHERE num = :num

-- name: framework_logs_of
-- The logs of one owner, without their parts.
SELECT name, created_at, changed_at, summary FROM framework_log
 WHERE framework = :framework AND owner = :owner AND part = ''
 ORDER BY changed_at DESC, num DESC

-- name: framework_log_parts
-- The parts of a log.
SELECT part FROM framework_log
 WHERE framework = :framework AND owner = :owner AND name = :name AND part <> ''
 ORDER BY num

-- name: framework_log_delete
-- A log goes, and its parts with it; a part goes alone.
DELETE FROM framework_log
 WHERE framework = :framework AND owner = :owner AND name = :name AND (:part = '' OR part = :part)

-- name: framework_entry_add
-- One more entry; one that is known by its id is left as it is.
INSERT INTO framework_entry (log, seq, uid, body) VALUES (:log, :seq, :uid, :body)
ON CONFLICT DO NOTHING

-- name: framework_entries_end
-- The number after the last entry of a log.
SELECT COALESCE(MAX(seq) + 1, 0) AS next FROM framework_entry WHERE log = :log

-- name: framework_entries_of
-- The entries of a log, in order.
SELECT body FROM framework_entry WHERE log = :log ORDER BY seq

-- name: framework_entries_last
-- The last entries of a log, the newest first.
SELECT seq, body FROM framework_entry WHERE log = :log ORDER BY seq DESC LIMIT :limit

-- name: framework_entry_delete
-- One entry goes.
DELETE FROM framework_entry WHERE log = :log AND seq = :seq

-- name: framework_entries_clear
-- All entries of a log go.
DELETE FROM framework_entry WHERE log = :log

-- name: framework_item_put
-- A value under its key; what was there before is replaced, but not when it began.
INSERT INTO framework_item (namespace, item_key, value, created_at, updated_at, ttl_seconds, expires_at)
VALUES (:namespace, :key, :value, :at, :at, :ttl_seconds, :expires_at)
ON CONFLICT (namespace, item_key) DO UPDATE
   SET value = excluded.value, updated_at = excluded.updated_at,
       ttl_seconds = excluded.ttl_seconds, expires_at = excluded.expires_at

-- name: framework_item_get
-- One value.
SELECT num, namespace, item_key, value, created_at, updated_at, ttl_seconds, expires_at FROM framework_item
 WHERE namespace = :namespace AND item_key = :key

-- name: framework_item_delete
-- One value goes.
DELETE FROM framework_item WHERE namespace = :namespace AND item_key = :key

-- name: framework_items_below
-- The values of a namespace and all below it, the newest first.
SELECT num, namespace, item_key, value, created_at, updated_at, ttl_seconds, expires_at FROM framework_item
 WHERE namespace >= :first AND namespace < :last AND (:alive_at IS NULL OR expires_at IS NULL OR expires_at > :alive_at)
 ORDER BY updated_at DESC, num DESC
 LIMIT :limit OFFSET :offset

-- name: framework_item_by_number
-- One value by its number.
SELECT num, namespace, item_key, value, created_at, updated_at, ttl_seconds, expires_at FROM framework_item
 WHERE num = :num

-- name: framework_namespaces
-- All namespaces.
SELECT DISTINCT namespace FROM framework_item
 WHERE :alive_at IS NULL OR expires_at IS NULL OR expires_at > :alive_at
 ORDER BY namespace

-- name: framework_item_touch
-- A value was read: it expires later.
UPDATE framework_item SET expires_at = :expires_at WHERE num = :num

-- name: framework_items_expire
-- What is over goes.
DELETE FROM framework_item WHERE expires_at IS NOT NULL AND expires_at <= :at

-- name: framework_vectors_clear
-- An item is no longer searched by its vectors.
DELETE FROM framework_vector WHERE item = :item

-- name: framework_vector_add
-- One vector of an item.
INSERT INTO framework_vector (item, number, model, vector) VALUES (:item, :number, :model, :vector)

-- name: framework_vectors_below
-- The vectors of a namespace and all below it, of one model.
SELECT v.item, v.vector FROM framework_vector v
  JOIN framework_item i ON i.num = v.item
 WHERE i.namespace >= :first AND i.namespace < :last AND v.model = :model
   AND (:alive_at IS NULL OR i.expires_at IS NULL OR i.expires_at > :alive_at)
 ORDER BY v.item, v.number

-- name: framework_checkpoint_put
-- A checkpoint; put again, it is replaced.
INSERT INTO framework_checkpoint
       (thread, namespace, id, parent_id, run_id, kind, body, metadata_kind, metadata, versions, deltas)
VALUES (:thread, :namespace, :id, :parent_id, :run_id, :kind, :body, :metadata_kind, :metadata, :versions, :deltas)
ON CONFLICT (thread, namespace, id) DO UPDATE
   SET parent_id = excluded.parent_id, run_id = excluded.run_id, kind = excluded.kind, body = excluded.body,
       metadata_kind = excluded.metadata_kind, metadata = excluded.metadata, versions = excluded.versions,
       deltas = excluded.deltas

-- name: framework_checkpoints
-- Checkpoints, the newest first; each filter may be left out.
SELECT thread, namespace, id, parent_id, run_id, kind, body, metadata_kind, metadata, versions, deltas
  FROM framework_checkpoint
 WHERE (:thread IS NULL OR thread = :thread) AND (:namespace IS NULL OR namespace = :namespace)
   AND (:id IS NULL OR id = :id) AND (:before IS NULL OR id < :before)
 ORDER BY id DESC, num
 LIMIT :limit OFFSET :offset

-- name: framework_checkpoint_versions
-- Which versions of channels the checkpoints of a thread need.
SELECT namespace, id, parent_id, versions, deltas FROM framework_checkpoint
 WHERE thread = :thread ORDER BY namespace, id DESC

-- name: framework_checkpoints_of_run
-- The checkpoints that a run made.
SELECT thread, namespace, id FROM framework_checkpoint WHERE run_id = :run_id

-- name: framework_checkpoint_delete
-- One checkpoint goes.
DELETE FROM framework_checkpoint WHERE thread = :thread AND namespace = :namespace AND id = :id

-- name: framework_writes_delete
-- What tasks wrote at one checkpoint goes.
DELETE FROM framework_write WHERE thread = :thread AND namespace = :namespace AND checkpoint_id = :id

-- name: framework_checkpoints_clear
-- All checkpoints of a thread go.
DELETE FROM framework_checkpoint WHERE thread = :thread

-- name: framework_writes_clear
-- All that tasks of a thread wrote goes.
DELETE FROM framework_write WHERE thread = :thread

-- name: framework_channels_clear
-- All values of a thread's channels go.
DELETE FROM framework_channel WHERE thread = :thread

-- name: framework_channel_put
-- What a channel held at a version.
INSERT INTO framework_channel (thread, namespace, channel, version, kind, body)
VALUES (:thread, :namespace, :channel, :version, :kind, :body)
ON CONFLICT (thread, namespace, channel, version) DO UPDATE SET kind = excluded.kind, body = excluded.body

-- name: framework_channel_get
-- What a channel held at a version.
SELECT channel, version, kind, body FROM framework_channel
 WHERE thread = :thread AND namespace = :namespace AND channel = :channel AND version = :version

-- name: framework_channel_kinds
-- Which versions of channels a thread has.
SELECT namespace, channel, version, kind FROM framework_channel WHERE thread = :thread

-- name: framework_channel_delete
-- A version of a channel that no checkpoint needs goes.
DELETE FROM framework_channel
 WHERE thread = :thread AND namespace = :namespace AND channel = :channel AND version = :version

-- name: framework_write_put
-- What a task wrote; put again, it is replaced.
INSERT INTO framework_write (thread, namespace, checkpoint_id, task_id, number, channel, kind, body, task_path)
VALUES (:thread, :namespace, :checkpoint_id, :task_id, :number, :channel, :kind, :body, :task_path)
ON CONFLICT (thread, namespace, checkpoint_id, task_id, number) DO UPDATE
   SET channel = excluded.channel, kind = excluded.kind, body = excluded.body, task_path = excluded.task_path

-- name: framework_write_add
-- What a task wrote; put again, the first stays.
INSERT INTO framework_write (thread, namespace, checkpoint_id, task_id, number, channel, kind, body, task_path)
VALUES (:thread, :namespace, :checkpoint_id, :task_id, :number, :channel, :kind, :body, :task_path)
ON CONFLICT (thread, namespace, checkpoint_id, task_id, number) DO NOTHING

-- name: framework_writes_of
-- What tasks wrote at one checkpoint.
SELECT task_id, number, channel, kind, body, task_path FROM framework_write
 WHERE thread = :thread AND namespace = :namespace AND checkpoint_id = :id

-- name: framework_checkpoints_copy
-- The checkpoints of a thread under another name.
INSERT INTO framework_checkpoint
       (thread, namespace, id, parent_id, run_id, kind, body, metadata_kind, metadata, versions, deltas)
SELECT :target, namespace, id, parent_id, run_id, kind, body, metadata_kind, metadata, versions, deltas
  FROM framework_checkpoint WHERE thread = :source

-- name: framework_channels_copy
-- What its channels held.
INSERT INTO framework_channel (thread, namespace, channel, version, kind, body)
SELECT :target, namespace, channel, version, kind, body FROM framework_channel WHERE thread = :source

-- name: framework_writes_copy
-- What its tasks wrote.
INSERT INTO framework_write (thread, namespace, checkpoint_id, task_id, number, channel, kind, body, task_path)
SELECT :target, namespace, checkpoint_id, task_id, number, channel, kind, body, task_path
  FROM framework_write WHERE thread = :source
