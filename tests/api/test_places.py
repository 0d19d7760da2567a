"""Projects: clones and worktrees share one memory, two repositories never do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import Recollect, Remembered
from recollect.errors import BadInput, NotFound
from tests.conftest import Clock
from tests.git.repos import (
    a_clone,
    a_repository,
    a_shallow_clone,
    a_worktree,
    an_empty_repository,
    commit,
    isolate,
)
from tests.hash_embedder import HashEmbedder

At = Callable[[Path | None], Recollect]


@pytest.fixture(autouse=True)
def _git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path / "git-home")


@pytest.fixture
def at(tmp_path: Path, clock: Clock) -> At:
    def open_at(folder: Path | None) -> Recollect:
        return Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder(), clock=clock)

    return open_at


def seen(at: At, folder: Path | None, question: str = "deploy") -> set[str]:
    with at(folder) as memory:
        listed = {item.text for item in memory.list(limit=100)}
        recalled = {hit.memory.text for hit in memory.recall(question, limit=100)}
    assert recalled <= listed
    return listed


def note(at: At, folder: Path | None, text: str, **details: object) -> None:
    with at(folder) as memory:
        assert isinstance(memory.remember(text, **details), Remembered)  # type: ignore[arg-type]


def test_clones_worktrees_and_folders_inside_are_one_project(tmp_path: Path, at: At) -> None:
    repository = a_repository(tmp_path / "site")
    (repository / "src" / "deep").mkdir(parents=True)
    note(at, repository, "deploy at night")
    places = [
        repository / "src" / "deep",
        a_clone(repository, tmp_path / "copy"),
        a_worktree(repository, tmp_path / "tree"),
    ]
    for number, place in enumerate(places):
        assert "deploy at night" in seen(at, place)
        note(at, place, f"deploy note {number}")
    assert len(seen(at, repository)) == 4
    with at(repository) as memory:
        (project,) = memory.admin.projects()
        assert (project.name, project.memories, len(project.paths)) == ("site", 4, 3)


def test_a_shallow_clone_is_known_by_its_remote(tmp_path: Path, at: At) -> None:
    repository = a_repository(tmp_path / "site")
    commit(repository, "more.txt", "more")
    first = a_clone(repository, tmp_path / "full")
    note(at, first, "deploy at night")
    assert seen(at, a_shallow_clone(repository, tmp_path / "shallow")) == {"deploy at night"}


def test_two_repositories_and_no_repository_keep_to_themselves(tmp_path: Path, at: At) -> None:
    one, two = a_repository(tmp_path / "one"), a_repository(tmp_path / "two")
    loose = tmp_path / "loose"
    loose.mkdir()
    note(at, one, "deploy one")
    note(at, two, "deploy two")
    note(at, loose, "deploy loose")
    assert seen(at, one) == {"deploy one"}
    assert seen(at, two) == {"deploy two"}
    assert seen(at, loose) == {"deploy loose"}
    assert seen(at, None) == set()
    with at(one) as memory:
        every = memory.filters(every_project=True)
        assert {item.text for item in memory.list(every)} == {"deploy one", "deploy two", "deploy loose"}


def test_what_a_person_is_like_is_known_everywhere(tmp_path: Path, at: At) -> None:
    one, two = a_repository(tmp_path / "one"), a_repository(tmp_path / "two")
    note(at, one, "Alex deploys in the morning", kind="preference")
    note(at, one, "deploy contact is Kim", kind="contact")
    note(at, one, "deploy rule for all", kind="decision", everywhere=True)
    note(at, one, "deploy preference of this project only", kind="preference", everywhere=False)
    expected = {"Alex deploys in the morning", "deploy contact is Kim", "deploy rule for all"}
    assert seen(at, two) == expected
    assert seen(at, None) == expected
    assert seen(at, one) == expected | {"deploy preference of this project only"}


def test_a_folder_finds_its_memories_again_at_the_first_commit(tmp_path: Path, at: At) -> None:
    folder = tmp_path / "young"
    folder.mkdir()
    note(at, folder, "deploy by hand")
    an_empty_repository(folder)
    assert seen(at, folder) == {"deploy by hand"}
    commit(folder, "README.md", "# young\n")
    assert seen(at, folder) == {"deploy by hand"}
    note(at, folder, "deploy by script")
    assert seen(at, a_clone(folder, tmp_path / "clone")) == {"deploy by hand", "deploy by script"}
    with at(folder) as memory:
        (project,) = memory.admin.projects()
        assert project.key.startswith("git:")


def test_a_moved_folder_without_git_is_attached_by_command(tmp_path: Path, at: At) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    note(at, old, "deploy from the old place", session="s1")
    shutil.move(old, new)
    assert seen(at, new) == set()
    note(at, new, "deploy from the new place")
    with at(new) as memory:
        memory.admin.attach(str(old))
        assert memory.admin.attach(str(new)).id == memory.admin.attach("new").id
        assert len(memory.admin.projects()) == 1
        assert {hit.memory.text for hit in memory.recall("deploy", recent_sessions=1)} == {
            "deploy from the old place"
        }
    assert seen(at, new) == {"deploy from the old place", "deploy from the new place"}


def test_attaching_to_a_stranger_or_from_nowhere_says_so(tmp_path: Path, at: At) -> None:
    for place in ("a", "b"):
        (tmp_path / place / "same").mkdir(parents=True)
        note(at, tmp_path / place / "same", f"deploy {place}")
    with at(tmp_path / "a" / "same") as memory:
        with pytest.raises(NotFound, match="nowhere"):
            memory.admin.attach("nowhere")
        with pytest.raises(BadInput, match="several projects are called same"):
            memory.admin.attach("same")
    with at(None) as memory, pytest.raises(NotFound):
        memory.admin.attach("same")


def test_a_file_is_the_same_file_from_whatever_folder_it_is_named(tmp_path: Path, at: At) -> None:
    repository = a_repository(tmp_path / "site")
    commit(repository, "src/auth/guard.py", "pass\n")
    inside = repository / "src" / "auth"
    with at(inside) as memory:
        made = memory.remember("Guards are strict", about=["guard.py"])
        assert isinstance(made, Remembered)
        assert [str(subject) for subject in made.memory.subjects] == ["file:src/auth/guard.py"]
        edited = memory.edit(made.memory.id, about=["./guard.py", str(repository / "README.md")])
        assert [str(subject) for subject in edited.subjects] == ["file:src/auth/guard.py", "file:README.md"]
    with at(repository) as memory:
        assert len(memory.list(memory.filters(about=["src/auth/guard.py"]))) == 1
        assert len(memory.list(memory.filters(about=[str(inside / "guard.py")]))) == 1


def test_nothing_of_one_project_is_ever_told_in_another(tmp_path: Path, at: At) -> None:
    """A canary in each; fifty questions, its own words among them, from the other side."""
    one, two = a_repository(tmp_path / "one"), a_repository(tmp_path / "two")
    for place, bird in ((one, "Parakeet"), (two, "Nightingale")):
        with at(place) as memory:
            memory.remember_many(
                [
                    memory.draft(
                        f"{bird} canary {n}: the vault code of {bird} is {n * 37}",
                        about=[f"person:{bird}", f"src/{bird.lower()}.py"],
                        tags=[bird],
                        session=f"{bird}-{n // 3}",
                        kind=("fact", "decision", "gotcha")[n % 3],
                    )
                    for n in range(30)
                ]
            )
    for place, own, foreign in ((one, "Parakeet", "Nightingale"), (two, "Nightingale", "Parakeet")):
        questions = [
            foreign,
            f"what is the vault code of {foreign}",
            f"src/{foreign.lower()}.py",
            foreign[:-1] + "x",
            f"{foreign} yesterday",
            *(f"{foreign} canary {n} vault code {n * 37}" for n in range(20)),
        ]
        with at(place) as memory:
            for question in questions:
                for profile in ("default", "keywords"):
                    told = [hit.memory for hit in memory.recall(question, profile=profile, limit=30)]
                    assert all(own in item.text and foreign not in str(item) for item in told), question
            assert not memory.list(memory.filters(tags=(foreign,)))
            assert not memory.list(memory.filters(about=[f"person:{foreign}"]))
            assert memory.admin.stats().memories == 30
            exported = [str(line) for line in memory.admin.export(every_project=False)]
            assert foreign not in "".join(exported)
