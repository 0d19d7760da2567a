"""
What a memory that speaks would have told past sessions, and whether they needed it.

Sessions in time order, learned from as they end. At every prompt of a person the layouts of the hooks decide what is
told, from what was known strictly before the session. Used is counted strictly, by what came after the prompt: a file,
when the session opens it; files that belong together, when it opens all of them; an error or a rule, when the session
meets it; any other memory, when a file it is about is opened, so what is about no file never counts. Kinds stand
apart. What the brief told at the start is not told again, and is not counted. Beside it stand the same layouts without
a bar, and silence.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.replay import WARM_UP, Memory, replay_in_order
from benchmarks.replay_sessions import Replayed, load
from benchmarks.run import Progress, quiet
from recollect import config
from recollect.api.wiring import Wiring
from recollect.config import Settings
from recollect.errors import BadInput
from recollect.inject.assemble import assemble_injection
from recollect.inject.calibrate import MAX_COMPARED_FILES
from recollect.inject.injection import FILE_PREFIX, InjectionText
from recollect.inject.layout import BRIEF, CODING, FIRST_PROMPT, PROMPT, Layout, needs_predicted_files
from recollect.inject.slot_candidates import Situation, find_slot_candidates
from recollect.learn.error_fingerprint import fingerprint_fault, is_same_failure
from recollect.learn.learn_session import learn_due
from recollect.model.event import Event
from recollect.model.kinds import Kinds
from recollect.model.memory import Memory as StoredMemory
from recollect.model.predicted_file import PredictedFile
from recollect.model.provenance import Channel
from recollect.model.tokens import estimate_tokens
from recollect.model.value import dataclass, field, replace
from recollect.observe.recognise.faults import read_fault
from recollect.predict_files.past_sessions import is_request
from recollect.predict_files.predict import PredictionRequest, predict_files
from recollect.providers.embed import Embedder
from recollect.store.db import Db
from recollect.store.tables import memories

OURS = "recollect"
ALWAYS = "top-k always"
SILENCE = "silence"


@dataclass(slots=True)
class Tally:
    """What one system told, session by session: how many things, how many of them were used, and what they cost."""

    told: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    by_kind: dict[str, list[bool]] = field(default_factory=dict)

    def as_json(self) -> dict[str, float]:
        """Shares in percent; the later half holds the sessions that nothing was fitted to."""
        later = len(self.told) // 2
        return {
            "items": sum(self.told),
            "used": _share(sum(self.used), sum(self.told)),
            "used_later": _share(sum(self.used[later:]), sum(self.told[later:])),
            "sessions_helped": _share(sum(map(bool, self.used)), len(self.used)),
            "sessions_helped_later": _share(sum(map(bool, self.used[later:])), len(self.used[later:])),
            "silent": _share(sum(not told for told in self.told), len(self.told)),
            "tokens": round(sum(self.tokens) / len(self.tokens), 1) if self.tokens else 0.0,
        }

    def kinds_as_json(self) -> dict[str, dict[str, float]]:
        """The same by what was told: a file's name, or a memory of some kind."""
        return {
            kind: {"items": len(used), "used": _share(sum(used), len(used))}
            for kind, used in sorted(self.by_kind.items())
        }


