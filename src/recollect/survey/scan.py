"""
The scan of a project: build the graph, review every part that changed much, describe it, count the habits, write.

Everything is read and put into words first and written in one act, so that `undo` takes a whole scan back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from recollect.capture.write_context import WriteContext, begin_act, precompute_embeddings
from recollect.codegraph.build import build_graph
from recollect.codegraph.code_graph import CodeGraph, open_graph
from recollect.codegraph.habits.source import SourceFile
from recollect.codegraph.habits.table import find_habits
from recollect.errors import NotFound, ProviderError, StoreBusy
from recollect.model.code import Module, ModuleMap
from recollect.model.project import storable
from recollect.model.provenance import Channel
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.survey import PROPOSALS, Habit, ScanReport, SurveyItem
from recollect.model.value import dataclass, field, replace
from recollect.providers.complete import Completer
from recollect.retrieve.impact import CodeReadContext
from recollect.retrieve.module_map import build_module_map
from recollect.store.tables import code_files, surveys
from recollect.store.tables.surveys import Survey
from recollect.survey.checkout import ScannedCheckout, open_checkout
from recollect.survey.describe_part import compose_paragraph, write_paragraph
from recollect.survey.facts import Glimpse, PartFacts, UsageCounts, collect_facts, take_glimpse
from recollect.survey.outcomes import (
    CHANGED_MUCH,
    SUMMARY,
    PartReview,
    Statement,
    decide_outcomes,
    measure_changed_share,
    write_outcomes,
)

# So many parts are described by one scan, the largest first; the next one goes on.
MAX_MODULES = 100
# A habit of more parts than this is about the largest of them.
_MAX_SUBJECTS = 48

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSite:
    """What a scan works on: the write context, the checkout's folder, its project, and the writing model, if any."""

    door: WriteContext
    root: Path
    project_id: str
    project_name: str
    completer: Completer | None = None
    # By how many processes much new code is read.
    workers: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReview:
    """The review of all parts: what was stated before, and what can be stated now."""

    before: Mapping[str, Survey]
    part_reviews: tuple[PartReview, ...]
    # Parts that are left for the next scan, and why a model that should have written did not.
    left: int
    model_failure: str


