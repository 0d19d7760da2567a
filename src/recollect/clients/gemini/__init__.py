"""Gemini CLI: its hook payloads, its transcripts, its installation."""
