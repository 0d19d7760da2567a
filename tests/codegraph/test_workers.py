"""Files are read by processes of their own: the graph is the same, whatever becomes of these."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.codegraph import workers as hands
from recollect.codegraph.build import build_graph
from recollect.codegraph.languages import load_languages
from recollect.codegraph.outline import pack_outline
from recollect.codegraph.parse import OutlineReader
from recollect.codegraph.workers import Workers
from tests.builders import NOON
from tests.codegraph import trees
from tests.codegraph.graphs import PROJECT, Graph

SOURCES = [("python", f"def f{n}():\n    f{n + 1}()\n".encode()) for n in range(40)]
SOURCES += [("typescript", b"export class A { go() { this.go() } }\n"), ("python", b"")]
FILES = {f"app/m{n}.py": f"from app.m{n + 1} import f\n\ndef f():\n    f()\n" for n in range(60)}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    # Two of them hold the same, one nothing at all, one what is no program.
    more = {"app/again.py": FILES["app/m1.py"], "app/__init__.py": "", "app/broken.py": "def ("}
    return trees.write(tmp_path / "tree", FILES | more)


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "_MIN_FILES", 1)


@pytest.fixture
def two() -> Iterator[Workers]:
    with Workers(2) as made:
        yield made


def here(sources: list[tuple[str, bytes]]) -> list[bytes]:
    readers = OutlineReader(load_languages())
    return [pack_outline(readers.read(language, source)) for language, source in sources]


def everything(tree: Path, workers: int) -> list[tuple[object, ...]]:
    """All rows a build leaves."""
    graph = Graph(tree)
    build_graph(graph.db, tree, PROJECT, NOON, workers=workers)
    kept = "SELECT blob, language, version, outline FROM code_parse ORDER BY num"
    asked = ("SELECT * FROM code_file", "SELECT * FROM code_node", "SELECT * FROM code_edge", kept)
    return [row for text in asked for row in graph.db.statement(text)]


def test_workers_say_what_would_be_said_here_in_the_same_order(two: Workers) -> None:
    assert list(two.outlines(SOURCES)) == here(SOURCES)
    assert list(two.outlines(SOURCES[:3])) == here(SOURCES[:3])


@pytest.mark.usefixtures("few_are_many")
def test_a_graph_read_by_workers_is_the_same_row_for_row(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = everything(tree, 1)

    def never(*_: object) -> None:
        raise AssertionError("workers read everything")

    monkeypatch.setattr(OutlineReader, "read", never)
    assert everything(tree, 3) == expected


@pytest.mark.usefixtures("few_are_many")
def test_a_worker_that_dies_is_done_without(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = Workers._start

    def short_lived(self: Workers) -> object:
        threads = started(self)
        self._processes[0].kill()
        return threads

    monkeypatch.setattr(Workers, "_start", short_lived)
    assert everything(tree, 2) == everything(tree, 1)


def test_the_others_go_on_when_one_dies(two: Workers) -> None:
    list(two.outlines(SOURCES))
    two._processes[0].kill()
    lost = list(two.outlines(SOURCES * 4)).count(b"")
    assert 0 < lost <= 16
    two._processes[1].kill()
    assert set(two.outlines(SOURCES * 4)) == {b""}


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("says", ["", "print('hello, this is no worker at all')"])
def test_a_program_that_is_no_worker_is_done_without(
    tree: Path, tmp_path: Path, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python-of-another-kind"
    program.write_text(f"#!{sys.executable}\n{says}\n")
    program.chmod(0o755)
    expected = everything(tree, 1)
    monkeypatch.setattr(sys, "executable", str(program))
    assert everything(tree, 2) == expected


@pytest.mark.parametrize("program", ["", "/usr/bin/blender", "/nowhere/python3"])
def test_what_is_no_interpreter_is_not_started(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with Workers(2) as none:
        assert list(none.outlines(SOURCES)) == [b""] * len(SOURCES)
        assert none._processes == []


def test_a_language_a_worker_does_not_know_is_left_to_who_asked(two: Workers) -> None:
    answers = list(two.outlines([("klingon", b"qapla'"), *SOURCES[:1]]))
    assert answers == [b"", *here(SOURCES[:1])]


def test_few_files_start_no_process() -> None:
    with Workers(2) as idle:
        assert not idle.are_worth(hands._MIN_FILES - 1)
        assert idle.are_worth(hands._MIN_FILES)
    assert not Workers(1).are_worth(10_000)


def test_an_interrupt_leaves_no_process_behind() -> None:
    begun = Workers(2)

    def interrupted() -> None:
        with begun:
            begun.outlines(SOURCES * 20)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [process.poll() is None for process in begun._processes] == [False, False]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal for one process")
def test_an_interrupt_is_not_for_a_worker(two: Workers) -> None:
    list(two.outlines(SOURCES))
    for process in two._processes:
        process.send_signal(signal.SIGINT)
    assert list(two.outlines(SOURCES)) == here(SOURCES)


def test_a_users_program_is_not_run_again(tree: Path, tmp_path: Path) -> None:
    """It has no `if __name__ == "__main__"`, as most short programs have none."""
    trail = tmp_path / "trail"
    program = tmp_path / "mine.py"
    program.write_text(
        f"open({str(trail)!r}, 'a').write('run\\n')\n"
        "from recollect import Recollect\n"
        "from recollect.codegraph import workers\n"
        "workers._MIN_FILES = 1\n"
        f"with Recollect({str(tmp_path / 'memories.db')!r}, folder={str(tree)!r}) as memory:\n"
        "    print(memory.code.build().files)\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=os.environ | {"RECOLLECT_GRAPH_WORKERS": "2", "RECOLLECT_HOME": str(tmp_path / "home")},
    )
    assert (done.stdout, done.stderr) == (f"{len(FILES) + 3}\n", "")
    assert trail.read_text() == "run\n"
