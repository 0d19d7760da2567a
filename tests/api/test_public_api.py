"""The border of the library: signatures tell the truth, and every error that leaves a call is a RecollectError."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, RecollectError
from recollect.api.public_api import SubApi
from recollect.errors import BadInput, StoreError
from recollect.model.memory import MemoryDraft

MOST_METHODS = 25
SUB_APIS = {name: value for name, value in vars(Recollect).items() if isinstance(value, SubApi)}


def test_the_users_object_has_at_most_25_methods_of_its_own() -> None:
    own = [
        name
        for name, value in vars(Recollect).items()
        if isinstance(value, types.FunctionType | property | classmethod | staticmethod)
    ]
    assert len(own) <= MOST_METHODS, sorted(own)


def test_a_sub_api_is_made_once_at_its_first_use(memory: Recollect) -> None:
    for name in SUB_APIS:
        assert name not in vars(memory)
        made = getattr(memory, name)
        assert getattr(memory, name) is made
        assert isinstance(getattr(Recollect, name), SubApi)


def test_no_public_call_hides_its_arguments_in_a_dictionary() -> None:
    for name, method in inspect.getmembers(Recollect, inspect.isfunction):
        if not name.startswith("_"):
            kinds = {one.kind for one in inspect.signature(method).parameters.values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds, name
    assert {"kind", "about", "tags", "everywhere"} <= set(inspect.signature(Recollect.remember).parameters)
    assert {"text", "tags", "relations"} <= set(inspect.signature(Recollect.edit).parameters)


def test_a_value_tells_its_fields_before_one_was_ever_made() -> None:
    code = "import inspect; from recollect import MemoryDraft; print(inspect.signature(MemoryDraft))"
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("(*, text")
    assert "project_id: 'str | None' = None" in done.stdout
    assert str(inspect.signature(MemoryDraft)).startswith("(*, text")


UNKNOWN: dict[str, tuple[Callable[[Recollect], object], str]] = {
    "remember": (lambda memory: memory.remember("x", abuot=["a.py"]), "about"),
    "draft": (lambda memory: memory.draft("x", tgas=["a"]), "tags"),
    "recall": (lambda memory: memory.recall("x", limt=3), "limit"),
    "filters": (lambda memory: memory.filters(kind=["fact"]), "kinds"),
    "edit": (lambda memory: memory.edit("x", txet="y"), "text"),
    "context": (lambda memory: memory.context("x", bugdet=3), "budget"),
    "reviews": (lambda memory: memory.reviews.pending(limits=3), "limit"),
    "admin": (lambda memory: memory.admin.stats(all_projects=True), "every_project"),
    "observer": (lambda memory: memory.observer.foresee("x", brnch="main"), "branch"),
    "constructor": (lambda memory: Recollect(":memory:", flder=None), "folder"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_argument_is_an_error_that_names_the_nearest(memory: Recollect, name: str) -> None:
    call, meant = UNKNOWN[name]
    with pytest.raises(BadInput, match=f"has no argument .*{meant}"):
        call(memory)


LETTERS: dict[str, Callable[[Recollect], object]] = {
    "tags": lambda memory: memory.remember("x", tags="abc"),
    "about": lambda memory: memory.draft("x", about="src/a.py"),
    "kinds": lambda memory: memory.filters(kinds="fact"),
    "drafts": lambda memory: memory.remember_many("a text"),
    "known_ids": lambda memory: memory.context("x", known_ids="an id"),
    "finished": lambda memory: memory.upkeep.prune(finished="native:spec_1"),
}


@pytest.mark.parametrize("name", LETTERS)
def test_a_text_in_the_place_of_a_list_is_an_error_with_the_remedy(memory: Recollect, name: str) -> None:
    with pytest.raises(BadInput, match=rf"{name} takes a list; write {name}=\["):
        LETTERS[name](memory)


WRONG: dict[str, Callable[[Recollect], Any]] = {
    "a number for a question": lambda memory: memory.recall(5),
    "a word for a number": lambda memory: memory.recall("tokens", limit="many"),
    "a number for a text": lambda memory: memory.remember(5),
    "a list for an id": lambda memory: memory.show(["a"]),
    "no draft": lambda memory: memory.remember_many([1]),
    "a scope that there is not": lambda memory: memory.remember("x", scope="nowhere"),
    "a state that there is not": lambda memory: memory.edit(memory.remember("x").memory.id, state="gone"),
    "a correction that there is not": lambda memory: memory.reviews.correct("x", "odd"),
    "a word for a confidence": lambda memory: memory.remember("x", confidence="high"),
    "a folder as a backup": lambda memory: memory.admin.backup("/"),
    "no lines": lambda memory: memory.admin.import_memories(None),
    "an event that there is not": lambda memory: memory.observer.record("tool_called", session="s", odd=1),
    "a number for a period": lambda memory: memory.period(3),
    "too few arguments": lambda memory: memory.edit(),
}


@pytest.mark.parametrize("name", WRONG)
def test_whatever_is_wrong_it_is_a_recollect_error(memory: Recollect, name: str) -> None:
    with pytest.raises(RecollectError) as caught:
        WRONG[name](memory)
    assert str(caught.value)


def test_a_store_that_cannot_be_opened_is_a_recollect_error(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing" / "\0"):
        with pytest.raises(RecollectError):
            Recollect(place, folder=None)


AFTER_CLOSE: dict[str, Callable[[Recollect], object]] = {
    "remember": lambda memory: memory.remember("x"),
    "recall": lambda memory: memory.recall("x"),
    "list": lambda memory: memory.list(),
    "undo": lambda memory: memory.undo(),
    "a sub-API": lambda memory: memory.reviews.pending(),
    "an iterator": lambda memory: list(memory.admin.export()),
}


@pytest.mark.parametrize("name", AFTER_CLOSE)
def test_a_memory_that_was_closed_says_so(memory: Recollect, name: str) -> None:
    memory.close()
    memory.close()
    with pytest.raises(StoreError, match="closed"):
        AFTER_CLOSE[name](memory)


def test_an_iterator_begun_before_the_close_ends_in_a_recollect_error(memory: Recollect) -> None:
    memory.remember_many([memory.draft(f"Fact {n} is {n * n}") for n in range(50)])
    lines = memory.admin.export()
    next(lines)
    memory.close()
    with pytest.raises(RecollectError):
        list(lines)


def test_a_draft_writes_nothing_and_its_project_is_made_when_it_is_remembered(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder) as memory:
        drafts = [memory.draft("Retries are capped at 3"), memory.draft("Answer briefly", kind="preference")]
        assert memory.admin.projects() == []
        remembered, wide = memory.remember_many(drafts)
        [project] = memory.admin.projects()
        assert remembered.memory.project_id == project.id
        assert wide.memory.project_id is None
        # Now that it is known, a draft names it.
        assert memory.draft("Another").project_id == project.id


@pytest.mark.sqlite
def test_reading_contexts_drain_nothing_and_acts_do(memory: Recollect) -> None:
    from recollect.events.event_dict import make_event
    from recollect.events.inbox import append, has_waiting
    from recollect.hooks.hook_context import event_to_line

    inbox = memory._wiring.inbox
    event = make_event(
        "prompt", id="01JABCDEFGHJKMNPQRSTVWXYZ0", at="2026-01-01T00:00:00Z", session_id="s", text="hi"
    )
    append(inbox, [event_to_line(event)])
    memory._wiring.read_context()
    memory._wiring.write_context()
    memory._wiring.upkeep_context()
    assert has_waiting(inbox)
    memory.recall("anything")
    assert not has_waiting(inbox)
