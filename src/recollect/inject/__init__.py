"""
The text an agent reads: layouts with slots and budgets as data, scores turned into probabilities, and the one
renderer. It reads and never writes.
"""
