"""Cursor (written from its documentation, never tried): its hook payloads, its transcripts, its installation."""
