"""
LongMemEval, pooled: sessions of one user with an assistant, and questions whose evidence is whole sessions.

All distinct sessions of the file go into one store, and every question is asked of all of them: another task
than LongMemEval_S, so figures are called "pooled" and never compared with it.
Each question is asked on its own date, which is what "two weeks ago" in it counts from; nothing is filtered by it.
Questions that have no answer (their id ends in `_abs`) are left out; `bench relevance` asks them. So are the marks on
turns that say where the answer is. The baseline by words sees each session as the text of its user turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.questions import Collection, Dataset, Document, Question, read_json_list
from recollect.errors import BadInput
from recollect.model.memory import MAX_TEXT
from recollect.model.provenance import Channel
from recollect.model.value import dataclass

_SHAPE = "LongMemEval is a list of questions, each with `haystack_sessions` and `answer_session_ids`."
ANSWER_BEGINS = 400
_DATE = "%Y/%m/%d (%a) %H:%M"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation: its turns as (role, text), in order."""

    id: str
    at: datetime
    turns: tuple[tuple[str, str], ...]

    def said_by(self, role: str, each: int | None = None) -> str:
        """What one side said, turn after turn: all of it, or how each turn begins."""
        return "\n".join(text[:each] for who, text in self.turns if who == role)


def memories_of(session: Session) -> list[tuple[Channel, str]]:
    """What is remembered of a session. THE ONE PLACE that decides how finely sessions are kept.

    Two memories: all that the user said, and how each of the assistant's answers begins. The whole answers are ten
    times as long as all else, and what they add to the figures is within their noise.
    """
    return [
        (Channel.USER, session.said_by("user")),
        (Channel.AGENT, session.said_by("assistant", each=ANSWER_BEGINS)),
    ]


def load(path: Path) -> Dataset:
    """Read a LongMemEval file (any of its variants) as one collection."""
    left_out: Counter[str] = Counter()
    sessions: dict[str, Session] = {}
    entries = read_json_list(path, _SHAPE)
    try:
        for entry in entries:
            _take_sessions(entry, sessions)
        questions = [
            question for entry in entries if (question := _parse_question(entry, sessions, left_out))
        ]
        unanswerable = [_unanswerable(entry) for entry in entries if _has_no_answer(entry)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"{path}: {error!r}. {_SHAPE}") from error
    collection = Collection(
        name="pooled",
        documents=tuple(document for session in sessions.values() for document in _documents(session)),
        plain={session.id: session.said_by("user") for session in sessions.values()},
        questions=tuple(questions),
        unanswerable=tuple(unanswerable),
    )
    return Dataset(name="longmemeval (pooled)", collections=(collection,), left_out=left_out)


def _documents(session: Session) -> list[Document]:
    return [
        Document(item=session.id, text=text[:MAX_TEXT], session=session.id, at=session.at, channel=channel)
        for channel, text in memories_of(session)
        if text.strip()
    ]


def _take_sessions(entry: Mapping[str, Any], sessions: dict[str, Session]) -> None:
    sessions_found = zip(
        entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True
    )
    for name, date, turns in sessions_found:
        if name not in sessions:
            sessions[name] = Session(
                id=name,
                at=_parse_moment(date),
                turns=tuple((str(turn["role"]), str(turn["content"])) for turn in turns),
            )


def _parse_question(
    entry: Mapping[str, Any], sessions: Mapping[str, Session], left_out: Counter[str]
) -> Question | None:
    if _has_no_answer(entry):
        left_out["questions without an answer"] += 1
        return None
    session_names = set(entry["answer_session_ids"])
    left_out["evidence naming no session"] += len(session_names - sessions.keys())
    evidence = frozenset(session_names & sessions.keys())
    if not evidence:
        left_out["questions without evidence"] += 1
        return None
    return Question(
        text=str(entry["question"]),
        category=str(entry["question_type"]),
        evidence=evidence,
        at=_parse_moment(entry["question_date"]),
    )


def _has_no_answer(entry: Mapping[str, Any]) -> bool:
    return str(entry["question_id"]).endswith("_abs")


def _unanswerable(entry: Mapping[str, Any]) -> Question:
    return Question(
        text=str(entry["question"]),
        category=str(entry["question_type"]),
        evidence=frozenset(),
        at=_parse_moment(entry["question_date"]),
        counts=False,
    )


def _parse_moment(date: str) -> datetime:
    return datetime.strptime(date, _DATE).replace(tzinfo=UTC)
