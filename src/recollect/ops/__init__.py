"""Scheduled agents that remember: runs, markers, cooldowns, health, and what one run tells the next."""
