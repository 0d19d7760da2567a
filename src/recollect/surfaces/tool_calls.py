"""What each tool of `tools.py` does: one act of the engine, told for programs and for eyes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recollect.errors import BadInput, BadSubject, NotFound, StoreError
from recollect.model.outcome import AlreadyKnown, Intake, Refused, Remembered
from recollect.model.value import asdict, dataclass

if TYPE_CHECKING:
    from recollect.api import Recollect
    from recollect.model.impact import CoChange, Dependent, Impact
    from recollect.model.memory import Memory
    from recollect.model.review import Waiting
    from recollect.model.subject import Subject

RECIPES = "workflow_recipe"
# How far dependents of a file are followed, and how many are told.
_DEPTH = 2
_MOST_FILES = 10
# As much of an id as a chip shows.
_SHORT = 13
_OUTSIDE = re.compile(r"/|[A-Za-z]:|~/|(?:.*/)?\.\.(?:/|\Z)", re.DOTALL)

Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: the memory they work with, whether they may write to it, and the session their host names."""

    memory: Recollect
    session: str | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool says: `data` for the program, `text` for the model."""

    data: Mapping[str, Any]
    text: str


def recall(caller: Caller, given: Given) -> Answer:
    """What memory knows about a question."""
    memory = caller.memory
    filters = memory.filters(
        about=_inside(memory, given.get("about", ())),
        kinds=tuple(memory.kinds.get(name).name for name in given.get("kinds", ())),
    )
    found = memory.recall(given["question"], limit=given.get("limit"), filters=filters)
    hits = [hit.memory for hit in found]
    return _memories(
        caller, "What is known", hits, notes=found.notes, nothing="Nothing is remembered about that."
    )


def recipe(caller: Caller, given: Given) -> Answer:
    """How such a task was done before."""
    memory = caller.memory
    filters = memory.filters(kinds=(RECIPES,))
    found = [
        hit.memory for hit in memory.recall(given["task"], limit=given.get("limit"), filters=filters).hits
    ]
    answer = _memories(caller, "Recipes", found, nothing="No recipe is known for such a task.")
    steps = [_steps(memory, one) for one in found]
    cards = [{**card, "steps": done} for card, done in zip(answer.data["memories"], steps, strict=True)]
    told = [
        f"Steps of {one.id[:_SHORT]}: {' → '.join(done)}"
        for one, done in zip(found, steps, strict=True)
        if done
    ]
    return Answer(data={**answer.data, "memories": cards}, text="\n".join((answer.text, *told)))


def remember(caller: Caller, given: Given) -> Answer:
    """Note it in the session that goes on; without one it is remembered at once, as the agent's word."""
    memory = caller.memory
    about = _inside(memory, given.get("about", ()))
    kind = memory.kinds.get(given.get("kind", "fact")).name
    session = memory.observer.open_session(caller.session)
    if session is None:
        return _taken_in(memory.remember(given["text"], kind=kind, about=about, session=caller.session))
    note = memory.observer.note(given["text"], session=session, kind=kind, about=about)
    says = "Noted. It becomes a memory once the work of this session has proved good."
    return Answer(
        data={"outcome": "noted", "id": note.id, "session": session, "says": says},
        text=says,
    )


def about(caller: Caller, given: Given) -> Answer:
    """Everything known about one thing: memories, files that go with it, what a change of it touches."""
    memory = caller.memory
    (subject,) = _inside(memory, (given["subject"],))
    known = memory.code.about(subject, limit=given.get("limit", _MOST_FILES))
    impact = _impact(memory, subject)
    binding = [one.memory for one in impact.invariants[:_MOST_FILES]] if impact else []
    found = list({one.id: one for one in (*(linked.memory for linked in known.memories), *binding)}.values())
    answer = _memories(caller, f"About {subject}", found, nothing=f"Nothing is remembered about {subject}.")
    touched = _touched(memory, impact)
    together = [_goes_with(memory, one) for one in known.together[:_MOST_FILES]]
    data = {**answer.data, "subject": str(subject), "module": known.module, "together": together, **touched}
    lines = [answer.text]
    for says, files in (
        ("Goes with", together),
        ("Depends on it", touched["dependents"]),
        ("Tests", touched["tests"]),
    ):
        if files:
            lines.append(f"{says}: {', '.join(one['path'] for one in files)}")
    return Answer(data=data, text="\n".join(lines))


def pending(caller: Caller, given: Given) -> Answer:
    """What waits for a person. An agent sees that it waits and why; the yes is not the agent's."""
    memory = caller.memory
    waiting = memory.reviews.pending(limit=given.get("limit", _MOST_FILES))
    cards = [_waiting(memory, one) for one in waiting]
    if not waiting:
        return Answer(data={"count": 0, "memories": []}, text="Nothing waits for a review.")
    block = memory.telling.block("Waiting for a review", [one.memory for one in waiting])
    hidden = sum(one.memory.state == "quarantined" for one in waiting)
    says = f"{len(waiting)} wait for a person, who decides with `recollect review`."
    withheld = f" The words of {hidden} are not shown to agents before a yes." if hidden else ""
    return Answer(data={"count": len(waiting), "memories": cards}, text=f"{says}{withheld}\n{block}")


