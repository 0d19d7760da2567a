"""What a project should be known by from the first day: at most ten things, best first, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from recollect.errors import StoreBusy
from recollect.model.provenance import Channel
from recollect.model.subject import Subject
from recollect.model.survey import PROPOSALS, ScanReport
from recollect.model.value import replace
from recollect.store.tables import surveys
from recollect.store.tables.surveys import Survey
from recollect.survey.declared import read_declared_proposals
from recollect.survey.outcomes import PartReview, Statement, decide_outcomes
from recollect.survey.proposal import Proposal, RepositoryTexts
from recollect.survey.prose import read_prose_proposals
from recollect.survey.scan import ATTEMPTS, ScanReview, ScanSite, make_report, write_review

MAX_PROPOSALS = 10
MIN_USEFULNESS = 0.5
# Two that share so much of their words say one thing.
_SAME = 0.6
_WORD = re.compile(r"[a-z][a-z0-9_-]{2,}")


def propose(site: ScanSite, *, dry_run: bool = False) -> ScanReport:
    """Remember for review what the project should be known by; what was proposed before and no longer holds goes."""
    # Whoever called, it is the observer that speaks now, and it has no person's rights.
    site = replace(site, door=replace(site.door, channel=Channel.OBSERVED))
    by_topic = {one.topic: one for one in collect_proposals(site.root, site.door.excluded)}
    whole_project = (Subject(type="project", name=site.project_name),)
    statements = tuple(
        Statement(topic=one.topic, text=one.text, kind=one.kind, about=whole_project, waits=one.waits)
        for one in by_topic.values()
    )
    for _ in range(ATTEMPTS):
        before = surveys.list_surveys(site.door.db, site.project_id)
        look = PartReview(
            part=PROPOSALS,
            seen=frozenset(),
            before=before.get(PROPOSALS, Survey()),
            statements=statements,
        )
        review = ScanReview(before=before, part_reviews=(look,), left=0, model_failure="")
        if dry_run:
            return _add_places(
                make_report(review, [decide_outcomes(site.door, look)]), by_topic, dry_run=True
            )
        report = write_review(site, review)
        if report is not None:
            return _add_places(report, by_topic)
    raise StoreBusy(path=site.door.db.path, seconds=0)


def _add_places(report: ScanReport, by_topic: Mapping[str, Proposal], *, dry_run: bool = False) -> ScanReport:
    items = tuple(
        replace(item, place=by_topic[item.topic].place, waits=by_topic[item.topic].waits)
        if item.topic in by_topic
        else item
        for item in report.proposals
    )
    return replace(report, proposals=items, dry_run=dry_run)


def collect_proposals(root: Path, excluded: Sequence[str] = (), limit: int = MAX_PROPOSALS) -> list[Proposal]:
    """What a newcomer to the project at ROOT would thank for, the most useful first."""
    files = RepositoryTexts(root, excluded)
    candidates = [*read_declared_proposals(files), *read_prose_proposals(files)]
    ordered = sorted(candidates, key=lambda one: (-one.usefulness, one.waits, one.path, one.line))
    return list(_drop_repeated(one for one in ordered if one.usefulness >= MIN_USEFULNESS))[:limit]


def _drop_repeated(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Each thing once: the same topic, or words of a file that nearly say what was said before them."""
    chosen: list[tuple[Proposal, frozenset[str]]] = []
    for proposal in proposals:
        quotation = proposal.text.partition("“")[2] or proposal.text
        words = frozenset(_WORD.findall(quotation.lower()))
        if not any(
            proposal.topic == other.topic or (proposal.waits and _share(words, theirs) >= _SAME)
            for other, theirs in chosen
        ):
            chosen.append((proposal, words))
    return [proposal for proposal, _ in chosen]


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
