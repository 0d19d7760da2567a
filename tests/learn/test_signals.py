"""The six signals and the revert proxy, from steps alone."""

from __future__ import annotations

from typing import Any

from recollect.learn.signals.abandoned import find_abandoned
from recollect.learn.signals.backtrack import find_backtracks
from recollect.learn.signals.co_access import find_co_accesses
from recollect.learn.signals.error_retry import find_error_retries
from recollect.learn.signals.sequence import build_sequence
from recollect.learn.signals.time_anomaly import find_time_anomalies
from recollect.learn.signals.twins import find_twins
from recollect.model.signal import BacktrackCause
from recollect.model.step import Edit
from recollect.observe.steps import list_file_accesses
from tests.observe.acts import edit, green, read, red, run, steps

PRICE, TAX, CART = "src/price.py", "src/tax.py", "src/cart.py"


def test_files_are_counted_by_what_was_done_to_them() -> None:
    found = {access.file: access for access in list_file_accesses(steps(read(PRICE), edit(PRICE), read(TAX)))}
    assert (found[PRICE].reads, found[PRICE].edits) == (1, 1)
    assert (found[TAX].reads, found[TAX].edits) == (1, 0)
    assert found[PRICE].event_ids == ("e1", "e2")


def test_a_call_that_failed_or_was_turned_down_used_nothing() -> None:
    assert list_file_accesses(steps(read(PRICE) | {"ok": False}, edit(TAX) | {"denied": True})) == []


def test_two_files_within_three_steps_were_used_together() -> None:
    near = find_co_accesses(steps(read(PRICE), green(), run("ls"), edit(TAX)))
    assert [(met.first, met.second, met.steps_apart, met.one_edited) for met in near] == [
        (PRICE, TAX, 3, True)
    ]
    assert find_co_accesses(steps(read(PRICE), green(), run("ls"), run("ls"), edit(TAX))) == []


def test_an_error_is_told_with_what_ended_it() -> None:
    [retry] = find_error_retries(steps(edit(PRICE), red(), red(), edit(TAX), run("make proto"), green()))
    assert retry.count == 2
    assert retry.remedy is not None
    assert retry.remedy.files == (TAX,)
    assert retry.remedy.commands == ("make proto",)
    assert retry.event_ids == ("e2", "e3", "e4", "e5", "e6")


def test_a_narrower_run_ends_no_error() -> None:
    [retry] = find_error_retries(steps(red("pytest tests/a tests/b"), edit(PRICE), green("pytest tests/a")))
    assert retry.remedy is None


def test_an_error_that_any_project_meets_is_no_signal() -> None:
    assert find_error_retries(steps(run("foo", "bash: foo: command not found", ok=False))) == []


def test_a_failing_check_between_two_edits_means_a_wrong_assumption() -> None:
    [back] = find_backtracks(steps(edit(PRICE), red(), edit(PRICE)))
    assert back.cause is BacktrackCause.WRONG_ASSUMPTION
    assert back.fault is not None
    assert "KeyError" in back.fault.shown


def test_a_look_elsewhere_between_two_edits_means_missing_context() -> None:
    [back] = find_backtracks(steps(edit(PRICE), read(TAX), edit(PRICE)))
    assert (back.cause, back.others) == (BacktrackCause.MISSING_CONTEXT, (TAX,))


def test_other_files_that_had_to_change_mean_a_cascade() -> None:
    [back] = find_backtracks(steps(edit(PRICE), red(), edit(TAX), edit(PRICE)))
    assert (back.cause, back.others) == (BacktrackCause.CASCADING_CHANGE, (TAX,))


def test_an_edit_in_two_parts_and_a_late_one_are_no_backtrack() -> None:
    assert find_backtracks(steps(edit(PRICE), edit(PRICE))) == []
    assert find_backtracks(steps(edit(PRICE), *[red()] * 5, edit(PRICE))) == []


def test_work_that_was_checked_out_again_was_given_up() -> None:
    [gone] = find_abandoned(
        steps(edit(PRICE), red(), edit(PRICE), red(), run("git checkout -- src/price.py"), edit(TAX), green())
    )
    assert (gone.files, gone.instead) == ((PRICE,), (TAX,))
    assert gone.fault is not None


def test_a_file_with_its_earlier_text_again_was_given_up() -> None:
    [gone] = find_abandoned(
        steps(edit(PRICE, "a", "b"), red(), edit(PRICE, "b", "c"), edit(PRICE, "c", "a"), edit(TAX), green())
    )
    assert gone.command == ""


def test_a_stash_and_a_revert_that_nothing_followed_give_nothing_up() -> None:
    assert find_abandoned(steps(edit(PRICE), red(), edit(PRICE), run("git stash"), edit(TAX))) == []
    assert find_abandoned(steps(edit(PRICE), red(), edit(PRICE), run("git checkout -- src/price.py"))) == []


def test_a_sequence_says_each_act_once_a_check_where_it_was_last() -> None:
    acts = steps(read(PRICE), edit(PRICE), green(), edit(PRICE), read(TAX), run("make proto"), green())
    parts = [(part.action, part.where, part.exact) for part in build_sequence(acts).parts]
    assert parts == [
        ("edit", "src/*.py", PRICE),
        ("read", "src/*.py", TAX),
        ("run", "make proto", "make proto"),
        ("test", "", "pytest -q"),
    ]


def test_what_only_looks_about_or_is_made_by_a_program_is_no_act() -> None:
    acts = steps(run("git status"), run("ls"), edit("poetry.lock"), red(), run("git commit -m x"))
    assert build_sequence(acts).parts == ()


def test_a_file_that_held_the_agent_up_stands_out() -> None:
    quick = steps(read("a.py"), read("b.py"), read("c.py"), read(PRICE), apart=2)
    late = steps(*[read("a.py")] * 5, apart=200)[4]
    assert [found.file for found in find_time_anomalies([*quick, late])] == [PRICE]
    assert find_time_anomalies(quick) == []


def swap(file: str, removed: str, added: str) -> dict[str, Any]:
    return edit(file) | {"edits": (Edit(file=file, removed=removed, added=added),)}


def test_two_files_that_get_the_same_edits_are_twins() -> None:
    [twins] = find_twins(
        steps(swap(PRICE, "a", "b"), swap(TAX, "a", "b"), swap(TAX, "c", "d"), swap(PRICE, "c", "d"))
    )
    assert (twins.files, twins.alike) == (tuple(sorted((PRICE, TAX))), 2)


def test_other_edits_of_two_files_and_a_sweep_over_many_make_no_twins() -> None:
    assert find_twins(steps(swap(PRICE, "a", "b"), swap(TAX, "a", "c"))) == []
    sweep = [swap(f"src/part_{number}.py", "old", "new") for number in range(4)]
    assert find_twins(steps(*sweep)) == []
