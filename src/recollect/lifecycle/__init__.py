"""Ageing: what use and time do to memories."""
