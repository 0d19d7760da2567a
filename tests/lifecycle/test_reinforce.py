"""Saying a known thing again makes it surer, once per session and by who may do so."""

from __future__ import annotations

import json

import pytest

from recollect import AlreadyKnown, Recollect
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel
from tests.conftest import Clock
from tests.lifecycle.stories import actions, remembered

TEXT = "Jellyfin takes 60s to start"


def again(memory: Recollect, text: str = TEXT, **details: object) -> float:
    answer = memory.remember(text, **({"kind": "timing", "session": "s2"} | details))  # type: ignore[arg-type]
    assert isinstance(answer, AlreadyKnown), answer
    return answer.memory.confidence


def test_another_session_makes_it_surer_and_is_named(memory: Recollect, clock: Clock) -> None:
    known = remembered(memory, TEXT, kind="timing", session="s1")
    clock.pass_(days=3)
    assert again(memory) == 0.8
    now = memory.show(known.id)
    assert (now.sessions, now.reinforced_at) == (("s2",), clock.at)
    assert memory.history(known.id)[-1].why == "said again in session s2"


def test_the_same_session_counts_once(memory: Recollect) -> None:
    remembered(memory, TEXT, kind="timing", session="s1")
    assert [again(memory, session="s1"), again(memory), again(memory), again(memory, session="s3")] == [
        *(0.7, 0.8, 0.8, 0.9)
    ]


def test_it_never_grows_above_one(memory: Recollect) -> None:
    remembered(memory, TEXT, kind="timing", session="s1")
    assert [again(memory, session=f"t{n}") for n in range(5)] == [0.8, 0.9, 1.0, 1.0, 1.0]


def test_outside_any_session_it_counts_once_a_day(memory: Recollect, clock: Clock) -> None:
    remembered(memory, TEXT, kind="timing")
    assert again(memory, session=None) == 0.7
    clock.pass_(days=1)
    assert [again(memory, session=None), again(memory, session=None)] == [0.8, 0.8]


def test_other_words_for_the_same_count_too(memory: Recollect) -> None:
    remembered(memory, TEXT, kind="timing", session="s1")
    assert again(memory, "jellyfin takes 60s to start.") == 0.8


def test_it_must_be_about_the_same_thing(memory: Recollect) -> None:
    remembered(memory, TEXT, kind="timing", session="s1", about=["service:jellyfin"])
    assert again(memory) == 0.7  # known, but this time it was not said of what
    assert again(memory, about=["service:jellyfin"]) == 0.8


def test_undo_takes_the_growth_back_with_the_act(memory: Recollect) -> None:
    known = remembered(memory, TEXT, kind="timing", session="s1")
    again(memory)
    memory.undo()
    now = memory.show(known.id)
    assert (now.confidence, now.sessions, now.reinforced_at, now.state) == (0.7, (), None, MemoryState.ACTIVE)


@pytest.mark.parametrize("voice", [Channel.READ, Channel.IMPORT, Channel.PLUGIN, Channel.VAULT_EXTERNAL])
def test_who_only_hands_on_what_others_wrote_raises_nothing(memory: Recollect, voice: Channel) -> None:
    remembered(memory, TEXT, kind="timing", session="s1")
    assert again(memory, channel=voice) == 0.7


def test_what_waits_for_review_does_not_grow(memory: Recollect) -> None:
    known = remembered(memory, TEXT, kind="timing", session="s1")
    memory.edit(known.id, state="quarantined")
    assert again(memory, channel=Channel.AGENT) == 0.7


def test_an_import_of_what_is_known_is_no_repetition(memory: Recollect) -> None:
    known = remembered(memory, TEXT, kind="timing", session="s1")
    lines = ['{"format": "recollect-memories", "version": 1}']
    lines.append(
        f'{{"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "created_at": "2026-01-01", "kind": "timing", "text": "{TEXT}"}}'
    )
    memory.admin.import_memories(lambda: iter(lines))
    assert memory.show(known.id).confidence == 0.7


def test_export_and_import_keep_what_it_grew_by(memory: Recollect, clock: Clock) -> None:
    known = remembered(memory, TEXT, kind="timing", session="s1")
    again(memory)
    memory.upkeep.judge(known.id, useful=True)
    for days in (30, 10):
        clock.pass_(days=days)
        memory.upkeep.run()
    lines = [json.dumps(line) for line in memory.admin.export()]
    before = memory.show(known.id)
    memory.purge(known.id)
    memory.admin.import_memories(lambda: iter(lines))
    after = memory.show(known.id)
    grown = ("confidence", "base_confidence", "reinforced_at", "sessions", "useful", "noise")
    assert [getattr(after, name) for name in grown] == [getattr(before, name) for name in grown]
    assert before.base_confidence == 0.8


def test_what_has_faded_grows_from_where_it_stands(memory: Recollect, clock: Clock) -> None:
    known = remembered(memory, TEXT, kind="timing", session="s1")
    clock.pass_(days=30)
    memory.upkeep.run()
    clock.pass_(days=16)
    memory.upkeep.run()
    assert memory.show(known.id).confidence == 0.5
    assert again(memory) == 0.6
    clock.pass_(days=30)
    memory.upkeep.run()
    assert memory.show(known.id).confidence == 0.6
    assert actions(memory, known.id) == ["remember", "decay", "reinforce"]
