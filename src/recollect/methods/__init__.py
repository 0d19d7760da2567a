"""Methodologies. Each file describes one as data and small functions; none of them knows the store."""
