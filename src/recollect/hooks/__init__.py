"""
The hot path: the process a coding agent starts at every event, `python -m recollect.hooks CLIENT EVENT`. It records
the event, and at a prompt, a start or a tool result it may answer with a few lines.
"""
