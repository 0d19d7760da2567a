"""The outside: what people, agents and schedulers touch. Parse in, one engine call, render out."""
