"""Claude Code: its hook payloads, its transcripts, its installation."""
