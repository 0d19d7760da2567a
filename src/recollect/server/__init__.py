"""
One memory for several people: accounts and keys, who may see what, acts asked for from elsewhere, done once.

It knows nothing of HTTP: `surfaces/server` puts it on a line.
"""
