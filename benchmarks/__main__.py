"""`python -m benchmarks`: measure how well memory answers and how fast, beside baselines in the same run."""

from __future__ import annotations

import os

# Set before numpy is imported: our matrices are small, a second thread costs more to start than it saves.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.commands import benchmarks_cli

if __name__ == "__main__":
    benchmarks_cli(prog_name="python -m benchmarks")
