"""
Workflow recipes: what several sessions that passed did in the same order.

The trail of a session that passed is aligned with those of the last thirty days that were asked for the same sort of
thing, one that a person would have a name for. What at least three share, in order, is a recipe if it has four steps or
more and leads through places of this project: to read, edit and test is what everybody does everywhere. A recipe that
is known counts another success instead; where the newest sessions share other steps, they take the place of the old.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import lru_cache
from posixpath import dirname
from typing import Any

from recollect.learn.findings import RuleFinding
from recollect.learn.signals.sequence import build_sequence, file_scope
from recollect.learn.task_pattern import ALIKE, MIN_NAME_WORDS, content_words, names_a_task
from recollect.learn.trail_alignment import (
    MIN_FOLLOWED,
    SharedWay,
    find_places,
    find_shared_way,
    list_act_names,
    name_act,
)
from recollect.model.event import ToolAction
from recollect.model.memory import Memory
from recollect.model.normal_form import text_hash
from recollect.model.note import NoteOrigin
from recollect.model.policy import RECIPE_WINDOW_DAYS
from recollect.model.session import Session
from recollect.model.signal import SequencePart, Trail
from recollect.model.step import Message
from recollect.model.value import replace
from recollect.observe.phrases import is_own_test
from recollect.observe.steps import CHANGES
from recollect.observe.units import WorkUnit

MIN_STEPS = 4
MIN_SESSIONS = 3
TRAIL_WINDOW = timedelta(days=RECIPE_WINDOW_DAYS)
# Looked at for a task alike, which costs little; steps are compared with those alone.
MAX_TRAILS = 500
# What so much of the other work changes too says nothing of a task; judged from so many others.
USUAL_SHARE, MIN_OTHER_TRAILS = 0.2, 10
# So many of the nearest are aligned.
MAX_ALIGNED = 12
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
    """The recipes a trail follows: those that are known, and the one that it makes known."""
    recipes = [(recipe, list_recipe_acts(recipe)) for recipe in remembered]
    followed = [
        (recipe, acts)
        for recipe, acts in recipes
        if acts and len(find_places(trail.parts, acts)) == len(acts)
    ]
    findings = [_make_followed_recipe(recipe, acts, trail) for recipe, acts in followed]
    beside = [other_trail for other_trail in earlier if other_trail.session_id != trail.session_id]
    way = _find_shared(trail, beside)
    if way is None:
        return findings
    known = next((one for one in recipes if _is_known(way, trail, *one)), None)
    if known is None:
        findings.append(_make_new_recipe(way))
    elif set(known[1]) < set(way.acts) or (known not in followed and _is_replaced(known[1], way)):
        # It takes the place of having followed the old steps.
        refined = _make_refined_recipe(way, known[1])
        findings = [refined, *(one for one in findings if one.keys[0] != refined.keys[0])]
    return findings


def find_failed_recipes(trail: Trail, remembered: Iterable[Memory]) -> list[Memory]:
    """The recipes that work which failed had followed, as far as it came, for such a task."""
    recipes = ((recipe, list_recipe_acts(recipe)) for recipe in remembered)
    return [
        recipe
        for recipe, acts in recipes
        if acts
        and share_a_task(str(recipe.fields.get("task_pattern") or ""), trail.task)
        and len(find_places(trail.parts, acts)) >= MIN_FOLLOWED * len(acts)
    ]


def _is_replaced(acts: Sequence[str], way: SharedWay) -> bool:
    """Whether the newest sessions all went the new way, and none of them the old one."""
    newest = sorted(way.trails, key=lambda trail: (trail.at, trail.session_id))[-MIN_SESSIONS:]
    return all(
        len(find_places(trail.parts, way.acts)) == len(way.acts)
        and len(find_places(trail.parts, acts)) < len(acts)
        for trail in newest
    )


def _is_known(way: SharedWay, trail: Trail, recipe: Memory, recipe_acts: Sequence[str]) -> bool:
    """Whether a recipe says it already: much the same steps, and for such a task, as far as it names one."""
    task = str(recipe.fields.get("task_pattern") or "")
    if (task and not share_a_task(task, trail.task)) or _make_different_things(way.acts, recipe_acts):
        return False
    return _likeness(way.acts, recipe_acts) >= SAME_RECIPE


def _make_different_things(acts: Sequence[str], other_acts: Sequence[str]) -> bool:
    """Whether both make something new, and not of the same sort: then they are ways of doing different things."""
    new, other_new = ([act for act in some if act.startswith(_CREATES)] for some in (acts, other_acts))
    return bool(new and other_new) and not any(_is_same(act, other) for act in new for other in other_new)


def list_recipe_acts(recipe: Memory) -> tuple[str, ...]:
    """The acts that a remembered recipe was made from; none if a person wrote it."""
    steps = recipe.fields.get("steps")
    acts = [step.get("act") for step in steps] if isinstance(steps, list | tuple) else []
    return tuple(acts) if acts and all(isinstance(act, str) and act for act in acts) else ()


def _find_shared(trail: Trail, earlier: Sequence[Trail]) -> SharedWay | None:
    """What the trail and others asked for such a thing did in the same order, if it is worth telling."""
    own = _list_names(trail)
    if len(own) < MIN_STEPS:
        return None
    near = [
        (common, other_trail)
        for other_trail in earlier
        if share_a_task(trail.task, other_trail.task)
        and (common := len(own & _list_names(other_trail))) >= MIN_STEPS
        and not _make_other_sorts(trail, other_trail)
    ]
    near.sort(key=lambda one: (-one[0], -one[1].at.timestamp(), one[1].session_id))
    # Of one session the unit that is nearest.
    nearest = {other_trail.session_id: other_trail for _, other_trail in reversed(near)}
    chosen = [one for _, one in near if nearest[one.session_id] is one][: MAX_ALIGNED - 1]
    way = find_shared_way(
        [*sorted(chosen, key=lambda one: (one.at, one.session_id)), trail], fewest=MIN_SESSIONS
    )
    if way is None or way.trails[-1] is not trail:
        return None
    way = _drop_usual_changes(way, earlier)
    if not is_telling(way.acts):
        return None
    return way if names_a_task(find_shared_words([one.task for one in way.trails])) else None


def _drop_usual_changes(way: SharedWay, earlier: Sequence[Trail]) -> SharedWay:
    """Without changes that other work of the project makes as often: they are of the project, not of the task."""
    task = way.trails[-1].task
    others = [_list_names(one) for one in earlier if not share_a_task(task, one.task)]
    if len(others) < MIN_OTHER_TRAILS:
        return way
    most = USUAL_SHARE * len(others)
    parts = [
        part
        for part in way.parts
        if part.action not in CHANGES or sum(name_act(part) in names for names in others) <= most
    ]
    return replace(way, parts=tuple(parts))


def _make_other_sorts(trail: Trail, other: Trail) -> bool:
    """Whether both make new files, and none of one sort."""
    sorts, others = (
        {part.where for part in one.parts if part.action == ToolAction.CREATE} for one in (trail, other)
    )
    return bool(sorts and others) and sorts.isdisjoint(others)


def _list_names(trail: Trail) -> frozenset[str]:
    return frozenset().union(*(list_act_names(part) for part in trail.parts))


def share_a_task(request: str, other_request: str) -> bool:
    """Whether two requests ask for the same sort of thing, perhaps of another object: enough words are in both."""
    words, others = _list_task_words(request), _list_task_words(other_request)
    fewest = min(len(words), len(others))
    return fewest > 0 and len(words & others) >= max(MIN_NAME_WORDS, ALIKE * fewest)


@lru_cache(maxsize=4096)
def _list_task_words(request: str) -> frozenset[str]:
    return frozenset(content_words(request[:MAX_TASK]))


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


def _list_events(trail: Trail, acts: Sequence[str]) -> tuple[str, ...]:
    places = find_places(trail.parts, acts)
    return tuple(dict.fromkeys(trail.parts[at].event_id for at in places if trail.parts[at].event_id))


def _make_new_recipe(way: SharedWay) -> RuleFinding:
    trails = sorted(way.trails, key=lambda trail: (trail.at, trail.session_id))
    steps = [_make_step(number, part, trails[-1]) for number, part in enumerate(way.parts, start=1)]
    files = tuple(dict.fromkeys(step["canonical_file"] for step in steps if step["canonical_file"]))
    return RuleFinding(
        origin=NoteOrigin.RECIPE,
        kind="workflow_recipe",
        keys=(make_recipe_key(way.acts),),
        files=files,
        count=len({trail.session_id for trail in trails}),
        facts={
            "task": find_shared_words([trail.task for trail in trails]),
            "steps": [{name: value for name, value in step.items() if value} for step in steps],
            "files": files,
        },
        event_ids=tuple(event for trail in reversed(trails) for event in _list_events(trail, way.acts)),
    )


def _make_refined_recipe(way: SharedWay, old_acts: Sequence[str]) -> RuleFinding:
    """The steps as they are now, under both keys: later sessions follow the new ones."""
    new = _make_new_recipe(way)
    return replace(new, keys=(make_recipe_key(old_acts), *new.keys), count=1)


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


def _make_step(number: int, part: SequencePart, trail: Trail) -> dict[str, Any]:
    act = name_act(part)
    if part.action not in CHANGES and part.action != ToolAction.READ:
        return {"order": number, "act": act, "description": f"run `{part.exact}`", "canonical_file": ""}
    newest = next((one.exact for one in reversed(trail.parts) if act in list_act_names(one)), "")
    example = f", as {newest}" if newest and _is_sort(part.exact) else ""
    return {
        "order": number,
        "act": act,
        "description": f"{act}{example}",
        "canonical_file": "" if _is_sort(part.exact) and part.action == ToolAction.CREATE else newest,
    }


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
