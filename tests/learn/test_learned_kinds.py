"""What each rule makes of sessions: dead ends said outright, files to have at hand, figures, a model's words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.errors import BadInput
from recollect.learn.learn_session import learn_session
from recollect.learn.rephrase import make_model_phrase
from recollect.model.event import EventType
from recollect.model.memory import Memory, MemoryState
from recollect.model.provenance import Source
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, read, red, run
from tests.observe.session_story import begin, go_on, tell
from tests.observe.writer import Writer

PRICE, TAX, CART = "src/price.py", "src/tax.py", "src/cart.py"
ROUNDS = "E   DecimalException: quantize result has too many digits"
MENDED = (edit(PRICE), red(line=ROUNDS), edit(TAX), green())


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def of_kind(memory: Recollect, kind: str) -> list[Memory]:
    return [found for found in memory.list() if found.kind == kind]


def test_a_dead_end_that_was_said_outright_is_kept_once_the_work_passed(
    memory: Recollect, clock: Clock
) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE))
    said = memory.observer.dead_end(
        "rounding in the database",
        session="s1",
        why="SQLite has no decimals",
        instead="round in price.py",
        about=[PRICE],
    )
    go_on(memory, clock, "s1", green())
    [found] = memory.observer.end_session("s1").memories
    assert found.text == (
        "Leads nowhere: rounding in the database; because SQLite has no decimals; instead: round in price.py."
    )
    assert (found.kind, found.fields["why_it_failed"]) == ("dead_end", "SQLite has no decimals")
    assert found.provenance.source is Source.AGENT_EXPLICIT
    # Behind it stand the words, and the check that passed after them.
    assert found.provenance.event_ids[0] == said.id
    assert len(found.provenance.event_ids) > 1
    assert [str(subject) for subject in found.subjects] == [f"file:{PRICE}"]


def test_a_dead_end_of_a_session_that_failed_is_not_kept(memory: Recollect, clock: Clock) -> None:
    begin(memory, "s1")
    memory.observer.dead_end("rounding in the database", session="s1")
    go_on(memory, clock, "s1", edit(PRICE), red())
    assert memory.observer.end_session("s1").memories == ()
    with pytest.raises(BadInput, match="what was tried"):
        memory.observer.dead_end(" ", session="s1")


def test_files_that_a_modules_sessions_need_are_named_and_kept_current(
    memory: Recollect, clock: Clock
) -> None:
    for number in range(6):
        other = TAX if number < 4 else CART
        tell(memory, clock, f"s{number}", read("conf/rates.toml"), read(other), edit(PRICE), green())
    memory.observer.learn_due()
    [found] = of_kind(memory, "prefetch_pattern")
    assert found.text == (
        "A session in src needs conf/rates.toml and src/price.py nearly every time and src/tax.py often."
    )
    assert found.fields["always_read"] == ["conf/rates.toml", PRICE]
    assert found.fields["frequently_read"] == [TAX]
    assert "module:src" in [str(subject) for subject in found.subjects]
    for number in range(6, 10):
        tell(memory, clock, f"s{number}", read(CART), edit(PRICE), green())
    memory.observer.learn_due()
    [now] = of_kind(memory, "prefetch_pattern")
    assert now.id == found.id
    assert now.fields["always_read"] == [PRICE]


def needed_and_no_longer(memory: Recollect, clock: Clock) -> Memory:
    """A pattern that five sessions bore out and twenty-five more did not."""
    for number in range(5):
        tell(memory, clock, f"s{number}", read("conf/rates.toml"), edit(PRICE), green())
    memory.observer.learn_due()
    [found] = of_kind(memory, "prefetch_pattern")
    for number in range(5, 30):
        tell(memory, clock, f"s{number}", edit(f"src/part_{number}.py"), green())
    while memory.observer.learn_due():
        pass
    assert of_kind(memory, "prefetch_pattern") == []
    return found


def test_what_sessions_no_longer_need_is_withdrawn(memory: Recollect, clock: Clock) -> None:
    found = needed_and_no_longer(memory, clock)
    assert memory.show(found.id).state is MemoryState.INACTIVE


def needed_again(memory: Recollect, clock: Clock) -> None:
    for number in range(30, 50):
        tell(memory, clock, f"s{number}", read("conf/rates.toml"), edit(PRICE), green())
    while memory.observer.learn_due():
        pass


def test_what_sessions_need_again_is_said_again(memory: Recollect, clock: Clock) -> None:
    before = needed_and_no_longer(memory, clock)
    needed_again(memory, clock)
    [found] = of_kind(memory, "prefetch_pattern")
    assert found.fields["frequently_read"] == ["conf/rates.toml", PRICE]
    assert not found.trust.needs_review
    assert memory.show(before.id).state is MemoryState.INACTIVE


@pytest.mark.parametrize("put_away", ["forgotten", "rejected", "outdated"])
def test_what_a_person_did_not_want_stays_away_however_often_it_is_seen(
    memory: Recollect, clock: Clock, put_away: str
) -> None:
    before = needed_and_no_longer(memory, clock)
    if put_away == "forgotten":
        memory.forget(before.id)
    elif put_away == "rejected":
        memory.reviews.reject(before.id)
    else:
        memory.reviews.correct(before.id, "outdated")
    needed_again(memory, clock)
    assert of_kind(memory, "prefetch_pattern") == []


def test_two_files_that_are_merely_used_often_do_not_need_each_other(memory: Recollect, clock: Clock) -> None:
    for number in range(8):
        others = (read(TAX),) if number in (0, 3, 6) else (read(f"src/other_{number}.py"),)
        tell(memory, clock, f"s{number}", *others, edit(PRICE), green())
    memory.observer.learn_due()
    assert of_kind(memory, "causal_dependency") == []
    [waits] = [note for note in memory.observer.notes("s6") if note.keys == (f"together:{PRICE}:{TAX}",)]
    assert waits.why == "src/tax.py was used in 2 of the 6 sessions that used src/price.py"


def test_files_that_need_each_other_are_told_with_their_figures(memory: Recollect, clock: Clock) -> None:
    for number in range(3):
        tell(memory, clock, f"s{number}", read(TAX), edit(PRICE), green())
    memory.observer.learn_due()
    [found] = of_kind(memory, "causal_dependency")
    assert found.fields == {"session_count": 3, "commit_count": 0}


def test_a_file_that_held_the_agent_up_counts_as_hard_to_read(memory: Recollect, clock: Clock) -> None:
    def slow(session: str) -> None:
        begin(memory, session)
        go_on(memory, clock, session, read("a.py"), read("b.py"), read("c.py"), read(TAX))
        clock.pass_(minutes=6)
        go_on(memory, clock, session, read(TAX), edit(PRICE), edit(CART), green())
        memory.observer.end_session(session)

    for number in range(3):
        slow(f"s{number}")
    [found] = of_kind(memory, "module_insight")
    assert found.text.startswith(f"Before changing {PRICE} and {CART}, read {TAX}")


def asked_again(memory: Recollect, clock: Clock, seconds: int) -> list[str]:
    begin(memory, "s1")
    go_on(memory, clock, "s1", "Round the prices in src/price.py to cents", edit(PRICE), red())
    clock.pass_(seconds=seconds)
    go_on(memory, clock, "s1", "Round the prices in src/price.py to cents with Decimal", edit(PRICE), green())
    memory.observer.end_session("s1")
    return [found.text for found in of_kind(memory, "correction")]


def test_a_request_said_anew_right_after_a_failure_is_a_correction(memory: Recollect, clock: Clock) -> None:
    assert asked_again(memory, clock, 60) == [
        "“Round the prices in src/price.py to cents with Decimal” (the person, after “Round the prices in "
        "src/price.py to cents” had failed, about src/price.py)"
    ]


def test_a_request_said_anew_much_later_is_another_request(memory: Recollect, clock: Clock) -> None:
    assert asked_again(memory, clock, 200) == []


def test_the_cost_of_a_module_is_of_its_newest_thirty_sessions(memory: Recollect, clock: Clock) -> None:
    for number in range(35):
        begin(memory, f"s{number}")
        go_on(memory, clock, f"s{number}", edit(f"src/part_{number}.py"), green())
        tokens = 1_000_000 if number < 5 else (number - 4) * 10_000
        memory.observer.record(
            EventType.ASSISTANT_TEXT, session=f"s{number}", text="Done.", data={"tokens": tokens}
        )
        memory.observer.end_session(f"s{number}")
    [found] = of_kind(memory, "context_cost")
    assert found.fields == {
        "module": "src",
        "average_tokens": 155_000,
        "p90_tokens": 280_000,
        "sample_count": 30,
    }


def test_plans_are_held_against_what_it_took(memory: Recollect, clock: Clock) -> None:
    for number in range(3):
        unit = f"native:spec_{number}"
        begin(memory, f"s{number}")
        memory.observer.start_work(unit, session=f"s{number}", planned=2)
        clock.pass_(seconds=1)
        go_on(memory, clock, f"s{number}", *MENDED)
        memory.observer.finish_work(unit, session=f"s{number}")
        memory.observer.end_session(f"s{number}")
    [found] = of_kind(memory, "task_calibration")
    assert found.text == "Work in src takes 2.0 times the steps that were planned."
    assert (found.fields["ratio"], found.fields["sample_count"]) == (2.0, 3)


def test_old_notes_and_trails_are_let_go(memory: Recollect, clock: Clock) -> None:
    tell(memory, clock, "s1", *MENDED)
    memory.observer.learn_due()
    assert memory.observer._wiring.db.rows("scratchpad_of_session", session_id="s1")
    clock.at += timedelta(days=91)
    [job] = [one for one in memory.upkeep.run(every=True).jobs if one.job == "scratchpad"]
    assert job.said.endswith("old notes and 1 old trails let go")
    assert not memory.observer._wiring.db.rows("scratchpad_of_session", session_id="s1")


def phrased(memory: Recollect, clock: Clock, writer: Writer) -> str:
    for number in range(3):
        tell(memory, clock, f"s{number}", *MENDED)
    for number in range(3):
        learn_session(memory._wiring.write_context(), f"s{number}", phrase=make_model_phrase(writer))
    [found] = of_kind(memory, "error_pattern")
    return found.text


def test_a_models_words_are_taken_in_one_call(memory: Recollect, clock: Clock) -> None:
    better = "When pytest stops with DecimalException (too many digits), quantize in src/tax.py first."
    writer = Writer(better)
    assert phrased(memory, clock, writer) == better
    assert len(writer.asked) == 1


@pytest.mark.parametrize(
    "worse",
    ["", "Be careful with src/tax.py and test it well.", "quantize result: too many digits", "x" * 700],
)
def test_a_models_words_that_do_not_hold_are_not_taken(memory: Recollect, clock: Clock, worse: str) -> None:
    assert phrased(memory, clock, Writer(worse)).startswith("`pytest -q` fails with")


def clicked(answer: str, about: str = "text=Save") -> dict[str, Any]:
    return {
        "tool": "mcp__playwright__browser_click",
        "action": "other",
        "output": answer,
        "ok": False,
        "arguments": {"element": about},
    }


TWICE = "Error: strict mode violation: locator('text=Save') resolved to 2 elements"
SLOW = "TimeoutError: locator.click: Timeout 5000ms exceeded.\nwaiting for locator('text=Save')"


def clicks(memory: Recollect, session: str, answer: str) -> None:
    """An interface tool's answer, with the arguments that say what was clicked."""
    act = clicked(answer)
    arguments = act.pop("arguments")
    begin(memory, session)
    memory.observer.record(
        EventType.TOOL_FINISHED, session=session, call_id=session, data={"arguments": arguments}, **act
    )
    memory.observer.end_session(session)


