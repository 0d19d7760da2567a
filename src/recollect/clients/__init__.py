"""
Coding agents, one folder each: reading their hook payloads and transcripts, and what goes into their settings
files. One row of `registry.py` names all of it.
"""
