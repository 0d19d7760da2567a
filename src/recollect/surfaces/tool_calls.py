"""What each tool of `tools.py` does: one call of the API, answered as data for programs and text for models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recollect.errors import BadInput, BadSubject, NotFound, StoreError
from recollect.model.memory import AlreadyKnown, Intake, Refused, Remembered
from recollect.model.trust import may_answer
from recollect.model.value import asdict, dataclass

if TYPE_CHECKING:
    from recollect.api import Recollect
    from recollect.model.impact import CoChange, Dependent, Impact
    from recollect.model.memory import Memory
    from recollect.model.review import WaitingMemory
    from recollect.model.subject import Subject

RECIPES = "workflow_recipe"
NOTHING = "Nothing is known about this."
NEAREST = "Nothing is known about this; what comes nearest"
# How far dependents of a file are followed, and how many are told.
_DEPTH = 2
_MAX_FILES = 10
# As much of an id as a chip shows.
_SHORT = 13
_OUTSIDE = re.compile(r"/|[A-Za-z]:|~/|(?:.*/)?\.\.(?:/|\Z)", re.DOTALL)

Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The caller of a tool: its memory, whether it may write, and the session its host names."""

    memory: Recollect
    session: str | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What a tool says: `data` for the program, `text` for the model."""

    data: Mapping[str, Any]
    text: str


def recall(caller: Caller, arguments: Given) -> ToolAnswer:
    """What memory knows about a question."""
    memory = caller.memory
    filters = memory.filters(
        about=_subjects_inside(memory, arguments.get("about", ())),
        kinds=tuple(memory.kinds.get(name).name for name in arguments.get("kinds", ())),
    )
    answer = memory.recall(arguments["question"], limit=arguments.get("limit"), filters=filters)
    shown = answer.hits if arguments.get("all") else answer.answers
    heading = "What is known" if answer.known else NEAREST
    return _answer_with_memories(
        caller, heading, [hit.memory for hit in shown], notes=answer.notes, nothing=NOTHING
    )


def recipe(caller: Caller, arguments: Given) -> ToolAnswer:
    """How such a task was done before."""
    memory = caller.memory
    filters = memory.filters(kinds=(RECIPES,))
    recipes = [
        hit.memory
        for hit in memory.recall(arguments["task"], limit=arguments.get("limit"), filters=filters).hits
    ]
    answer = _answer_with_memories(caller, "Recipes", recipes, nothing="No recipe is known for such a task.")
    steps = [_recipe_steps(memory, one) for one in recipes]
    cards = [
        {**card, "steps": steps_done} for card, steps_done in zip(answer.data["memories"], steps, strict=True)
    ]
    texts = [
        f"Steps of {one.id[:_SHORT]}: {' → '.join(steps_done)}"
        for one, steps_done in zip(recipes, steps, strict=True)
        if steps_done
    ]
    return ToolAnswer(data={**answer.data, "memories": cards}, text="\n".join((answer.text, *texts)))


def remember(caller: Caller, arguments: Given) -> ToolAnswer:
    """Note it in the session that goes on; without one it is remembered at once, as the agent's word."""
    memory = caller.memory
    about = _subjects_inside(memory, arguments.get("about", ()))
    kind = memory.kinds.get(arguments.get("kind", "fact")).name
    session = memory.observer.open_session(caller.session)
    if session is None:
        return _describe_intake(
            memory.remember(arguments["text"], kind=kind, about=about, session=caller.session)
        )
    note = memory.observer.note(arguments["text"], session=session, kind=kind, about=about)
    says = "Noted. It becomes a memory once the work of this session has proved good."
    return ToolAnswer(
        data={"outcome": "noted", "id": note.id, "session": session, "says": says},
        text=says,
    )


