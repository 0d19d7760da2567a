"""Memories on the move: out of a store and into another."""