def run(
    path: Path,
    *,
    warm_up: int = WARM_UP,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """Live through a folder of session files with a memory that speaks."""
    with progress("Session files") as step:
        replay = load(path, step)
    tallies = {name: Tally() for name in (OURS, ALWAYS, SILENCE)}
    mind = _SpeakingMemory(settings or config.load_settings(), embedder)
    with progress("Sessions") as step:
        for number, (session, memory) in enumerate(replay_in_order(replay, mind.learn), start=1):
            if number > warm_up:
                _add(tallies[OURS], session, memory, mind.speak(session, memory, _keep_layout))
                _add(tallies[ALWAYS], session, memory, mind.speak(session, memory, _without_bars))
                _add(tallies[SILENCE], session, memory, [])
            step(number, len(replay.sessions))
    if not tallies[OURS].told:
        raise BadInput(f"{path} has no session to score: there must be more than {warm_up}.")
    return {
        "systems": {name: tally.as_json() for name, tally in tallies.items()},
        "kinds": {name: tally.kinds_as_json() for name, tally in tallies.items()},
        "counts": {"sessions": len(replay.sessions), "scored": len(tallies[OURS].told)},
    }


# What was said at one prompt.
_PromptInjection = tuple[Event, InjectionText]


@dataclass(slots=True)
class _SpeakingMemory:
    """A memory that learns from sessions and speaks at prompts, as the engine and the hooks would have it."""

    settings: Settings
    embedder: Embedder | None
    now: datetime | None = None
    wiring: Wiring | None = None

    def learn(self, db: Db, now: datetime) -> None:
        self.now = now
        learn_due(self.open_wiring(db).begin_writing(), now)

    def open_wiring(self, db: Db) -> Wiring:
        if self.wiring is None:
            self.wiring = Wiring(
                db,
                folder=None,
                settings=self.settings,
                embedder=self.embedder,
                kinds=Kinds(),
                clock=lambda: self.now or datetime.now(UTC),
                actor="observer",
                channel=Channel.AGENT,
            )
        return self.wiring

    def speak(
        self, session: Replayed, memory: Memory, change: Callable[[Layout], Layout]
    ) -> list[_PromptInjection]:
        """What a session would have been told, prompt by prompt, nothing twice."""
        ground = self.open_wiring(memory.db).reading.read_context
        shown = self._list_told_at_start(session, memory)
        injections: list[_PromptInjection] = []
        for number, prompt in enumerate(event for event in session.events if is_request(event)):
            layout = change(CODING[PROMPT if number else FIRST_PROMPT])
            situation = Situation(
                now=prompt.at,
                kinds=Kinds().names(),
                project_id=memory.project_id,
                branch=session.branch,
                question=prompt.text,
                predicted_files=_predict_files(session, memory, prompt)
                if needs_predicted_files(layout)
                else (),
            )
            injection = assemble_injection(
                layout,
                find_slot_candidates(ground, layout, situation),
                told_ids=shown,
                boundary=secrets.token_hex(4),
                predicted_files=situation.predicted_files,
                question=situation.question,
            )
            if injection is not None:
                shown.update(line.id for line in injection.lines)
                injections.append((prompt, injection))
        return injections

    def _list_told_at_start(self, session: Replayed, memory: Memory) -> set[str]:
        """What its brief told a session before it was asked anything: no prompt says it again."""
        layout = CODING[BRIEF]
        situation = Situation(
            now=session.events[0].at,
            kinds=Kinds().names(),
            project_id=memory.project_id,
            branch=session.branch,
        )
        candidates = find_slot_candidates(self.open_wiring(memory.db).reading.read_context, layout, situation)
        brief = assemble_injection(layout, candidates, told_ids=(), boundary=secrets.token_hex(4))
        return {line.id for line in brief.lines} if brief else set()


def _predict_files(session: Replayed, memory: Memory, prompt: Event) -> Sequence[PredictedFile]:
    request = PredictionRequest(
        prompt=prompt.text, branch=session.branch, folder=session.folder, session_id=session.id
    )
    return predict_files(memory.db, memory.project_id, request, limit=MAX_COMPARED_FILES)


def _keep_layout(layout: Layout) -> Layout:
    return layout


def _without_bars(layout: Layout) -> Layout:
    return replace(layout, slots=tuple(replace(slot, bar=0.0) for slot in layout.slots))


def _add(tally: Tally, session: Replayed, memory: Memory, injections: Sequence[_PromptInjection]) -> None:
    used: list[bool] = []
    for prompt, injection in injections:
        for line in injection.lines:
            kind, is_used = judge_use(session, memory, prompt, line.id)
            tally.by_kind.setdefault(kind, []).append(is_used)
            used.append(is_used)
    tally.told.append(len(used))
    tally.used.append(sum(used))
    tally.tokens.append(sum(estimate_tokens(injection.text) for _, injection in injections))


def judge_use(session: Replayed, memory: Memory, prompt: Event, name: str) -> tuple[str, bool]:
    """What was told, and whether the session needed it afterwards."""
    opened = {touch.path for touch in session.touches if touch.at >= prompt.at}
    if name.startswith(FILE_PREFIX):
        return "file", name.removeprefix(FILE_PREFIX) in opened
    stored_memory = memories.get_memory(memory.db, name)
    kind = stored_memory.kind
    if kind in _ERRORS:
        return kind, _error_came_back(session, prompt, stored_memory)
    files = {
        subject.name.partition("::")[0] for subject in stored_memory.subjects if subject.type in _OF_CODE
    }
    if kind in _BELONG_TOGETHER:
        return kind, bool(files) and files <= opened
    return kind, not files.isdisjoint(opened)


_OF_CODE = ("file", "symbol")
# What warns of an error or a rule, and what says that files belong together.
_ERRORS = frozenset({"error_pattern", "dead_end", "lesson"})
_BELONG_TOGETHER = frozenset({"causal_dependency", "prefetch_pattern"})


def _error_came_back(session: Replayed, prompt: Event, warning: StoredMemory) -> bool:
    """Whether the error that a memory warns of came afterwards, known by its fingerprint."""
    error = str(warning.fields.get("error") or warning.fields.get("why_it_failed") or "")
    failed = (event for event in session.events if event.at >= prompt.at and event.ok is False)
    faults = (read_fault(event.output, tool=event.tool) for event in failed)
    return any(
        fault is not None and is_same_failure(error, warning.text, fault, fingerprint_fault(fault))
        for fault in faults
    )


def _share(part: float, whole: float) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
