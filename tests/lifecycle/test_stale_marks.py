"""What is gone is marked, what changed is told, and what comes back heals."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import Recollect, Remembered
from recollect.errors import NotFound
from recollect.lifecycle import stale
from recollect.model.anchor import SweepReport
from recollect.model.kinds import BUILT_IN, Kind, Kinds
from recollect.model.memory import render_text
from recollect.model.session import Session
from recollect.store.tables import sessions
from tests.conftest import Clock
from tests.git.repos import commit, git
from tests.hash_embedder import HashEmbedder
from tests.lifecycle.conftest import CODE, At, learn

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file names")


def remove(repository: Path, path: str = "src/auth.py") -> None:
    git(repository, "rm", "-q", path)
    git(repository, "commit", "-q", "-m", "Remove")


def state_of(memory: Recollect, memory_id: str) -> str:
    (file,) = memory.staleness.files_of(memory_id)
    return str(file.state)


# -- the anchor --------------------------------------------------------------------------------------------


def test_a_new_memory_keeps_the_shape_its_file_has(shop: Recollect, repository: Path) -> None:
    known = learn(shop, "symbol:src/auth.py::renew")
    file, symbol = shop.staleness.files_of(known)
    assert (symbol.path, symbol.file, symbol.blob) == ("src/auth.py::renew", "src/auth.py", file.blob)
    assert file.blob == git(repository, "rev-parse", "HEAD:src/auth.py")
    assert file.learned_in == git(repository, "rev-parse", "HEAD")
    assert (file.path, file.state) == ("src/auth.py", "unchanged")


@pytest.mark.parametrize(
    "about",
    ["src/not-yet.py", "service:caddy", "../outside.py", "/etc/hostname", "person:alex", f"file:{'x' * 900}"],
)
def test_what_is_no_file_of_the_project_has_no_anchor_and_never_goes_stale(
    shop: Recollect, repository: Path, about: str
) -> None:
    (repository.parent / "outside.py").write_text("x", encoding="utf-8")
    known = learn(shop, about)
    assert shop.staleness.files_of(known) == ()
    assert shop.staleness.sweep().stale == ()
    assert shop.recall("tokens renewed")[0].memory.stale_at is None


def test_many_at_once_are_anchored_by_the_next_sweep(shop: Recollect) -> None:
    drafts = [shop.draft(f"Note {n} on tokens", about=["src/auth.py"]) for n in range(30)]
    made = [answer.memory.id for answer in shop.remember_many(drafts) if isinstance(answer, Remembered)]
    assert len(made) == 30
    assert not any(shop.staleness.files_of(memory_id) for memory_id in made)
    assert shop.staleness.sweep().anchored == 30
    assert state_of(shop, made[0]) == "unchanged"
    assert shop.staleness.sweep().anchored == 0


def test_what_was_remembered_before_a_file_went_is_marked_and_what_came_after_is_not(
    shop: Recollect, repository: Path, clock: Clock
) -> None:
    commit(repository, "src/old.py", CODE + "old")
    drafts = [shop.draft(f"Early note {n}", about=["src/old.py"]) for n in range(30)]
    shop.remember_many(drafts)
    remove(repository, "src/old.py")
    clock.at = datetime.now(UTC)
    clock.pass_(hours=1)
    late = learn(shop, "src/old.py", "src/old.py was removed because nobody used it")
    swept = shop.staleness.sweep()
    assert len(swept.stale) == 30
    assert shop.show(late).stale_at is None


def test_a_subject_that_is_edited_away_no_longer_counts(shop: Recollect, repository: Path) -> None:
    known = learn(shop)
    remove(repository)
    shop.staleness.follow()
    assert shop.show(known).stale_at is not None
    shop.edit(known, about=["README.md"])
    assert shop.staleness.sweep().fresh == (known,)
    assert shop.show(known).stale_at is None
    assert [file.path for file in shop.staleness.files_of(known)] == ["README.md"]
    remove(repository, "README.md")
    shop.staleness.follow()
    shop.edit(known, about=["service:caddy"])
    assert shop.staleness.sweep().fresh == (known,)
    assert shop.staleness.files_of(known) == ()


# -- gone, and back ------------------------------------------------------------------------------------------


def test_a_file_that_was_deleted_makes_its_memories_stale_until_it_is_back(
    shop: Recollect, repository: Path, clock: Clock
) -> None:
    known = learn(shop)
    remove(repository)
    done = shop.staleness.follow()
    assert [(mark.memory_id, mark.why) for mark in done.stale] == [(known, "src/auth.py no longer exists")]
    assert shop.show(known).stale_at == clock.at
    assert render_text(shop.show(known)).startswith("[STALE — src/auth.py no longer exists] Tokens")
    assert [item.id for item in shop.staleness.listed()] == [known]
    assert shop.staleness.follow().stale == ()
    git(repository, "revert", "--no-edit", "HEAD")
    assert shop.staleness.follow().fresh == (known,)
    assert (shop.show(known).stale_at, shop.show(known).stale_why) == (None, "")
    assert state_of(shop, known) == "unchanged"
    assert [change.action for change in shop.history(known)] == ["remember", "stale", "fresh"]


def test_a_mark_can_be_undone_and_stays_away(shop: Recollect, repository: Path) -> None:
    known = learn(shop)
    remove(repository)
    shop.staleness.follow()
    shop.undo(known)
    assert shop.show(known).stale_at is None
    assert shop.staleness.sweep().stale == ()
    assert shop.show(known).stale_at is None


def test_a_mark_that_was_taken_back_is_not_made_again_for_something_smaller(
    shop: Recollect, repository: Path
) -> None:
    commit(repository, "src/other.py", "other\n")
    answer = shop.remember("Both go together", about=["src/auth.py", "src/other.py"])
    assert isinstance(answer, Remembered)
    remove(repository)
    shop.staleness.follow()
    shop.undo(answer.memory.id)
    commit(repository, "src/other.py", "other and more\n")
    done = shop.staleness.follow()
    assert (done.changed, done.stale) == (1, ())
    assert shop.show(answer.memory.id).stale_at is None


def test_one_file_of_several_is_enough(shop: Recollect, repository: Path) -> None:
    commit(repository, "src/other.py", "other\n")
    answer = shop.remember("Both go together", about=["src/auth.py", "src/other.py"])
    assert isinstance(answer, Remembered)
    remove(repository, "src/other.py")
    shop.staleness.follow()
    assert shop.show(answer.memory.id).stale_why == "src/other.py no longer exists"
    remove(repository)
    shop.staleness.follow()
    assert (
        shop.show(answer.memory.id).stale_why == "src/auth.py no longer exists; src/other.py no longer exists"
    )


def test_a_folder_of_which_most_went_away_is_restructured(shop: Recollect, repository: Path) -> None:
    for name in "abcd":
        commit(repository, f"src/pay/{name}.py", f"{name}\n" * 40)
    known = learn(shop, "module:pay")
    shop.staleness.sweep()
    git(repository, "rm", "-q", "src/pay/a.py")
    git(repository, "commit", "-q", "-m", "One")
    shop.staleness.follow()
    assert shop.show(known).stale_at is None, "three of four are left"
    for name, home in (("b", "src/bank"), ("c", "src/cash")):
        (repository / home).mkdir()
        git(repository, "mv", f"src/pay/{name}.py", f"{home}/{name}.py")
    git(repository, "commit", "-q", "-m", "Scatter")
    shop.staleness.follow()
    assert shop.show(known).stale_why == "most of what was in src/pay is not there any more"
    git(repository, "reset", "-q", "--hard", "HEAD~2")
    assert shop.staleness.follow().fresh == (known,)
    git(repository, "rm", "-rq", "src/pay")
    git(repository, "commit", "-q", "-m", "All")
    shop.staleness.follow()
    assert shop.show(known).stale_why == "src/pay no longer exists"


# -- changed -------------------------------------------------------------------------------------------------


def test_a_changed_file_is_told_and_costs_a_little(shop: Recollect, repository: Path) -> None:
    known = learn(shop)
    for number in range(3):
        commit(repository, "src/auth.py", CODE + f"# note {number}\n" * (number + 1))
    done = shop.staleness.follow()
    assert (done.changed, done.stale) == (1, ())
    (hit,) = shop.recall("tokens renewed")
    assert hit.memory.id == known
    assert hit.memory.stale_at is None
    assert hit.notes == ("src/auth.py has changed since: 3 commits, 3 lines",)
    (part,) = [part for part in hit.why if part.name == "changed"]
    assert part.added < 0
    assert sum(part.added for part in hit.why) == pytest.approx(hit.score)
    commit(repository, "src/auth.py", CODE)
    shop.staleness.follow()
    assert shop.recall("tokens renewed")[0].notes == ()


def test_a_change_nobody_has_committed_is_seen_by_a_sweep(shop: Recollect, repository: Path) -> None:
    known = learn(shop)
    (repository / "src" / "auth.py").write_text(CODE + "one more\n", encoding="utf-8")
    shop.staleness.sweep()
    assert state_of(shop, known) == "changed"
    assert shop.recall("tokens renewed")[0].notes == ("src/auth.py has changed since: 1 line",)


def test_other_line_ends_are_no_change(shop: Recollect, repository: Path) -> None:
    known = learn(shop)
    (repository / "src" / "auth.py").write_bytes(CODE.replace("\n", "\r\n").encode())
    shop.staleness.sweep()
    assert state_of(shop, known) == "unchanged"


def test_a_recipe_goes_stale_when_a_canonical_file_changes(shop: Recollect, repository: Path) -> None:
    made = shop.remember(
        "Adding a handler", kind="workflow_recipe", fields={"canonical_files": ["src/auth.py"]}
    )
    assert isinstance(made, Remembered)
    commit(repository, "README.md", "# other\n")
    assert shop.staleness.follow().stale == ()
    commit(repository, "src/auth.py", CODE + "more\n")
    shop.staleness.follow()
    assert shop.show(made.memory.id).stale_why == "src/auth.py has changed since: 1 commit, 1 line"


def test_what_still_holds_is_fresh_and_its_files_count_as_they_are_now(
    shop: Recollect, repository: Path
) -> None:
    files = {"canonical_files": ["src/auth.py"]}
    made = shop.remember("Adding a handler", kind="workflow_recipe", fields=files)
    assert isinstance(made, Remembered)
    known = learn(shop)
    commit(repository, "src/auth.py", CODE + "more\n")
    shop.staleness.follow()
    assert shop.staleness.renew(made.memory.id).stale_at is None
    assert state_of(shop, made.memory.id) == "unchanged"
    assert state_of(shop, known) == "changed"
    assert shop.staleness.sweep().stale == ()
    commit(repository, "src/auth.py", CODE + "more\nand more\n")
    assert len(shop.staleness.follow().stale) == 1
    remove(repository)
    shop.staleness.follow()
    assert shop.staleness.renew(known).stale_at is None
    assert shop.staleness.sweep().stale == (), "a person has said that it holds without the file"
    with pytest.raises(NotFound):
        shop.staleness.renew("ZZZZ")


# -- reading ---------------------------------------------------------------------------------------------------


def test_a_stale_memory_comes_last_and_is_left_out_where_only_fresh_ones_count(
    shop: Recollect, repository: Path
) -> None:
    commit(repository, "src/gone.py", "gone\n")
    gone = learn(shop, "src/gone.py", "Session tokens are renewed by the refresh job")
    other = learn(shop, "README.md", "The refresh job of something else entirely")
    remove(repository, "src/gone.py")
    for marked in (False, True):
        hits = shop.recall("who are session tokens renewed by: the refresh job")
        assert [hit.memory.id for hit in hits] == [other, gone]
        assert hits[1].memory.stale_why == "src/gone.py no longer exists"
        assert sum(part.added for part in hits[1].why) == pytest.approx(hits[1].score)
        fresh = shop.recall("session tokens renewed", filters=shop.filters(fresh=True))
        assert [hit.memory.id for hit in fresh] == [other]
        assert (shop.show(gone).stale_at is not None) == marked, "reading marks nothing"
        shop.staleness.follow()


def test_a_file_of_another_project_is_not_looked_for_here(
    shop: Recollect, repository: Path, at: At, tmp_path: Path
) -> None:
    learn(shop)
    (tmp_path / "elsewhere").mkdir()
    with at(tmp_path / "elsewhere") as memory:
        (hit,) = memory.recall("tokens renewed", filters=memory.filters(every_project=True))
        assert hit.memory.stale_at is None


def test_reading_costs_one_question_more_and_no_git(
    shop: Recollect, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(shop)
    shop.recall("warm up")
    monkeypatch.setenv("PATH", "")
    remove_by_hand = repository / "src" / "auth.py"
    remove_by_hand.unlink()
    assert shop.recall("tokens renewed")[0].memory.stale_at is not None


# -- when --------------------------------------------------------------------------------------------------------


def a_session(memory: Recollect, number: int, clock: Clock) -> None:
    project = memory.project()
    assert project is not None
    session = Session(id=f"s{number}", project_id=project.id, started_at=clock.at, last_at=clock.at)
    sessions.save_session(memory._db, session)


def test_a_sweep_is_due_at_first_once_a_day_and_after_twenty_sessions(shop: Recollect, clock: Clock) -> None:
    assert not shop.staleness.is_due(), "there is no project yet"
    learn(shop)
    assert shop.staleness.is_due()
    assert shop.staleness.at_session_start().looked_at == 1
    assert not shop.staleness.is_due()
    for number in range(stale.SESSIONS_BETWEEN_SWEEPS):
        assert not shop.staleness.is_due()
        clock.pass_(minutes=1)
        a_session(shop, number, clock)
    assert shop.staleness.is_due()
    shop.staleness.sweep()
    assert not shop.staleness.is_due()
    clock.pass_(days=1)
    assert shop.staleness.is_due()


def test_a_clock_that_went_back_makes_a_sweep_due_and_marks_nothing(shop: Recollect, clock: Clock) -> None:
    known = learn(shop)
    clock.pass_(days=3650)
    shop.staleness.sweep()
    clock.pass_(days=-3650)
    assert shop.staleness.is_due()
    assert shop.staleness.at_session_start().stale == ()
    assert not shop.staleness.is_due()
    assert shop.show(known).stale_at is None


def test_a_sweep_that_runs_out_of_time_says_so_and_is_due_again(shop: Recollect, repository: Path) -> None:
    known = learn(shop)
    remove(repository)
    cut = shop.staleness.sweep(seconds=0)
    assert not cut.finished
    assert shop.show(known).stale_at is None
    assert shop.staleness.is_due()
    assert shop.staleness.sweep().finished
    assert shop.show(known).stale_at is not None


def test_a_second_sweep_changes_nothing(shop: Recollect, repository: Path) -> None:
    commit(repository, "src/other.py", "other\n")
    learn(shop)
    learn(shop, "src/other.py", "Something else")
    learn(shop, "module:src", "The module")
    commit(repository, "src/auth.py", CODE + "more\n")
    remove(repository, "src/other.py")
    first = shop.staleness.sweep()
    assert first.stale and first.changed
    before = [str(shop.history(item.id)) for item in shop.list()]
    again = shop.staleness.sweep()
    assert again == SweepReport(looked_at=first.looked_at)
    assert [str(shop.history(item.id)) for item in shop.list()] == before


def test_a_file_that_a_sparse_checkout_leaves_out_is_not_gone(shop: Recollect, repository: Path) -> None:
    commit(repository, "docs/guide.md", CODE)
    known = learn(shop, "docs/guide.md")
    git(repository, "sparse-checkout", "set", "--cone", "src")
    assert not (repository / "docs").exists()
    assert shop.staleness.sweep().stale == ()
    assert shop.show(known).stale_at is None


# -- where git is no help -----------------------------------------------------------------------------------------


def test_outside_git_files_are_watched_by_their_names(at: At, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "plan.md").write_text("the plan\n", encoding="utf-8")
    with at(folder) as memory:
        known = learn(memory, "plan.md")
        (folder / "plan.md").write_text("another plan\n", encoding="utf-8")
        memory.staleness.sweep()
        assert memory.recall("tokens renewed")[0].notes == ("plan.md has changed since",)
        (folder / "plan.md").unlink()
        memory.staleness.sweep()
        assert memory.show(known).stale_why == "plan.md no longer exists"
        (folder / "plan.md").write_text("the plan\n", encoding="utf-8")
        assert memory.staleness.sweep().fresh == (known,)


def test_without_git_nothing_is_marked_that_git_would_have_found(
    shop: Recollect, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = learn(shop)
    git(repository, "mv", "src/auth.py", "src/login.py")
    git(repository, "commit", "-q", "-m", "Move")
    with monkeypatch.context() as without:
        without.setenv("PATH", "")
        done = shop.staleness.sweep()
        assert not done.finished
        assert "git is not installed" in " ".join(done.notes)
    assert shop.show(known).stale_at is None
    shop.staleness.sweep()
    assert str(shop.show(known).subjects[0]) == "file:src/login.py"


def test_a_kind_whose_plugin_is_gone_stops_no_sweep(
    tmp_path: Path, repository: Path, at: At, clock: Clock
) -> None:
    more = Kinds([*BUILT_IN, Kind(name="omen", group="knowledge", heading="Omens")])
    how = {"folder": repository, "embedder": HashEmbedder(), "clock": clock}
    with Recollect(tmp_path / "m.db", kinds=more, **how) as memory:  # type: ignore[arg-type]
        omen = learn(memory, kind="omen")
    remove(repository)
    with at(repository) as memory:
        assert memory.staleness.sweep().stale == memory.staleness.follow().stale == ()
        assert memory.show(omen).stale_at is None


def test_there_is_nothing_to_do_without_a_project(memory: Recollect) -> None:
    learn(memory, "service:caddy")
    assert (
        memory.staleness.sweep()
        == memory.staleness.follow()
        == memory.staleness.at_session_start()
        == SweepReport()
    )
    assert memory.staleness.listed() == ()


@posix_only
def test_a_pipe_in_the_place_of_a_file_is_not_opened(shop: Recollect, repository: Path) -> None:
    known = learn(shop)
    (repository / "src" / "auth.py").unlink()
    os.mkfifo(repository / "src" / "auth.py")
    shop.staleness.sweep()
    assert shop.show(known).stale_at is None
