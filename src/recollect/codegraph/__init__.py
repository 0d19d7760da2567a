"""The code graph: structure by tree-sitter, names resolved per language, kept in the store by content."""
