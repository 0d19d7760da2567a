"""How long the trials of durability take, and the table of what they found."""

from __future__ import annotations

from collections import Counter

import pytest

_FOUND: Counter[str] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="as many kills, cuts and faults as are promised")


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    """Whether this is the long form; the short one takes seconds."""
    return bool(request.config.getoption("--long", default=False))


@pytest.fixture(scope="session")
def tally() -> Counter[str]:
    """What was tried and what was found, for the table at the end."""
    return _FOUND


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _FOUND and terminalreporter.config.getoption("--long", default=False):
        terminalreporter.section("durability")
        for what, count in _FOUND.items():
            terminalreporter.write_line(f"{count:>9,}  {what}")
