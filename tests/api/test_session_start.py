"""The start of a session is when memory looks after itself."""

from __future__ import annotations

from recollect import Recollect
from recollect.model.event import EventType
from recollect.model.memory import Remembered
from tests.conftest import Clock


def test_what_is_due_is_done_at_the_start_of_a_session_and_once(memory: Recollect, clock: Clock) -> None:
    answer = memory.remember("Jellyfin takes 60s to start", kind="timing", about=["service:jellyfin"])
    assert isinstance(answer, Remembered)
    memory.observer.start_session("s1")
    clock.pass_(days=29)
    memory.observer.start_session("s2")
    clock.pass_(days=9)
    report = memory.observer.start_session("s3")
    aged = memory.show(answer.memory.id)
    assert report.changed == 1
    assert aged.confidence < answer.memory.confidence
    assert memory.observer.start_session("s4").changed == 0
    assert memory.show(answer.memory.id) == aged


def test_a_session_that_begins_is_recorded_and_earlier_ones_are_learned_from(memory: Recollect) -> None:
    memory.observer.record(EventType.SESSION_STARTED, session="s1")
    memory.observer.record(EventType.SESSION_ENDED, session="s1")
    memory.observer.start_session("s2", client="our-loop")
    assert memory.observer.session("s2").client == "our-loop"
    assert memory.observer.learn("s1").already
