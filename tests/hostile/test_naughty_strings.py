"""Every naughty string in every place: stored and found, or refused with a sentence; never anything else."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect import AlreadyKnown, Recollect, RecollectError, Remembered, config
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.model.memory import MemoryState
from recollect.model.query import Filters, Query
from recollect.model.scope import WorkRef
from recollect.surfaces.cli import cli
from tests.hostile.naughty_strings import FEW, NAUGHTY, SOME

EVERY_STATE = Filters(states=tuple(MemoryState), every_project=True)
WORD = re.compile(r"[^\W_]{4,40}")


def test_the_list_is_long_and_each_string_is_in_it_once() -> None:
    assert len(NAUGHTY) >= 250
    assert len(NAUGHTY) == len(set(NAUGHTY))


def held(strings: Iterable[str], act: Callable[[str], object]) -> int:
    """Do it with each; how many were refused. All that went wrong otherwise is told together."""
    refused = 0
    wrong: list[str] = []
    for text in strings:
        try:
            act(text)
        except RecollectError as error:
            refused += 1
            if not is_sentence(str(error)):
                wrong.append(f"{text[:60]!r}: no sentence: {error}")
        except Exception as error:  # noqa: BLE001 - the very thing that must not happen
            wrong.append(f"{text[:60]!r} ({len(text)}): {type(error).__name__}: {str(error)[:200]}")
    assert not wrong, "\n".join(wrong)
    return refused


def is_sentence(text: str) -> bool:
    return bool(re.match(r"[\w'\"/.\\-]", text)) and " " in text and len(text) < 130_000


def cleaned(text: str) -> str:
    return redact(strip_hidden(text).text).text


# -- remembering -----------------------------------------------------------------------------------------


def test_as_a_text(memory: Recollect) -> None:
    def keep_and_find(text: str) -> None:
        answer = memory.remember(text)
        assert isinstance(answer, Remembered | AlreadyKnown)
        shown = memory.show(answer.memory.id)
        if isinstance(answer, Remembered):
            assert shown.text == cleaned(text).strip()
        # A word of it that stands whole in the index finds it.
        word = WORD.search(shown.text[:4000])
        if word and shown.state is MemoryState.ACTIVE:
            only = memory.filters(kinds=("fact",))
            found = memory.recall(word.group(), limit=1000, filters=only)
            assert answer.memory.id in {hit.memory.id for hit in found}, f"not found by {word.group()!r}"

    refused = held(NAUGHTY, keep_and_find)
    assert refused < 45
    assert memory.count(EVERY_STATE) > 250
    assert all(finding.verdict == "pass" for finding in memory.admin.verify()), memory.admin.verify()


def test_as_a_tag(memory: Recollect) -> None:
    def keep_and_filter(text: str) -> None:
        answer = memory.remember(f"tagged number {NAUGHTY.index(text)}", tags=[text, "plain"])
        assert isinstance(answer, Remembered)
        tag = cleaned(text).strip()
        assert set(memory.show(answer.memory.id).tags) == {tag, "plain"} - {""}
        if tag:
            found = memory.list(memory.filters(tags=(tag,), states=tuple(MemoryState)), limit=1000)
            assert answer.memory.id in {item.id for item in found}

    held(NAUGHTY, keep_and_filter)
    held(SOME, lambda text: memory.list(memory.filters(tags=(text,))))


def test_as_the_name_of_a_subject(memory: Recollect) -> None:
    def keep_and_filter(text: str) -> None:
        answer = memory.remember(f"about number {NAUGHTY.index(text)}", about=[f"person:{text}"])
        assert isinstance(answer, Remembered)
        subject = memory.show(answer.memory.id).subjects[0]
        listed = memory.list(memory.filters(about=[subject], states=tuple(MemoryState)), limit=1000)
        assert answer.memory.id in {item.id for item in listed}

    held(NAUGHTY, keep_and_filter)
    held(SOME, lambda text: memory.remember(f"file {NAUGHTY.index(text)}", about=[f"file:{text}"]))
    held(SOME, lambda text: memory.remember(f"bare {NAUGHTY.index(text)}", about=[text]))
    held(SOME, lambda text: memory.remember(f"type {NAUGHTY.index(text)}", about=[f"{text}:x"]))
    held(SOME, lambda text: memory.recall("about", filters=memory.filters(about=[f"person:{text}"])))


def test_as_the_name_of_a_file_in_a_project(tmp_path: Path, memory: Recollect) -> None:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    with Recollect(":memory:", folder=tmp_path / "project", embedder=memory._wiring.given_embedder) as inside:
        held(SOME, lambda text: inside.remember(f"file {NAUGHTY.index(text)}", about=[f"file:{text}"]))


def test_as_a_field(memory: Recollect) -> None:
    def keep(text: str) -> None:
        made = memory.remember(
            f"field number {NAUGHTY.index(text)}",
            kind="error_pattern",
            fields={"error": text, "fix": text[:10]},
        )
        assert isinstance(made, Remembered)
        assert memory.show(made.memory.id).fields["error"] == cleaned(text)

    held(NAUGHTY, keep)
    nested = {"deep": {"list": ["", "x"]}}
    held(
        SOME,
        lambda text: memory.remember(
            f"nested {NAUGHTY.index(text)}",
            kind="work_state",
            fields={"methodology_state": {text: text, "more": [text, nested]}},
        ),
    )
    refused = held(SOME, lambda text: memory.remember("a name", kind="error_pattern", fields={text: "x"}))
    assert refused == len(SOME)


def test_as_a_session_and_a_unit_of_work_and_a_reason(memory: Recollect) -> None:
    def keep(text: str) -> None:
        number = NAUGHTY.index(text)
        made = memory.remember(f"session number {number}", session=text)
        assert isinstance(made, Remembered)
        session = memory.show(made.memory.id).provenance.session_id
        if session:
            found = memory.list(memory.filters(sessions=(session,), states=tuple(MemoryState)), limit=1000)
            assert made.memory.id in {item.id for item in found}

    held(NAUGHTY, keep)
    held(SOME, lambda text: memory.remember(f"work {NAUGHTY.index(text)}", work=text))
    held(SOME, lambda text: memory.remember(f"unit {NAUGHTY.index(text)}", work=f"native:a/{text}/b"))
    held(
        SOME,
        lambda text: memory.remember(
            f"whole unit {NAUGHTY.index(text)}",
            work=WorkRef(methodology=text, hierarchy=(text, text), label=text),
        ),
    )
    held(SOME, lambda text: memory.remember(f"reason {NAUGHTY.index(text)}", why=text))
    held(SOME, lambda text: memory.remember(f"kind {NAUGHTY.index(text)}", kind=text))


# -- asking ----------------------------------------------------------------------------------------------


@pytest.fixture
def filled(memory: Recollect) -> Recollect:
    for number in range(30):
        memory.remember(
            f"note {number} about the printer", session="s", about=["person:Ada"], tags=["t"], work="a/b"
        )
    return memory


def test_as_a_question(filled: Recollect) -> None:
    assert held(NAUGHTY, filled.recall) == 0
    short = [text for text in NAUGHTY if len(text) < 1000]
    for profile in ("v3", "keywords"):
        assert held(short, lambda text: filled.recall(text, profile=profile)) == 0  # noqa: B023
    assert held(short, lambda text: filled.recall(f"printer {text}")) == 0
    held(short, lambda text: filled.recall(Query(text=text)))


def test_as_the_value_of_a_filter(filled: Recollect) -> None:
    def asked(**given: Any) -> None:
        filled.list(filled.filters(**given))
        filled.recall("printer", filters=filled.filters(**given))

    held(SOME, lambda text: asked(kinds=(text,)))
    held(SOME, lambda text: asked(methodology=text))
    held(SOME, lambda text: asked(sessions=(text,)))
    held(SOME, lambda text: asked(work=WorkRef(methodology="native", hierarchy=(text,), label="")))
    held(SOME, lambda text: filled.list(Filters(project_id=text)))
    held(SOME, lambda text: filled.recall("x", profile=text or "best"))
    held(SOME, lambda text: filled.filters(groups=[text]))
    held(SOME, lambda text: filled.period(text))
    held(SOME, lambda text: filled.recall("printer", around=text))


def test_as_an_id(filled: Recollect) -> None:
    for act in (filled.show, filled.forget, filled.purge, filled.pin, filled.history, filled.admin.attach):
        held(SOME, act)
    held(SOME, lambda text: filled.edit(text, text="x"))
    held(SOME, lambda text: filled.undo(text or "x"))
    assert filled.count(EVERY_STATE) == 30


def test_as_an_edit(filled: Recollect) -> None:
    made = filled.list(limit=1)[0]

    def change(text: str) -> None:
        changed = filled.edit(made.id, text=text, tags=[text[:200] or "x"], why=text[:2000])
        assert changed.text == cleaned(text).strip()

    held(SOME, change)
    held(SOME, lambda text: filled.edit(made.id, **{text: "x"}))
    held(SOME, lambda text: filled.edit(made.id, citation=text))
    held(SOME, lambda text: filled.edit(made.id, relations=[{"type": "validates", "path": text}]))
    held(SOME, lambda text: filled.edit(made.id, relations=[{"type": text, "memory_id": text}]))
    held(SOME, lambda text: filled.edit(made.id, project_id=text))
    for _ in [change for change in filled.history(made.id) if change.action == "edit"]:
        filled.undo(made.id)
    assert filled.show(made.id).text == made.text
    assert filled.show(made.id).tags == made.tags


# -- moving ----------------------------------------------------------------------------------------------


def test_through_an_export_and_back(memory: Recollect) -> None:
    held(NAUGHTY, lambda text: memory.remember(text, tags=[text[:200] or "x"]))
    lines = [json.dumps(line, ensure_ascii=False) for line in memory.admin.export()]
    with Recollect(":memory:", folder=None, embedder=memory._wiring.given_embedder) as target:
        done = target.admin.import_memories(lambda: iter(lines))
        assert (done.remembered, done.known) == (len(lines) - 1, 0)
        theirs = {item.id: (item.text, item.tags) for item in target.list(EVERY_STATE, limit=1000)}
        mine = {item.id: (item.text, item.tags) for item in memory.list(EVERY_STATE, limit=1000)}
        assert theirs == mine


def test_as_a_line_of_an_import(memory: Recollect) -> None:
    header = '{"format": "recollect-memories", "version": 1}'
    lines = [text for text in NAUGHTY if text.strip()]
    refused = held(lines, lambda text: memory.admin.import_memories(lambda: iter([header, text])))
    assert refused == len(lines)
    for name in (
        "kind",
        "session_id",
        "id",
        "created_at",
        "state",
        "work",
        "project",
        "happened_at",
        "fields",
    ):
        held(
            NAUGHTY,
            lambda text: memory.admin.import_memories(
                lambda: iter([header, json.dumps({"text": "x y z", name: text})])  # noqa: B023
            ),
        )
    held(
        SOME,
        lambda text: memory.admin.import_memories(
            lambda: iter(
                [header, json.dumps({"text": f"of {text[:20]!r}", "project": {"key": text, "name": text}})]
            )
        ),
    )


# -- settings and folders --------------------------------------------------------------------------------


def test_as_a_setting() -> None:
    held(SOME, lambda text: config.change_setting(text, "x"))
    held(SOME, lambda text: config.change_setting("recall.limit", text))
    held(SOME, lambda text: config.change_setting("completer.model", text))
    config.load_settings()


def test_as_the_name_of_a_projects_folder(tmp_path: Path, memory: Recollect) -> None:
    def work_in(text: str) -> None:
        folder = tmp_path / "folders" / text
        # Where no such folder can be, naming it must still do no harm.
        with contextlib.suppress(OSError, ValueError):
            folder.mkdir(parents=True, exist_ok=True)
        with Recollect(":memory:", folder=folder, embedder=memory._wiring.given_embedder) as inside:
            inside.remember("something here", about=["src/x.py"])
            inside.recall("something")
            inside.admin.projects()

    held([text for text in NAUGHTY[::3] if not text.startswith(("/", ".", "\\", "~"))], work_in)


# -- the command line ------------------------------------------------------------------------------------


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    monkeypatch.chdir(tmp_path)

    def said_(*words: str, text: str | None = None) -> int:
        raw = text.encode("utf-8", "surrogatepass") if text is not None else None
        done = CliRunner().invoke(cli, list(words), input=raw, prog_name="recollect")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code in (0, 1, 2, 3)
        assert "Traceback" not in done.output
        if done.exit_code:
            assert done.stdout == ""
            assert done.stderr.strip()
        return done.exit_code

    return said_


def test_as_an_argument(said: Callable[..., int]) -> None:
    assert said("remember", "the first note") == 0
    held(NAUGHTY, lambda text: said("remember", text))
    held(NAUGHTY[::4], lambda text: said("remember", "-", text=text))
    held(NAUGHTY[1::4], lambda text: said("recall", text))
    held(FEW, lambda text: said("recall", "--json", "--explain", "--", text))


def test_as_an_option(said: Callable[..., int]) -> None:
    assert said("remember", "the first note") == 0
    for option in (
        "--kind",
        "--about",
        "--tag",
        "--work",
        "--session",
        "--at",
        "--field",
        "--why",
        "--confidence",
    ):
        held(FEW, lambda text: said("remember", f"note {text!r}"[:80], option, text))  # noqa: B023
    held(
        FEW,
        lambda text: said(
            "remember", f"field {text!r}"[:80], "-k", "decision", "--field", f"rationale={text}"
        ),
    )
    for option in (
        "--since",
        "--until",
        "--around",
        "--tag",
        "--group",
        "--methodology",
        "--sessions",
        "--limit",
    ):
        held(FEW, lambda text: said("recall", "note", option, text))  # noqa: B023
    for command in ("show", "edit", "pin", "history", "undo", "forget", "completion", "nonsense"):
        held(FEW, lambda text: said(command, text))  # noqa: B023
    held(FEW, lambda text: said("config", "set", "recall.limit", text))
    held(FEW, lambda text: said("config", "set", text, "x"))
    held(FEW, lambda text: said(text))
    assert said("list", "--limit", "1000") == 0
    assert said("list", "--json", "--limit", "1000") == 0
    assert said("history", "--limit", "1000") == 0


def test_as_a_file(said: Callable[..., int], tmp_path: Path) -> None:
    assert said("remember", "the first note") == 0
    names = [text for text in FEW if not text.startswith(("/", "\\", ".", "~"))]
    (tmp_path / "files").mkdir()
    for command in (("export",), ("backup",), ("import", "memories"), ("restore", "--yes")):
        held(names, lambda text: said(*command, str(tmp_path / "files") + "/" + text))  # noqa: B023
    held(names, lambda text: said("list", "--db", str(tmp_path / "files") + "/" + text))
    held(names, lambda text: said("list", "--project", str(tmp_path / "files") + "/" + text))


def test_as_bytes_that_are_no_text(tmp_path: Path) -> None:
    """Real processes: what the shell hands over need not be text at all."""
    environment = os.environb | {b"RECOLLECT_EMBEDDING_TIER": b"none"}
    for raw in (b"\xff\xfe broken", b"\xed\xa0\x80"):
        for words in ([b"remember", raw], [b"recall", raw], [b"remember", b"x", b"--tag", raw], [raw]):
            done = subprocess.run(
                [sys.executable.encode(), b"-m", b"recollect", *words],
                capture_output=True,
                env=environment,
                cwd=tmp_path,
                timeout=60,
                check=False,
            )
            assert done.returncode in (0, 2), done.stderr
            assert b"Traceback" not in done.stderr
