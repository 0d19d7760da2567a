"""From failures to lessons: gathered from sessions, clustered by meaning and shape, said as one rule, and judged."""
