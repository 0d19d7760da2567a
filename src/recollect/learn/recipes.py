"""
Workflow recipes: what several sessions that passed did in the same order.

The trail of a session that passed is laid beside those of the last thirty days. What at least three share, in order, is
a recipe if it has four steps or more and leads through places of this project: to read, edit and test is what everybody
does everywhere. A recipe that is known counts another success instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from posixpath import dirname
from typing import Any

from recollect.learn.closed_sequences import Pattern, closed_patterns
from recollect.learn.findings import Seen
from recollect.learn.shared_words import shared_words
from recollect.learn.signals.sequence import file_scope, sequence
from recollect.model.event import ToolAction
from recollect.model.memory import Memory
from recollect.model.normal_form import text_hash
from recollect.model.note import NoteOrigin
from recollect.model.session import Session
from recollect.model.signal import SequencePart
from recollect.model.step import Said
from recollect.model.trail import Trail
from recollect.observe.file_access import CHANGES
from recollect.observe.phrases import is_own_test
from recollect.observe.units import Unit

FEWEST_STEPS = 4
FEWEST_SESSIONS = 3
WITHIN = timedelta(days=30)
MOST_TRAILS = 60
# Of what is new in one session; more would be the same work told in other words.
MOST_RECIPES = 2
LONGEST_TASK = 300
# How much of the project a recipe must lead through, each place as `_weight` counts it.
FEWEST_PLACES = 2.5
SAME_RECIPE = 0.6


def trail_of(session: Session, unit: Unit, prompts: Sequence[Said]) -> Trail:
    """What is kept of a unit that passed."""
    asked = next((said.text for said in prompts if not said.machine and said.text.strip()), "")
    return Trail(
        session_id=session.id,
        project_id=session.project_id,
        at=session.last_at,
        work=unit.ref,
        task=" ".join(asked.split())[:LONGEST_TASK],
        parts=sequence(unit.steps).parts,
    )


def recipes_in(trail: Trail, earlier: Iterable[Trail], known: Iterable[Memory]) -> list[Seen]:
    """The recipes a trail follows: those that are known, and those that it makes known."""
    acts = [names_of(part) for part in trail.parts]
    recipes = [(recipe, acts_of(recipe)) for recipe in known]
    found = [
        _followed(recipe, wanted, trail) for recipe, wanted in recipes if wanted and _places(acts, wanted)
    ]
    beside = [other for other in earlier if other.session_id != trail.session_id]
    for pattern, trails in _shared(trail, beside):
        if not any(_likeness(pattern.items, wanted) >= SAME_RECIPE for _, wanted in recipes):
            found.append(_new(pattern, trails))
    return found


def names_of(part: SequencePart) -> frozenset[str]:
    """What an act is called: by its very file, and by its sort. A file is read for itself, not as one of a sort."""
    if part.action == ToolAction.READ:
        return frozenset({f"read {part.exact}"})
    if part.action in CHANGES:
        return frozenset({f"{part.action} {part.exact}", f"{part.action} {part.where}"})
    return frozenset({str(part)})


def acts_of(recipe: Memory) -> tuple[str, ...]:
    """The acts that a remembered recipe was made from; none if a person wrote it."""
    steps = recipe.fields.get("steps")
    acts = [step.get("act") for step in steps] if isinstance(steps, list | tuple) else []
    return tuple(acts) if acts and all(isinstance(act, str) and act for act in acts) else ()


def _shared(trail: Trail, earlier: Sequence[Trail]) -> list[tuple[Pattern, list[Trail]]]:
    own = frozenset().union(*(names_of(part) for part in trail.parts))
    near = [other for other in earlier if len(_common(own, other)) >= FEWEST_STEPS]
    if len({other.session_id for other in near}) < FEWEST_SESSIONS - 1:
        return []
    trails = [*near, trail]
    patterns = closed_patterns(
        [[names_of(part) for part in one.parts] for one in trails],
        fewest=FEWEST_SESSIONS,
        through=len(trails) - 1,
    )
    chosen: list[tuple[Pattern, list[Trail]]] = []
    for pattern in sorted(patterns, key=_rank):
        by = [trails[number] for number in pattern.support]
        is_same = any(_likeness(pattern.items, other.items) >= SAME_RECIPE for other, _ in chosen)
        if (
            not is_same
            and len({one.session_id for one in by}) >= FEWEST_SESSIONS
            and is_telling(pattern.items)
        ):
            chosen.append((pattern, by))
    return chosen[:MOST_RECIPES]


def _common(own: frozenset[str], other: Trail) -> frozenset[str]:
    return own & frozenset().union(*(names_of(part) for part in other.parts))


def is_telling(acts: Sequence[str]) -> bool:
    """Whether acts are a way through this project, rather than what is done anywhere."""
    if len(set(acts)) < FEWEST_STEPS:
        return False
    weights = [_weight(act) for act in _without_own_tests(acts)]
    return sum(weights) >= FEWEST_PLACES and max(weights, default=0.0) >= 1.0


def _weight(act: str) -> float:
    """A file by its name, a new file of a sort, a command of the project's own: each leads somewhere; a sort half."""
    action, _, where = act.partition(" ")
    if action not in CHANGES:
        return 1.0 if action == "run" else 0.0
    return 0.5 if _is_sort(where) and action != ToolAction.CREATE else 1.0


