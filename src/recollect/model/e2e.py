"""What using an application's interface showed."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.value import dataclass


class E2EClass(StrEnum):
    """The sorts of things that only show when the application runs."""

    PRECONDITION = "precondition"
    TIMING = "timing"
    UI_BEHAVIOR = "ui_behavior"
    TEST_SEQUENCE = "test_sequence"
    MCP_GOTCHA = "mcp_gotcha"


@dataclass(frozen=True, slots=True, kw_only=True)
class E2EObservation:
    """One observation: its class, the act, what it is about, and the words that told."""

    observed: E2EClass
    server: str
    tool: str
    act: str
    # The element as a person would name it, else its selector.
    about: str = ""
    # The page, without host and query.
    page: str = ""
    # The component's file, where the result names one.
    file: str = ""
    evidence: str = ""
