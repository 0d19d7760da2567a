-- What ageing and pruning ask in SQLite's own way: JSON lists, sizes in bytes.

-- name: ageing_page
-- What ageing may have changed: memories with a half-life, and of kinds that fade.
SELECT num FROM memory
 WHERE num > :after AND state IN ('active', 'inactive') AND pinned = 0
   AND (half_life_days IS NOT NULL OR kind = ANY (text_list(:fading)))
 ORDER BY num LIMIT :limit

-- name: memory_bytes
-- What memories take up: text, fields and vectors.
SELECT COALESCE(SUM(octet_length(m.text) + octet_length(m.fields)), 0) + COALESCE(SUM((
           SELECT SUM(octet_length(v.vector) + COALESCE((
                      SELECT octet_length(w.words) FROM vector_words w WHERE w.seq = v.seq), 0))
             FROM vector v WHERE v.memory_num = m.num)), 0) AS bytes,
       COALESCE(SUM(length(m.text)), 0) AS characters
  FROM memory m WHERE m.num = ANY (number_list(:nums))
