"""
What an agent did, as it is written down: event dictionaries, cleaning, redaction of secrets, the Bloom filter of
what was read, and the inbox file. Standard library only, because every hook loads it.
"""
