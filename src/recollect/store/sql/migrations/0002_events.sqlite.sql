-- What agents did, in the one event language, and what is known about each session.

ALTER TABLE session ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN branch TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN phase TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN work TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN parent_id TEXT;
ALTER TABLE session ADD COLUMN ended_at INTEGER;

ALTER TABLE event ADD COLUMN id TEXT;
CREATE UNIQUE INDEX event_by_id ON event (id) WHERE id IS NOT NULL;