def review_parts(site: ScanSite, only: str, progress: Progress) -> ScanReview:
    """Review all parts, or ONLY one; habits are counted when all are reviewed. Nothing is written."""
    graph = _load_code_graph(site)
    parts = _build_map(site, graph)
    before = surveys.list_surveys(site.door.db, site.project_id)
    at = open_checkout(site.door.db, site.root, graph.tree, site.door.excluded)
    wanted = [parts.called(only)] if only else list(parts.modules)
    due = [
        module
        for module in wanted
        if not module.is_test and _has_changed_much(at, before, module.name, module.files)
    ]
    due.sort(key=lambda module: (-len(module.files), module.name))
    left, due = max(0, len(due) - MAX_MODULES), due[:MAX_MODULES]
    counts_habits = not only and (
        _has_changed_much(at, before, "", at.files) or _has_new_settings(at, before)
    )
    read = _read_sources(at, parts, due, progress, counts_habits=counts_habits)
    words = _SummaryWriter(completer=site.completer, progress=progress, total=len(due))
    part_reviews = [
        _review_part(at, before, module.name, module.files, (words.summary(read.facts[module.name]),))
        for module in due
    ]
    described = {module.name for module in due}
    part_reviews += [
        _keep_review(before, module.name) for module in wanted if module.name in before.keys() - described
    ]
    part_reviews.sort(key=lambda part_review: part_review.part)
    if not only:
        part_reviews += _review_gone_parts(before, parts)
        part_reviews += (
            _review_habits(at, before, read.habits, parts, site.project_name) if counts_habits else []
        )
        part_reviews += [_keep_review(before, "")] if "" in before and not counts_habits else []
    return ScanReview(before=before, part_reviews=tuple(part_reviews), left=left, model_failure=words.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadSources:
    habits: list[Habit]
    facts: dict[str, PartFacts]


def _read_sources(
    at: ScannedCheckout, parts: ModuleMap, due: Sequence[Module], progress: Progress, *, counts_habits: bool
) -> _ReadSources:
    """Read every file once; the facts of the parts and the habits come from the same pass."""
    home = {path: module.name for module in parts.modules for path in module.files}
    wanted_paths = {path for module in due for path in module.files}
    paths = [path for path in sorted(at.files) if counts_habits or path in wanted_paths]
    glimpses: dict[str, list[Glimpse]] = {module.name: [] for module in due}

    def sources() -> Iterator[tuple[str, SourceFile]]:
        for number, source in enumerate(at.sources(paths), start=1):
            part = home.get(source.path, "")
            if part in glimpses:
                glimpses[part].append(take_glimpse(source))
            yield part, source
            progress(number, len(paths))

    habits: list[Habit] = []
    if counts_habits:
        habits = find_habits(sources(), at.project(), at.subjects())
    else:
        for _ in sources():
            pass
    asking = UsageCounts(at, parts.modules) if due else None
    facts = {one.name: collect_facts(at, one, asking, glimpses[one.name]) for one in due if asking}
    return _ReadSources(habits=habits, facts=facts)


@dataclass(slots=True, kw_only=True)
class _SummaryWriter:
    """Writes summaries: by the model as long as it answers, else by templates."""

    completer: Completer | None
    progress: Progress
    total: int
    done: int = 0
    failed: str = field(default="")

    def summary(self, facts: PartFacts) -> Statement:
        """One paragraph on a part."""
        text, by_model = compose_paragraph(facts), False
        if self.completer and not self.failed:
            try:
                text, by_model = write_paragraph(self.completer, facts), True
            except ProviderError as error:
                # One that is down for one part is down for the next.
                self.failed = str(error)
            self.done += 1
            self.progress(self.done, self.total)
        about = (Subject(type="module", name=facts.module.name),)
        return Statement(topic=SUMMARY, text=text, kind="module_insight", about=about, waits=by_model)


def _has_changed_much(
    at: ScannedCheckout, before: Mapping[str, Survey], part: str, paths: Iterable[str]
) -> bool:
    """Whether a part has files and is new, or many of its files changed."""
    now = surveys.shorten_hashes(at.blobs(paths))
    return bool(now) and (part not in before or measure_changed_share(before[part].seen, now) > CHANGED_MUCH)


def _has_new_settings(at: ScannedCheckout, before: Mapping[str, Survey]) -> bool:
    """Whether the settings at the top of the project are others than when habits were counted."""
    return bool(at.files) and not _hash_settings(at) <= (before[""].seen if "" in before else frozenset())


def _hash_settings(at: ScannedCheckout) -> frozenset[str]:
    return surveys.shorten_hashes([at.digest_settings()])


def _review_part(
    at: ScannedCheckout,
    before: Mapping[str, Survey],
    part: str,
    paths: Iterable[str],
    statements: tuple[Statement, ...],
) -> PartReview:
    hashes = surveys.shorten_hashes(at.blobs(paths))
    return PartReview(part=part, seen=hashes, before=before.get(part, Survey()), statements=statements)


def _keep_review(before: Mapping[str, Survey], part: str) -> PartReview:
    return PartReview(part=part, seen=before[part].seen, before=before[part])


def _review_gone_parts(before: Mapping[str, Survey], parts: ModuleMap) -> list[PartReview]:
    """Reviews of parts that were described and no longer exist."""
    present = {module.name for module in parts.modules} | {"", PROPOSALS}
    return [
        PartReview(part=part, seen=frozenset(), before=survey, statements=())
        for part, survey in before.items()
        if part not in present and survey.said
    ]


def _review_habits(
    at: ScannedCheckout,
    before: Mapping[str, Survey],
    habits: Iterable[Habit],
    parts: ModuleMap,
    project_name: str,
) -> list[PartReview]:
    size = {module.name: len(module.files) for module in parts.modules}
    whole_project = (Subject(type="project", name=project_name),)
    statements = []
    for habit in habits:
        most_about = sorted(habit.parts, key=lambda part: (-size.get(part, 0), part))[:_MAX_SUBJECTS]
        about = tuple(Subject(type="module", name=part) for part in most_about) or whole_project
        statements.append(Statement(topic=habit.topic, text=habit.text, kind="preference", about=about))
    review = _review_part(at, before, "", at.files, tuple(statements))
    return [replace(review, seen=review.seen | _hash_settings(at))]


def _load_code_graph(site: ScanSite) -> CodeGraph:
    tree = code_files.find_tree(site.door.db, storable(str(site.root)))
    if tree is None:
        raise NotFound("There is no code graph of this folder yet.", fix="recollect graph build")
    return open_graph(site.door.db, tree)


def _build_map(site: ScanSite, graph: CodeGraph) -> ModuleMap:
    context = CodeReadContext(
        db=site.door.db,
        kinds=site.door.kinds,
        project_id=site.project_id,
        filters=Filters(project_id=site.project_id),
        graph=graph,
    )
    return build_module_map(context, graph)


ACTOR = "observer"
ATTEMPTS = 3


def scan(
    site: ScanSite,
    *,
    only: str = "",
    dry_run: bool = False,
    progress: Progress = lambda report, total: None,
) -> ScanReport:
    """
    Describe the parts of a project and how it is written; ONLY names one part, and then no habits are counted.

    A part is looked at when it is new, or when more than three tenths of its files changed since it was.
    """
    # Whoever called, it is the observer that speaks now, and it has no person's rights.
    site = replace(site, door=replace(site.door, channel=Channel.OBSERVED))
    build_graph(
        site.door.db,
        site.root,
        site.project_id,
        site.door.now(),
        progress=progress,
        workers=site.workers,
        excluded=site.door.excluded,
    )
    for _ in range(ATTEMPTS):
        review = review_parts(site, only, progress)
        if dry_run:
            report_only = make_report(
                review, [decide_outcomes(site.door, part_review) for part_review in review.part_reviews]
            )
            return replace(report_only, dry_run=True)
        report = write_review(site, review)
        if report is not None:
            return report
    raise StoreBusy(path=site.door.db.path, seconds=0)


def write_review(site: ScanSite, review: ScanReview) -> ScanReport | None:
    """Write the review; None when another scan wrote first."""
    texts = [
        statement.text for part_review in review.part_reviews for statement in part_review.statements or ()
    ]
    door = precompute_embeddings(site.door, texts)
    act = begin_act(door, "scan", ACTOR, why="what the code shows")
    with door.db.transaction():
        if surveys.list_surveys(door.db, site.project_id) != review.before:
            return None
        own = {memory_id for survey in review.before.values() for memory_id in survey.said.values()}
        written: list[list[SurveyItem]] = []
        for part_review in review.part_reviews:
            items, survey = write_outcomes(
                door, act, site.project_id, part_review, decide_outcomes(door, part_review), own
            )
            written.append(items)
            if survey is not None:
                surveys.save_survey(door.db, site.project_id, part_review.part, survey, act.at)
    return make_report(review, written)


def make_report(review: ScanReview, item_groups: Iterable[Sequence[SurveyItem]]) -> ScanReport:
    items = [one for part_review in item_groups for one in part_review]
    return ScanReport(
        modules=tuple(one for one in items if one.module not in ("", PROPOSALS)),
        habits=tuple(one for one in items if not one.module),
        proposals=tuple(one for one in items if one.module == PROPOSALS),
        left=review.left,
        model_failure=review.model_failure,
    )
