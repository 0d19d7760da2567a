-- Where pgvector is at hand, the vectors once more, as its functions take them. What counts stays in `vector`.
CREATE DOMAIN embedding AS @extension.vector;
CREATE TABLE vector_near (
    org        INTEGER NOT NULL DEFAULT current_org(),
    seq        BIGINT NOT NULL,
    model_num  BIGINT NOT NULL,
    memory_num BIGINT NOT NULL,
    embedding  EMBEDDING NOT NULL,
    PRIMARY KEY (org, seq),
    FOREIGN KEY (org, seq) REFERENCES vector (org, seq) ON DELETE CASCADE
);
CREATE INDEX vector_near_by_memory ON vector_near (org, memory_num, model_num);
