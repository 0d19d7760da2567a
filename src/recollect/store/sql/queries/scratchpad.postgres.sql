-- name: notes_with_keys
-- Every note of a project that is about one of these things, the oldest first.
SELECT DISTINCT n.* FROM note n JOIN note_key k ON k.note_id = n.id
 WHERE k.key = ANY (text_list(:keys))
   AND COALESCE(n.project_id, '') = COALESCE(:project_id, '')
   AND n.state <> 'discarded'
 ORDER BY n.at, n.id

-- name: note_keys
-- What some notes are about.
SELECT note_id, key FROM note_key WHERE note_id = ANY (text_list(:ids)) ORDER BY note_id, key
