"""How what was saved is told: a figure where it was counted, else how much is missing to count it."""

from __future__ import annotations

from typing import Any

from recollect.model.savings import ENOUGH, Savings
from recollect.model.value import asdict
from recollect.surfaces.cli import output


def spoken_savings(savings: Savings) -> str:
    """Tokens saved, in a sentence that says what they are counted from."""
    here, mean, tokens = savings.here, savings.mean, savings.tokens
    if mean is None or tokens is None:
        found = savings.known.found
        return f"Tokens saved: not known yet; {found} of {ENOUGH} files found without help to compare with."
    files = output.counted(here.direct, "file")
    return (
        f"Tokens saved: {tokens:,}; {files} named in time and opened without a search, told for {here.told:,}, "
        f"against {mean:,.0f} that finding one takes (mean of {savings.known.found})."
    )


def savings_json(savings: Savings) -> dict[str, Any]:
    """The same for programs."""
    return asdict(savings.here) | {
        "tokens": savings.tokens,
        "mean_search": savings.mean,
        "compared_with": savings.known.found,
    }
