"""Bringing a store back: backup and restore, rebuilding a damaged file from what can still be read."""
