-- name: chat_agent_put
-- An agent with its persona as it is now.
INSERT INTO chat_agent (id, name, persona, created_at) VALUES (:id, :name, :persona, :created_at)
ON CONFLICT (name) DO UPDATE SET persona = excluded.persona

-- name: chat_agent_by_name
-- One agent.
SELECT id, name, persona, created_at FROM chat_agent WHERE name = :name

-- name: chat_session_put
-- A new conversation.
INSERT INTO chat_session (id, agent_id, project_id, title, shape, started_at, last_at)
VALUES (:id, :agent_id, :project_id, :title, :shape, :at, :at)

-- name: chat_session_by_id
-- One conversation, with its agent's name and how many messages it has.
SELECT s.id, a.name AS agent, s.project_id, s.title, s.shape, s.started_at, s.last_at, s.archived_at,
       (SELECT COUNT(*) FROM chat_message m WHERE m.session_id = s.id) AS messages
  FROM chat_session s
  JOIN chat_agent a ON a.id = s.agent_id
 WHERE s.id = :id

-- name: chat_sessions_recent
-- The newest conversations that are not archived.
SELECT s.id
  FROM chat_session s
  JOIN chat_agent a ON a.id = s.agent_id
 WHERE s.archived_at IS NULL AND (:agent = '' OR a.name = :agent)
 ORDER BY s.last_at DESC, s.id DESC
 LIMIT :limit

-- name: chat_session_heard
-- A conversation went on.
UPDATE chat_session SET last_at = :at WHERE id = :id

-- name: chat_session_archive
-- A conversation is archived.
UPDATE chat_session SET archived_at = :at WHERE id = :id

-- name: chat_message_add
-- One more message.
INSERT INTO chat_message (session_id, number, at, body) VALUES (:session_id, :number, :at, :body)

-- name: chat_messages_count
-- How many messages a conversation has.
SELECT COUNT(*) AS messages FROM chat_message WHERE session_id = :session_id

-- name: chat_messages_of
-- What was said in a conversation, in order.
SELECT number, at, body FROM chat_message WHERE session_id = :session_id ORDER BY number

-- name: chat_output_add
-- What a tool gave back.
INSERT INTO chat_output (session_id, number, part, at, text) VALUES (:session_id, :number, :part, :at, :text)

-- name: chat_outputs_of
-- What tools gave back in a conversation.
SELECT number, part, text FROM chat_output WHERE session_id = :session_id ORDER BY number, part

-- name: chat_outputs_prune
-- Old outputs go; the messages stay.
DELETE FROM chat_output WHERE at < :before
