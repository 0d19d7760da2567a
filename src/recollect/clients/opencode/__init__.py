"""OpenCode: its hook payloads, its transcripts, its installation."""
