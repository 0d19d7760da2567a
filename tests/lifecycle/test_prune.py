"""What is pruned, by which rule and when; what never is; and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.config import load_settings
from recollect.errors import NotFound, OnlyAPerson
from recollect.lifecycle.prune import RULES, PruneRequest, prune
from recollect.lifecycle.upkeep_context import UpkeepContext
from recollect.model.event import Event, EventType
from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel
from recollect.model.session import Session
from recollect.store.tables import events, scratchpad, sessions
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.lifecycle.stories import remembered


def pruned(memory: Recollect, **wish: Any) -> dict[str, str]:
    """What a dry run shows: the rule by the text."""
    found = memory.upkeep.prune(**wish, dry_run=True)
    return {item.text: rule for item, rule, _ in found.memories}


def days(memory: Recollect, clock: Clock, number: int) -> None:
    """Time passes, with upkeep now and then so that it is believed."""
    while number:
        step = min(30, number)
        clock.pass_(days=step)
        number -= step


@pytest.fixture
def site(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    """A memory that stands in a project with two files."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("kept.py", "gone.py"):
        (folder / name).write_text("pass")
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def care_of(memory: Recollect, **details: Any) -> UpkeepContext:
    return replace(memory._wiring.upkeep_context(), **details)


def test_a_session_memory_lives_seven_days(memory: Recollect, clock: Clock) -> None:
    remembered(memory, "The build is red just now", scope="session")
    days(memory, clock, 7)
    assert pruned(memory) == {}
    clock.pass_(minutes=1)
    assert pruned(memory) == {"The build is red just now": "session over"}


@pytest.mark.parametrize("scope", ["global", "module"])
def test_a_weak_one_goes_when_nobody_asked_for_it_in_sixty_days(
    memory: Recollect, clock: Clock, scope: str
) -> None:
    weak = remembered(memory, "Perhaps the cache is slow", scope=scope, confidence=0.19)
    remembered(memory, "The proxy is slow", scope=scope, confidence=0.2)
    days(memory, clock, 60)
    assert pruned(memory) == {}
    clock.pass_(minutes=1)
    assert pruned(memory) == {weak.text: "weak"}
    memory.recall("perhaps the cache is slow")
    assert pruned(memory) == {}


def test_what_a_person_stands_by_is_never_pruned(memory: Recollect, clock: Clock) -> None:
    pinned = remembered(memory, "The build is red", scope="session", pinned=True)
    verified = remembered(memory, "Perhaps the cache is slow", confidence=0.1)
    memory.edit(verified.id, verified=True)
    days(memory, clock, 400)
    assert pruned(memory) == {}
    assert pruned(memory, below=1.0) == {}
    memory.pin(pinned.id, pinned=False)
    clock.pass_(days=8)
    assert pruned(memory) == {pinned.text: "session over"}


def test_a_commit_note_goes_with_the_last_of_its_files(site: Recollect, clock: Clock, tmp_path: Path) -> None:
    remembered(
        site, "Kept and gone", kind="module_insight", about=["kept.py", "gone.py"], channel=Channel.COMMIT
    )
    remembered(site, "Only gone", kind="module_insight", about=["gone.py"], channel=Channel.COMMIT)
    remembered(site, "Said by a person", kind="module_insight", about=["gone.py"])
    assert pruned(site) == {}
    (tmp_path / "site" / "gone.py").unlink()
    assert pruned(site) == {"Only gone": "commit without files"}
    assert pruned(site, deleted_files=True) == {
        "Only gone": "deleted files",
        "Said by a person": "deleted files",
    }


def test_without_its_project_nothing_can_be_told_about_files(site: Recollect, tmp_path: Path) -> None:
    remembered(site, "Only gone", kind="module_insight", about=["gone.py"], channel=Channel.COMMIT)
    remembered(site, "Outside", about=["file:../elsewhere.py"])
    care = site._wiring.upkeep_context()
    assert pruned(site, deleted_files=True) == {}
    assert prune(replace(care, exists=None), PruneRequest(deleted_files=True), dry_run=True).memories == ()
    nothing_there = prune(
        replace(care, exists=lambda path: False), PruneRequest(deleted_files=True), dry_run=True
    )
    assert len(nothing_there.memories) == 2


def test_the_last_thirty_costs_of_a_module_are_kept(memory: Recollect, clock: Clock) -> None:
    for n in range(32):
        for module in ("auth", "web"):
            if module == "auth" or n < 30:
                text = f"{module} {'abcdefghijklmnopqrstuvwxyzäöüéèà'[n]} cost"
                remembered(memory, text, kind="context_cost", fields={"module": module})
        clock.pass_(hours=1)
    assert pruned(memory) == {"auth a cost": "old cost", "auth b cost": "old cost"}


