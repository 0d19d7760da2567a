"""Reads a project's code once to say, for review, what its parts are for and how it is written."""
