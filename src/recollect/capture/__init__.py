"""
The one door for writes: clean, redact, judge the trust, find duplicates and contradictions, embed, one transaction;
also edit, review, forget and undo.
"""
