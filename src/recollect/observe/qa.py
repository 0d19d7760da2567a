"""
A QA report: what it found critical or high becomes error patterns, for a person to look at.

The report is JSON: `{"verdict": "pass" | "fail", "issues": [{"severity": "critical" | "high" | "medium" | "low",
"description": "…", "file": "…", "module": "…", "tried": "…", "recommendation": "…"}]}`. Of an issue, only severity and
description must be there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture.intake import take_in
from recollect.capture.write_context import Door, begin
from recollect.errors import BadInput
from recollect.model.memory import MemoryDraft, Trust
from recollect.model.outcome import Intake
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace
from recollect.observe.explicit_verdicts import VERDICTS

SEVERITIES = ("critical", "high", "medium", "low")
GRAVE = frozenset({"critical", "high"})
CONFIDENCE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing a report found."""

    severity: str
    description: str
    file: str = ""
    module: str = ""
    tried: str = ""
    recommendation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a QA run found, and its verdict if it gave one."""

    issues: tuple[Issue, ...]
    verdict: str = ""


def read_report(form: object) -> Report:
    """A report from its JSON; what is wrong with it is said, and nothing is kept."""
    if not isinstance(form, Mapping) or not isinstance(form.get("issues"), list):
        raise BadInput(reason='a QA report is an object with a list of "issues"')
    verdict = form.get("verdict", "")
    if verdict and verdict not in VERDICTS:
        raise BadInput(reason=f"the verdict of a QA report is pass or fail, not {verdict!r}")
    issues = tuple(_issue(number, issue) for number, issue in enumerate(form["issues"], start=1))
    return Report(issues=issues, verdict=verdict)


def keep_issues(
    door: Door, report: Report, *, session_id: str | None, project_id: str | None
) -> list[Intake]:
    """The grave issues of a report as error patterns; in all or none."""
    drafts = [_draft(issue, session_id, project_id) for issue in report.issues if issue.severity in GRAVE]
    door = replace(door, channel=Channel.QA)
    act = begin(door, "qa", "qa")
    with door.db.transaction():
        return take_in(door, act, drafts)


def _issue(number: int, form: Any) -> Issue:
    if not isinstance(form, Mapping):
        raise BadInput(reason=f"issue {number} of the QA report is no object")
    given = {name: form.get(name, "") for name in Issue.__dataclass_fields__}
    wrong = next((name for name, value in given.items() if not isinstance(value, str)), None)
    if wrong:
        raise BadInput(reason=f'"{wrong}" of issue {number} of the QA report is no text')
    if given["severity"] not in SEVERITIES:
        raise BadInput(reason=f"the severity of issue {number} is one of {', '.join(SEVERITIES)}")
    if not given["description"].strip():
        raise BadInput(reason=f"issue {number} of the QA report has no description")
    return Issue(**given)


def _draft(issue: Issue, session_id: str | None, project_id: str | None) -> MemoryDraft:
    parts: Sequence[str] = (
        issue.description.strip(),
        f"Tried: {issue.tried.strip()}" if issue.tried.strip() else "",
        f"Do instead: {issue.recommendation.strip()}" if issue.recommendation.strip() else "",
    )
    subjects = [Subject("file", issue.file)] if issue.file else []
    subjects += [Subject("module", issue.module)] if issue.module else []
    fields = {"error": issue.description, "fix": issue.recommendation}
    return MemoryDraft(
        text=" ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part),
        kind="error_pattern",
        subjects=tuple(subjects),
        tags=("qa_failure",),
        scope=Scope.MODULE,
        project_id=project_id,
        provenance=Provenance(channel=Channel.QA, source=Source.QA_AUTO, session_id=session_id),
        trust=Trust(needs_review=True),
        confidence=CONFIDENCE,
        fields={name: value for name, value in fields.items() if value},
    )
