"""From sessions to memories: what counts, what waits, what is thrown away, and that nothing happens twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.learn import learn_session as learning
from recollect.learn.learn_session import LearnedSession
from recollect.model.memory import MemoryState
from recollect.model.note import NoteState
from recollect.model.provenance import Source
from recollect.model.query import Filters
from recollect.model.trust import Moment, may_speak
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, read, red, run
from tests.observe.session_story import begin, go_on, tell

PRICE, TAX, CART = "src/price.py", "src/tax.py", "src/cart.py"
ROUNDS = "E   DecimalException: quantize result has too many digits"
MENDED = (edit(PRICE), red(line=ROUNDS), edit(TAX), green())


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    """An empty memory, seen from a project."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def texts(found: Sequence[LearnedSession]) -> list[str]:
    return [memory.text for one in found for memory in one.memories]


def test_an_error_met_three_times_becomes_a_pattern_with_its_fix(memory: Recollect, clock: Clock) -> None:
    for number in (1, 2):
        tell(memory, clock, f"s{number}", *MENDED)
    assert texts(memory.observer.learn_due()) == []
    tell(memory, clock, "s3", *MENDED)
    [learned] = memory.observer.learn_due()
    [pattern] = [found for found in learned.memories if found.kind == "error_pattern"]
    assert pattern.text == (
        "`pytest -q` fails with “DecimalException: quantize result has too many digits”: "
        "look at src/tax.py, where an edit made it pass in 3 sessions."
    )
    assert pattern.trust.needs_review
    assert pattern.provenance.source is Source.OBSERVER_INFERRED
    assert pattern.fields["occurrences"] == 3
    told = {event.id for number in (1, 2, 3) for event in memory.observer.events(f"s{number}")}
    assert len(pattern.provenance.event_ids) == 9
    assert set(pattern.provenance.event_ids) <= told


def test_a_failed_session_leaves_nothing(memory: Recollect, clock: Clock) -> None:
    for number in (1, 2, 3):
        tell(memory, clock, f"s{number}", *MENDED, edit(PRICE), red())
    found = memory.observer.learn_due()
    assert [judged.verdict for one in found for _, judged in one.verdicts] == ["failed"] * 3
    assert memory.count() == 0
    assert {note.state for note in memory.observer.notes("s1")} == {NoteState.DISCARDED}
    assert memory.observer.session("s1").outcome == "failed"


def test_learning_twice_learns_once(memory: Recollect, clock: Clock) -> None:
    for number in (1, 2, 3):
        tell(memory, clock, f"s{number}", *MENDED)
    memory.observer.learn_due()
    before = [found.id for found in memory.list()]
    assert memory.observer.learn_due() == []
    assert memory.observer.learn("s3").already
    assert [found.id for found in memory.list()] == before


def test_a_learner_killed_before_its_commit_leaves_all_as_it_was(
    memory: Recollect, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        tell(memory, clock, f"s{number}", *MENDED)

    def killed(*args: object) -> None:
        raise KeyboardInterrupt

    memory.observer.learn("s1")
    memory.observer.learn("s2")
    with monkeypatch.context() as patched:
        patched.setattr(learning.scratchpad, "mark_learned", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.observer.learn("s3")
    assert memory.count() == 0
    assert "error_pattern" in {found.kind for found in memory.observer.learn("s3").memories}


def test_a_session_that_goes_on_is_learned_from_again(memory: Recollect, clock: Clock) -> None:
    tell(memory, clock, "s1", *MENDED)
    memory.observer.learn_due()
    go_on(memory, clock, "s1", *MENDED, *MENDED)
    assert "gotcha" in {found.kind for found in memory.observer.learn("s1").memories}


def test_an_error_that_one_session_mended_and_nobody_explained_is_no_lesson(
    memory: Recollect, clock: Clock
) -> None:
    tell(memory, clock, "s1", *MENDED, *MENDED, *MENDED)
    assert not [text for text in texts(memory.observer.learn_due()) if "made it pass" in text]
    [note] = [note for note in memory.observer.notes("s1") if note.kind == "error_pattern"]
    assert note.why == "nobody said why it fails, or what to do about it"


def test_sessions_read_ahead_give_what_each_gives_alone(
    memory: Recollect, clock: Clock, tmp_path: Path
) -> None:
    for number in range(1, 12):
        tell(memory, clock, f"s{number}", *MENDED)
    together = [sorted(memory.text for memory in one.memories) for one in memory.observer.learn_due()]
    with Recollect(
        tmp_path / "other.db", folder=tmp_path / "shop", embedder=HashEmbedder(), clock=clock
    ) as other:
        alone = []
        for number in range(1, 12):
            tell(other, clock, f"s{number}", *MENDED)
            alone.append(sorted(memory.text for memory in other.observer.learn(f"s{number}").memories))
    assert together == alone
    assert any(alone)


def test_an_agents_note_is_seen_by_its_session_at_once_and_by_nobody_else(
    memory: Recollect, clock: Clock
) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE))
    memory.observer.note("Prices are kept in cents", session="s1", kind="gotcha", about=[PRICE])
    assert "Prices are kept in cents" in [note.text for note in memory.observer.notes("s1")]
    assert memory.recall("how are prices kept?").hits == ()
    go_on(memory, clock, "s1", green())
    [kept] = memory.observer.learn("s1").memories
    assert (kept.text, kept.kind, kept.provenance.source) == (
        "Prices are kept in cents",
        "gotcha",
        Source.AGENT_EXPLICIT,
    )
    assert may_speak(kept, Moment.PROMPT).allowed, "the work of its own session proved it"


