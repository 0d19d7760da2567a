"""
What keeps a store from being lost: snapshots, the commit counter outside the file, room kept for a full disk,
verification.
"""
