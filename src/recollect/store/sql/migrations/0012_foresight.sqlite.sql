-- What is kept of past sessions to foresee the files of the next: the files of each and the words seen in them.

CREATE TABLE past_session (
    num        INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE REFERENCES session (id) ON DELETE CASCADE,
    branch     TEXT NOT NULL DEFAULT '',
    folder     TEXT NOT NULL DEFAULT '',
    -- When it last touched a file, and how far it was read.
    at         INTEGER NOT NULL,
    seen_to    INTEGER NOT NULL
) STRICT;

CREATE TABLE past_path (
    num  INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    -- The last part of the path, as people write it.
    name TEXT NOT NULL
) STRICT;
CREATE INDEX past_path_by_name ON past_path (name);

-- A file in a session. One that was never touched was only named, by a search, a command or the agent.
CREATE TABLE past_file (
    session INTEGER NOT NULL REFERENCES past_session (num) ON DELETE CASCADE,
    path    INTEGER NOT NULL REFERENCES past_path (num),
    touched INTEGER NOT NULL,
    edited  INTEGER NOT NULL,
    branch  TEXT NOT NULL DEFAULT '',
    -- How many words were seen of it.
    length  INTEGER NOT NULL,
    PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_file_by_path ON past_file (path);

CREATE TABLE past_word (
    word    TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES past_session (num) ON DELETE CASCADE,
    path    INTEGER NOT NULL,
    times   INTEGER NOT NULL,
    PRIMARY KEY (word, session, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_word_by_session ON past_word (session);

-- A name that a file was seen to define.
CREATE TABLE past_name (
    name    TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES past_session (num) ON DELETE CASCADE,
    path    INTEGER NOT NULL,
    PRIMARY KEY (name, session, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_name_by_session ON past_name (session);
