"""Context out: memories become text that an agent reads. This room reads and never writes."""
