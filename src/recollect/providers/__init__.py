"""
Models: embedding tiers that turn text into vectors, and the optional writing model. The only room with network.
"""
