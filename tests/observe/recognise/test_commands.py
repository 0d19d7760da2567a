"""What a command line is: the table, and what the table's rows do not say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.model.check import CommandKind, CommandStep, OutputShown
from recollect.observe.recognise.commands import read_command

TABLE = Path(__file__).with_name("commands.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


def the_step(command: str) -> CommandStep:
    (step,) = read_command(command).steps
    return step


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["command"][:60])
def test_a_line_is_what_the_table_says(row: dict[str, Any]) -> None:
    assert [str(kind) for kind in read_command(row["command"]).kinds] == row["kinds"]


def test_the_table_is_large_and_has_no_row_twice() -> None:
    assert len(ROWS) >= 260
    assert sum(row.get("held_out", False) for row in ROWS) >= 60
    assert len({json.dumps(row, sort_keys=True) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(
    ("command", "targets"),
    [
        ("pytest tests/test_a.py::test_b -k slow -q", ("tests/test_a.py::test_b",)),
        ("mypy src", ("src",)),
        ("mypy --strict src tools", ("src", "tools")),
        ("pytest -n 4 -p xdist", ()),
        ("ruff check src tests", ("src", "tests")),
        ("go test ./internal/...", ("./internal/...",)),
        ("cd web && npx eslint src/a.ts", ("web/src/a.ts",)),
        ("cd api && cd sub && pytest tests/", ("api/sub/tests",)),
        ("(cd api; pytest a.py)", ("api/a.py",)),
        ("cd /abs/repo && pytest a.py", ("/abs/repo/a.py",)),
        ("cd $HOME && pytest a.py", ("a.py",)),
        ("make test", ()),
        ("npm test -- src/a.test.ts", ("src/a.test.ts",)),
    ],
)
def test_a_check_knows_what_it_looked_at(command: str, targets: tuple[str, ...]) -> None:
    assert the_step(command).targets == targets


@pytest.mark.parametrize(
    ("command", "only"),
    [
        ("pytest -k 'a or b' tests", "a or b"),
        ("go test ./... -run TestX", "TestX"),
        ("go test ./... -run=TestX", "TestX"),
        ("npx jest -t login", "login"),
        ("mvn test -Dtest=FooTest", "FooTest"),
        ("pytest -q", ""),
    ],
)
def test_a_check_knows_which_tests_were_picked(command: str, only: str) -> None:
    assert the_step(command).only == only


@pytest.mark.parametrize(
    ("command", "zero", "nonzero"),
    [
        ("pytest", True, True),
        ("cd x && pytest", True, True),
        ("pytest 2>&1", True, True),
        ("pytest | tail", False, False),
        ("set -o pipefail; pytest | tail", True, True),
        ("pytest || true", False, True),
        ("pytest || exit 1", True, True),
        ("pytest; echo done", False, False),
        ("pytest; exit $?", True, True),
        ("pytest | tail; exit $?", False, False),
        ("pytest | tail; exit ${PIPESTATUS[0]}", True, True),
        ("! pytest", False, False),
        ("if pytest; then :; fi", False, False),
        ("pytest &", False, False),
        ("x=$(pytest)", True, True),
        ("bash -c 'pytest; true'", False, False),
        ("bash -c 'pytest'", True, True),
        ("(cd a && pytest)", True, True),
        ("(pytest; true)", False, False),
        ("timeout 5 pytest", True, True),
    ],
)
def test_the_exit_status_is_believed_only_where_it_is_the_checks_own(
    command: str, zero: bool, nonzero: bool
) -> None:
    step = the_step(command)
    assert (step.zero_means_pass, step.nonzero_means_fail) == (zero, nonzero)


def test_a_failure_is_blamed_on_nobody_when_several_can_fail() -> None:
    install, test = read_command("npm install && npm test").steps
    assert install.kind is CommandKind.INSTALL
    assert test.zero_means_pass
    assert not test.nonzero_means_fail
    assert not read_command("npm install && npm test").only_checks_can_fail
    assert read_command("ruff check . && pytest").only_checks_can_fail


def test_with_set_e_every_command_counts() -> None:
    assert all(step.zero_means_pass for step in read_command("set -e; ruff check .; pytest").steps)
    assert [step.zero_means_pass for step in read_command("ruff check .; pytest").steps] == [False, True]


@pytest.mark.parametrize(
    ("command", "shown", "head_lines"),
    [
        ("go test ./...", OutputShown.ALL, 0),
        ("go test ./... | tail -5", OutputShown.ALL, 0),
        ("go test ./... | head -20", OutputShown.HEAD, 20),
        ("go test ./... | head", OutputShown.HEAD, 10),
        ("go test ./... | grep -E 'FAIL|ok'", OutputShown.ALL, 0),
        ("go test ./... | grep TestX", OutputShown.PART, 0),
        ("go test ./... | grep -v FAIL", OutputShown.PART, 0),
        ("go test ./... | grep -v 'no test files'", OutputShown.ALL, 0),
        ("go test ./... | wc -l", OutputShown.NOTHING, 0),
        ("go test ./... > log", OutputShown.NOTHING, 0),
        ("go test ./... 2>/dev/null", OutputShown.PART, 0),
        ("(go test ./...) > log", OutputShown.NOTHING, 0),
    ],
)
def test_it_is_known_how_much_of_the_output_is_shown(
    command: str, shown: OutputShown, head_lines: int
) -> None:
    step = the_step(command)
    assert (step.shown, step.head_lines) == (shown, head_lines)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('git commit -m "Fix it"', "Fix it"),
        ("git commit -am 'Fix it'", "Fix it"),
        ("git commit --message='Fix it'", "Fix it"),
        ("git commit -m Subject -m Body", "Subject\n\nBody"),
        ("git commit -m \"$(cat <<'EOF'\nFix: don't (yet)\n\nBody\nEOF\n)\"", "Fix: don't (yet)\n\nBody"),
        ("git commit -F - <<'EOF'\nFrom standard input\nEOF", "From standard input"),
        ("git commit --amend --no-edit", ""),
        ("git -C sub commit -m x", "x"),
    ],
)
def test_a_commit_keeps_its_message(command: str, message: str) -> None:
    step = the_step(command)
    assert step.kind is CommandKind.COMMIT
    assert step.message == message


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("git checkout -- a.py b.py", ("a.py", "b.py")),
        ("git checkout HEAD~1 -- a.py", ("a.py",)),
        ("git checkout HEAD~1 src/a.py", ("src/a.py",)),
        ("git checkout .", ()),
        ("git restore a.py", ("a.py",)),
        ("git restore -s HEAD~2 a.py", ("a.py",)),
        ("git restore --staged --worktree a.py", ("a.py",)),
        ("git restore .", ()),
        ("git reset --hard", ()),
        ("git stash push -- a.py", ("a.py",)),
        ("git stash -u", ()),
        ("git revert HEAD", ()),
        ("cd sub && git checkout -- a.py", ("sub/a.py",)),
    ],
)
def test_a_revert_names_the_paths_that_go_back(command: str, paths: tuple[str, ...]) -> None:
    step = the_step(command)
    assert step.kind is CommandKind.REVERT
    assert step.targets == paths


@pytest.mark.parametrize(
    "command",
    [
        "git checkout v1.2",
        "git checkout -b x.y",
        "git restore --staged a.py",
        "git reset --soft HEAD~1",
        "git stash list",
        "git clean -n",
        "git revert --abort",
    ],
)
def test_what_takes_nothing_back_is_no_revert(command: str) -> None:
    assert the_step(command).kind is CommandKind.OTHER


def test_words_in_quotes_and_here_documents_are_not_run() -> None:
    assert [str(kind) for kind in read_command("echo 'pytest && npm test'").kinds] == ["other"]
    assert not read_command("cat <<EOF > x\npytest\nEOF").checks
    assert not read_command("git commit -m 'run pytest; go test ./...'").checks
    assert not read_command("# pytest\nls").checks


@pytest.mark.parametrize(
    "command", ["", "   ", "'", '"', "$(", "`", "(((", "))", "&& ||", "<<EOF", "a <<EOF\nb", "|", "{"]
)
def test_what_no_shell_takes_is_read_as_well_as_it_can_be(command: str) -> None:
    assert not read_command(command).checks
