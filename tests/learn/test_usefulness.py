"""What followed on an injection: a file that was opened and a session that passed, or nothing, time and again."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect
from recollect.lifecycle.injection_outcomes import IGNORED_SESSIONS, record_shown
from recollect.model.event import EventType
from recollect.model.provenance import Channel
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, read, red
from tests.observe.session_story import begin, go_on


def go(memory: Recollect, clock: Clock, session: str, memory_id: str, *acts: object) -> None:
    begin(memory, session)
    record_shown(memory._wiring.db, session, [memory.show(memory_id)], clock.at)
    go_on(memory, clock, session, *acts)  # type: ignore[arg-type]
    memory.observer.record(EventType.SESSION_ENDED, session=session)
    clock.pass_(hours=1)
    memory.observer.learn(session)


def note(memory: Recollect) -> str:
    text = "Uploads lock each other out without WAL mode"
    given = memory.remember(text, kind="gotcha", about=["src/upload.py"], channel=Channel.AGENT, session="s0")
    return given.memory.id


def test_what_led_to_a_file_in_work_that_passed_was_useful_once(tmp_path: Path, clock: Clock) -> None:
    with Recollect(tmp_path / "m.db", folder=tmp_path, embedder=HashEmbedder(), clock=clock) as memory:
        memory_id = note(memory)
        go(memory, clock, "s1", memory_id, read("src/upload.py"), edit("src/upload.py"), green())
        assert (memory.show(memory_id).useful, memory.show(memory_id).noise) == (1, 0)
        memory.observer.learn("s1")
        assert memory.show(memory_id).useful == 1
        go(memory, clock, "s2", memory_id, read("src/upload.py"), edit("src/upload.py"), red())
        assert memory.show(memory_id).useful == 1


def test_what_no_session_makes_anything_of_becomes_noise_and_a_persons_words_do_not(
    tmp_path: Path, clock: Clock
) -> None:
    with Recollect(tmp_path / "m.db", folder=tmp_path, embedder=HashEmbedder(), clock=clock) as memory:
        memory_id = note(memory)
        typed = memory.remember("Never deploy on Fridays", kind="gotcha").memory.id
        for number in range(IGNORED_SESSIONS):
            assert memory.show(memory_id).noise == 0
            go(memory, clock, f"s{number}", memory_id, edit("src/price.py"), green())
            record_shown(memory._wiring.db, f"s{number}", [memory.show(typed)], clock.at)
        assert memory.show(memory_id).noise == 1
        assert memory.show(typed).noise == 0
