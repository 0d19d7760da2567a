"""
From what happened to lessons: signals, notes in a scratchpad, the verdict of the session's own checks, promotion to
memories, recipes. And listening: what the agent and the person said, chosen, joined and proved by the session's work.
"""
