-- A write touches fewer pages: search finds the neighbours' words, so they are no longer filed with a memory (the
-- index is filled anew afterwards), and an index goes that only undo would use.

DROP TABLE memory_vocab;
DROP TABLE memory_fts;

CREATE VIRTUAL TABLE memory_fts USING fts5 (
    text, subjects,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE memory_vocab USING fts5vocab ('memory_fts', 'row');
CREATE VIRTUAL TABLE memory_term USING fts5vocab ('memory_fts', 'instance');

DROP INDEX history_by_act;
