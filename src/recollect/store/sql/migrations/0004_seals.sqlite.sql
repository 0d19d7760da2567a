-- A seal per memory (what was altered can be named), the store's own name, and the number of its commits.

ALTER TABLE memory ADD COLUMN seal TEXT;
INSERT INTO meta (key, value) VALUES ('store', lower(hex(randomblob(8)))), ('commits', '0');
