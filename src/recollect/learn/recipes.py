"""
Workflow recipes: what several sessions that passed did in the same order.

The trail of a session that passed is laid beside those of the last thirty days. What at least three share, in order, is
a recipe if it has four steps or more and leads through places of this project: to read, edit and test is what everybody
does everywhere. Their requests must ask for the same sort of thing, one that a person would have a name for. A recipe
that is known counts another success instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import lru_cache
from posixpath import dirname
from typing import Any

from recollect.learn.closed_sequences import ClosedPattern, find_closed_patterns
from recollect.learn.findings import RuleFinding
from recollect.learn.signals.sequence import build_sequence, file_scope
from recollect.learn.task_pattern import ALIKE, MIN_NAME_WORDS, content_words, names_a_task
from recollect.model.event import ToolAction
from recollect.model.memory import Memory
from recollect.model.normal_form import text_hash
from recollect.model.note import NoteOrigin
from recollect.model.policy import RECIPE_WINDOW_DAYS
from recollect.model.session import Session
from recollect.model.signal import SequencePart, Trail
from recollect.model.step import Message
from recollect.observe.phrases import is_own_test
from recollect.observe.steps import CHANGES
from recollect.observe.units import WorkUnit

MIN_STEPS = 4
MIN_SESSIONS = 3
TRAIL_WINDOW = timedelta(days=RECIPE_WINDOW_DAYS)
# Looked at for a task alike, which costs little; steps are compared with those alone.
MAX_TRAILS = 500
# Of what is new in one session; more would be the same work told in other words.
MAX_RECIPES = 2
MAX_TASK = 300
# How much of the project a recipe must lead through, each place as `_weight` counts it.
MIN_PLACES = 2.5
SAME_RECIPE = 0.6
_CREATES = f"{ToolAction.CREATE} "


def build_trail(session: Session, unit: WorkUnit, prompts: Sequence[Message]) -> Trail:
    """What is kept of a unit that passed."""
    task_text = next((prompt.text for prompt in prompts if not prompt.machine and prompt.text.strip()), "")
    return Trail(
        session_id=session.id,
        project_id=session.project_id,
        at=session.last_at,
        work=unit.ref,
        task=" ".join(task_text.split())[:MAX_TASK],
        parts=build_sequence(unit.steps).parts,
    )


def mine_recipes(trail: Trail, earlier: Iterable[Trail], remembered: Iterable[Memory]) -> list[RuleFinding]:
    """The recipes a trail follows: those that are known, and those that it makes known."""
    acts = [list_act_names(part) for part in trail.parts]
    recipes = [(recipe, list_recipe_acts(recipe)) for recipe in remembered]
    findings = [
        _make_followed_recipe(recipe, recipe_acts, trail)
        for recipe, recipe_acts in recipes
        if recipe_acts and _find_places(acts, recipe_acts)
    ]
    beside = [other_trail for other_trail in earlier if other_trail.session_id != trail.session_id]
    for pattern, trails in _find_shared(trail, beside):
        if not any(_is_known(pattern, trail, recipe, recipe_acts) for recipe, recipe_acts in recipes):
            findings.append(_make_new_recipe(pattern, trails))
    return findings


def _is_known(pattern: ClosedPattern, trail: Trail, recipe: Memory, recipe_acts: Sequence[str]) -> bool:
    """Whether a recipe says it already: much the same steps, and for such a task, as far as it names one."""
    task = str(recipe.fields.get("task_pattern") or "")
    if (task and not share_a_task(task, trail.task)) or _make_different_things(pattern.items, recipe_acts):
        return False
    return _likeness(pattern.items, recipe_acts) >= SAME_RECIPE


def _make_different_things(acts: Sequence[str], other_acts: Sequence[str]) -> bool:
    """Whether both make something new, and not of the same sort: then they are ways of doing different things."""
    new, other_new = ([act for act in some if act.startswith(_CREATES)] for some in (acts, other_acts))
    return bool(new and other_new) and not any(_is_same(act, other) for act in new for other in other_new)


def list_act_names(part: SequencePart) -> frozenset[str]:
    """What an act is called: by its very file, and by its sort. A file is read for itself, not as one of a sort."""
    if part.action == ToolAction.READ:
        return frozenset({f"read {part.exact}"})
    if part.action in CHANGES:
        return frozenset({f"{part.action} {part.exact}", f"{part.action} {part.where}"})
    return frozenset({str(part)})


def list_recipe_acts(recipe: Memory) -> tuple[str, ...]:
    """The acts that a remembered recipe was made from; none if a person wrote it."""
    steps = recipe.fields.get("steps")
    acts = [step.get("act") for step in steps] if isinstance(steps, list | tuple) else []
    return tuple(acts) if acts and all(isinstance(act, str) and act for act in acts) else ()


def _find_shared(trail: Trail, earlier: Sequence[Trail]) -> list[tuple[ClosedPattern, list[Trail]]]:
    trail_names = frozenset().union(*(list_act_names(part) for part in trail.parts))
    near = [
        other_trail
        for other_trail in earlier
        if share_a_task(trail.task, other_trail.task)
        and len(_find_common(trail_names, other_trail)) >= MIN_STEPS
    ]
    if len({other_trail.session_id for other_trail in near}) < MIN_SESSIONS - 1:
        return []
    trails = [*near, trail]
    patterns = find_closed_patterns(
        [[list_act_names(part) for part in shared_trail.parts] for shared_trail in trails],
        fewest=MIN_SESSIONS,
        through=len(trails) - 1,
    )
    chosen: list[tuple[ClosedPattern, list[Trail]]] = []
    for pattern in sorted(patterns, key=_rank):
        by = [trails[number] for number in pattern.support]
        is_same = any(_likeness(pattern.items, other_trail.items) >= SAME_RECIPE for other_trail, _ in chosen)
        if (
            not is_same
            and len({shared_trail.session_id for shared_trail in by}) >= MIN_SESSIONS
            and is_telling(pattern.items)
            and names_a_task(find_shared_words([shared_trail.task for shared_trail in by]))
        ):
            chosen.append((pattern, by))
    return chosen[:MAX_RECIPES]


def share_a_task(request: str, other_request: str) -> bool:
    """Whether two requests ask for the same sort of thing, perhaps of another object: enough words are in both."""
    words, others = _list_task_words(request), _list_task_words(other_request)
    fewest = min(len(words), len(others))
    return fewest > 0 and len(words & others) >= max(MIN_NAME_WORDS, ALIKE * fewest)


@lru_cache(maxsize=4096)
def _list_task_words(request: str) -> frozenset[str]:
    return frozenset(content_words(request[:MAX_TASK]))


def _find_common(names: frozenset[str], trail: Trail) -> frozenset[str]:
    return names & frozenset().union(*(list_act_names(part) for part in trail.parts))


def is_telling(acts: Sequence[str]) -> bool:
    """Whether acts are a way through this project, rather than what is done anywhere."""
    if len(set(acts)) < MIN_STEPS:
        return False
    weights = [_weight(act) for act in _drop_own_tests(acts)]
    return sum(weights) >= MIN_PLACES and max(weights, default=0.0) >= 1.0


def _weight(act: str) -> float:
    """A file by its name, a new file of a sort, a command of the project's own: each leads somewhere; a sort half."""
    action, _, place = act.partition(" ")
    if action not in CHANGES:
        return 1.0 if action == "run" else 0.0
    return 0.5 if _is_sort(place) and action != ToolAction.CREATE else 1.0


