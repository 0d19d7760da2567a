"""
How a project is written, found by counting: each detector is a row with one small pure function.

Nothing here reads a file or parses one: outlines come from the code graph, texts and settings come in.
"""
