"""Codex: its hook payloads, its transcripts, its installation."""
