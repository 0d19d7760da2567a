-- The code graph: what PostgreSQL says in its own way.

-- name: code_parses_known
-- What is known of many files' bytes at once.
SELECT p.blob, p.language, p.outline FROM unnest(text_list(:blobs)) AS j (value) JOIN code_parse p ON p.blob = j.value
 WHERE p.version = :version

-- name: code_parses_used
-- These bytes are still about.
UPDATE code_parse SET used_at = :used_at
 WHERE blob = ANY (text_list(:blobs)) AND used_at < :used_at

-- name: code_nodes_only_ones
-- Names that a single definition has, per language, leaving some files out.
SELECT n.name, f.language, MIN(f.path) AS path, MIN(n.qualified) AS qualified
  FROM unnest(text_list(:names)) AS j (value) JOIN code_node n ON n.name = j.value
 JOIN code_file f ON f.num = n.file_num
 WHERE n.tree_num = :tree_num AND n.qualified <> '' AND f.num <> ALL (number_list(:without))
 GROUP BY n.name, f.language HAVING COUNT(*) = 1

-- name: code_files_mentioning
-- Files of a checkout that ask others for any of these names, with how many ask for each.
SELECT m.name, f.path FROM unnest(text_list(:names)) AS j (value) JOIN code_mention m ON m.name = j.value
 JOIN code_file f ON f.num = m.file_num
 WHERE f.tree_num = :tree_num

-- name: code_files_bearing_on
-- Files with an edge into one of these files.
SELECT DISTINCT g.path FROM unnest(number_list(:files)) AS j (value)
 JOIN code_node n ON n.file_num = j.value
 JOIN code_edge e ON e.to_num = n.num
 JOIN code_node s ON s.num = e.from_num
 JOIN code_file g ON g.num = s.file_num
 WHERE g.num <> j.value

-- name: code_edges_into
-- Who bears on any of these places.
SELECT e.from_num AS near, e.to_num AS origin, e.kind, e.confidence
  FROM unnest(number_list(:nums)) AS j (value) JOIN code_edge e ON e.to_num = j.value

-- name: code_edges_out_of
-- On whom these places bear.
SELECT e.to_num AS near, e.from_num AS origin, e.kind, e.confidence
  FROM unnest(number_list(:nums)) AS j (value) JOIN code_edge e ON e.from_num = j.value

-- name: code_nodes_by_num
-- Many nodes with their files.
SELECT n.num, n.kind, n.name, n.qualified, n.line, n.end_line, COALESCE(f.path, '') AS path,
       COALESCE(f.module, '') AS module
  FROM unnest(number_list(:nums)) AS j (value) JOIN code_node n ON n.num = j.value LEFT JOIN code_file f ON f.num = n.file_num

-- name: code_links_rename
-- Connections follow a file to its new name.
UPDATE code_link SET source = moved.source, target = moved.target
  FROM (SELECT l.num,
               CASE WHEN l.source = :old OR substr(l.source, 1, length(:old) + 2) = :old || '::'
                    THEN :new || substr(l.source, length(:old) + 1) ELSE l.source END AS source,
               CASE WHEN l.target = :old OR substr(l.target, 1, length(:old) + 2) = :old || '::'
                    THEN :new || substr(l.target, length(:old) + 1) ELSE l.target END AS target
          FROM code_link l
         WHERE l.project_id = :project_id
           AND (l.source = :old OR l.target = :old OR substr(l.source, 1, length(:old) + 2) = :old || '::'
                OR substr(l.target, 1, length(:old) + 2) = :old || '::')) AS moved
 WHERE code_link.num = moved.num
   AND NOT EXISTS (SELECT 1 FROM code_link o
                    WHERE o.project_id = code_link.project_id AND o.source = moved.source AND o.kind = code_link.kind
                      AND o.target = moved.target)
