"""Many memories that wait, decided at once: seen first, taken back in one step, and never by an agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.model.memory import MemoryState
from recollect.model.provenance import Channel
from recollect.surfaces.tools import TOOLS
from tests.capture.test_standing import kept
from tests.surfaces.conftest import Run
from tests.surfaces.test_cli_review import a_store, state_of

HABITS = ("Tests are named after behaviour", "Errors are values here", "Files are read as UTF-8")


def scanned(tmp_path: Path) -> list[str]:
    """What a scan left: three habits and a module, and before them something read and something seen."""
    with a_store(tmp_path) as memory:
        read = kept(memory, "The mirror is fast", channel=Channel.READ, tags=("scan",))
        seen = kept(memory, "Clicks fail while a modal moves", channel=Channel.OBSERVED, session="s1")
        habits = [
            kept(memory, text, kind="pattern", channel=Channel.OBSERVED, tags=("scan",)) for text in HABITS
        ]
        module = kept(
            memory,
            "Module auth renews tokens",
            kind="module_insight",
            channel=Channel.OBSERVED,
            tags=("scan",),
        )
        return [one.id for one in (module, *reversed(habits), seen, read)]


def verified(tmp_path: Path, ids: list[str]) -> list[bool]:
    return [state_of(tmp_path, one)[1] for one in ids]


# -- by command ------------------------------------------------------------------------------------------


def test_a_group_is_confirmed_by_a_filter_and_taken_back_in_one_step(person: Run, tmp_path: Path) -> None:
    ids = scanned(tmp_path)
    said = person("review", "confirm", "--tag", "scan", "--yes", "--why", "all true")
    assert said.out.count("Confirmed") == 4
    assert "1 waits apart" in said.err
    assert verified(tmp_path, ids) == [True] * 4 + [False] * 2
    with a_store(tmp_path) as memory:
        assert {memory.history(one)[-1].why for one in ids[:4]} == {"all true"}
    assert person("undo").out.count("Took back: confirm") == 4
    assert verified(tmp_path, ids) == [False] * 6


def test_what_was_only_read_is_in_no_group_that_is_confirmed_unless_its_state_is_named(
    person: Run, tmp_path: Path
) -> None:
    *rest, read = scanned(tmp_path)
    person("review", "confirm", "--all", "--yes")
    assert verified(tmp_path, rest) == [True] * 5
    assert state_of(tmp_path, read) == (MemoryState.QUARANTINED, False)
    assert "Nothing was changed" in person("review", "confirm", "--all", "--state", "active", "--yes").out
    assert state_of(tmp_path, read) == (MemoryState.QUARANTINED, False)
    person("review", "confirm", "--all", "--state", "quarantined", "--yes")
    assert state_of(tmp_path, read) == (MemoryState.ACTIVE, True)


def test_a_group_is_rejected_with_what_was_only_read(person: Run, tmp_path: Path) -> None:
    ids = scanned(tmp_path)
    assert (
        person("review", "reject", "--tag", "scan", "--kind", "pattern", "--yes").out.count("Rejected") == 3
    )
    assert [state_of(tmp_path, one)[0] for one in ids].count(MemoryState.ARCHIVED) == 3
    person("review", "reject", "--all", "--yes")
    assert {state_of(tmp_path, one)[0] for one in ids} == {MemoryState.ARCHIVED}
    person("undo")
    assert state_of(tmp_path, ids[-1]) == (MemoryState.QUARANTINED, False)


@pytest.mark.parametrize("act", ["confirm", "reject"])
def test_a_dry_run_shows_which_are_meant_and_changes_nothing(run: Run, tmp_path: Path, act: str) -> None:
    ids = scanned(tmp_path)
    shown = run("review", act, "--kind", "pattern", "--dry-run", "--json").json["changed"]
    assert [one["id"] for one in shown] == ids[1:4]
    assert f"Would {act}" in run("review", act, "--kind", "pattern", "--dry-run").out
    assert verified(tmp_path, ids) == [False] * 6


@pytest.mark.parametrize("act", ["confirm", "reject"])
def test_no_agent_decides_about_many(run: Run, tmp_path: Path, act: str) -> None:
    ids = scanned(tmp_path)
    for words in (("--all",), ("--all", "--yes"), ("--tag", "scan", "--yes"), tuple(ids)):
        said = run("review", act, *words, "--json")
        assert (said.code, said.error["code"]) == (1, "only_a_person"), words
    assert verified(tmp_path, ids) == [False] * 6
    acts = {name for tool in TOOLS for name in tool.acts}
    assert not acts & {"reviews.confirm", "reviews.reject", "reviews.correct"}


def test_who_names_nothing_decides_about_nothing(person: Run, tmp_path: Path) -> None:
    ids = scanned(tmp_path)
    for words in ((), ("--yes",), ("--all-projects", "--yes"), (ids[0], "--all"), (ids[0], "--kind", "fact")):
        assert person("review", "confirm", *words).code == 2, words
    assert "--tag scan" in person("review", "confirm", "--json").error["message"]
    assert verified(tmp_path, ids) == [False] * 6


def test_at_a_terminal_all_are_shown_before_the_question(terminal: Run, tmp_path: Path) -> None:
    ids = scanned(tmp_path)
    said = terminal("review", "confirm", "--kind", "pattern", answers=[("these 3? [y/N]", "n\n")])
    assert all(said.out.index(text) < said.out.index("these 3?") for text in HABITS)
    assert verified(tmp_path, ids) == [False] * 6
    terminal("review", "confirm", "--kind", "pattern", answers=[("these 3? [y/N]", "y\n")])
    assert verified(tmp_path, ids) == [False, True, True, True, False, False]


# -- by keys ---------------------------------------------------------------------------------------------


def test_a_group_is_confirmed_by_keys_and_taken_back_by_one(terminal: Run, tmp_path: Path) -> None:
    ids = scanned(tmp_path)
    said = terminal(
        "review",
        answers=[
            ("1 of 6", "l"),
            ("2 of 6", "g"),
            ("[k] 3 of the kind pattern  [t] 4 with the tag scan", "k"),
            ("these 3?", "c"),
            ("5 of 6", "u"),
            ("2 of 6", "g"),
            ("[n]one", "k"),
            ("these 3?", "r"),
            ("5 of 6", "q"),
        ],
    )
    assert said.code == 0, said.out
    assert said.out.count("Took back: confirm") == 3
    assert "3 left for later, 3 rejected." in said.out
    states = [state_of(tmp_path, one)[0] for one in ids]
    assert states == [
        MemoryState.ACTIVE,
        *[MemoryState.ARCHIVED] * 3,
        MemoryState.ACTIVE,
        MemoryState.QUARANTINED,
    ]


def test_all_that_are_left_are_confirmed_but_what_was_only_read(terminal: Run, tmp_path: Path) -> None:
    ids = scanned(tmp_path)
    said = terminal(
        "review", answers=[("1 of 6", "g"), ("[a] 6 in all", "a"), ("these 6?", "c"), ("6 of 6", "q")]
    )
    assert "[quarantined] The mirror is fast" in said.out
    assert "1 waits apart" in said.out
    assert "5 confirmed, 1 left for later." in said.out
    assert verified(tmp_path, ids) == [True] * 5 + [False]


def test_a_group_can_be_looked_at_and_left(terminal: Run, tmp_path: Path) -> None:
    ids = scanned(tmp_path)
    answers = [("1 of 6", "g"), ("[n]one", "t"), ("[n]either", "n"), ("1 of 6", "g"), ("[n]one", "n")]
    said = terminal("review", answers=[*answers, ("1 of 6", "q")])
    assert said.out.count("1 of 6") == 3
    assert verified(tmp_path, ids) == [False] * 6


def test_who_stands_alone_is_no_group(terminal: Run, tmp_path: Path) -> None:
    with a_store(tmp_path) as memory:
        kept(memory, "Clicks fail while a modal moves", channel=Channel.OBSERVED, session="s1")
    said = terminal("review", answers=[("1 of 1", "g"), ("It stands alone", "q")])
    assert said.code == 0, said.out


# -- the card --------------------------------------------------------------------------------------------


def test_a_memory_about_many_things_names_a_few_and_counts_the_rest(run: Run, tmp_path: Path) -> None:
    with a_store(tmp_path) as memory:
        about = [f"module:m{number}" for number in range(8)]
        kept(memory, "Everything is logged", kind="pattern", channel=Channel.OBSERVED, about=about)
        kept(memory, "Some is traced", kind="pattern", channel=Channel.OBSERVED, about=about[:5])
    said = run("review").out
    assert "module:m4 and 3 more" in said
    assert "module:m5" not in said
    assert "module:m4\n" in said
