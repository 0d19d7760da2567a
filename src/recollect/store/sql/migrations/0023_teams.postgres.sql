-- Several people share a store: whose a memory is, who may see it, and who did what.

-- The person for whom a connection asks, and the projects that were granted to them; NULL: nobody in particular, and all.
CREATE FUNCTION current_person() RETURNS TEXT LANGUAGE SQL STABLE PARALLEL SAFE
    AS $$ SELECT NULLIF(current_setting('recollect.person', true), '') $$;
CREATE FUNCTION granted_projects() RETURNS TEXT[] LANGUAGE SQL STABLE PARALLEL SAFE
    AS $$ SELECT CAST(NULLIF(current_setting('recollect.projects', true), '') AS TEXT[]) $$;

ALTER TABLE session ADD COLUMN owner TEXT COLLATE "C";
ALTER TABLE memory ADD COLUMN owner TEXT COLLATE "C";

-- Who may use a store that several people share.
CREATE TABLE person (
    org        INTEGER NOT NULL DEFAULT current_org(),
    name       TEXT COLLATE "C" NOT NULL,
    role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- An argon2 hash for the dashboard; empty: this person has not chosen a password.
    password   TEXT COLLATE "C" NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org, name)
);

-- Keys of programs. The key itself is nowhere: its first characters find the row, its SHA-256 proves it.
CREATE TABLE access_token (
    org        INTEGER NOT NULL DEFAULT current_org(),
    prefix     TEXT COLLATE "C" NOT NULL,
    person     TEXT COLLATE "C" NOT NULL,
    digest     TEXT COLLATE "C" NOT NULL,
    label      TEXT COLLATE "C" NOT NULL,
    -- The most it may: never more than its person.
    role       TEXT COLLATE "C" NOT NULL CHECK (role IN ('admin', 'member', 'reader')),
    -- Whether an agent holds it: then nothing is confirmed, pinned or purged with it.
    agent      BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    used_at    BIGINT,
    PRIMARY KEY (org, prefix),
    FOREIGN KEY (org, person) REFERENCES person (org, name) ON DELETE CASCADE
);
CREATE INDEX access_token_by_person ON access_token (org, person);

-- Which projects a person may see; `*` is every project.
CREATE TABLE project_grant (
    org        INTEGER NOT NULL DEFAULT current_org(),
    person     TEXT COLLATE "C" NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    may_write  BIGINT NOT NULL,
    PRIMARY KEY (org, person, project_id),
    FOREIGN KEY (org, person) REFERENCES person (org, name) ON DELETE CASCADE
);

-- Who did what and when; never what a memory says.
CREATE TABLE audit (
    org    INTEGER NOT NULL DEFAULT current_org(),
    seq    BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    token  TEXT COLLATE "C" NOT NULL,
    act    TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    status BIGINT NOT NULL,
    PRIMARY KEY (org, seq)
);

-- What was answered to a request that has a key of its own, so that asking again changes nothing.
CREATE TABLE answered_request (
    org    INTEGER NOT NULL DEFAULT current_org(),
    person TEXT COLLATE "C" NOT NULL,
    key    TEXT COLLATE "C" NOT NULL,
    act    TEXT COLLATE "C" NOT NULL,
    at     BIGINT NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, person, key)
);
CREATE INDEX answered_request_by_time ON answered_request (org, at);

-- Memories that a person would share, where a project wants a second person to agree.
CREATE TABLE share_request (
    org       INTEGER NOT NULL DEFAULT current_org(),
    memory_id TEXT COLLATE "C" NOT NULL,
    person    TEXT COLLATE "C" NOT NULL,
    at        BIGINT NOT NULL,
    why       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, memory_id),
    FOREIGN KEY (org, memory_id) REFERENCES memory (org, id) ON DELETE CASCADE
);

-- What a person is shown of what their organisation keeps: what is everybody's in the projects granted to them, and what
-- is their own. It holds beside the rule that keeps organisations apart; without a person, that one holds alone.
CREATE POLICY visible_rows ON project AS RESTRICTIVE
    USING ((SELECT granted_projects()) IS NULL OR id = ANY (CAST((SELECT granted_projects()) AS TEXT[])));
CREATE POLICY visible_rows ON memory AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR ((owner IS NULL OR owner = (SELECT current_person()))
               AND (project_id IS NULL OR (SELECT granted_projects()) IS NULL
                    OR project_id = ANY (CAST((SELECT granted_projects()) AS TEXT[])))));
CREATE POLICY visible_rows ON session AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR ((owner IS NULL OR owner = (SELECT current_person()))
               AND (project_id IS NULL OR (SELECT granted_projects()) IS NULL
                    OR project_id = ANY (CAST((SELECT granted_projects()) AS TEXT[])))));
CREATE POLICY visible_rows ON history AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR EXISTS (SELECT 1 FROM memory m WHERE m.org = history.org AND m.id = history.memory_id))
    WITH CHECK (true);
CREATE POLICY visible_rows ON event AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR ((session_id IS NULL OR EXISTS (SELECT 1 FROM session s WHERE s.org = event.org AND s.id = event.session_id))
               AND (memory_id IS NULL OR EXISTS (SELECT 1 FROM memory m WHERE m.org = event.org AND m.id = event.memory_id))
               AND (project_id IS NULL OR (SELECT granted_projects()) IS NULL
                    OR project_id = ANY (CAST((SELECT granted_projects()) AS TEXT[])))))
    WITH CHECK (true);
CREATE POLICY visible_rows ON note AS RESTRICTIVE
    USING ((SELECT current_person()) IS NULL
           OR EXISTS (SELECT 1 FROM session s WHERE s.org = note.org AND s.id = note.session_id))
    WITH CHECK (true);
