"""Models: tiers that turn text into vectors, and the optional one that writes. The only network to one."""
