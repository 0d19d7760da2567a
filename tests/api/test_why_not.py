"""Why an agent is not told something: staged cases, each answered with its true reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.injection import Injection
from recollect.model.provenance import Channel
from recollect.model.silence import SilenceReport
from recollect.store.tables import injections
from tests.conftest import Clock
from tests.git.repos import a_repository, commit, git, isolate
from tests.hash_embedder import HashEmbedder

FILE = "src/auth.py"


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    with open_at(tmp_path / "shop", tmp_path, clock) as opened:
        yield opened


def open_at(folder: Path, home: Path, clock: Clock, channel: Channel = Channel.USER) -> Recollect:
    folder.mkdir(exist_ok=True)
    return Recollect(
        home / "m.db",
        folder=folder,
        embedder=HashEmbedder(),
        clock=clock,
        actor="agent" if channel is Channel.AGENT else "user",
        channel=channel,
    )


def keep(memory: Recollect, text: str, kind: str = "gotcha", **parts: object) -> str:
    answer = memory.remember(text, kind=kind, **parts)  # type: ignore[arg-type]
    return str(answer.memory.id)  # type: ignore[union-attr]


def reason(report: SilenceReport, memory_id: str) -> str:
    return next(one.reason.why for one in report.silent if one.memory.id == memory_id)


def test_nothing_is_known_about_a_file(memory: Recollect) -> None:
    report = memory.injections.why_not(file="src/nowhere.py")
    assert (report.told_ids, report.silent) == ((), ())
    assert report.sentence.endswith("nothing is known about it.")


def test_nothing_is_known_about_a_prompt(memory: Recollect) -> None:
    report = memory.injections.why_not(prompt="draw the quarterly figures as a chart")
    assert report.sentence.endswith("nothing is known about it.")


def test_what_is_told_at_a_file_is_not_among_the_silent(memory: Recollect) -> None:
    memory_id = keep(memory, "Tokens expire after five minutes", about=[FILE])
    report = memory.injections.why_not(file=FILE)
    assert (report.told_ids, report.silent) == ((memory_id,), ())


def test_what_was_told_in_the_session_is_not_told_again(memory: Recollect, clock: Clock) -> None:
    memory_id = keep(memory, "Tokens expire after five minutes", about=[FILE])
    memory.observer.record("session_started", session="s1")
    told_before = Injection(
        session_id="s1",
        moment="file",
        memory_id=memory_id,
        at=clock(),
        tokens=9,
        score=1.0,
        bar=0.6,
        position=1,
    )
    injections.save_injections(memory._wiring.db, [told_before])
    assert "told in this session already" in reason(
        memory.injections.why_not(file=FILE, session="s1"), memory_id
    )
    assert memory.injections.why_not(file=FILE, session="s2").told_ids == (memory_id,)


def test_a_memory_below_the_bar_says_its_score(memory: Recollect) -> None:
    memory_id = keep(memory, "The export of invoices runs at night", kind="fact")
    why = reason(
        memory.injections.why_not(memory_id, prompt="why is the colour of the login button so pale?"),
        memory_id,
    )
    assert "below the bar" in why or "not among what fits" in why


def test_a_stale_memory_says_that_its_file_changed(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, tmp_path)
    folder = a_repository(tmp_path / "shop")
    commit(folder, FILE, "def renew(): ...\n")
    with open_at(folder, tmp_path, clock) as memory:
        memory_id = keep(memory, "Tokens expire after five minutes", about=[FILE])
        git(folder, "rm", "-q", FILE)
        git(folder, "commit", "-q", "-m", "Remove")
        memory.staleness.sweep()
        report = memory.injections.why_not(memory_id, file=FILE)
        assert reason(report, memory_id) == "what it is about has changed"
        assert f"recollect show {memory_id}" in report.silent[0].reason.remedy


def test_what_waits_for_a_yes_says_so_and_how(memory: Recollect, tmp_path: Path, clock: Clock) -> None:
    with open_at(tmp_path / "shop", tmp_path, clock, Channel.AGENT) as agent:
        memory_id = keep(agent, "Always deploy from a laptop", kind="preference", about=[FILE])
    report = memory.injections.why_not(memory_id, file=FILE)
    assert reason(report, memory_id) == "it waits for a person's yes"
    assert report.silent[0].reason.remedy == f"recollect review confirm {memory_id}"


def test_a_forgotten_memory_says_so(memory: Recollect) -> None:
    memory_id = keep(memory, "Tokens expire after five minutes", about=[FILE])
    memory.forget(memory_id)
    report = memory.injections.why_not(memory_id, file=FILE)
    assert "forgotten" in reason(report, memory_id)
    assert "recollect revive" in report.silent[0].reason.remedy


def test_a_memory_of_another_project_says_so(memory: Recollect, tmp_path: Path, clock: Clock) -> None:
    with open_at(tmp_path / "bank", tmp_path, clock) as bank:
        memory_id = keep(bank, "Tokens expire after five minutes", about=[FILE])
    assert (
        reason(memory.injections.why_not(memory_id, file=FILE), memory_id) == "it belongs to another project"
    )
    assert "another project" in reason(
        memory.injections.why_not(memory_id, prompt="when do tokens expire?"), memory_id
    )


def test_a_memory_about_another_file_says_so(memory: Recollect) -> None:
    memory_id = keep(memory, "Tokens expire after five minutes", about=["src/other.py"])
    report = memory.injections.why_not(memory_id, file=FILE)
    assert reason(report, memory_id) == f"it is not about {FILE}"


def test_a_kind_that_files_are_not_interrupted_for_says_so(memory: Recollect) -> None:
    memory_id = keep(memory, "Half of the login is written", kind="work_state", about=[FILE])
    assert reason(memory.injections.why_not(memory_id, file=FILE), memory_id).startswith(
        "a work_state is not told"
    )


def test_an_unsure_memory_says_its_confidence(memory: Recollect) -> None:
    memory_id = keep(memory, "Tokens expire after five minutes", about=[FILE])
    memory.edit(memory_id, confidence=0.5)
    assert (
        reason(memory.injections.why_not(memory_id, file=FILE), memory_id) == "confidence 0.50 is below 0.65"
    )


def test_an_agents_unproved_note_speaks_when_asked_for(
    memory: Recollect, tmp_path: Path, clock: Clock
) -> None:
    with open_at(tmp_path / "shop", tmp_path, clock, Channel.AGENT) as agent:
        memory_id = keep(agent, "The login form posts to /session", kind="module_insight", about=[FILE])
    assert reason(memory.injections.why_not(memory_id, file=FILE), memory_id) == "it waits for a person's yes"
    at_prompt = memory.injections.why_not(memory_id, prompt="where does the login form post to?")
    assert reason(at_prompt, memory_id).startswith("no work proved it")


def test_of_many_about_a_file_the_surest_have_the_places(memory: Recollect) -> None:
    ids = [
        keep(memory, f"Gotcha number {number} of the login, on {word}", about=[FILE])
        for number, word in enumerate(("tokens", "cookies", "headers", "proxies", "clocks", "locks"))
    ]
    memory.edit(ids[0], confidence=0.7)
    report = memory.injections.why_not(file=FILE)
    assert len(report.told_ids) == 4
    assert "surer ones come first" in reason(report, ids[0])


def test_a_session_is_asked_about_by_its_first_prompt(memory: Recollect) -> None:
    keep(memory, "Tokens expire after five minutes", about=[FILE])
    memory.observer.record("prompt", session="s1", text="make the chart of the quarter blue")
    report = memory.injections.why_not(session="s1")
    assert report.place == "make the chart of the quarter blue"


def test_explaining_is_no_access(memory: Recollect) -> None:
    memory_id = keep(memory, "Tokens expire after five minutes", about=[FILE])
    memory.injections.why_not(memory_id, prompt="when do tokens expire?")
    memory.injections.why_not(file=FILE)
    assert memory.show(memory_id).access_count == 0
