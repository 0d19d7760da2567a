"""
Preferences from repeated choices and corrections: which tool, which language, how long an answer.

What a person corrected twice in their own words is a preference. What sessions that passed merely did, however often,
is offered for review: nobody said it. Where a person's own preference speaks of the same choice, nothing is counted,
and what was counted before gives way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from recollect.capture import change
from recollect.capture.write_context import Act, WriteContext
from recollect.learn.counted import ACTOR, TAG, CountedMemory, draft_counted, propose_counted
from recollect.learn.lessons.failure_notes import list_failures
from recollect.model.failure import Failure, FailureSource
from recollect.model.memory import Memory, MemoryDraft, MemoryState
from recollect.model.proposal import LearningProposal
from recollect.model.query import Filters
from recollect.model.signal import Trail
from recollect.model.trust import Origin, origin_of
from recollect.model.value import dataclass
from recollect.store.tables import memories, scratchpad

STEP = "preferences"
KIND = "preference"
WINDOW = timedelta(days=90)
# So many sessions chose, so much of them the same; or so many corrections said it.
MIN_CHOICES, MIN_SHARE, MIN_CORRECTIONS = 5, 0.8, 2
_MAX_TRAILS = 200
_MAX_READ = 200
_SHORT_ANSWER = re.compile(
    r"\b(?:short(?:er)?|brief(?:er|ly)?|concise|less text|fewer words|kürzer|plus court)\b", re.IGNORECASE
)
_LONG_ANSWER = re.compile(
    r"\b(?:more detail|in detail|longer|explain more|ausführlicher|plus de détails?)\b", re.IGNORECASE
)
_WORD = re.compile(r"[a-zäöüßàâçéèêëîïôûœ]+")

# What is chosen, and the programs to choose from, each by the name people give it.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "package manager of JavaScript": {"npm": "npm", "pnpm": "pnpm", "yarn": "yarn", "bun": "bun"},
    "package manager of Python": {
        "pip": "pip",
        "uv": "uv",
        "poetry": "poetry",
        "pdm": "pdm",
        "pipenv": "pipenv",
    },
    "test runner": {
        name: name for name in ("pytest", "unittest", "nose2", "tox", "nox", "jest", "vitest", "mocha", "ava")
    },
    "formatter": {name: name for name in ("black", "ruff", "yapf", "prettier", "biome", "dprint")},
    "type checker": {name: name for name in ("mypy", "pyright", "tsc", "ty", "pyre")},
    "editor": {
        "code": "VS Code",
        "vim": "Vim",
        "nvim": "Neovim",
        "emacs": "Emacs",
        "zed": "Zed",
        "subl": "Sublime Text",
    },
    "browser": {"firefox": "Firefox", "chromium": "Chromium", "google-chrome": "Chrome", "safari": "Safari"},
}
# A few words that hardly stand in another language.
_LANGUAGES: Mapping[str, frozenset[str]] = {
    "English": frozenset("the is of to and that this with please should not".split()),
    "German": frozenset("der die das und ist nicht bitte mit eine den für auf".split()),
    "French": frozenset("le la les et est pas une des pour dans avec que".split()),
    "Spanish": frozenset("el los las es una por para con que del favor".split()),
}
_RUNNERS = frozenset({"run", "exec", "dlx", "x", "-m"})
_WRAPPERS = frozenset({"npx", "python", "python3", "sudo"})
_TEMPLATES = {
    "language": "Write to the person in {chosen}",
    "length of answers": "Answers are to be {chosen}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedPreference:
    """A choice that was made again and again: what of, which, by how many, and the lines that show it."""

    choice: str
    chosen: str
    counts: tuple[tuple[str, int], ...]
    evidence: tuple[str, ...]
    session_ids: tuple[str, ...]
    event_ids: tuple[str, ...] = ()
    # A person said so; else sessions only did so.
    is_said: bool = False

    @property
    def text(self) -> str:
        """The preference in a sentence."""
        template = _TEMPLATES.get(self.choice, f"Use {{chosen}} as {self.choice}")
        count = sum(count for name, count in self.counts if name == self.chosen)
        total = sum(count for _, count in self.counts)
        how = f"said {count} times" if self.is_said else f"so in {count} of {total} sessions"
        return f"{template.format(chosen=self.chosen)} ({how})."


def find_preferences(trails: Sequence[Trail], failures: Sequence[Failure]) -> list[CountedPreference]:
    """What was chosen again and again: by corrections first, then by what sessions that passed did."""
    corrected = list(_count_corrections(failures))
    heard = {one.choice for one in corrected}
    return corrected + [one for one in _count_choices(trails) if one.choice not in heard]


def learn_preferences(
    context: WriteContext, act: Act | None, project_id: str | None
) -> list[LearningProposal]:
    """Remember what is new of it; without an act, only say what would be remembered."""
    since = context.now() - WINDOW
    trails = scratchpad.list_trails(context.db, project_id, since, context.now(), _MAX_TRAILS)
    failures = list_failures(context.db, project_id, since)
    known = _list_known(context, project_id)
    proposals = list(_retire_counted(context, act, known))
    counted: list[CountedMemory] = []
    for preference in find_preferences(trails, failures):
        before = next((memory for memory in known if memory.fields.get("choice") == preference.choice), None)
        if any(_speaks_of(memory, preference.choice) for memory in known) or not _is_news(before, preference):
            continue
        draft = _draft(project_id, preference)
        counted.append(
            CountedMemory(
                draft=draft,
                before=before,
                why="corrected in the person's own words"
                if preference.is_said
                else "done so, and never said",
                evidence=preference.evidence,
                needs_review=not preference.is_said,
                changes={"fields": draft.fields},
            )
        )
    return proposals + propose_counted(context, act, STEP, counted)


# -- counting ----------------------------------------------------------------------------------------------


def _count_choices(trails: Sequence[Trail]) -> Iterator[CountedPreference]:
    """Of each choice: which one most sessions that passed made. A session counts once."""
    chosen: dict[str, dict[str, dict[str, Trail]]] = {}
    for trail in trails:
        for choice, name in _list_choices(trail):
            chosen.setdefault(choice, {}).setdefault(name, {})[trail.session_id] = trail
    for choice, by_name in chosen.items():
        counts = Counter({name: len(sessions) for name, sessions in by_name.items()})
        name, count = counts.most_common(1)[0]
        if count < MIN_CHOICES or count < MIN_SHARE * sum(counts.values()):
            continue
        own = list(by_name[name].values())
        yield CountedPreference(
            choice=choice,
            chosen=name,
            counts=tuple(counts.most_common()),
            evidence=tuple(f"{trail.at:%Y-%m-%d} session {trail.session_id}: {name}" for trail in own),
            session_ids=tuple(trail.session_id for trail in own),
        )


def _list_choices(trail: Trail) -> set[tuple[str, str]]:
    choices: set[tuple[str, str]] = set()
    for part in trail.parts:
        for word in _list_programs(part.exact):
            choices |= {(choice, names[word]) for choice, names in CHOICES.items() if word in names}
    if language := guess_language(trail.task):
        choices.add(("language", language))
    return choices


def _list_programs(command: str) -> list[str]:
    """The programs that a command names: `npx vitest`, `uv run pytest`, `python -m pytest`."""
    words = command.split()
    programs = words[:1]
    if words[:1] and words[0] in _WRAPPERS and len(words) > 1:
        programs.append(words[2] if words[1] in _RUNNERS and len(words) > 2 else words[1])
    elif len(words) > 2 and words[1] in _RUNNERS:
        programs.append(words[2])
    return programs


def guess_language(text: str) -> str:
    """The language of a request, by its small words; empty where they do not tell."""
    words = _WORD.findall(text.lower())
    counts = Counter({name: sum(word in small for word in words) for name, small in _LANGUAGES.items()})
    (first, most), (_, second) = counts.most_common(2)
    return first if most >= 3 and most >= 2 * second else ""


def _count_corrections(failures: Sequence[Failure]) -> Iterator[CountedPreference]:
    """What a person said more than once, in corrections of different sessions."""
    wishes: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        if failure.source is FailureSource.CORRECTION:
            for choice, name in _read_wishes(failure.what):
                wishes.setdefault((choice, name), []).append(failure)
    for (choice, name), own in wishes.items():
        if len({failure.session_id for failure in own}) < MIN_CORRECTIONS:
            continue
        others = [other for (its, other) in wishes if its == choice and other != name]
        if any(len(wishes[choice, other]) >= len(own) for other in others):
            continue
        yield CountedPreference(
            choice=choice,
            chosen=name,
            counts=((name, len(own)),),
            evidence=tuple(f"{one.at:%Y-%m-%d} session {one.session_id}: {one.what}" for one in own),
            session_ids=tuple(failure.session_id for failure in own),
            event_ids=tuple(dict.fromkeys(event for failure in own for event in failure.event_ids)),
            is_said=True,
        )


def _read_wishes(text: str) -> Iterator[tuple[str, str]]:
    """What a correction asks for: the first tool after `use`, or how answers should be."""
    if _SHORT_ANSWER.search(text):
        yield "length of answers", "short"
    elif _LONG_ANSWER.search(text):
        yield "length of answers", "detailed"
    lowered = text.lower()
    for choice, names in CHOICES.items():
        for program, name in names.items():
            if re.search(
                rf"\b(?:use|with|benutze|nimm|utilise[sz]?)\s+(?:the\s+)?{re.escape(program)}\b", lowered
            ):
                yield choice, name


# -- keeping -----------------------------------------------------------------------------------------------


def _list_known(context: WriteContext, project_id: str | None) -> list[Memory]:
    filters = Filters(kinds=(KIND,), project_id=project_id, states=tuple(MemoryState))
    return memories.list_memories(context.db, filters, limit=_MAX_READ)


def _speaks_of(memory: Memory, choice: str) -> bool:
    """Whether a person's own preference is about this choice."""
    if memory.state is not MemoryState.ACTIVE or TAG in memory.tags or origin_of(memory) is not Origin.PERSON:
        return False
    words = set(re.findall(r"[\w-]+", memory.text.lower()))
    if choice == "language":
        return bool(words & {name.lower() for name in _LANGUAGES})
    if choice == "length of answers":
        return bool(_SHORT_ANSWER.search(memory.text) or _LONG_ANSWER.search(memory.text))
    return not words.isdisjoint(CHOICES[choice])


