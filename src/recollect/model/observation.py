"""What recognisers read from a session: an error, a person's correction, a result of using the interface."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.value import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What an error text says, without what changes from one run to the next."""

    # The line to know it by, normalised.
    signature: str
    # That line as it was printed, for people.
    shown: str
    # Every error line found, normalised, the signature's first.
    lines: tuple[str, ...]
    # What a linter, a compiler or a language calls it: `errcheck`, `TS2345`, `KeyError`.
    rule: str = ""
    # The project's files that it names, nearest to the error first.
    files: tuple[str, ...] = ()
    # The test that failed first, and what it asserts as its source says, where the output shows them.
    test: str = ""
    asserted: str = ""
    # Said by the harness, the shell or the network: true of any project, so no memory of this one.
    is_generic: bool = False
    # A slip of the pen that a compiler or linter points at: mended at once, nothing to know next time.
    is_slip: bool = False


class CorrectionKind(StrEnum):
    """The way in which it is put right."""

    NO = "no"
    WRONG = "wrong"
    INSTEAD = "instead"
    DONT = "dont"
    SAID = "said"
    UNDO = "undo"
    STOP = "stop"
    MISSED = "missed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What the person said, cut to the part that corrects."""

    kind: CorrectionKind
    text: str
    # `use Y instead of X`: what is wanted, and what is not.
    wanted: str = ""
    unwanted: str = ""


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