def about(caller: Caller, arguments: Given) -> ToolAnswer:
    """Everything known about one thing: memories, files that go with it, what a change of it touches."""
    memory = caller.memory
    (subject,) = _subjects_inside(memory, (arguments["subject"],))
    summary = memory.code.about(subject, limit=arguments.get("limit", _MAX_FILES))
    impact = _find_impact(memory, subject)
    binding = [one.memory for one in impact.invariants[:_MAX_FILES]] if impact else []
    memories = list(
        {one.id: one for one in (*(linked.memory for linked in summary.memories), *binding)}.values()
    )
    answer = _answer_with_memories(
        caller, f"About {subject}", memories, nothing=f"Nothing is remembered about {subject}."
    )
    touched = _impact_to_json(memory, impact)
    together = [_cochange_to_json(memory, one) for one in summary.together[:_MAX_FILES]]
    data = {**answer.data, "subject": str(subject), "module": summary.module, "together": together, **touched}
    lines = [answer.text]
    for says, files in (
        ("Goes with", together),
        ("Depends on it", touched["dependents"]),
        ("Tests", touched["tests"]),
    ):
        if files:
            lines.append(f"{says}: {', '.join(one['path'] for one in files)}")
    return ToolAnswer(data=data, text="\n".join(lines))


def pending(caller: Caller, arguments: Given) -> ToolAnswer:
    """What waits for a person. An agent sees that it waits and why; the yes is not the agent's."""
    memory = caller.memory
    waiting = memory.reviews.pending(limit=arguments.get("limit", _MAX_FILES))
    cards = [_waiting_to_json(memory, one) for one in waiting]
    if not waiting:
        return ToolAnswer(data={"count": 0, "memories": []}, text="Nothing waits for a review.")
    block = memory.rendering.block("Waiting for a review", [one.memory for one in waiting])
    hidden = sum(one.memory.state == "quarantined" for one in waiting)
    says = f"{len(waiting)} wait for a person, who decides with `recollect review`."
    withheld = f" The words of {hidden} are not shown to agents before a yes." if hidden else ""
    return ToolAnswer(data={"count": len(waiting), "memories": cards}, text=f"{says}{withheld}\n{block}")


def feedback(caller: Caller, arguments: Given) -> ToolAnswer:
    """What a memory was worth: it helped, is wrong (silent) or outdated (a person will look), or a recipe failed."""
    memory = caller.memory
    judge = _JUDGEMENTS[arguments["judgement"]]
    changed, says = judge(memory, find_visible_memory(memory, arguments["id"]).id, _reason(arguments))
    return ToolAnswer(data={"id": changed.id, "state": str(changed.state), "says": says}, text=says)


def find_visible_memory(memory: Recollect, memory_id: str) -> Memory:
    """One memory of this project or of all projects; memories of other projects are not shown."""
    found_memory, home = memory.show(memory_id), memory.project()
    if found_memory.state == "archived" or found_memory.project_id not in (None, home.id if home else None):
        raise NotFound(what="memory", name=memory_id)
    return found_memory