def _is_news(before: Memory | None, preference: CountedPreference) -> bool:
    """A person's no stands, their yes too; a count that grew is news only where another choice leads."""
    if before is None:
        return True
    is_settled = (
        before.trust.verified or before.pinned or before.state in (MemoryState.ARCHIVED, MemoryState.INACTIVE)
    )
    return not is_settled and before.fields.get("chosen") != preference.chosen


def _retire_counted(
    context: WriteContext, act: Act | None, known: Sequence[Memory]
) -> Iterator[LearningProposal]:
    """What was counted gives way to what a person has said since."""
    live = (MemoryState.ACTIVE, MemoryState.QUARANTINED)
    for memory in known:
        choice = str(memory.fields.get("choice", ""))
        if TAG not in memory.tags or not choice or memory.state not in live or memory.trust.verified:
            continue
        typed = next((other for other in known if _speaks_of(other, choice)), None)
        if typed is None:
            continue
        if act is not None:
            why = f"the person's own words stand before it: {typed.id}"
            change.set_state(
                context, [memory.id], MemoryState.ARCHIVED, action="retire", actor=ACTOR, why=why
            )
        yield LearningProposal(
            step=STEP, act="retire", text=memory.text, why=f"{typed.id}: {typed.text}", memory_id=memory.id
        )


def _draft(project_id: str | None, preference: CountedPreference) -> MemoryDraft:
    return draft_counted(
        preference.text,
        KIND,
        project_id,
        session_id=preference.session_ids[-1],
        event_ids=preference.event_ids,
        # Nobody said it: it waits for a yes.
        state=MemoryState.ACTIVE if preference.is_said else MemoryState.QUARANTINED,
        fields={
            "choice": preference.choice,
            "chosen": preference.chosen,
            "counts": [f"{name}={count}" for name, count in preference.counts],
        },
    )
