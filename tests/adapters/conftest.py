"""Tests of adapters: they run where the frameworks are installed (`make test-adapters`) and are skipped elsewhere."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SUITES = HERE.parents[1] / ".adapters"


def needs(module: str) -> pytest.MarkDecorator:
    """Skip, with a sentence, where a framework is not installed."""
    is_missing = find_spec(module.split(".")[0]) is None or find_spec(module) is None
    return pytest.mark.skipif(is_missing, reason=f"{module} is not installed; see `make test-adapters`")


def count(record_property: object, suite: str, text: str) -> None:
    """Note how many of a framework's own tests ran."""
    assert callable(record_property)
    record_property("suite", f"{suite}: {text}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the counts, one line for each suite."""
    lines = sorted(
        str(value)
        for report in terminalreporter.getreports("passed")
        for name, value in getattr(report, "user_properties", ())
        if name == "suite"
    )
    standard = [
        report for report in terminalreporter.getreports("passed") if "test_langchain_suites" in report.nodeid
    ]
    if standard:
        lines.append(f"langchain-tests, stores and retriever: {len(standard)} passed")
    if lines:
        terminalreporter.section("the frameworks' own tests, run against our adapters")
        for line in lines:
            terminalreporter.write_line(line)
