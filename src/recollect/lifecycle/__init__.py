"""
What use and time do to memories: decay, reinforcement, automatic confirmation, following files that move, pruning,
and the table of upkeep jobs.
"""
