-- The code graph, in the common part of the dialects.

-- name: code_tree_at
-- The checkout at this folder.
SELECT num, project_id, root, built_at, generation, settings, left_out FROM code_tree WHERE root = :root

-- name: code_trees_of_project
-- Every checkout of a project that is in the graph.
SELECT num, root FROM code_tree WHERE project_id = :project_id ORDER BY root

-- name: code_tree_insert
-- A checkout seen for the first time.
INSERT INTO code_tree (project_id, root) VALUES (:project_id, :root) ON CONFLICT (root) DO NOTHING

-- name: code_tree_built
-- The graph of a checkout was brought up to date.
UPDATE code_tree
   SET project_id = :project_id, built_at = :built_at, generation = generation + 1,
       settings = :settings, left_out = :left_out
 WHERE num = :num

-- name: code_tree_delete
-- A checkout that is gone.
DELETE FROM code_tree WHERE num = :num

-- name: code_files
-- The files of a checkout.
SELECT num, path, language, seen, blob, package, module, signature, left_out, broken
  FROM code_file WHERE tree_num = :tree_num

-- name: code_file_highest
-- The newest number of a file.
SELECT COALESCE(MAX(num), 0) AS num FROM code_file

-- name: code_file_insert
-- A file seen for the first time.
INSERT INTO code_file (num, tree_num, path, language, seen, blob, package, module, signature, left_out, broken)
VALUES (:num, :tree_num, :path, :language, :seen, :blob, :package, :module, :signature, :left_out, :broken)

-- name: code_file_update
-- A file that was changed, or goes by another name now.
UPDATE code_file
   SET path = :path, language = :language, seen = :seen, blob = :blob, package = :package, module = :module,
       signature = :signature, left_out = :left_out, broken = :broken
 WHERE num = :num

-- name: code_file_delete
-- A file that is gone, with its nodes and their edges.
DELETE FROM code_file WHERE num = :num

-- name: code_mention_insert
-- A file asks others for this name.
INSERT INTO code_mention (name, file_num) VALUES (:name, :file_num) ON CONFLICT DO NOTHING

-- name: code_mentions_clear
-- A file asks for other names from now on.
DELETE FROM code_mention WHERE file_num = :file_num

-- name: code_parse_keep
-- What the bytes of a file say.
INSERT INTO code_parse (blob, language, version, used_at, outline)
VALUES (:blob, :language, :version, :used_at, :outline)
ON CONFLICT (blob, language) DO UPDATE
   SET version = excluded.version, used_at = excluded.used_at, outline = excluded.outline

-- name: code_parse_get
-- What is known of these bytes.
SELECT outline FROM code_parse WHERE blob = :blob AND language = :language AND version = :version

-- name: code_parses_forget
-- Bytes that no checkout holds and nobody asked for since then.
DELETE FROM code_parse
 WHERE used_at < :before
   AND NOT EXISTS (SELECT 1 FROM code_file f WHERE f.blob = code_parse.blob AND f.language = code_parse.language)

-- name: code_node_highest
-- The newest number of a node.
SELECT COALESCE(MAX(num), 0) AS num FROM code_node

-- name: code_nodes_of_file
-- The nodes of one file.
SELECT num, kind, name, qualified, line, end_line FROM code_node WHERE file_num = :file_num

-- name: code_nodes_at_path
-- The nodes of the file at this path.
SELECT n.num, n.qualified FROM code_file f JOIN code_node n ON n.file_num = f.num
 WHERE f.tree_num = :tree_num AND f.path = :path

-- name: code_node_insert
-- A place in the code.
INSERT INTO code_node (num, tree_num, file_num, kind, name, qualified, line, end_line)
VALUES (:num, :tree_num, :file_num, :kind, :name, :qualified, :line, :end_line)

-- name: code_node_update
-- The same place, elsewhere in its file.
UPDATE code_node SET kind = :kind, name = :name, line = :line, end_line = :end_line WHERE num = :num

-- name: code_node_delete
-- A place that is gone, with its edges.
DELETE FROM code_node WHERE num = :num

-- name: code_nodes_apart
-- The directories and modules of a checkout.
SELECT num, kind, name FROM code_node WHERE tree_num = :tree_num AND file_num IS NULL

-- name: code_nodes_all
-- Every node of a checkout with its file.
SELECT n.num, n.kind, n.name, n.qualified, n.line, n.end_line, COALESCE(f.path, '') AS path,
       COALESCE(f.module, '') AS module
  FROM code_node n LEFT JOIN code_file f ON f.num = n.file_num
 WHERE n.tree_num = :tree_num ORDER BY n.num

-- name: code_node_by_key
-- The node of this name in this file.
SELECT n.num, n.kind, n.name, n.qualified, n.line, n.end_line, f.path, f.module
  FROM code_file f JOIN code_node n ON n.file_num = f.num
 WHERE f.tree_num = :tree_num AND f.path = :path AND n.qualified = :qualified

-- name: code_edges_clear
-- The edges that leave a file are made anew.
DELETE FROM code_edge WHERE from_num IN (SELECT num FROM code_node WHERE file_num = :file_num)