def _drop_own_tests(acts: Sequence[str]) -> Iterator[str]:
    """Each change once, and no file beside its own test; of sorts, one a folder."""
    places_seen: list[str] = []
    for act in acts:
        place = act.partition(" ")[2]
        is_told = any(place == earlier or is_own_test(place, earlier) for earlier in places_seen)
        if not is_told and not (
            _is_sort(place) and any(dirname(place) == dirname(earlier) for earlier in places_seen)
        ):
            yield act
        if place:
            places_seen.append(place)


def _is_sort(place: str) -> bool:
    return "*" in place


def _rank(pattern: ClosedPattern) -> tuple[float, int, int, tuple[str, ...]]:
    """The one that leads through most of the project first, then the one most sessions share, then the longest."""
    return -sum(map(_weight, pattern.items)), -len(pattern.support), -len(pattern.items), pattern.items


def _likeness(acts: Sequence[str], other_acts: Sequence[str]) -> float:
    """How much of the shorter recipe stands in the longer one, a file counting as one of its sort."""
    short, long = sorted((set(acts), set(other_acts)), key=len)
    return (
        sum(any(_is_same(act, long_act) for long_act in long) for act in short) / len(short) if short else 0.0
    )


def _is_same(act_text: str, other_text: str) -> bool:
    if act_text == other_text:
        return True
    (action, _, first_place), (act, _, place) = act_text.partition(" "), other_text.partition(" ")
    is_one_of_a_sort = _is_sort(first_place) != _is_sort(place)
    return (
        action == act
        and is_one_of_a_sort
        and (file_scope(first_place) == place or file_scope(place) == first_place)
    )