@pytest.mark.parametrize("branch", ["topic", "other"])
def test_no_other_sessions_success_proves_a_note(memory: Recollect, clock: Clock, branch: str) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE))
    memory.observer.note("Prices are kept in cents", session="s1", kind="gotcha")
    memory.observer.learn("s1")
    assert [note.state for note in memory.observer.notes("s1") if note.origin == "agent"] == [NoteState.HELD]
    tell(memory, clock, "s2", edit(PRICE), green(), branch=branch)
    assert "Prices are kept in cents" not in texts(memory.observer.learn_due())
    memory.observer.validate("pass", session="s1")
    assert "Prices are kept in cents" in texts([memory.observer.learn("s1")])


BACK = [
    (run("git checkout -- src/price.py"),),
    (run("git restore ."),),
    (run("git reset --hard"),),
    (run("git stash"),),
    (edit(PRICE, "new", "old"),),
]


@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("about", [[PRICE], []])
def test_what_was_taken_back_is_not_proved_by_a_green_run_without_it(
    memory: Recollect, clock: Clock, back: tuple[dict[str, Any], ...], about: list[str]
) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE, "old", "new"))
    memory.observer.note("Prices are kept in cents", session="s1", kind="gotcha", about=about)
    go_on(memory, clock, "s1", *back, green())
    assert memory.observer.learn("s1").memories == ()
    [note] = [note for note in memory.observer.notes("s1") if note.origin == "agent"]
    assert (note.state, note.why) == (NoteState.HELD, "the change it rests on was taken back")


@pytest.mark.parametrize(
    "stays",
    [
        (run("git stash"), green(), run("git stash pop")),
        (run("git checkout -- src/other.py"),),
        (run("git checkout -- src/price.py"), edit(PRICE, "old", "better")),
    ],
)
def test_what_came_back_or_was_done_anew_is_proved(
    memory: Recollect, clock: Clock, stays: tuple[dict[str, Any], ...]
) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE, "old", "new"))
    memory.observer.note("Prices are kept in cents", session="s1", kind="gotcha", about=[PRICE])
    go_on(memory, clock, "s1", *stays, green())
    assert "Prices are kept in cents" in texts([memory.observer.learn("s1")])


def test_what_a_person_says_outright_decides(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE), green())
    memory.observer.note("Prices are kept in cents", session="s1", kind="gotcha")
    memory.observer.validate("fail", session="s1", why="the sums are wrong")
    assert memory.observer.learn("s1").memories == ()


def test_an_approach_that_was_taken_back_becomes_a_dead_end(memory: Recollect, clock: Clock) -> None:
    tell(
        memory,
        clock,
        "s1",
        edit(PRICE),
        red(line=ROUNDS),
        edit(PRICE),
        red(line=ROUNDS),
        run("git checkout -- src/price.py"),
        edit(CART),
        green(),
    )
    [dead_end] = [one for found in memory.observer.learn_due() for one in found.memories]
    assert dead_end.kind == "dead_end"
    assert dead_end.text == (
        "A first approach in src/price.py led to “DecimalException: quantize result has too many digits” "
        "and was taken back; what worked was a change of src/cart.py."
    )


def test_what_the_person_corrects_is_kept_in_their_words(memory: Recollect, clock: Clock) -> None:
    said = "No, use Decimal instead of float for prices in `price.py`"
    tell(memory, clock, "s1", edit(PRICE), said, edit(PRICE), green())
    [found] = memory.observer.learn_due()[0].memories
    assert found.kind == "correction"
    assert found.text == "Use Decimal instead of float for prices in `price.py`."
    assert found.fields["said"] == found.citation == said
    assert [str(subject) for subject in found.subjects] == ["file:src/price.py"]


def test_files_used_side_by_side_in_three_sessions_belong_together(memory: Recollect, clock: Clock) -> None:
    for number in (1, 2, 3):
        tell(memory, clock, f"s{number}", read(TAX), edit(PRICE), green())
    assert texts(memory.observer.learn_due()) == [
        "Work on src/price.py needs src/tax.py too: they are used side by side, session after session."
    ]


def test_a_memory_that_was_forgotten_does_not_come_back(memory: Recollect, clock: Clock) -> None:
    for number in (1, 2, 3):
        tell(memory, clock, f"s{number}", read(TAX), edit(PRICE), green())
    [known] = [found for one in memory.observer.learn_due() for found in one.memories]
    memory.forget(known.id)
    tell(memory, clock, "s4", read(TAX), edit(PRICE), green())
    assert texts(memory.observer.learn_due()) == []
    assert memory.count() == 0