-- name: code_edge_insert
-- One place bears on another.
INSERT INTO code_edge (from_num, kind, to_num, confidence, lines)
VALUES (:from_num, :kind, :to_num, :confidence, :lines)
ON CONFLICT (from_num, kind, to_num) DO NOTHING

-- name: code_edges_all
-- Every edge of a checkout, for a process that keeps them.
SELECT e.from_num, e.to_num, e.kind, e.confidence FROM code_edge e
  JOIN code_node n ON n.num = e.from_num
 WHERE n.tree_num = :tree_num

-- name: code_file_links
-- Between which files edges lead, and how many; exports and what only a name speaks for aside.
SELECT a.path, b.path AS other, CAST(COUNT(*) AS REAL) AS edges
  FROM code_edge e JOIN code_node s ON s.num = e.from_num JOIN code_node t ON t.num = e.to_num
  JOIN code_file a ON a.num = s.file_num JOIN code_file b ON b.num = t.file_num
 WHERE s.tree_num = :tree_num AND e.kind <> 'exports' AND e.confidence = 1 AND a.num <> b.num
 GROUP BY a.path, b.path

-- name: code_definitions_by_file
-- How many definitions each file has.
SELECT f.path, COUNT(*) AS definitions FROM code_file f JOIN code_node n ON n.file_num = f.num
 WHERE f.tree_num = :tree_num AND n.qualified <> '' GROUP BY f.path

-- name: code_definition_names
-- The names that each file defines.
SELECT f.path, n.name FROM code_file f JOIN code_node n ON n.file_num = f.num
 WHERE f.tree_num = :tree_num AND n.qualified <> '' ORDER BY f.path, n.line

-- name: code_nodes_named
-- Definitions of this name.
SELECT f.path, n.qualified FROM code_node n JOIN code_file f ON f.num = n.file_num
 WHERE n.name = :name AND n.tree_num = :tree_num AND n.qualified <> '' ORDER BY f.path, n.line

-- name: code_edge_lines
-- Where one place bears on another.
SELECT kind, confidence, lines FROM code_edge WHERE from_num = :from_num AND to_num = :to_num

-- name: code_status_languages
-- Files in the graph by language.
SELECT language, COUNT(*) AS files, COALESCE(SUM(broken), 0) AS broken FROM code_file
 WHERE tree_num = :tree_num AND left_out = '' GROUP BY language ORDER BY files DESC, language

-- name: code_status_nodes
-- Nodes by kind.
SELECT kind, COUNT(*) AS nodes FROM code_node WHERE tree_num = :tree_num GROUP BY kind ORDER BY kind

-- name: code_status_edges
-- Edges by kind.
SELECT e.kind, COUNT(*) AS edges, SUM(CASE WHEN e.confidence < 1 THEN 1 ELSE 0 END) AS weak
  FROM code_node n JOIN code_edge e ON e.from_num = n.num
 WHERE n.tree_num = :tree_num GROUP BY e.kind ORDER BY e.kind

-- name: code_status_left_out
-- Files that are not read, by reason.
SELECT left_out, COUNT(*) AS files, MIN(path) AS example FROM code_file
 WHERE tree_num = :tree_num AND left_out <> '' GROUP BY left_out ORDER BY left_out

-- name: code_note_set
-- Somebody says there is a pattern, dataflow, invariant or decision.
INSERT INTO code_note (project_id, kind, name, text, confidence, channel, added_by, added_at)
VALUES (:project_id, :kind, :name, :text, :confidence, :channel, :added_by, :added_at)
ON CONFLICT (project_id, kind, name) DO UPDATE
   SET text = excluded.text, confidence = excluded.confidence, channel = excluded.channel,
       added_by = excluded.added_by, added_at = excluded.added_at

-- name: code_notes
-- What was added to a project's graph.
SELECT kind, name, text, confidence, channel, added_by, added_at FROM code_note
 WHERE project_id = :project_id ORDER BY kind, name

-- name: code_added_mark
-- How much was added to a project's graph, and when last.
SELECT COUNT(*) AS added, COALESCE(MAX(added_at), 0) AS newest FROM
       (SELECT added_at FROM code_note WHERE project_id = :project_id
         UNION ALL SELECT added_at FROM code_link WHERE project_id = :project_id) AS everything

-- name: code_note_delete
-- It is not so.
DELETE FROM code_note WHERE project_id = :project_id AND kind = :kind AND name = :name

-- name: code_link_set
-- Somebody says that one place bears on another.
INSERT INTO code_link (project_id, source, kind, target, confidence, channel, added_by, added_at)
VALUES (:project_id, :source, :kind, :target, :confidence, :channel, :added_by, :added_at)
ON CONFLICT (project_id, source, kind, target) DO UPDATE
   SET confidence = excluded.confidence, channel = excluded.channel, added_by = excluded.added_by,
       added_at = excluded.added_at

-- name: code_links
-- Every connection that was added to a project's graph.
SELECT source, kind, target, confidence, channel, added_by, added_at FROM code_link
 WHERE project_id = :project_id ORDER BY source, kind, target

-- name: code_link_delete
-- It is not so.
DELETE FROM code_link WHERE project_id = :project_id AND source = :source AND kind = :kind AND target = :target

-- name: code_links_of_note_delete
-- Connections of something that was taken back.
DELETE FROM code_link WHERE project_id = :project_id AND (source = :key OR target = :key)
