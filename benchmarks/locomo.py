"""
LoCoMo: long conversations of two people, and questions whose evidence is single turns.

One memory per turn. Its text is what was said and, where a picture was shown, the picture's caption
(`blip_caption`) in brackets; the search words someone once found the picture by (`query`) and its address are
not used. The speaker is what the memory is about, never part of its text. The baseline by words gets the
speaker's name in front of the text, since it has no other way to know it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.questions import Collection, Dataset, Document, Question, read_json_list
from recollect.errors import BadInput

CATEGORIES = {
    1: "1 multi-hop",
    2: "2 temporal",
    3: "3 open-domain",
    4: "4 single-hop",
    5: "5 adversarial",
}
ADVERSARIAL = CATEGORIES[5]
TURN_APART = timedelta(minutes=1)

_SHAPE = "LoCoMo is a list of conversations, each with `conversation` and `qa`."
_SESSION = re.compile(r"session_(\d+)")
_SPOKEN_DATE = "%I:%M %p on %d %B, %Y"
# Mostly "D8:6", but also "D8:6; D9:17", "D:11:26" and "D30:05".
_TURN_ID = re.compile(r"D:?\s*(\d+)\s*:\s*(\d+)")


def load(path: Path) -> Dataset:
    """Read a LoCoMo file: every conversation a collection of its own."""
    left_out: Counter[str] = Counter()
    collections = []
    for number, entry in enumerate(read_json_list(path, _SHAPE)):
        try:
            collections.append(_parse_collection(entry, number, left_out))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{path}, conversation {number + 1}: {error!r}. {_SHAPE}") from error
    return Dataset(name="locomo", collections=tuple(collections), left_out=left_out)


def turn_ids(evidence: str) -> list[str]:
    """The turns an evidence string names, however it is written."""
    return [f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(evidence)]


def _parse_collection(entry: Mapping[str, Any], number: int, left_out: Counter[str]) -> Collection:
    name = str(entry.get("sample_id", number))
    plain: dict[str, str] = {}
    documents = []
    names: set[str] = set()
    for speaker, document in _turns(entry["conversation"], name):
        documents.append(document)
        plain[document.item] = f"{speaker}: {document.text}"
        names.update(speaker.lower().split())
    questions = tuple(_parse_question(question, plain, left_out) for question in entry["qa"])
    return Collection(
        name=name,
        documents=tuple(documents),
        plain=plain,
        questions=tuple(question for question in questions if question is not None),
        names=frozenset(names),
    )


def _turns(conversation: Mapping[str, Any], name: str) -> Iterator[tuple[str, Document]]:
    sessions = [key for key in conversation if _SESSION.fullmatch(key)]
    for session in sorted(sessions, key=lambda key: int(key.partition("_")[2])):
        start = datetime.strptime(conversation[f"{session}_date_time"], _SPOKEN_DATE).replace(tzinfo=UTC)
        for place, turn in enumerate(conversation[session]):
            speaker = str(turn["speaker"])
            yield (
                speaker,
                Document(
                    item=turn_ids(turn["dia_id"])[0],
                    text=_turn_text(turn),
                    session=f"{name} {session}",
                    at=start + place * TURN_APART,
                    about=(f"person:{speaker}",),
                ),
            )


def _turn_text(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [{caption}]".strip() if caption else str(turn["text"])


def _parse_question(
    question: Mapping[str, Any], turns: Mapping[str, str], left_out: Counter[str]
) -> Question | None:
    turn_names: list[str] = []
    for written in question["evidence"]:
        ids = turn_ids(str(written))
        turn_names.extend(ids)
        left_out["evidence naming no turn"] += not ids or not set(ids) <= turns.keys()
    evidence = frozenset(turn_names) & turns.keys()
    if not evidence:
        left_out["questions without evidence"] += 1
        return None
    number = int(question["category"])
    category = CATEGORIES.get(number, str(number))
    return Question(
        text=str(question["question"]), category=category, evidence=evidence, counts=category != ADVERSARIAL
    )
