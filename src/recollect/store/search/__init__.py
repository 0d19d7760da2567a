"""Full-text and vector search inside the database: BM25, nearest vectors, and the cache of a long-lived process."""
