"""Where a line tells a status itself: `; echo "exit=$?"`, `; exit ${PIPESTATUS[0]}`, `&& echo OK || echo BAD`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.model.value import dataclass
from recollect.observe.recognise.shell import AndOr, Line, Pipeline, Simple

STATUS = "$?"
_STATUS = re.compile(r"\$\?|\$\{\?\}|\$\{?(?:PIPESTATUS\[0\]|pipestatus\[1\])\}?")
_KEPT = re.compile(r"([A-Za-z_]\w*)=(.+)")
_LONGEST_ECHO = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How the status of one list reaches the reader."""

    # The printed text, with `$?` where the number stands.
    echo: str = ""
    is_final: bool = False
    # PIPESTATUS names the first command of the pipe, not the last.
    of_first_part: bool = False


def reports_of(line: Line) -> dict[int, Report]:
    """For each list whose status the line hands on, by its place in the line."""
    commands = [_command(joined) for joined in line.lists]
    reports: dict[int, Report] = {}
    for at, following in enumerate(commands[1:]):
        found = _STATUS.search(" ".join(following)[:_LONGEST_ECHO])
        if not found:
            continue
        of_first_part = "status" in found[0].lower()
        kept = _KEPT.fullmatch(following[0])
        later = commands[at + 2 :] if kept else [following]
        name = re.compile(rf"\$\{{?{kept[1]}\}}?(?!\w)") if kept else _STATUS
        for words in later:
            if report := _report(words, name, of_first_part=of_first_part):
                reports[at] = report
                break
    return reports


def said_by(joined: AndOr, rescue_at: int) -> tuple[str, str]:
    """What `a && echo OK || echo BAD` prints after a pass and after a failure."""
    if rescue_at >= len(joined.pipelines):
        return "", ""
    return _said(joined.pipelines[rescue_at - 1]), _said(joined.pipelines[rescue_at])


def _said(pipeline: Pipeline) -> str:
    part = pipeline.parts[0]
    if not isinstance(part, Simple) or part.words[0] != "echo" or part.to_file:
        return ""
    text = " ".join(word for word in part.words[1:] if word not in {"-e", "-n"}).strip()
    return "" if "$" in text else text[:_LONGEST_ECHO]


def _report(words: Sequence[str], name: re.Pattern[str], *, of_first_part: bool) -> Report | None:
    text = " ".join(word for word in words[1:] if word not in {"-e", "-n"}).strip()[:_LONGEST_ECHO]
    if not words or not name.search(text):
        return None
    if words[0] in {"exit", "return"}:
        return Report(is_final=True, of_first_part=of_first_part)
    if words[0] == "echo":
        return Report(echo=name.sub(lambda _: STATUS, text, count=1), of_first_part=of_first_part)
    return None


def _command(joined: AndOr) -> tuple[str, ...]:
    """The words of a list that is one command, or of its first command."""
    first = joined.pipelines[0].parts[0]
    return first.words if isinstance(first, Simple) else ("",)
