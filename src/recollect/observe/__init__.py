"""
From raw events to what happened: the inbox drained into the store, sessions as steps and units of work, command
lines and errors recognised, past transcripts imported.
"""