def test_a_recipe_goes_after_sixty_days_without_success(memory: Recollect, clock: Clock) -> None:
    recent = (clock.at + timedelta(days=20)).isoformat()
    remembered(memory, "How to add a handler", kind="workflow_recipe")
    remembered(memory, "How to cut a release", kind="workflow_recipe", fields={"last_validated_at": recent})
    remembered(memory, "How to roll back", kind="workflow_recipe", fields={"last_validated_at": "no date"})
    days(memory, clock, 61)
    assert pruned(memory) == {"How to add a handler": "idle recipe", "How to roll back": "idle recipe"}


def test_work_is_archived_when_its_branch_is_merged(site: Recollect, clock: Clock) -> None:
    home = site._wiring.ensure_project_id()
    for name, branch in (("s1", "feature/a"), ("s2", "feature/b")):
        at = clock.at
        sessions.save_session(
            site._db,
            Session(
                id=name, project_id=home, started_at=at, last_at=at, branch=branch, work=f"native:{name}"
            ),
        )
    done = remembered(site, "Half of it works", kind="work_state", work="native:s1", session="s1")
    later = remembered(site, "The queue is moved", kind="work_unit_outcome", work="native:s1")
    remembered(site, "The index is next", kind="work_state", work="native:s2", session="s2")
    remembered(site, "A decision outlives its work", kind="decision", work="native:s1")
    asked: list[str] = []

    def merged(branch: str) -> bool:
        asked.append(branch)
        return branch == "feature/a"

    assert prune(care_of(site), PruneRequest(merged=True), dry_run=True).memories == ()
    assert (
        prune(care_of(site, merged=merged), PruneRequest(), dry_run=True).memories == ()
    )  # a branch just begun
    assert asked == []
    clock.pass_(days=7)
    for wish, rule in ((PruneRequest(), "work merged"), (PruneRequest(merged=True), "merged")):
        found = prune(care_of(site, merged=merged), wish, dry_run=True)
        assert {(item.id, name) for item, name, _ in found.memories} == {(done.id, rule), (later.id, rule)}
    assert sorted(asked) == ["feature/a", "feature/a", "feature/b", "feature/b"]


def test_work_can_be_said_to_be_finished_with_all_inside_it(site: Recollect) -> None:
    remembered(site, "Outer", kind="work_state", work="native:spec_042")
    remembered(site, "Inner", kind="work_state", work="native:spec_042/subtask_3")
    remembered(site, "Another", kind="work_state", work="native:spec_04")
    assert pruned(site, finished=["native:spec_042"]) == {"Outer": "finished", "Inner": "finished"}


def test_below_takes_what_is_weak_and_unused_for_thirty_days(memory: Recollect, clock: Clock) -> None:
    remembered(memory, "Perhaps the cache is slow", confidence=0.45)
    remembered(memory, "The build is red", scope="session")
    clock.pass_(days=29)
    assert pruned(memory, below=0.5) == {}
    clock.pass_(days=1, minutes=1)
    assert pruned(memory, below=0.4) == {}
    assert pruned(memory, below=0.5) == {"Perhaps the cache is slow": "below"}


def test_pruning_says_what_why_and_what_it_saves_and_archives(memory: Recollect, clock: Clock) -> None:
    note = remembered(memory, "The build is red just now " * 10, scope="session")
    clock.pass_(days=8)
    shown = memory.upkeep.prune(dry_run=True)
    assert memory.show(note.id).state is MemoryState.ACTIVE
    done = memory.upkeep.prune()
    assert (done.memories, done.size) == (shown.memories, shown.size)
    assert done.size.tokens == len(note.text) // 4
    assert done.size.bytes > len(note.text) + 256 * 4  # its vector goes too
    assert memory.show(note.id).state is MemoryState.ARCHIVED
    assert memory.history(note.id)[-1].why == "it was for its session only, more than 7 days ago"
    assert memory.upkeep.prune().memories == ()


def test_what_was_pruned_can_be_revived_until_it_is_gone(memory: Recollect, clock: Clock) -> None:
    one = remembered(memory, "The build is red just now", scope="session")
    two = remembered(memory, "The deploy waits for Alex", scope="session")
    forgotten = remembered(memory, "Forgotten by a person")
    memory.forget(forgotten.id)
    clock.pass_(days=8)
    memory.upkeep.run()
    back = memory.upkeep.revive(every=True)
    assert {found.id for found in back} == {one.id, two.id}
    assert all(found.state is MemoryState.ACTIVE and found.reinforced_at == clock.at for found in back)
    clock.pass_(days=8)
    memory.upkeep.run()
    memory.upkeep.revive(one.id)
    memory.pin(one.id)
    for _ in range(3):
        clock.pass_(days=30)
        memory.upkeep.run()
    assert memory.show(two.id).state is MemoryState.ARCHIVED
    clock.pass_(days=1)
    memory.upkeep.run()
    with pytest.raises(NotFound):
        memory.show(two.id)
    assert "deploy" not in str(memory.recall("deploy waits for Alex").hits)
    assert memory.show(one.id).state is MemoryState.ACTIVE
    assert memory.show(forgotten.id).state is MemoryState.ARCHIVED  # nobody pruned it
    assert [finding.verdict for finding in memory.admin.verify()] == ["pass"] * len(memory.admin.verify())


