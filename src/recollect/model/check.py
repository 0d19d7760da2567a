"""What a shell command line does, and how a check came out."""

from __future__ import annotations

from enum import StrEnum

from recollect.model.value import dataclass


class CommandKind(StrEnum):
    """What a command is run for."""

    TEST = "test"
    BUILD = "build"
    LINT = "lint"
    TYPECHECK = "typecheck"
    FORMAT = "format"
    COMMIT = "commit"
    REVERT = "revert"
    INSTALL = "install"
    SEARCH = "search"
    READ = "read"
    OTHER = "other"


CHECKS = frozenset({CommandKind.TEST, CommandKind.BUILD, CommandKind.LINT, CommandKind.TYPECHECK})


class CheckVerdict(StrEnum):
    """How a finished check came out, as far as anyone can tell."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class OutputShown(StrEnum):
    """How much of what a command printed reaches the reader."""

    ALL = "all"
    HEAD = "head"
    PART = "part"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandStep:
    """One command of a line: what it is for, on what, and what the line's exit status says about it."""

    kind: CommandKind
    tool: str
    targets: tuple[str, ...] = ()
    # The name or pattern that picks tests out of the targets: `-k`, `-run`, `--grep`.
    only: str = ""
    # The message of a commit.
    message: str = ""
    zero_means_pass: bool = False
    nonzero_means_fail: bool = False
    # A text the line prints with this command's own status in it, as `exit=$?`.
    status_echo: str = ""
    # What the line prints if it passed or failed, as in `&& echo OK || echo BAD`.
    said_on_pass: str = ""
    said_on_fail: str = ""
    shown: OutputShown = OutputShown.ALL
    # How many lines `head` lets through; more than that were cut off.
    head_lines: int = 0
    in_background: bool = False

    @property
    def is_check(self) -> bool:
        """Whether a pass or a failure of this command says something about the code."""
        return self.kind in CHECKS


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A line as a shell would take it apart, without what merely moves about or prints."""

    steps: tuple[CommandStep, ...]
    # Every command that can make the line fail is a check, so a failure is theirs.
    only_checks_can_fail: bool = False

    @property
    def checks(self) -> tuple[CommandStep, ...]:
        """The commands whose outcome says something about the code."""
        return tuple(step for step in self.steps if step.is_check)

    @property
    def kinds(self) -> tuple[CommandKind, ...]:
        """What the line does, in order, each once."""
        return tuple(dict.fromkeys(step.kind for step in self.steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCheck:
    """A check and how it came out."""

    step: CommandStep
    verdict: CheckVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJudgement:
    """How a finished line came out: as a whole, and each of its checks."""

    verdict: CheckVerdict
    checks: tuple[JudgedCheck, ...] = ()
