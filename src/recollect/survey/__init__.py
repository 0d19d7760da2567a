"""The first look at a project: describes its parts and its habits as memories that wait for review."""