def _find_places(acts: Sequence[frozenset[str]], recipe_acts: Sequence[str]) -> tuple[int, ...]:
    """Where each wanted act stands, in order; nothing if one is missing."""
    places: list[int] = []
    at = 0
    for act in recipe_acts:
        while at < len(acts) and act not in acts[at]:
            at += 1
        if at == len(acts):
            return ()
        places.append(at)
        at += 1
    return tuple(places)


def _list_events(trail: Trail, acts: Sequence[str]) -> tuple[str, ...]:
    places = _find_places([list_act_names(part) for part in trail.parts], acts)
    return tuple(dict.fromkeys(trail.parts[at].event_id for at in places if trail.parts[at].event_id))


def _make_new_recipe(pattern: ClosedPattern, trails: Sequence[Trail]) -> RuleFinding:
    newest = sorted(trails, key=lambda trail: (trail.at, trail.session_id))
    steps = [_make_step(number, act, newest) for number, act in enumerate(pattern.items, start=1)]
    files = tuple(dict.fromkeys(step["canonical_file"] for step in steps if step["canonical_file"]))
    return RuleFinding(
        origin=NoteOrigin.RECIPE,
        kind="workflow_recipe",
        keys=(make_recipe_key(pattern.items),),
        files=files,
        count=len({trail.session_id for trail in trails}),
        facts={
            "task": find_shared_words([trail.task for trail in newest]),
            "steps": [{name: value for name, value in step.items() if value} for step in steps],
            "files": files,
        },
        event_ids=tuple(event for trail in reversed(newest) for event in _list_events(trail, pattern.items)),
    )


def _make_followed_recipe(recipe: Memory, acts: Sequence[str], trail: Trail) -> RuleFinding:
    return RuleFinding(
        origin=NoteOrigin.RECIPE,
        kind="workflow_recipe",
        keys=(make_recipe_key(acts),),
        files=tuple(subject.name for subject in recipe.subjects if subject.type == "file"),
        facts={
            "task": recipe.fields.get("task_pattern", ""),
            "steps": recipe.fields["steps"],
            "files": recipe.fields.get("canonical_files", ()),
        },
        event_ids=_list_events(trail, acts),
    )


def make_recipe_key(acts: Sequence[str]) -> str:
    """What makes two recipes the same."""
    return f"recipe:{text_hash(chr(31).join(acts))}"


def _make_step(number: int, act: str, trails: Sequence[Trail]) -> dict[str, Any]:
    action, _, place = act.partition(" ")
    newest = next(part for part in reversed(trails[-1].parts) if act in list_act_names(part))
    if action in CHANGES or action == ToolAction.READ:
        example = f", as {newest.exact}" if _is_sort(place) else ""
        return {
            "order": number,
            "act": act,
            "description": f"{action} {place}{example}",
            "canonical_file": "" if _is_sort(place) and action == ToolAction.CREATE else newest.exact,
        }
    return {"order": number, "act": act, "description": f"run `{newest.exact}`", "canonical_file": ""}


MAX_SHARED_WORDS = 8
# Words of at least so many requests; of three, two may say it and the third say it otherwise.
MIN_REQUEST_SHARE = 2 / 3
_WORD = re.compile(r"[A-Za-z][\w-]{2,}")
_STOPWORDS = frozenset(
    "the and for with from that this these those there here please can could would should you your our its it's let's"
    " lets now also just then than into onto about what which when where who why how are was were has have had not but"
    " all any some one two use using make made want need like file files code test tests new".split()
)


def find_shared_words(requests: Sequence[str]) -> str:
    """The words that most of these requests share, in the order of the newest, which stands last."""
    nonempty = [request for request in requests if request]
    if len(nonempty) < 2:
        return ""
    counts = Counter(word for request in nonempty for word in dict.fromkeys(_split_words(request)))
    shared = [
        word
        for word in dict.fromkeys(_split_words(nonempty[-1]))
        if counts[word] >= len(nonempty) * MIN_REQUEST_SHARE
    ]
    return " ".join(shared[:MAX_SHARED_WORDS]) if len(shared) > 1 else ""


def _split_words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text) if word.lower() not in _STOPWORDS]
