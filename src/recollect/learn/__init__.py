"""
From what happened to lessons: signals, notes in a scratchpad, the verdict of the session's own checks, promotion to
memories, recipes.
"""
