"""
Recall of lessons: what the observer keeps of sessions, held against what a colleague would have noted.

Labels give for each session its lessons with groups of terms; a memory is about a lesson if its text and subjects hold
one alternative of every group, and if it was learned from the lesson's session or one where it came up again. Sessions
are split in two halves by the first byte of the SHA-256 of their id, even and odd: rules are made looking at the even
half alone, and both are reported. A lesson of class A is one that certainly belongs in a memory.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from recollect.api import Recollect
from recollect.config import Settings, load_settings
from recollect.errors import BadInput
from recollect.model.embedding import Embedding
from recollect.model.memory import Memory, MemoryState
from recollect.model.query import Filters
from recollect.model.value import dataclass
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

MAX_MEMORIES = 1_000_000
MIN_ID_LENGTH = 8
VOICES = ("person", "agent", "compaction", "commit", "behaviour")
# Counts and the state of the work are no lessons.
_NO_LESSONS = frozenset(
    "causal_dependency context_cost prefetch_pattern task_calibration work_state work_unit_outcome".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledLesson:
    """One lesson as somebody else wrote it down."""

    id: str
    session_id: str
    is_certain: bool
    kind: str
    said_by: tuple[str, ...]
    sessions: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedText:
    """A memory as far as the score needs it."""

    memory: Memory
    session_ids: frozenset[str]
    text: str

    @property
    def is_lesson(self) -> bool:
        """Whether it tells something, rather than counts."""
        return self.memory.kind not in _NO_LESSONS


def half_of(session_id: str) -> str:
    """The half a session belongs to."""
    return "seen" if sha256(session_id.encode()).digest()[0] % 2 == 0 else "unseen"


def read_labels(path: Path) -> tuple[list[LabelledLesson], list[str]]:
    """The lessons of a file of labels, and all sessions that were labelled."""
    sessions = json.loads(path.read_text(encoding="utf-8")).get("sessions")
    if not isinstance(sessions, dict):
        raise BadInput(reason=f"{path} holds no labelled sessions")
    lessons = [_lesson(session_id, row) for session_id, part in sessions.items() for row in part["lessons"]]
    return lessons, list(sessions)


def _lesson(session_id: str, row: Mapping[str, Any]) -> LabelledLesson:
    return LabelledLesson(
        id=row["id"],
        session_id=session_id,
        is_certain=row["class"] == "A",
        kind=row["kind"],
        said_by=tuple(row["said_by"]),
        sessions=(session_id, *row["recurs"]),
        terms=tuple(tuple(group) for group in row["terms"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningTime:
    """Seconds of processor time that learning from all sessions took, with listening and without."""

    listening: float
    deaf: float
    # Of the first, what the model took that turns texts into vectors.
    embedding: float

    @property
    def ratio(self) -> float:
        """How many times as long it takes with listening."""
        return self.listening / self.deaf if self.deaf else 0.0


def learn_all(sessions: Path, store: Path, tier: str = "bundled") -> tuple[list[LearnedText], LearningTime]:
    """Replay every session into an empty store and learn from it; the memories, and how long learning took."""
    with Recollect(store, folder=store.parent, settings=_settings(tier, listen="on")) as memory:
        memory.observer.import_sessions(path=sessions, every_project=True)
    deaf = store.parent / "deaf"
    deaf.mkdir()
    for file in store.parent.iterdir():
        if file.is_file():
            shutil.copy(file, deaf)
    # The deaf one first: what is loaded once is loaded there.
    _, without, _ = _learn_from(deaf / store.name, tier, listen="off")
    memories, spent, embedding = _learn_from(store, tier, listen="on")
    return memories, LearningTime(listening=spent, deaf=without, embedding=embedding)


def _settings(tier: str, listen: str) -> Settings:
    return load_settings(None, {"embedding.tier": tier, "listen": listen})


def _learn_from(store: Path, tier: str, listen: str) -> tuple[list[LearnedText], float, float]:
    embedder = _TimedEmbedder() if tier == "bundled" else None
    settings = _settings(tier, listen)
    with Recollect(store, folder=store.parent, settings=settings, embedder=embedder) as memory:
        begun = time.process_time()
        memory.observer.learn_due(limit=MAX_MEMORIES)
        spent = time.process_time() - begun
        every = Filters(every_project=True, states=tuple(MemoryState))
        memories = [_learned(one) for one in memory.list(every, limit=MAX_MEMORIES)]
    return memories, spent, embedder.seconds if embedder else 0.0


class _TimedEmbedder(BundledEmbedder):
    """The bundled model, with the processor time it took."""

    seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        begun = time.process_time()
        embeddings = super().embed(texts)
        self.seconds += time.process_time() - begun
        return embeddings


def _learned(memory: Memory) -> LearnedText:
    subjects = " ".join(map(str, memory.subjects))
    ids = {memory.provenance.session_id or "", *memory.sessions} - {""}
    return LearnedText(
        memory=memory, session_ids=frozenset(ids), text=" ".join(f"{memory.text} {subjects}".lower().split())
    )


def is_caught(lesson: LabelledLesson, learned: LearnedText) -> bool:
    """Whether a memory is about a lesson."""
    is_from = any(is_same_session(mine, theirs) for mine in learned.session_ids for theirs in lesson.sessions)
    return is_from and all(any(term in learned.text for term in group) for group in lesson.terms)


def is_same_session(one: str, other: str) -> bool:
    """Whole ids, or an unambiguous beginning of one."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= MIN_ID_LENGTH and long.startswith(short))


