"""
QA reports: issues of critical or high severity become error patterns; their words wait for a person's yes.

The report is JSON: `{"verdict": "pass" | "fail", "issues": [{"severity": "critical" | "high" | "medium" | "low",
"description": "…", "file": "…", "module": "…", "tried": "…", "recommendation": "…"}]}`. Of an issue, only severity and
description must be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recollect.capture.intake import take_in
from recollect.capture.write_context import WriteContext, begin_act
from recollect.errors import BadInput
from recollect.model.memory import Intake, MemoryDraft, Trust
from recollect.model.provenance import Channel, Provenance, Source
from recollect.model.scope import Scope
from recollect.model.subject import Subject
from recollect.model.value import dataclass, replace
from recollect.observe.direct_events import VERDICTS

SEVERITIES = ("critical", "high", "medium", "low")
GRAVE = frozenset({"critical", "high"})
CONFIDENCE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class QaIssue:
    """One thing a report found."""

    severity: str
    description: str
    file: str = ""
    module: str = ""
    tried: str = ""
    recommendation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QaReport:
    """What a QA run found, and its verdict if it gave one."""

    issues: tuple[QaIssue, ...]
    verdict: str = ""


def parse_report(form: object) -> QaReport:
    """A report from its JSON; what is wrong with it is said, and nothing is kept."""
    if not isinstance(form, Mapping) or not isinstance(form.get("issues"), list):
        raise BadInput(reason='a QA report is an object with a list of "issues"')
    verdict = form.get("verdict", "")
    if verdict and verdict not in VERDICTS:
        raise BadInput(reason=f"the verdict of a QA report is pass or fail, not {verdict!r}")
    issues = tuple(_parse_issue(number, issue) for number, issue in enumerate(form["issues"], start=1))
    return QaReport(issues=issues, verdict=verdict)


def record_issues(
    context: WriteContext, report: QaReport, *, session_id: str | None, project_id: str | None
) -> list[Intake]:
    """The grave issues of a report as error patterns; in all or none."""
    grave = [issue for issue in report.issues if issue.severity in GRAVE]
    drafts = [draft for issue in grave for draft in _draft_memories(issue, session_id, project_id)]
    context = replace(context, channel=Channel.QA)
    act = begin_act(context, "qa", "qa")
    with context.db.transaction():
        return take_in(context, act, drafts)


def _parse_issue(number: int, form: Any) -> QaIssue:
    if not isinstance(form, Mapping):
        raise BadInput(reason=f"issue {number} of the QA report is no object")
    values = {name: form.get(name, "") for name in QaIssue.__dataclass_fields__}
    wrong = next((name for name, value in values.items() if not isinstance(value, str)), None)
    if wrong:
        raise BadInput(reason=f'"{wrong}" of issue {number} of the QA report is no text')
    if values["severity"] not in SEVERITIES:
        raise BadInput(reason=f"the severity of issue {number} is one of {', '.join(SEVERITIES)}")
    if not values["description"].strip():
        raise BadInput(reason=f"issue {number} of the QA report has no description")
    return QaIssue(**values)


def _draft_memories(issue: QaIssue, session_id: str | None, project_id: str | None) -> Iterator[MemoryDraft]:
    """What the report says in its own words, which wait for a yes; and what is plain of it, where it names a place."""
    words = _draft_words(issue, session_id, project_id)
    yield words
    if place := issue.file or issue.module:
        yield replace(
            words,
            text=f"A QA report found an issue of {issue.severity} severity in {place}.",
            provenance=replace(words.provenance, channel=Channel.QA),
            fields={},
        )


def _draft_words(issue: QaIssue, session_id: str | None, project_id: str | None) -> MemoryDraft:
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
        provenance=Provenance(channel=Channel.READ, source=Source.QA_AUTO, session_id=session_id),
        trust=Trust(needs_review=True),
        confidence=CONFIDENCE,
        fields={name: value for name, value in fields.items() if value},
    )
