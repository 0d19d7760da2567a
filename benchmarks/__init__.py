"""Benchmarks: how well memory answers on public data and how fast, beside baselines in the same run."""
