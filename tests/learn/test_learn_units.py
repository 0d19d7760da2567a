"""Large pieces of work: parts that are learned from at once, what they teach together, and what each leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.learn.consolidate import WorkPart, find_insights
from recollect.model.event import EventType
from recollect.model.memory import Memory, MemoryState
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, read, red, run
from tests.observe.session_story import begin, go_on, tell

PRICE, TAX, CART = "src/price.py", "src/tax.py", "src/cart.py"


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def unit(number: int) -> str:
    return f"native:spec/{number}"


def do(memory: Recollect, clock: Clock, number: int, *acts: dict[str, Any], outcome: str = "") -> None:
    """One part: begun, noted, done, finished."""
    memory.observer.start_work(unit(number), session="s1")
    clock.pass_(seconds=1)
    text = f"Part {number} keeps its table in the {chr(96 + number) * 3} registry"
    memory.observer.note(text, session="s1", kind="gotcha", work=unit(number))
    go_on(memory, clock, "s1", *(acts or (edit(f"src/{number}.py"), green())))
    memory.observer.finish_work(unit(number), session="s1", outcome=outcome)
    clock.pass_(seconds=1)


def of_kind(memory: Recollect, kind: str) -> list[Memory]:
    return [found for found in memory.list(limit=100) if found.kind == kind]


def gotchas(memory: Recollect) -> set[str]:
    return {str(found.work) for found in of_kind(memory, "gotcha")}


def test_up_to_five_parts_wait_of_more_each_is_learned_from_at_once(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    for number in range(1, 6):
        do(memory, clock, number)
    assert gotchas(memory) == set()
    do(memory, clock, 6)
    assert gotchas(memory) == {unit(number) for number in range(1, 7)}
    do(memory, clock, 7)
    assert unit(7) in gotchas(memory)


def test_a_part_that_failed_or_is_not_judged_waits(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    do(memory, clock, 1, edit(PRICE), red())
    do(memory, clock, 2, edit(TAX))
    for number in range(3, 7):
        do(memory, clock, number)
    assert gotchas(memory) == {unit(number) for number in range(3, 7)}
    memory.observer.validate("pass", session="s1", unit=unit(2))
    # There are six still, so all that are settled were looked at again.
    assert gotchas(memory) == {unit(number) for number in range(2, 7)}


def test_a_verdict_on_a_part_is_enough(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    for number in range(1, 8):
        do(memory, clock, number, edit(f"src/{number}.py"))
    assert gotchas(memory) == set()
    memory.observer.validate("pass", session="s1", unit=unit(7))
    assert gotchas(memory) == {unit(7)}


def test_ten_parts_that_passed_teach_something_as_a_whole_once(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    for number in range(1, 11):
        edits = (edit(PRICE), edit(TAX)) if number % 2 else (edit(f"lib/{number}.py"),)
        do(memory, clock, number, *edits, green())
    assert of_kind(memory, "module_insight") == []
    memory.observer.end_session("s1")
    found = of_kind(memory, "module_insight")
    assert 2 <= len(found) <= 5
    assert {(one.confidence, one.trust.needs_review, str(one.scope), str(one.work)) for one in found} == {
        (0.85, True, "global", "native:spec")
    }
    together = "src/price.py and src/tax.py go together: 5 of the 5 parts of native:spec that changed one"
    assert f"{together} needed the other too." in [one.text for one in found]
    told = {event.id for event in memory.observer.events("s1")}
    assert all(one.provenance.event_ids and set(one.provenance.event_ids) <= told for one in found)
    memory.forget(*(one.id for one in found))
    go_on(memory, clock, "s1", edit(CART), green())
    memory.observer.learn("s1")
    assert of_kind(memory, "module_insight") == []


@pytest.mark.parametrize("parts", [9, 10])
def test_fewer_parts_or_one_that_failed_teach_nothing_as_a_whole(
    memory: Recollect, clock: Clock, parts: int
) -> None:
    begin(memory, "s1")
    for number in range(1, parts + 1):
        do(memory, clock, number, outcome="failed" if number == 10 else "")
    memory.observer.end_session("s1")
    assert of_kind(memory, "module_insight") == []


def test_what_kept_failing_is_told_with_its_figures() -> None:
    parts = [WorkPart(ref=unit(n), files=(f"lib/{n}.py",), retries=0, steps=4) for n in range(8)]
    parts += [WorkPart(ref=unit(n), files=(PRICE,), retries=3, steps=9) for n in (8, 9)]
    assert (
        "Work on src/price.py fails its checks more often: 3.0 times in each of the 2 parts of native:spec that "
        "changed it, 0.6 overall." in [said.text for said in find_insights("native:spec", parts)]
    )


def test_an_outcome_says_what_was_changed_decided_tried_and_spent(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    memory.observer.start_work(unit(1), session="s1")
    clock.pass_(seconds=1)
    memory.observer.note("Prices are rounded half to even", session="s1", kind="decision", work=unit(1))
    go_on(memory, clock, "s1", edit(PRICE), red(), edit(TAX), green())
    memory.observer.record(EventType.ASSISTANT_TEXT, session="s1", text="Done", data={"tokens": 700})
    go_on(memory, clock, "s1", run('git commit -m "Round prices"', "[main 1a2b3c4] Round prices"))
    memory.observer.finish_work(unit(1), session="s1")
    clock.pass_(seconds=1)
    memory.observer.record(EventType.ASSISTANT_TEXT, session="s1", text="More", data={"tokens": 9_000})
    memory.observer.end_session("s1")
    [outcome] = of_kind(memory, "work_unit_outcome")
    assert outcome.fields == {
        "succeeded": True,
        "files_modified": [PRICE, TAX],
        "key_decisions": ["Prices are rounded half to even", "Round prices"],
        "steps_taken": 5,
        "tokens_used": 700,
        "retry_count": 1,
    }


def test_an_outcome_that_failed_says_why(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    do(memory, clock, 1, edit(PRICE), red())
    memory.observer.end_session("s1")
    [outcome] = of_kind(memory, "work_unit_outcome")
    assert outcome.fields["succeeded"] is False
    assert outcome.fields["failure_reason"] == (
        "test (pytest) failed after the last edit: “KeyError: 'rate'”"
    )
    assert gotchas(memory) == set()


def test_open_work_that_passes_later_is_closed(memory: Recollect, clock: Clock) -> None:
    tell(memory, clock, "s1", "Round prices to cents", read(CART), edit(PRICE), edit(TAX))
    memory.observer.learn_due()
    [state] = of_kind(memory, "work_state")
    assert state.fields["methodology_state"] == {
        "done": [],
        "in_progress": [PRICE, TAX],
        "asked_for": "Round prices to cents",
        "methodology": "native",
    }
    tell(memory, clock, "s2", edit(CART), green())
    memory.observer.learn_due()
    assert of_kind(memory, "work_state") == []
    closed = memory.show(state.id)
    assert closed.state is MemoryState.ARCHIVED
    assert memory.history(state.id)[-1].why == "session s2 passed on the same work"


def test_whoever_only_ends_sessions_or_asks_for_upkeep_learns_too(memory: Recollect, clock: Clock) -> None:
    said = "No, use Decimal instead of float for prices in `price.py`"
    tell(memory, clock, "s1", edit(PRICE), said, edit(PRICE), green())
    memory.observer.look_after(dry_run=True)
    assert of_kind(memory, "correction") == []
    memory.observer.look_after()
    assert len(of_kind(memory, "correction")) == 1