def test_what_the_interface_shows_is_surer_when_seen_again_and_less_when_seen_otherwise(
    memory: Recollect,
) -> None:
    clicks(memory, "s1", TWICE)
    [first] = of_kind(memory, "e2e_observation")
    assert first.confidence == 0.75
    clicks(memory, "s2", TWICE)
    assert memory.show(first.id).confidence == 0.9
    clicks(memory, "s3", SLOW)
    assert memory.show(first.id).confidence == 0.7
    assert len(of_kind(memory, "e2e_observation")) == 2


@pytest.mark.parametrize(("complexity", "most"), [("trivial", 2), ("standard", 10), ("complex", 25)])
def test_a_piece_of_work_gives_as_many_memories_as_its_size_allows(
    memory: Recollect, clock: Clock, complexity: str, most: int
) -> None:
    begin(memory, "s1")
    memory.observer.start_work("native:spec", session="s1", complexity=complexity)
    clock.pass_(seconds=1)
    for number in range(30):
        text = f"Table {number} of the {chr(97 + number % 26)}{number} registry is kept by team {number * 7}"
        memory.observer.note(text, session="s1", kind="gotcha", work="native:spec")
    go_on(memory, clock, "s1", edit(PRICE), green())
    memory.observer.finish_work("native:spec", session="s1")
    memory.observer.end_session("s1")
    assert len(of_kind(memory, "gotcha")) == most


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("No, use Decimal instead of float for prices", True),
        ("do not stash anything, read the files you need", False),
        ("don't ever stash anything, read the files you need", True),
        ("don't touch `rates.toml`, it is written by the importer", True),
        ('instead of "Saved" we should print "Saved the price"', False),
        ("that is not correct, the `.gitignore` is not including the logs right now", False),
        ("that is not correct, `.gitignore` is\nwritten by `shop enable`", True),
    ],
)
def test_only_a_correction_that_holds_tomorrow_is_kept(
    memory: Recollect, clock: Clock, said: str, kept: bool
) -> None:
    begin(memory, "s1")
    go_on(memory, clock, "s1", edit(PRICE), said, edit(PRICE), green())
    memory.observer.end_session("s1")
    assert [found.fields["said"] for found in of_kind(memory, "correction")] == (
        [" ".join(said.split())] if kept else []
    )


