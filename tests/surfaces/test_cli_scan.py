"""scan: what a person sees of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegraph import trees
from tests.surfaces.conftest import Run


@pytest.fixture(autouse=True)
def project() -> Path:
    """The folder stood in, with some code."""
    return trees.write(Path.cwd(), trees.load("habits", "go"))


def test_a_scan_tells_what_it_noted_and_where_it_waits(person: Run) -> None:
    said = person("scan")
    assert said.code == 0
    assert "Modules\n  `top` is 10 Go files in the top folder with 25 definitions." in said.out
    assert (
        "How it is written\n  5 of 5 Go test files use the testing package with testify.  new\n" in said.out
    )
    assert said.out.endswith(
        "Noted: 15 new.\n"
        "They wait for a look: recollect review; all at once: recollect review confirm --tag scan\n"
    )
    assert person("scan").out == "Noted: 15 unchanged.\n"


def test_a_dry_run_says_what_would_be(run: Run) -> None:
    assert "Would be: 15 new.\n" in run("scan", "--dry-run").out
    assert "Would be: 15 new.\n" in run("scan", "--dry-run").out
    assert run("list", "--json").json["total"] == 0


def test_a_scan_as_json(run: Run) -> None:
    found = run("scan", "--json").json
    assert (found["written"], found["left"], found["dry_run"]) == (15, 0, False)
    [module] = found["modules"]
    assert (module["module"], module["outcome"], module["topic"]) == ("top", "new", "summary")
    assert {one["outcome"] for one in found["habits"]} == {"new"}
    assert run("show", module["memory_id"], "--json").json["memory"]["text"] == module["text"]


def test_one_module(run: Run) -> None:
    assert run("scan", "--module", "top").out.endswith(
        "Noted: 1 new.\nIt waits for a look: recollect review\n"
    )
    said = run("scan", "--module", "attic", "--json")
    assert (said.code, said.error["code"], said.error["fix"]) == (1, "not_found", "recollect modules")


def test_without_code_that_is_said(run: Run, project: Path) -> None:
    for path in project.glob("*"):
        path.unlink()
    assert run("scan").out == "Noted: no code found.\n"