def feedback(caller: Caller, given: Given) -> Answer:
    """What a memory was worth: it helped, is wrong (silent) or outdated (a person will look), or a recipe failed."""
    memory = caller.memory
    judge = _JUDGEMENTS[given["judgement"]]
    changed, says = judge(memory, shown(memory, given["id"]).id, _why(given))
    return Answer(data={"id": changed.id, "state": str(changed.state), "says": says}, text=says)


def shown(memory: Recollect, memory_id: str) -> Memory:
    """One memory of this project, or of every project. Those of others are none of this agent's business."""
    found, home = memory.show(memory_id), memory.project()
    if found.state == "archived" or found.project_id not in (None, home.id if home else None):
        raise NotFound(what="memory", name=memory_id)
    return found


def _useful(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    return memory.upkeep.judge(memory_id, useful=True, why=why), "Noted: it was useful."


def _wrong(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    changed = memory.upkeep.flag(memory_id, "wrong", why=why)
    return changed, "Flagged: it is silent from now on, until a person has looked."


def _outdated(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    return memory.upkeep.flag(
        memory_id, "outdated", why=why
    ), "Noted: a person will look whether it still holds."


def _failed(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    changed = memory.upkeep.recipe_failed(memory_id, why=why)
    return changed, "Noted: the recipe is stale until it has worked again."


_JUDGEMENTS: Mapping[str, Callable[[Recollect, str, str], tuple[Memory, str]]] = {
    "useful": _useful,
    "wrong": _wrong,
    "outdated": _outdated,
    "failed": _failed,
}
JUDGEMENTS = tuple(_JUDGEMENTS)


def _memories(
    caller: Caller, heading: str, found: Sequence[Memory], *, nothing: str, notes: Sequence[str] = ()
) -> Answer:
    _note_told(caller, found)
    memory = caller.memory
    cards = [asdict(memory.telling.card(one)) for one in found]
    block = memory.telling.block(heading, found) if found else nothing
    data = {"count": len(found), "memories": cards, "notes": list(notes)}
    return Answer(data=data, text="\n".join((block, *notes)))


def _note_told(caller: Caller, found: Sequence[Memory]) -> None:
    """Hooks need not tell it again in this session, and its citation counts. Not worth an answer that is at hand."""
    if not found or caller.read_only:
        return
    with suppress(StoreError):
        session = caller.memory.observer.open_session(caller.session)
        if session:
            caller.memory.reviews.note_applied(session, found)


def _waiting(memory: Recollect, one: Waiting) -> dict[str, Any]:
    return {**asdict(memory.telling.card(one.memory)), "why": one.why}


def _taken_in(answer: Intake) -> Answer:
    match answer:
        case Remembered(memory=kept):
            waits = " It is not used before a person says yes." if kept.state == "quarantined" else ""
            return _outcome("remembered", kept.id, f"Remembered.{waits}")
        case AlreadyKnown(memory=known):
            return _outcome("already_known", known.id, "This is known already.")
        case Refused(reason=reason):
            return _outcome("refused", None, f"Not remembered: {reason}")


def _outcome(outcome: str, memory_id: str | None, says: str) -> Answer:
    return Answer(data={"outcome": outcome, "id": memory_id, "session": None, "says": says}, text=says)


def _inside(memory: Recollect, named: Iterable[str]) -> tuple[Subject, ...]:
    """What was named, as subjects of this project. An agent has no business with files outside of it."""
    found = memory.filters(about=named).subjects
    for subject in found:
        if subject.type in ("file", "symbol") and _OUTSIDE.match(subject.name):
            raise BadSubject(subject=str(subject), reason="it lies outside this project")
    return found


def _goes_with(memory: Recollect, one: CoChange) -> dict[str, Any]:
    return {
        "path": memory.telling.escaped(one.path),
        "weight": round(one.share, 2),
        "commits": one.commits,
        "sessions": one.sessions,
    }


def _impact(memory: Recollect, subject: Subject) -> Impact | None:
    """What would feel a change, as far as a code graph of the checkout is there to tell."""
    if subject.type not in ("file", "symbol", "module"):
        return None
    try:
        return memory.code.impact(str(subject) if subject.type == "module" else subject.name, depth=_DEPTH)
    except (BadInput, NotFound):
        return None


def _touched(memory: Recollect, found: Impact | None) -> dict[str, Any]:
    def told(files: Iterable[Dependent]) -> list[dict[str, Any]]:
        return [{"path": memory.telling.escaped(one.path), "depth": one.depth} for one in files][:_MOST_FILES]

    return {
        "score": round(found.score, 1) if found else 0.0,
        "dependents": told(found.dependents if found else ()),
        "tests": told(found.tests if found else ()),
        "must_hold": [one.memory.id for one in found.invariants[:_MOST_FILES]] if found else [],
    }


def _steps(memory: Recollect, recipe: Memory) -> list[str]:
    steps = recipe.fields.get("steps", ())
    assert isinstance(steps, list | tuple), "the kind's row says so"
    return [memory.telling.escaped(step["description"]) for step in steps]


def _why(given: Given) -> str:
    return str(given.get("why", ""))
