"""From episodes to knowledge: insights counted from repeated evidence, duplicates merged, old outcomes folded."""
