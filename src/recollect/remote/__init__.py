"""
A client of a server: acts asked for over the line, a spool of what agents did, and a mirror to read from offline.
"""
