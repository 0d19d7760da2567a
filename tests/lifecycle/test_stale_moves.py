"""Files that move take their memories with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect, Remembered
from recollect.model.anchor import SweepReport
from tests.git.repos import a_worktree, commit, git
from tests.lifecycle.conftest import CODE, LINES, At, learn


def move(repository: Path, was: str, path: str, text: str | None = None) -> None:
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    git(repository, "mv", was, path)
    if text is not None:
        (repository / path).write_text(text, encoding="utf-8")
    git(repository, "commit", "-q", "-a", "-m", f"Move {was}")


def about(memory: Recollect, memory_id: str) -> list[str]:
    return [str(subject) for subject in memory.show(memory_id).subjects]


def edited(text: str, share: float, mark: str = "rewritten") -> str:
    """The text with a share of its lines replaced by others of the same length."""
    lines = text.splitlines(keepends=True)
    every = round(1 / share)
    return "".join(
        f"{mark} {n}".ljust(len(line) - 1, ".") + "\n" if n % every == 0 else line
        for n, line in enumerate(lines)
    )


def test_a_move_that_is_committed_is_followed_and_can_be_undone(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        move(repository, "src/auth.py", "src/login.py")
        done = memory.staleness.follow()
        assert [(m.memory_id, m.was, m.path) for m in done.moved] == [(known, "src/auth.py", "src/login.py")]
        assert about(memory, known) == ["file:src/login.py"]
        assert memory.show(known).stale_at is None
        last = memory.history(known)[-1]
        assert (last.action, last.actor) == ("moved", "recollect")
        assert (last.before, last.after) == (
            {"about": ["file:src/auth.py"]},
            {"about": ["file:src/login.py"]},
        )
        assert memory.recall("login.py")[0].memory.id == known
        assert memory.staleness.follow() == SweepReport(), "a second look finds nothing to do"
        assert memory.undo(known).action == "moved"
        assert about(memory, known) == ["file:src/auth.py"]
        swept = memory.staleness.sweep()
        assert about(memory, known) == ["file:src/auth.py"], "somebody has said it is not about the new file"
        assert [mark.why for mark in swept.stale] == ["src/auth.py no longer exists"]


def test_a_moved_memory_is_found_by_the_words_of_its_new_name(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        move(repository, "src/auth.py", "src/zebra_crossing.py")
        memory.staleness.follow()
        (hit,) = memory.recall("crossing")
        assert hit.memory.id == known
        assert "words" in {part.name for part in hit.why}


def test_a_file_that_stays_is_followed_from_the_newest_commit(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        head = commit(repository, "other.txt", "something else")
        assert memory.staleness.follow().looked_at == 1
        (file,) = memory.staleness.files_of(known)
        assert file.tracked_in == head
        assert memory.staleness.follow().looked_at == 0


def test_three_hops_with_edits_at_each_are_followed(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        was, text = "src/auth.py", CODE
        for hop, path in enumerate(("src/a.py", "lib/b.py", "lib/deep/c.py")):
            text = edited(text, 1 / 3, f"hop {hop} of the story")
            move(repository, was, path, text)
            was = path
        memory.staleness.follow()
        assert about(memory, known) == ["file:lib/deep/c.py"]


def test_a_file_of_which_two_fifths_were_rewritten_is_followed(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        lines = LINES[:30] + [f"def new_{n}(): return {n} * 100000 + {n} * 999\n" for n in range(20)]
        move(repository, "src/auth.py", "src/login.py", "".join(lines))
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/login.py"]
        (file,) = memory.staleness.files_of(known)
        assert (file.state, file.learned_path, file.commits, file.lines) == ("changed", "src/auth.py", 1, 40)


def test_a_directory_that_moved_takes_files_symbols_and_modules_along(repository: Path, at: At) -> None:
    for name in "abcd":
        commit(repository, f"src/pay/{name}.py", CODE + name)
    with at(repository) as memory:
        file = learn(memory, "src/pay/a.py", "The first")
        symbol = learn(memory, "symbol:src/pay/b.py::charge", "The second")
        module = learn(memory, "module:pay", "The third")
        folder = learn(memory, "src/pay", "The fourth")
        memory.staleness.sweep()
        git(repository, "mv", "src/pay", "src/billing")
        git(repository, "commit", "-q", "-m", "Move")
        memory.staleness.follow()
        assert about(memory, file) == ["file:src/billing/a.py"]
        assert about(memory, symbol) == ["symbol:src/billing/b.py::charge"]
        assert about(memory, module) == ["module:billing"]
        assert about(memory, folder) == ["file:src/billing"]
        assert memory.staleness.listed() == []


def test_a_squash_merge_is_followed(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        git(repository, "checkout", "-q", "-b", "feature")
        move(repository, "src/auth.py", "src/a.py", edited(CODE, 1 / 5, "one"))
        move(repository, "src/a.py", "src/b.py", edited(edited(CODE, 1 / 5, "one"), 1 / 5, "two"))
        git(repository, "checkout", "-q", "main")
        commit(repository, "other.txt", "main went on\n")
        git(repository, "merge", "-q", "--squash", "feature")
        git(repository, "commit", "-q", "-m", "Squashed")
        git(repository, "branch", "-q", "-D", "feature")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/b.py"]


def test_what_was_learned_on_a_branch_is_followed_through_its_squash_merge(repository: Path, at: At) -> None:
    with at(repository) as memory:
        git(repository, "checkout", "-q", "-b", "feature")
        commit(repository, "src/new.py", CODE + "# new\n")
        known = learn(memory, "src/new.py")
        git(repository, "checkout", "-q", "main")
        memory.staleness.follow()
        assert memory.show(known).stale_at is None, "it lives on another branch, it is not gone"
        git(repository, "merge", "-q", "--squash", "feature")
        git(repository, "commit", "-q", "-m", "Squashed")
        git(repository, "branch", "-q", "-D", "feature")
        move(repository, "src/new.py", "src/newer.py")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/newer.py"]


def test_a_merge_brings_its_moves(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        git(repository, "checkout", "-q", "-b", "feature")
        move(repository, "src/auth.py", "src/login.py")
        git(repository, "checkout", "-q", "main")
        commit(repository, "src/auth.py", CODE + "# a fix on main\n")
        git(repository, "merge", "-q", "--no-edit", "feature")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/login.py"]


@pytest.mark.parametrize("how", ["staged", "not added", "not added, edited"])
def test_a_move_nobody_has_committed_is_followed_and_stays_when_it_is(
    repository: Path, at: At, how: str
) -> None:
    with at(repository) as memory:
        known = learn(memory)
        if how == "staged":
            git(repository, "mv", "src/auth.py", "src/login.py")
        else:
            text = edited(CODE, 1 / 5) if "edited" in how else CODE
            (repository / "src" / "auth.py").unlink()
            (repository / "src" / "login.py").write_text(text, encoding="utf-8")
            (repository / "src" / "other.py").write_text("something else\n" * 80, encoding="utf-8")
        memory.staleness.sweep()
        assert about(memory, known) == ["file:src/login.py"]
        git(repository, "add", "--all")
        git(repository, "commit", "-q", "-m", "Move")
        assert memory.staleness.follow().moved == ()
        assert about(memory, known) == ["file:src/login.py"]


@pytest.mark.parametrize("when", ["committed", "uncommitted, then committed"])
def test_two_files_that_changed_places(repository: Path, at: At, when: str) -> None:
    commit(repository, "src/other.py", "".join(f"quite another thing {n}\n" for n in range(60)))
    with at(repository) as memory:
        one, two = learn(memory, text="One"), learn(memory, "src/other.py", "Two")
        (repository / "src" / "auth.py").rename(repository / "swap")
        (repository / "src" / "other.py").rename(repository / "src" / "auth.py")
        (repository / "swap").rename(repository / "src" / "other.py")
        if when != "committed":
            memory.staleness.sweep()
            assert (about(memory, one), about(memory, two)) == (["file:src/other.py"], ["file:src/auth.py"])
        git(repository, "commit", "-q", "-a", "-m", "Swap")
        memory.staleness.follow()
        assert (about(memory, one), about(memory, two)) == (["file:src/other.py"], ["file:src/auth.py"])


def test_moved_and_moved_back_is_where_it_was(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        move(repository, "src/auth.py", "src/login.py")
        memory.staleness.follow()
        move(repository, "src/login.py", "src/auth.py")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/auth.py"]
        (file,) = memory.staleness.files_of(known)
        assert (file.state, file.has_moved) == ("unchanged", False)


def test_moved_and_then_deleted_is_gone_under_its_last_name(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        move(repository, "src/auth.py", "src/login.py")
        memory.staleness.follow()
        git(repository, "rm", "-q", "src/login.py")
        git(repository, "commit", "-q", "-m", "Remove")
        memory.staleness.follow()
        assert memory.show(known).stale_why == "src/login.py no longer exists"


def test_a_copy_is_not_a_move(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        commit(repository, "src/copy.py", CODE)
        assert memory.staleness.follow().moved == ()
        assert about(memory, known) == ["file:src/auth.py"]


def test_a_name_that_only_changed_its_case_is_followed(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        move(repository, "src/auth.py", "src/Auth.py")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/Auth.py"]


def test_another_branch_has_its_own_names(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        git(repository, "checkout", "-q", "-b", "feature")
        move(repository, "src/auth.py", "src/login.py")
        memory.staleness.follow()
        git(repository, "checkout", "-q", "main")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/auth.py"]
        git(repository, "checkout", "-q", "feature")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/login.py"]


def test_two_worktrees_do_not_mark_each_others_files(repository: Path, at: At, tmp_path: Path) -> None:
    other = a_worktree(repository, tmp_path / "tree")
    commit(other, "src/new.py", CODE + "# new\n")
    with at(other) as memory:
        known = learn(memory, "src/new.py")
    with at(repository) as memory:
        memory.staleness.sweep()
        assert memory.show(known).stale_at is None
        (hit,) = memory.recall("tokens renewed")
        assert hit.memory.stale_why == "src/new.py no longer exists", "it is not in this checkout"
    with at(other) as memory:
        assert memory.recall("tokens renewed")[0].memory.stale_at is None


def test_recipes_and_relations_keep_their_paths_in_step(repository: Path, at: At) -> None:
    with at(repository) as memory:
        answer = memory.remember(
            "How a handler is added",
            kind="workflow_recipe",
            fields={"canonical_files": ["src/auth.py", "README.md"]},
        )
        assert isinstance(answer, Remembered)
        move(repository, "src/auth.py", "src/login.py")
        memory.staleness.follow()
        assert memory.show(answer.memory.id).fields["canonical_files"] == ["src/login.py", "README.md"]


def test_a_rewritten_history_is_compared_at_its_ends(repository: Path, at: At) -> None:
    with at(repository) as memory:
        known = learn(memory)
        git(repository, "mv", "src/auth.py", "src/login.py")
        git(repository, "commit", "-q", "--amend", "-m", "Another root of all that follows")
        memory.staleness.follow()
        assert about(memory, known) == ["file:src/login.py"]
