"""Ways of working. Each file describes one; none of them knows where memories are kept."""
