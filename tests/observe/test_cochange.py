"""Which files go together, from a real history and from sessions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import NotFound
from recollect.model.event import EventType, ToolAction
from tests.git.repos import a_repository, commit, git, isolate
from tests.hash_embedder import HashEmbedder

AT = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "git-home")
    return a_repository(tmp_path / "shop")


@pytest.fixture
def memory(tmp_path: Path, shop: Path) -> Iterator[Recollect]:
    with Recollect(tmp_path / "memories.db", folder=shop, embedder=HashEmbedder()) as opened:
        yield opened


def change(folder: Path, *names: str, text: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name}\n{text}\n" * 5)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", text)


def names(memory: Recollect, path: str) -> list[str]:
    return [one.path for one in memory.observer.together(path)]


def test_commits_say_which_files_go_together(memory: Recollect, shop: Path) -> None:
    change(shop, "auth.py", "token.py", text="one")
    change(shop, "auth.py", "token.py", "vendor/lib.py", "uv.lock", text="two")
    change(shop, "db.py", text="three")
    done = memory.observer.learn_history()
    assert done.commits >= 3
    found = memory.observer.together("auth.py")[0]
    assert (found.path, found.commits, found.sessions, found.weight) == ("token.py", 2, 0, 1.0)
    assert names(memory, "auth.py") == ["token.py"]


def test_the_second_time_only_new_commits_are_read(memory: Recollect, shop: Path) -> None:
    change(shop, "auth.py", "token.py", text="one")
    memory.observer.learn_history()
    assert memory.observer.learn_history().commits == 0
    change(shop, "auth.py", "db.py", text="two")
    assert memory.observer.learn_history().commits == 1
    assert set(names(memory, "auth.py")) == {"token.py", "db.py"}


def test_renames_and_deletions_are_followed(memory: Recollect, shop: Path) -> None:
    change(shop, "auth.py", "token.py", "old.py", text="one")
    memory.observer.learn_history()
    git(shop, "mv", "token.py", "jwt.py")
    git(shop, "rm", "-q", "old.py")
    git(shop, "commit", "-q", "-m", "moved")
    memory.observer.learn_history()
    assert names(memory, "auth.py") == ["jwt.py"]


def test_a_rewritten_history_is_learned_anew(memory: Recollect, shop: Path) -> None:
    commit(shop, "first.py", "first")
    change(shop, "auth.py", "token.py", text="one")
    memory.observer.learn_history()
    git(shop, "reset", "-q", "--hard", "HEAD~1")
    change(shop, "auth.py", "db.py", text="another way")
    assert memory.observer.learn_history().anew
    assert names(memory, "auth.py") == ["db.py"]


def test_a_shallow_clone_that_was_deepened_learns_its_history(tmp_path: Path, shop: Path) -> None:
    for number in range(4):
        change(shop, "auth.py", "token.py", text=str(number))
    change(shop, "other.py", text="last")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", shop.as_uri(), str(clone))
    with Recollect(tmp_path / "clone.db", folder=clone, embedder=HashEmbedder()) as memory:
        assert memory.observer.learn_history().commits == 1
        assert memory.observer.learn_history().commits == 0
        git(clone, "fetch", "-q", "--unshallow")
        assert memory.observer.learn_history().commits >= 5
        assert names(memory, "auth.py") == ["token.py"]
        assert memory.observer.learn_history().commits == 0


def test_a_session_is_an_occasion_with_an_order(memory: Recollect, shop: Path) -> None:
    for number in range(3):
        session = f"s{number}"
        memory.observer.record(EventType.SESSION_STARTED, session=session, at=AT + timedelta(hours=number))
        for minute, path in enumerate(("auth.py", "token.py"), start=1):
            memory.observer.record(
                EventType.TOOL_FINISHED,
                session=session,
                at=AT + timedelta(hours=number, minutes=minute),
                call_id=f"{session}-{path}",
                tool="Read",
                action=ToolAction.READ,
                files=(path,),
                ok=True,
            )
        memory.observer.record(
            EventType.SESSION_ENDED, session=session, at=AT + timedelta(hours=number, minutes=9)
        )
        memory.observer.learn(session)
        memory.observer.learn(session)
    found = memory.observer.together("auth.py")[0]
    assert (found.path, found.sessions, found.first, found.apart) == ("token.py", 3, 1, timedelta(minutes=1))


def test_outside_a_repository_there_is_no_history(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with Recollect(tmp_path / "m.db", folder=tmp_path / "plain") as memory, pytest.raises(NotFound):
        memory.observer.learn_history()
