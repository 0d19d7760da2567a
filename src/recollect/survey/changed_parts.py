"""Which parts of a project changed since they were looked at, and what can be said of them now; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from recollect.capture.write_context import Door
from recollect.codegraph.habits.source import Source
from recollect.codegraph.habits.table import habits_of
from recollect.codegraph.traverse import CodeGraph, cold
from recollect.errors import NotFound, ProviderError
from recollect.model.modules import Module, ModuleMap
from recollect.model.project import storable
from recollect.model.query import Filters
from recollect.model.subject import Subject
from recollect.model.survey import Habit
from recollect.model.value import dataclass, field
from recollect.providers.complete import Completer
from recollect.retrieve.impact import Asked
from recollect.retrieve.module_map import module_map
from recollect.store.tables import code_files, surveys
from recollect.store.tables.surveys import Survey
from recollect.survey.describe_part import paragraph
from recollect.survey.facts import Asking, Facts, Glimpse, facts_of, glimpse_of
from recollect.survey.keep import CHANGED_MUCH, SUMMARY, Look, Saying, changed_share
from recollect.survey.material import Checkout, checkout
from recollect.survey.model_text import written

# So many parts are described by one scan, the largest first; the next one goes on.
MOST_MODULES = 100
# A habit of more parts than this is about the largest of them.
_MOST_ABOUT = 48

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a scan takes place: the door, the checkout's folder, its project, and the model that writes, if any."""

    door: Door
    root: Path
    project_id: str
    project_name: str
    completer: Completer | None = None
    # By how many processes much new code is read.
    workers: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One look at everything: what was said before, and what can be said now."""

    before: Mapping[str, Survey]
    looks: tuple[Look, ...]
    # Parts that are left for the next scan, and why a model that should have written did not.
    left: int
    no_words: str


def view(site: Site, only: str, progress: Progress) -> View:
    """Look at all parts, or at ONLY one; the habits are counted with all."""
    graph = _graph(site)
    parts = _map(site, graph)
    before = surveys.of_project(site.door.db, site.project_id)
    at = checkout(site.door.db, site.root, graph.tree, site.door.excluded)
    wanted = [parts.called(only)] if only else list(parts.modules)
    due = [
        module for module in wanted if not module.is_test and _changed(at, before, module.name, module.files)
    ]
    due.sort(key=lambda module: (-len(module.files), module.name))
    left, due = max(0, len(due) - MOST_MODULES), due[:MOST_MODULES]
    counts_habits = not only and _changed(at, before, "", at.files)
    read = _read(at, parts, due, progress, counts_habits=counts_habits)
    words = _Words(completer=site.completer, progress=progress, total=len(due))
    looks = [
        _look(at, before, module.name, module.files, (words.summary(read.facts[module.name]),))
        for module in due
    ]
    described = {module.name for module in due}
    looks += [
        _as_before(before, module.name) for module in wanted if module.name in before.keys() - described
    ]
    looks.sort(key=lambda look: look.part)
    if not only:
        looks += _gone(before, parts)
        looks += _habits(at, before, read.habits, parts, site.project_name) if counts_habits else []
        looks += [_as_before(before, "")] if "" in before and not counts_habits else []
    return View(before=before, looks=tuple(looks), left=left, no_words=words.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    habits: list[Habit]
    facts: dict[str, Facts]


def _read(
    at: Checkout, parts: ModuleMap, due: Sequence[Module], progress: Progress, *, counts_habits: bool
) -> _Read:
    """Read every file that is asked about once; the parts' facts and the habits come of the same reading."""
    home = {path: module.name for module in parts.modules for path in module.files}
    asked = {path for module in due for path in module.files}
    paths = [path for path in sorted(at.files) if counts_habits or path in asked]
    kept: dict[str, list[Glimpse]] = {module.name: [] for module in due}

    def sources() -> Iterator[tuple[str, Source]]:
        for number, source in enumerate(at.sources(paths), start=1):
            part = home.get(source.path, "")
            if part in kept:
                kept[part].append(glimpse_of(source))
            yield part, source
            progress(number, len(paths))

    habits: list[Habit] = []
    if counts_habits:
        habits = habits_of(sources(), at.project(), at.subjects())
    else:
        for _ in sources():
            pass
    asking = Asking(at, parts.modules) if due else None
    facts = {one.name: facts_of(at, one, asking, kept[one.name]) for one in due if asking}
    return _Read(habits=habits, facts=facts)


@dataclass(slots=True, kw_only=True)
class _Words:
    """Who puts facts into words: the model that writes as long as it answers, else we."""

    completer: Completer | None
    progress: Progress
    total: int
    done: int = 0
    failed: str = field(default="")

    def summary(self, facts: Facts) -> Saying:
        """One paragraph on a part."""
        text, by_model = paragraph(facts), False
        if self.completer and not self.failed:
            try:
                text, by_model = written(self.completer, facts), True
            except ProviderError as error:
                # One that is down for one part is down for the next.
                self.failed = str(error)
            self.done += 1
            self.progress(self.done, self.total)
        about = (Subject(type="module", name=facts.module.name),)
        return Saying(topic=SUMMARY, text=text, kind="module_insight", about=about, by_model=by_model)


def _changed(at: Checkout, before: Mapping[str, Survey], part: str, paths: Iterable[str]) -> bool:
    """Whether a part has files and is new, or many of them are others than they were."""
    now = surveys.seen_of(at.blobs(paths))
    return bool(now) and (part not in before or changed_share(before[part].seen, now) > CHANGED_MUCH)


def _look(
    at: Checkout,
    before: Mapping[str, Survey],
    part: str,
    paths: Iterable[str],
    sayings: tuple[Saying, ...],
) -> Look:
    seen = surveys.seen_of(at.blobs(paths))
    return Look(part=part, seen=seen, before=before.get(part, Survey()), sayings=sayings)


def _as_before(before: Mapping[str, Survey], part: str) -> Look:
    return Look(part=part, seen=before[part].seen, before=before[part])


def _gone(before: Mapping[str, Survey], parts: ModuleMap) -> list[Look]:
    """Parts that were described and are no more: nothing can be said of them."""
    there = {module.name for module in parts.modules} | {""}
    return [
        Look(part=part, seen=frozenset(), before=known, sayings=())
        for part, known in before.items()
        if part not in there and known.said
    ]


def _habits(
    at: Checkout, before: Mapping[str, Survey], habits: Iterable[Habit], parts: ModuleMap, project_name: str
) -> list[Look]:
    size = {module.name: len(module.files) for module in parts.modules}
    whole = (Subject(type="project", name=project_name),)
    sayings = []
    for habit in habits:
        held = sorted(habit.parts, key=lambda part: (-size.get(part, 0), part))[:_MOST_ABOUT]
        about = tuple(Subject(type="module", name=part) for part in held) or whole
        sayings.append(Saying(topic=habit.topic, text=habit.text, kind="preference", about=about))
    return [_look(at, before, "", at.files, tuple(sayings))]


def _graph(site: Site) -> CodeGraph:
    tree = code_files.tree_at(site.door.db, storable(str(site.root)))
    if tree is None:
        raise NotFound("There is no code graph of this folder yet.", fix="recollect graph build")
    return cold(site.door.db, tree)


def _map(site: Site, graph: CodeGraph) -> ModuleMap:
    asked = Asked(
        db=site.door.db,
        kinds=site.door.kinds,
        project_id=site.project_id,
        filters=Filters(project_id=site.project_id),
        graph=graph,
    )
    return module_map(asked, graph)
