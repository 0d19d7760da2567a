"""How a finished command came out."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.model.check import CheckVerdict
from recollect.observe.recognise.summaries import FAILURES, NOTHING_RAN, PASSES
from recollect.observe.recognise.verdict import find_exit_code, judge_output

from .test_commands import ROWS

PASSED, FAILED, UNKNOWN = CheckVerdict.PASSED, CheckVerdict.FAILED, CheckVerdict.UNKNOWN


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["command"][:60])
def test_a_line_came_out_as_the_table_says(row: dict[str, Any]) -> None:
    assert (
        judge_output(row["command"], row.get("output", ""), exit_code=row.get("exit")).verdict
        == row["verdict"]
    )


def test_each_check_has_a_verdict_of_its_own() -> None:
    output = "All checks passed!\nFound 1 error in 1 file (checked 3 source files)\n"
    judged = judge_output("ruff check . && mypy src && pytest -q", output, exit_code=1)
    assert [(check.step.tool, check.verdict) for check in judged.checks] == [
        ("ruff", PASSED),
        ("mypy", FAILED),
        ("pytest", UNKNOWN),
    ]
    assert judged.verdict is FAILED


def test_the_check_that_is_left_over_is_the_one_that_failed() -> None:
    judged = judge_output("ruff check . && ./gradlew test", "All checks passed!\n", exit_code=1)
    assert [check.verdict for check in judged.checks] == [PASSED, FAILED]


def test_a_line_of_checks_that_failed_failed_even_if_nobody_knows_which() -> None:
    judged = judge_output("npm run lint && npm run build", "", exit_code=1)
    assert judged.verdict is FAILED
    assert {check.verdict for check in judged.checks} == {UNKNOWN}


@pytest.mark.parametrize("stopped", [{"is_interrupted": True}, {"in_background": True}])
def test_what_did_not_come_to_its_end_proves_nothing(stopped: dict[str, bool]) -> None:
    assert judge_output("pytest", "3 passed in 0.1s", exit_code=0, **stopped).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("output", "code", "rest"),
    [
        ("Exit code 3\nboom", 3, "boom"),
        ("Error: Exit code 1\nboom", 1, "boom"),
        ("Command: x\nOutput: y\nExit Code: 3\n", 3, "Command: x\nOutput: y\n\n"),
        ("Process exited with code 2\nOutput:\nx", 2, "\nOutput:\nx"),
        ("it said Exit code 3", None, "it said Exit code 3"),
        ("", None, ""),
    ],
)
def test_the_exit_status_a_client_writes_into_the_text_is_found(
    output: str, code: int | None, rest: str
) -> None:
    assert find_exit_code(output) == (code, rest)


def test_the_clients_own_status_outranks_one_in_the_text() -> None:
    assert judge_output("pytest", "Exit Code: 1", exit_code=0).verdict is PASSED


@pytest.mark.parametrize(
    ("command", "output", "verdict"),
    [
        ("pytest > log; echo $?", "1", FAILED),
        ("pytest > log; echo $?; ls", "0\nfile 1\nfile 2", PASSED),
        ('pytest > log; echo "status: $? at $(date)"; ls', "status: 1 at noon\nstatus 0", UNKNOWN),
        ('X=1; pytest > log; echo "run $X exited with $?."', "run 1 exited with 0.", PASSED),
        ('pytest > log; echo -n "code=$?"', "no line break code=2", FAILED),
        ("pytest | tail -3; echo $?", "2 failed in 0.1s\n0", FAILED),
        ("pytest > log; echo $?", "nothing of the sort", UNKNOWN),
    ],
)
def test_a_status_that_the_line_prints_is_read(command: str, output: str, verdict: CheckVerdict) -> None:
    assert judge_output(command, output, exit_code=0).verdict is verdict


def test_a_programs_own_words_about_a_time_out_do_not_hide_its_failure() -> None:
    output = "test_slow: Command timed out after 3s\n1 failed in 3.1s"
    assert judge_output("pytest", output, exit_code=1).verdict is FAILED


def test_a_cut_off_head_proves_no_pass() -> None:
    lines = "\n".join(f"ok  \tmod/p{number}\t0.1s" for number in range(5))
    assert judge_output("go test ./... | head -5", lines, exit_code=0).verdict is UNKNOWN
    assert judge_output("go test ./... | head -6", lines, exit_code=0).verdict is PASSED


def test_a_summary_at_the_end_of_a_long_output_is_seen() -> None:
    noise = "DEBUG nothing of note here\n" * 20_000
    assert (
        judge_output("pytest | cat", noise + "== 1 failed, 3 passed in 2.1s ==\n", exit_code=0).verdict
        is FAILED
    )
    assert judge_output("pytest | cat", noise + "== 3 passed in 2.1s ==\n", exit_code=0).verdict is PASSED


def test_colours_do_not_hide_a_summary() -> None:
    assert (
        judge_output("pytest | cat", "\x1b[31m\x1b[1m1 failed\x1b[0m, 2 passed in 0.1s", exit_code=0).verdict
        is FAILED
    )


def test_words_of_one_tool_do_not_judge_another() -> None:
    assert (
        judge_output("pytest | cat", "the log says BUILD FAILED\n3 passed in 0.1s", exit_code=0).verdict
        is PASSED
    )


def test_what_is_no_check_has_no_verdict() -> None:
    judged = judge_output("git status", "FAILED", exit_code=1)
    assert judged.verdict is UNKNOWN
    assert judged.checks == ()


def test_every_shape_can_be_looked_for() -> None:
    for shape in (*FAILURES, *PASSES, *NOTHING_RAN):
        assert isinstance(shape.is_in(shape.word), bool)