def test_what_was_seen_long_ago_and_sounds_known_does_not_pass_the_bar(
    memory: Recollect, clock: Clock
) -> None:
    memory.remember(
        "`pytest -q` fails with DecimalException: quantize result has too many digits in tax", kind="gotcha"
    )
    for number in range(3):
        tell(memory, clock, f"s{number}", *MENDED)
        memory.observer.learn_due()
        clock.pass_(days=45)
    assert of_kind(memory, "error_pattern") == []
    assert {
        note.why.partition(" ")[0] for note in memory.observer.notes("s2") if note.origin == "error_retry"
    } == {"scored"}


def test_a_rule_of_a_linter_needs_no_third_time(memory: Recollect, clock: Clock) -> None:
    complaint = "src/price.py:3:5: os/exec.Command must not be called (noctx)"
    for number in range(2):
        broken = run("golangci-lint run", f"{complaint}\n1 issues:\n* noctx: 1", ok=False)
        fixed = run("golangci-lint run", "0 issues.")
        tell(memory, clock, f"s{number}", edit(PRICE), broken, edit(PRICE), fixed)
    memory.observer.learn_due()
    [found] = of_kind(memory, "error_pattern")
    assert found.text == (
        "`golangci-lint run` holds the code to noctx: “os/exec.Command must not be called (noctx)”; "
        "an edit of src/price.py mended it."
    )


