-- What a process that has no numpy asks by the functions of sqlite-vec: a look for duplicates, notes by meaning.

-- name: vector_nearest_after
-- The nearest among those made since a vector.
SELECT v.memory_num AS num, COALESCE(1 - vec_distance_cosine(v.vector, :vector), 0.0) AS cosine
  FROM vector v WHERE +v.model_num = :model_num AND v.seq > :seq
 ORDER BY cosine DESC LIMIT :limit

-- name: cells_nearest
-- The cells whose pivots are nearest to a vector.
SELECT num FROM vector_cell WHERE model_num = :model_num
 ORDER BY vec_distance_cosine(pivot, :vector) LIMIT :limit

-- name: cell_members_nearest
-- The memories of some cells that are nearest by sign.
SELECT memory_num AS num FROM vector_signs
 WHERE model_num = :model_num AND cell IN (SELECT value FROM json_each(:cells))
 ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(:signs)) LIMIT :limit

-- name: chunk_vector_scan
-- The nearest parts by one vector, exactly, in a process that has no numpy.
SELECT seq, COALESCE(1 - vec_distance_cosine(vector, :vector), 0.0) AS cosine
  FROM vault_vector WHERE model_num = :model_num
 ORDER BY cosine DESC LIMIT :limit
