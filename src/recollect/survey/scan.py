"""
The scan: bring the graph up to date, look at every part that changed a lot, say what it is for, count the habits.

Everything is read and put into words first and written in one act, so that `undo` takes a whole scan back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.capture.precomputed_embeddings import prepared
from recollect.capture.write_context import begin
from recollect.codegraph.build import build
from recollect.errors import StoreBusy
from recollect.model.provenance import Channel
from recollect.model.survey import Scanned, Surveyed
from recollect.model.value import replace
from recollect.store.tables import surveys
from recollect.survey.changed_parts import Progress, Site, View, view
from recollect.survey.keep import carried_out, decided

ACTOR = "observer"
_ATTEMPTS = 3


def scan(
    site: Site,
    *,
    only: str = "",
    dry_run: bool = False,
    progress: Progress = lambda done, total: None,
) -> Scanned:
    """
    Say what the parts of a project are for and how it is written; ONLY names one part, and then no habits are counted.

    A part is looked at when it is new, or when more than three tenths of its files changed since it was.
    """
    # Whoever called, it is the observer that speaks now, and it has no person's rights.
    site = replace(site, door=replace(site.door, channel=Channel.OBSERVED))
    build(site.door.db, site.root, site.project_id, site.door.now(), progress=progress, workers=site.workers)
    for _ in range(_ATTEMPTS):
        seen = view(site, only, progress)
        if dry_run:
            found = _scanned(seen, [decided(site.door, look) for look in seen.looks])
            return replace(found, dry_run=True)
        done = _kept(site, seen)
        if done is not None:
            return done
    raise StoreBusy(path=site.door.db.path, seconds=0)


def _kept(site: Site, seen: View) -> Scanned | None:
    """Write what was found; None when another scan was faster."""
    texts = [saying.text for look in seen.looks for saying in look.sayings or ()]
    door = prepared(site.door, texts)
    act = begin(door, "scan", ACTOR, why="what the code shows")
    with door.db.transaction():
        if surveys.of_project(door.db, site.project_id) != seen.before:
            return None
        own = {memory_id for survey in seen.before.values() for memory_id in survey.said.values()}
        found: list[list[Surveyed]] = []
        for look in seen.looks:
            told, survey = carried_out(door, act, site.project_id, look, decided(door, look), own)
            found.append(told)
            if survey is not None:
                surveys.put(door.db, site.project_id, look.part, survey, act.at)
    return _scanned(seen, found)


def _scanned(seen: View, found: Iterable[Sequence[Surveyed]]) -> Scanned:
    told = [one for look in found for one in look]
    return Scanned(
        modules=tuple(one for one in told if one.module),
        habits=tuple(one for one in told if not one.module),
        left=seen.left,
        no_words=seen.no_words,
    )
