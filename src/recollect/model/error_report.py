"""An error as it can be recognised again."""

from __future__ import annotations

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
    # Said by the harness, the shell or the network: true of any project, so no memory of this one.
    is_generic: bool = False
    # A slip of the pen that a compiler or linter points at: mended at once, nothing to know next time.
    is_slip: bool = False