def score(
    lessons: Sequence[LabelledLesson], labelled: Sequence[str], learned: Sequence[LearnedText]
) -> dict[str, Any]:
    """Recall over all and by half, kind and voice, and how much a session gives."""
    caught = {lesson.id for lesson in lessons if any(is_caught(lesson, one) for one in learned)}
    halves = {
        name: [one for one in lessons if half_of(one.session_id) == name] for name in ("seen", "unseen")
    }
    return {
        "all": _recall(lessons, caught),
        **{name: _recall(part, caught) for name, part in halves.items()},
        "kinds": {
            kind: _recall([one for one in lessons if one.kind == kind], caught)
            for kind in sorted({one.kind for one in lessons})
        },
        "voices": {
            voice: _recall([one for one in lessons if voice in one.said_by], caught) for voice in VOICES
        },
        "given": {
            "all": _given(labelled, lessons, learned),
            **{
                name: _given([one for one in labelled if half_of(one) == name], lessons, learned)
                for name in halves
            },
        },
    }


def _recall(lessons: Iterable[LabelledLesson], caught: set[str]) -> dict[str, Any]:
    rows = list(lessons)
    certain = [row for row in rows if row.is_certain]
    return {
        name: _share(sum(row.id in caught for row in part), len(part))
        for name, part in (("A", certain), ("A+B", rows))
    }


def _share(part: int, whole: int) -> dict[str, Any]:
    return {"caught": part, "of": whole, "percent": round(100 * part / whole, 1) if whole else 0.0}


def _given(
    session_ids: Sequence[str], lessons: Sequence[LabelledLesson], learned: Sequence[LearnedText]
) -> dict[str, Any]:
    own = [one for one in learned if any(is_same_session(a, b) for a in one.session_ids for b in session_ids)]
    learned_lessons = [one for one in own if one.is_lesson]
    matched = sum(any(is_caught(lesson, one) for lesson in lessons) for one in learned_lessons)
    return {
        "sessions": len(session_ids),
        "memories": len(own),
        "lessons": len(learned_lessons),
        "a_session": round(len(learned_lessons) / len(session_ids), 2) if session_ids else 0.0,
        "matched": matched,
        "states": dict(Counter(str(one.memory.state) for one in learned_lessons)),
        "kinds": dict(Counter(one.memory.kind for one in learned_lessons)),
    }


def run(sessions: Path, labels: Path, tier: str = "bundled") -> tuple[dict[str, Any], list[LearnedText]]:
    """The scores, and the memories that are about no labelled lesson."""
    lessons, labelled = read_labels(labels)
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        learned, spent = learn_all(sessions, Path(folder) / "memories.db", tier)
    scores = score(lessons, labelled, learned)
    scores["learning_seconds"] = round(spent.listening, 2)
    scores["without_listening_seconds"] = round(spent.deaf, 2)
    scores["embedding_seconds"] = round(spent.embedding, 2)
    scores["ratio"] = round(spent.ratio, 2)
    unmatched = [
        one for one in learned if one.is_lesson and not any(is_caught(lesson, one) for lesson in lessons)
    ]
    return scores, unmatched


def render(scores: Mapping[str, Any]) -> str:
    """The scores as lines of text."""
    rows = [(name, scores[name]) for name in ("all", "seen", "unseen")]
    rows += [(f"kind {name}", part) for name, part in scores["kinds"].items()]
    rows += [(f"said by {name}", part) for name, part in scores["voices"].items()]
    lines = [f"{'':28} {'A':>18} {'A+B':>18}"]
    for name, part in rows:
        cells = (
            f"{cell['caught']}/{cell['of']} {cell['percent']:5.1f} %" for cell in (part["A"], part["A+B"])
        )
        lines.append(f"{name:28} " + " ".join(f"{cell:>18}" for cell in cells))
    for name, given in scores["given"].items():
        lines.append(
            f"{name}: {given['lessons']} lessons from {given['sessions']} sessions, {given['a_session']} each; "
            f"{given['matched']} match a label; {given['states']} {given['kinds']}"
        )
    lines.append(
        f"learning took {scores['learning_seconds']} s of processor time, {scores['embedding_seconds']} s of it for "
        f"vectors; {scores['without_listening_seconds']} s without listening, {scores['ratio']} times as long"
    )
    return "\n".join(lines)


@click.command("lessons")
@click.argument("sessions", type=click.Path(exists=True, path_type=Path))
@click.argument("labels", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--unmatched",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the memories that match no label here, one JSON object a line.",
)
@json_option
def lessons_(sessions: Path, labels: Path, unmatched: Path | None) -> None:
    """How many of the lessons that people noted in SESSIONS the observer learns from them too.

    SESSIONS is a folder of session files; LABELS is a JSON file with the lessons of some of them. They are learned from
    in an empty store, which is thrown away.

    \b
    python -m benchmarks lessons ~/.claude/projects/-home-kim-shop labels.json
    python -m benchmarks lessons sessions/ labels.json --unmatched others.jsonl --json
    """
    scores, others = run(sessions, labels)
    if unmatched:
        rows = [json.dumps(_row_of(learned), ensure_ascii=False) for learned in others]
        unmatched.write_text("\n".join(rows), encoding="utf-8")
    if output.is_json():
        output.print_json(scores)
        return
    output.print_line(render(scores))


def _row_of(learned: LearnedText) -> dict[str, Any]:
    return {
        "session": sorted(learned.session_ids),
        "kind": learned.memory.kind,
        "state": str(learned.memory.state),
        "text": learned.memory.text,
        "about": [str(subject) for subject in learned.memory.subjects],
    }