def _without_own_tests(acts: Sequence[str]) -> Iterator[str]:
    """Each change once, and no file beside its own test; of sorts, one a folder."""
    seen: list[str] = []
    for act in acts:
        where = act.partition(" ")[2]
        is_told = any(where == other or is_own_test(where, other) for other in seen)
        if not is_told and not (_is_sort(where) and any(dirname(where) == dirname(other) for other in seen)):
            yield act
        if where:
            seen.append(where)


def _is_sort(where: str) -> bool:
    return "*" in where


def _rank(pattern: Pattern) -> tuple[float, int, int, tuple[str, ...]]:
    """The one that leads through most of the project first, then the one most sessions share, then the longest."""
    return -sum(map(_weight, pattern.items)), -len(pattern.support), -len(pattern.items), pattern.items


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """How much of the shorter recipe stands in the longer one, a file counting as one of its sort."""
    short, long = sorted((set(one), set(other)), key=len)
    return sum(any(_is_same(act, wanted) for wanted in long) for act in short) / len(short) if short else 0.0


def _is_same(one: str, other: str) -> bool:
    if one == other:
        return True
    (action, _, where), (act, _, place) = one.partition(" "), other.partition(" ")
    is_one_of_a_sort = _is_sort(where) != _is_sort(place)
    return action == act and is_one_of_a_sort and (file_scope(where) == place or file_scope(place) == where)


def _places(acts: Sequence[frozenset[str]], wanted: Sequence[str]) -> tuple[int, ...]:
    """Where each wanted act stands, in order; nothing if one is missing."""
    found: list[int] = []
    at = 0
    for act in wanted:
        while at < len(acts) and act not in acts[at]:
            at += 1
        if at == len(acts):
            return ()
        found.append(at)
        at += 1
    return tuple(found)


def _events(trail: Trail, acts: Sequence[str]) -> tuple[str, ...]:
    places = _places([names_of(part) for part in trail.parts], acts)
    return tuple(dict.fromkeys(trail.parts[at].event_id for at in places if trail.parts[at].event_id))


def _new(pattern: Pattern, trails: Sequence[Trail]) -> Seen:
    newest = sorted(trails, key=lambda trail: (trail.at, trail.session_id))
    steps = [_step(number, act, newest) for number, act in enumerate(pattern.items, start=1)]
    files = tuple(dict.fromkeys(step["canonical_file"] for step in steps if step["canonical_file"]))
    return Seen(
        origin=NoteOrigin.RECIPE,
        kind="workflow_recipe",
        keys=(recipe_key(pattern.items),),
        files=files,
        count=len({trail.session_id for trail in trails}),
        facts={
            "task": shared_words([trail.task for trail in newest]),
            "steps": [{name: value for name, value in step.items() if value} for step in steps],
            "files": files,
        },
        event_ids=tuple(event for trail in reversed(newest) for event in _events(trail, pattern.items)),
    )


def _followed(recipe: Memory, acts: Sequence[str], trail: Trail) -> Seen:
    return Seen(
        origin=NoteOrigin.RECIPE,
        kind="workflow_recipe",
        keys=(recipe_key(acts),),
        files=tuple(subject.name for subject in recipe.subjects if subject.type == "file"),
        facts={
            "task": recipe.fields.get("task_pattern", ""),
            "steps": recipe.fields["steps"],
            "files": recipe.fields.get("canonical_files", ()),
        },
        event_ids=_events(trail, acts),
    )


def recipe_key(acts: Sequence[str]) -> str:
    """What makes two recipes the same."""
    return f"recipe:{text_hash(chr(31).join(acts))}"


def _step(number: int, act: str, trails: Sequence[Trail]) -> dict[str, Any]:
    action, _, where = act.partition(" ")
    newest = next(part for part in reversed(trails[-1].parts) if act in names_of(part))
    if action in CHANGES or action == ToolAction.READ:
        example = f", as {newest.exact}" if _is_sort(where) else ""
        return {
            "order": number,
            "act": act,
            "description": f"{action} {where}{example}",
            "canonical_file": "" if _is_sort(where) and action == ToolAction.CREATE else newest.exact,
        }
    return {"order": number, "act": act, "description": f"run `{newest.exact}`", "canonical_file": ""}