def test_a_revived_memory_is_sure_enough_to_stay(memory: Recollect, clock: Clock) -> None:
    weak = remembered(memory, "Perhaps the cache is slow", confidence=0.1, kind="timing")
    memory.edit(weak.id, state="inactive")
    (back,) = memory.upkeep.revive(weak.id)
    assert (back.state, back.confidence) == (MemoryState.ACTIVE, 0.3)
    clock.pass_(days=30)
    memory.upkeep.run()
    assert memory.show(weak.id).state is MemoryState.ACTIVE


def test_an_agent_may_not_revive(tmp_path: Path, clock: Clock) -> None:
    with Recollect(
        tmp_path / "m.db",
        folder=None,
        embedder=HashEmbedder(),
        clock=clock,
        actor="agent",
        channel=Channel.AGENT,
    ) as memory:
        found = remembered(memory, "The build is red")
        memory.forget(found.id)
        with pytest.raises(OnlyAPerson, match="bring a memory back"):
            memory.upkeep.revive(found.id)
        assert memory.show(found.id).state is MemoryState.ARCHIVED


def test_recorded_events_go_a_week_after_their_session(memory: Recollect, clock: Clock) -> None:
    db = memory._db
    for name, age in (("old", 9), ("new", 1)):
        at = clock.at - timedelta(days=age)
        sessions.save_session(db, Session(id=name, started_at=at, last_at=at))
        events.save_event(
            db, Event(id=f"e-{name}", at=at, type=EventType.PROMPT, session_id=name, client="test"), None
        )
    remembered(memory, "A memory that an event tells of", session="old")
    assert memory.upkeep.prune(dry_run=True).events == 0  # the session was heard of just now
    clock.pass_(days=8)
    assert memory.upkeep.prune(dry_run=True).events == 2
    assert memory.upkeep.prune().events == 2
    assert events.list_events(db, "old") == []


def test_every_rule_says_which_and_when() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.which and rule.when for rule in RULES)


def record_words_and_deeds(memory: Recollect, clock: Clock, *, learned: bool) -> None:
    at = clock.at
    sessions.save_session(memory._db, Session(id="s1", started_at=at, last_at=at, ended_at=at))
    for number, kind in enumerate((EventType.PROMPT, EventType.ASSISTANT_TEXT, EventType.TOOL_FINISHED)):
        event = Event(id=f"e-{number}", at=at, type=kind, session_id="s1", client="test")
        events.save_event(memory._db, event, None)
    if learned:
        scratchpad.mark_learned(memory._db, "s1", at, "passed")


def left_after(memory: Recollect, clock: Clock, days: float) -> list[EventType]:
    clock.pass_(days=days)
    memory.upkeep.prune()
    return [event.type for event in events.list_events(memory._db, "s1")]


def keeping_words(tmp_path: Path, clock: Clock, days: int) -> Recollect:
    settings = load_settings(None, {"words.keep_days": days})
    return Recollect(
        tmp_path / "words.db", folder=None, embedder=HashEmbedder(), clock=clock, settings=settings
    )


def test_words_are_kept_as_long_as_their_own_setting_says(tmp_path: Path, clock: Clock) -> None:
    with keeping_words(tmp_path, clock, 30) as memory:
        record_words_and_deeds(memory, clock, learned=True)
        assert left_after(memory, clock, 8) == [EventType.PROMPT, EventType.ASSISTANT_TEXT]
        assert left_after(memory, clock, 23) == []


def test_words_go_before_the_rest_once_they_were_learned_from(tmp_path: Path, clock: Clock) -> None:
    with keeping_words(tmp_path, clock, 0) as memory:
        record_words_and_deeds(memory, clock, learned=True)
        assert left_after(memory, clock, 0.1) == [EventType.TOOL_FINISHED]


def test_words_wait_until_their_session_was_learned_from(tmp_path: Path, clock: Clock) -> None:
    with keeping_words(tmp_path, clock, 0) as memory:
        record_words_and_deeds(memory, clock, learned=False)
        assert len(left_after(memory, clock, 1)) == 3
        assert left_after(memory, clock, 8) == []