def _mark_useful(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    return memory.upkeep.judge(memory_id, useful=True, why=why), "Noted: it was useful."


def _mark_wrong(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    changed = memory.upkeep.flag(memory_id, "wrong", why=why)
    return changed, "Flagged: it is silent from now on, until a person has looked."


def _mark_outdated(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    return memory.upkeep.flag(
        memory_id, "outdated", why=why
    ), "Noted: a person will look whether it still holds."


def _mark_failed(memory: Recollect, memory_id: str, why: str) -> tuple[Memory, str]:
    changed = memory.upkeep.recipe_failed(memory_id, why=why)
    return changed, "Noted: the recipe is stale until it has worked again."


_JUDGEMENTS: Mapping[str, Callable[[Recollect, str, str], tuple[Memory, str]]] = {
    "useful": _mark_useful,
    "wrong": _mark_wrong,
    "outdated": _mark_outdated,
    "failed": _mark_failed,
}
JUDGEMENTS = tuple(_JUDGEMENTS)


def _answer_with_memories(
    caller: Caller, heading: str, memories: Sequence[Memory], *, nothing: str, notes: Sequence[str] = ()
) -> ToolAnswer:
    waiting = sum(not may_answer(one) for one in memories)
    memories = [one for one in memories if may_answer(one)]
    if waiting:
        notes = (*notes, f"{waiting} more wait for a person's yes: recollect review")
    _record_injection(caller, memories)
    memory = caller.memory
    cards = [asdict(memory.rendering.card(one)) for one in memories]
    block = memory.rendering.block(heading, memories) if memories else nothing
    data = {"count": len(memories), "memories": cards, "notes": list(notes)}
    return ToolAnswer(data=data, text="\n".join((block, *notes)))


def _record_injection(caller: Caller, memories: Sequence[Memory]) -> None:
    """Hooks need not tell it again in this session, and its citation counts. Not worth an answer that is at hand."""
    if not memories or caller.read_only:
        return
    with suppress(StoreError):
        session = caller.memory.observer.open_session(caller.session)
        if session:
            caller.memory.reviews.note_applied(session, memories)


def _waiting_to_json(memory: Recollect, one: WaitingMemory) -> dict[str, Any]:
    return {**asdict(memory.rendering.card(one.memory)), "why": one.why}


def _describe_intake(answer: Intake) -> ToolAnswer:
    match answer:
        case Remembered(memory=memory):
            waits = " It is not used before a person says yes." if memory.state == "quarantined" else ""
            return _make_outcome("remembered", memory.id, f"Remembered as {memory.id}.{waits}")
        case AlreadyKnown(memory=known):
            return _make_outcome("already_known", known.id, f"This is known already, as {known.id}.")
        case Refused(reason=reason):
            return _make_outcome("refused", None, f"Not remembered: {reason}")


def _make_outcome(outcome: str, memory_id: str | None, says: str) -> ToolAnswer:
    return ToolAnswer(data={"outcome": outcome, "id": memory_id, "session": None, "says": says}, text=says)


def _subjects_inside(memory: Recollect, names: Iterable[str]) -> tuple[Subject, ...]:
    """What was named, as subjects of this project. An agent has no business with files outside of it."""
    subjects = memory.filters(about=names).subjects
    for subject in subjects:
        if subject.type in ("file", "symbol") and _OUTSIDE.match(subject.name):
            raise BadSubject(subject=str(subject), reason="it lies outside this project")
    return subjects


def _cochange_to_json(memory: Recollect, one: CoChange) -> dict[str, Any]:
    return {
        "path": memory.rendering.escaped(one.path),
        "weight": round(one.share, 2),
        "commits": one.commits,
        "sessions": one.sessions,
    }


def _find_impact(memory: Recollect, subject: Subject) -> Impact | None:
    """What would feel a change, as far as a code graph of the checkout is there to tell."""
    if subject.type not in ("file", "symbol", "module"):
        return None
    try:
        return memory.code.impact(str(subject) if subject.type == "module" else subject.name, depth=_DEPTH)
    except (BadInput, NotFound):
        return None


def _impact_to_json(memory: Recollect, impact: Impact | None) -> dict[str, Any]:
    def to_json(files: Iterable[Dependent]) -> list[dict[str, Any]]:
        return [{"path": memory.rendering.escaped(one.path), "depth": one.depth} for one in files][
            :_MAX_FILES
        ]

    return {
        "score": round(impact.score, 1) if impact else 0.0,
        "dependents": to_json(impact.dependents if impact else ()),
        "tests": to_json(impact.tests if impact else ()),
        "must_hold": [one.memory.id for one in impact.invariants[:_MAX_FILES]] if impact else [],
    }


def _recipe_steps(memory: Recollect, recipe: Memory) -> list[str]:
    steps = recipe.fields.get("steps", ())
    assert isinstance(steps, list | tuple), "the kind's row says so"
    return [memory.rendering.escaped(step["description"]) for step in steps]


def _reason(arguments: Given) -> str:
    return str(arguments.get("why", ""))
