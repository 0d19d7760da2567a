"""
Values: frozen, checked when made, and the arithmetic on them. `policy.py` holds every number that two processes
must agree on. No files, no clock, no SQL.
"""
