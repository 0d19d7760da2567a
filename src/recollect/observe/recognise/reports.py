"""Where a line tells a status itself: `; echo "exit=$?"`, `; exit ${PIPESTATUS[0]}`, `&& echo OK || echo BAD`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.model.value import dataclass
from recollect.observe.recognise.shell import AndOr, Pipeline, ShellLine, Simple

STATUS = "$?"
_STATUS = re.compile(r"\$\?|\$\{\?\}|\$\{?(?:PIPESTATUS\[0\]|pipestatus\[1\])\}?")
_ASSIGNED_STATUS = re.compile(r"([A-Za-z_]\w*)=(.+)")
_MAX_ECHO = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """How the status of one list reaches the reader."""

    # The printed text, with `$?` where the number stands.
    echo: str = ""
    is_final: bool = False
    # PIPESTATUS names the first command of the pipe, not the last.
    of_first_part: bool = False


def find_status_reports(line: ShellLine) -> dict[int, StatusReport]:
    """For each list whose status the line hands on, by its place in the line."""
    commands = [_first_command(joined) for joined in line.lists]
    reports: dict[int, StatusReport] = {}
    for at, following in enumerate(commands[1:]):
        status = _STATUS.search(" ".join(following)[:_MAX_ECHO])
        if not status:
            continue
        of_first_part = "status" in status[0].lower()
        assignment = _ASSIGNED_STATUS.fullmatch(following[0])
        later = commands[at + 2 :] if assignment else [following]
        name = re.compile(rf"\$\{{?{assignment[1]}\}}?(?!\w)") if assignment else _STATUS
        for words in later:
            if report := _make_report(words, name, of_first_part=of_first_part):
                reports[at] = report
                break
    return reports


def find_echoed_outcomes(joined: AndOr, rescue_at: int) -> tuple[str, str]:
    """What `a && echo OK || echo BAD` prints after a pass and after a failure."""
    if rescue_at >= len(joined.pipelines):
        return "", ""
    return _echoed_text(joined.pipelines[rescue_at - 1]), _echoed_text(joined.pipelines[rescue_at])


def _echoed_text(pipeline: Pipeline) -> str:
    part = pipeline.parts[0]
    if not isinstance(part, Simple) or part.words[0] != "echo" or part.to_file:
        return ""
    text = " ".join(word for word in part.words[1:] if word not in {"-e", "-n"}).strip()
    return "" if "$" in text else text[:_MAX_ECHO]


def _make_report(words: Sequence[str], name: re.Pattern[str], *, of_first_part: bool) -> StatusReport | None:
    text = " ".join(word for word in words[1:] if word not in {"-e", "-n"}).strip()[:_MAX_ECHO]
    if not words or not name.search(text):
        return None
    if words[0] in {"exit", "return"}:
        return StatusReport(is_final=True, of_first_part=of_first_part)
    if words[0] == "echo":
        return StatusReport(echo=name.sub(lambda _: STATUS, text, count=1), of_first_part=of_first_part)
    return None


def _first_command(joined: AndOr) -> tuple[str, ...]:
    """The words of a list that is one command, or of its first command."""
    first = joined.pipelines[0].parts[0]
    return first.words if isinstance(first, Simple) else ("",)
