-- name: past_files_of
-- The files of some sessions: session, path, whether edited, branch, whether touched.
SELECT f.session, pp.path, f.edited, f.branch, f.touched FROM past_file f JOIN past_path pp ON pp.num = f.path
 WHERE f.session = ANY (number_list(:sessions)) AND (f.touched > 0 OR f.branch = :branch)

-- name: past_lengths_of
-- How many words were seen of each file in some sessions.
SELECT f.path, MAX(f.length) FROM past_file f
 WHERE f.session = ANY (number_list(:sessions)) GROUP BY f.path

-- name: past_words_held
-- Which files of some sessions hold these words, and how often.
SELECT w.word, w.path, MAX(w.times) FROM past_word w
 WHERE w.word = ANY (text_list(:words)) AND w.session = ANY (number_list(:sessions))
 GROUP BY w.word, w.path

-- name: past_names_held
-- Which files of some sessions define these names.
SELECT DISTINCT n.name, pp.path FROM past_name n JOIN past_path pp ON pp.num = n.path
 WHERE n.name = ANY (text_list(:names)) AND n.session = ANY (number_list(:sessions))

-- name: past_paths_by_number
-- The paths of some numbers.
SELECT num, path FROM past_path WHERE num = ANY (number_list(:numbers))

-- name: past_paths_called
-- The files of some sessions that have one of these names.
SELECT pp.name, pp.path FROM past_path pp
 WHERE pp.name = ANY (text_list(:names))
   AND EXISTS (SELECT 1 FROM past_file f
                WHERE f.path = pp.num AND f.session = ANY (number_list(:sessions)))
