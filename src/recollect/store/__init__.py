"""Where memories live: the only SQL and the only database drivers."""