def test_a_trivial_piece_of_work_gives_two_memories_at_most(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE), green())
    for thing in ("Prices are in cents", "Rates come from the table", "Carts expire at midnight"):
        memory.observer.note(thing, session="s1", kind="gotcha")
    assert len(memory.observer.learn("s1").memories) == 2


UNITS = [f"native:spec/{number}" for number in range(1, 8)]


def _do(memory: Recollect, clock: Clock, units: list[str], bad: str) -> None:
    begin(memory, "s1")
    for unit in units:
        memory.observer.start_work(unit, session="s1", planned=2)
        clock.pass_(seconds=1)
        memory.observer.note(f"{unit} says something of its own", session="s1", kind="gotcha", work=unit)
        go_on(memory, clock, "s1", edit(f"src/{unit[-1]}.py"), red() if unit == bad else green())
        memory.observer.finish_work(unit, session="s1")
        clock.pass_(seconds=1)


@pytest.mark.parametrize(("count", "kept"), [(3, 0), (7, 6)])
def test_few_units_stand_or_fall_together_of_many_each_by_itself(
    memory: Recollect, clock: Clock, count: int, kept: int
) -> None:
    units = UNITS[:count]
    _do(memory, clock, units, bad=units[0])
    # Whoever ran the units judged each; a green run at the end would otherwise cover the red one.
    memory.observer.validate("fail", session="s1", unit=units[0])
    memory.observer.learn("s1")
    assert len([one for one in memory.list() if one.kind == "gotcha"]) == kept


def test_a_unit_leaves_its_outcome(memory: Recollect, clock: Clock) -> None:
    _do(memory, clock, UNITS[:1], bad="")
    outcomes = [one for one in memory.observer.learn("s1").memories if one.kind == "work_unit_outcome"]
    [outcome] = outcomes
    assert str(outcome.work) == "native:spec/1"
    assert outcome.fields["succeeded"] is True
    assert outcome.fields["files_modified"] == ["src/1.py"]
    assert outcome.fields["steps_taken"] == 2


def test_open_work_leaves_its_state_and_the_next_session_rewrites_it(memory: Recollect, clock: Clock) -> None:
    tell(memory, clock, "s1", "Round prices to cents", edit(PRICE), edit(TAX))
    tell(memory, clock, "s2", "Now the cart", edit(CART), edit(TAX))
    memory.observer.learn_due()
    [state] = [found for found in memory.list() if found.kind == "work_state"]
    assert "src/cart.py" in state.text
    assert state.fields["branch"] == "topic"


def test_a_touch_of_one_file_leaves_no_open_work(memory: Recollect, clock: Clock) -> None:
    tell(memory, clock, "s1", "Add a licence", edit("LICENSE"))
    memory.observer.learn_due()
    assert memory.count() == 0


QA: dict[str, Any] = {
    "verdict": "fail",
    "issues": [
        {
            "severity": "critical",
            "description": "The export is empty",
            "file": PRICE,
            "recommendation": "Flush it",
        },
        {"severity": "low", "description": "A typo"},
    ],
}


def test_grave_issues_of_a_qa_report_become_error_patterns(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    memory.observer.report(QA, session="s1")
    every = memory.list(Filters(states=tuple(MemoryState), every_project=True))
    assert {(found.kind, found.text, str(found.state)) for found in every} == {
        ("error_pattern", "The export is empty. Do instead: Flush it.", "quarantined"),
        ("error_pattern", f"A QA report found an issue of critical severity in {PRICE}.", "active"),
    }
    assert {(found.confidence, str(found.scope), found.provenance.source) for found in every} == {
        (0.8, "module", Source.QA_AUTO)
    }


def clicked(answer: str) -> dict[str, Any]:
    return {
        "tool": "mcp__playwright__browser_click",
        "action": "other",
        "output": answer,
        "ok": False,
    }


MODAL = "Error: strict mode violation: locator('text=Save') resolved to 2 elements"
SLOW = "TimeoutError: locator.click: Timeout 5000ms exceeded.\nwaiting for locator('text=Save')"


def test_what_the_application_showed_is_surer_at_the_second_session(memory: Recollect, clock: Clock) -> None:
    tell(memory, clock, "s1", clicked(MODAL))
    [first] = memory.observer.learn_due()[0].memories
    assert (first.kind, first.confidence, first.provenance.source) == (
        "e2e_observation",
        0.75,
        Source.MCP_AUTO,
    )
    tell(memory, clock, "s2", clicked(MODAL))
    memory.observer.learn_due()
    assert memory.show(first.id).confidence == 0.9
    assert memory.count() == 1


def test_the_observer_goes_without_a_person(memory: Recollect, clock: Clock) -> None:
    said = "No, use Decimal instead of float for prices in `price.py`"
    tell(memory, clock, "s1", edit(PRICE), said, edit(PRICE), green())
    [found] = memory.observer.learn_due()[0].memories
    assert not found.trust.verified
    assert [change.actor for change in memory.history(found.id)] == ["observer"]