def test_a_word_in_brackets_that_a_test_prints_is_no_rule(memory: Recollect, clock: Clock) -> None:
    for number in range(2):
        broken = red(line="E   AssertionError: shows 'enabled', got: Enabled (auto-commit)")
        tell(memory, clock, f"s{number}", edit(PRICE), broken, edit(PRICE), green())
    memory.observer.learn_due()
    assert of_kind(memory, "error_pattern") == []


def test_a_modules_figures_go_by_the_name_that_the_code_graph_has_for_it(
    memory: Recollect, clock: Clock, tmp_path: Path
) -> None:
    files = [f"src/shop/{part}/{name}.py" for part in ("pay", "cart", "mail") for name in "abcd"]
    for file in files:
        path = tmp_path / "shop" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def {path.stem}():\n    return 1\n")
    for number in range(5):
        tell(memory, clock, f"s{number}", read("conf/rates.toml"), edit("src/shop/pay/a.py"), green())
    memory.observer.learn_due()
    [before] = of_kind(memory, "prefetch_pattern")
    assert before.fields["module"] == "src/shop/pay", "there is no graph yet, so the folder stands for itself"
    memory.code.build()
    name = memory.code.module_of("src/shop/pay/a.py")
    assert name == "pay"
    tell(memory, clock, "s9", read("conf/rates.toml"), edit("src/shop/pay/a.py"), green())
    memory.observer.learn_due()
    [found] = of_kind(memory, "prefetch_pattern")
    assert found.id == before.id
    assert found.text.startswith("A session in pay needs ")
    assert found.fields["module"] == "pay"
    assert "module:pay" in [str(subject) for subject in found.subjects]
    assert found.id in {one.memory.id for one in memory.code.about("src/shop/pay/b.py").memories}
