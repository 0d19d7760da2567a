-- Whose memories these are: asked by the driver, which no other database has.

-- name: organisation_commits
-- How many transactions have changed an organisation's rows.
SELECT commits FROM organisation WHERE num = current_org()

-- name: organisation_count
-- One more transaction, with the last number given in each table.
UPDATE organisation SET commits = commits + 1, numbers = :numbers WHERE num = current_org()

-- name: organisation_by_id
-- The number of an organisation.
SELECT num FROM organisation WHERE id = :id

-- name: organisation_insert
-- A new organisation.
INSERT INTO organisation (num, id, created_at)
SELECT COALESCE(MAX(num), 0) + 1, :id, :created_at FROM organisation
ON CONFLICT DO NOTHING RETURNING num

-- name: vector_near_insert
-- A vector once more, as pgvector takes it.
INSERT INTO vector_near (seq, model_num, memory_num, embedding)
VALUES (:seq, :model_num, :memory_num, CAST(:vector AS EMBEDDING))
