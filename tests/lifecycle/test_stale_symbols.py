"""Memories about definitions: they follow a function that is renamed or moved, and are stale when it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.anchor import AnchorState
from tests.git.repos import commit, commit_all, git
from tests.lifecycle.conftest import At, learn

RENEW = """\
def renew(token, *, hours=1):
    if token.is_old:
        token = token.again(hours)
    log("renewed", token)
    return renew(token) if token.is_old else token
"""
CHECK = """\
def check(token):
    for part in token.parts:
        if part.is_bad:
            raise ValueError(part)
    return True
"""
SESSION = """\
class Session:
    def close(self):
        self.token.drop()
        self.open = False
        return self
"""
AUTH = f"{RENEW}\n\n{CHECK}\n\n{SESSION}"


@pytest.fixture
def code(repository: Path) -> Path:
    commit(repository, "src/auth.py", AUTH)
    commit(repository, "src/other.py", "import auth\n\n\ndef start():\n    auth.check(1)\n")
    return repository


def about(memory: Recollect, memory_id: str) -> list[str]:
    return [str(subject) for subject in memory.show(memory_id).subjects]


def write(repository: Path, **files: str | None) -> None:
    """Change files of src, and commit; None takes one away."""
    for name, text in files.items():
        file = repository / "src" / f"{name}.py"
        if text is None:
            file.unlink()
        else:
            file.write_text(text, encoding="utf-8")
    commit_all(repository)


def test_a_renamed_function_takes_its_memories_along(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        write(code, auth=AUTH.replace("renew(", "refresh("))
        done = memory.staleness.follow()
        assert [(m.was, m.path) for m in done.moved] == [("src/auth.py::renew", "src/auth.py::refresh")]
        assert about(memory, known) == ["symbol:src/auth.py::refresh"]
        assert memory.show(known).stale_at is None
        assert memory.history(known)[-1].action == "moved"
        assert memory.staleness.follow().moved == ()
        assert memory.undo(known).action == "moved"
        assert about(memory, known) == ["symbol:src/auth.py::renew"]
        swept = memory.staleness.sweep()
        assert about(memory, known) == ["symbol:src/auth.py::renew"], (
            "it was said not to be about the new one"
        )
        assert [mark.why for mark in swept.stale] == ["src/auth.py::renew no longer exists"]
        write(code, auth=AUTH)
        assert memory.staleness.sweep().fresh == (known,)
        write(code, auth=AUTH.replace("renew(", "prolong("))
        memory.staleness.follow()
        assert about(memory, known) == ["symbol:src/auth.py::prolong"], "what it is about is followed again"


def test_what_was_taken_back_and_then_put_right_by_hand_is_not_stale(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        write(code, auth=AUTH.replace("renew(", "refresh("))
        memory.staleness.follow()
        memory.undo(known)
        memory.edit(known, about=["src/auth.py::check"])
        assert memory.staleness.sweep().stale == ()
        assert memory.show(known).stale_at is None


def test_a_move_to_another_file_that_is_taken_back_leaves_nothing_that_seems_to_be_there(
    code: Path, at: At
) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        write(code, auth=f"{CHECK}\n\n{SESSION}", tokens=RENEW)
        memory.staleness.follow()
        memory.undo(known)
        assert [mark.why for mark in memory.staleness.sweep().stale] == [
            "src/auth.py::renew no longer exists"
        ]
        assert about(memory, known) == ["symbol:src/auth.py::renew"]


def test_a_function_renamed_twice_with_edits_is_followed(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        write(code, auth=AUTH.replace("renew(", "refresh(").replace("hours=1", "hours=2"))
        memory.staleness.follow()
        write(code, auth=AUTH.replace("renew(", "prolong(").replace("hours=1", "hours=2"))
        memory.staleness.follow()
        assert about(memory, known) == ["symbol:src/auth.py::prolong"]


def test_a_rename_nobody_has_committed_is_seen_by_a_sweep(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        (code / "src/auth.py").write_text(AUTH.replace("renew(", "refresh("))
        memory.staleness.sweep()
        assert about(memory, known) == ["symbol:src/auth.py::refresh"]


def test_a_function_that_moved_to_another_file_takes_its_memories_along(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        write(code, auth=f"{CHECK}\n\n{SESSION}", tokens=RENEW)
        memory.staleness.follow()
        assert about(memory, known) == ["symbol:src/tokens.py::renew"]
        assert memory.show(known).stale_at is None
        memory.staleness.sweep()
        assert {file.path for file in memory.staleness.files_of(known)} == {
            "src/tokens.py",
            "src/tokens.py::renew",
        }


def test_a_function_that_left_a_file_before_it_went_is_followed(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::check")
        write(
            code, auth=None, tokens=f"X = 1\n{RENEW}", checks=f"import os\n\n{CHECK}\n\nLAST = os.name\n" * 1
        )
        done = memory.staleness.follow()
        assert about(memory, known) == ["symbol:src/checks.py::check"]
        assert done.stale == ()


def test_a_file_that_moves_takes_its_definitions_along(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::Session.close")
        git(code, "mv", "src/auth.py", "src/login.py")
        commit_all(code)
        done = memory.staleness.follow()
        assert [(m.was, m.path) for m in done.moved] == [("src/auth.py", "src/login.py")]
        assert about(memory, known) == ["symbol:src/login.py::Session.close"]


def test_a_method_follows_its_class_to_another_name(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::Session.close")
        write(code, auth=AUTH.replace("class Session", "class Visit"))
        memory.staleness.follow()
        assert about(memory, known) == ["symbol:src/auth.py::Visit.close"]


def test_a_function_that_is_gone_makes_its_memories_stale_until_it_is_back(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        other = learn(memory, "src/auth.py::check", text="Parts are checked one by one")
        write(code, auth=f"{CHECK}\n\n{SESSION}")
        done = memory.staleness.follow()
        assert [(mark.memory_id, mark.why) for mark in done.stale] == [
            (known, "src/auth.py::renew no longer exists")
        ]
        assert memory.show(other).stale_at is None
        write(code, auth=AUTH)
        assert memory.staleness.follow().fresh == (known,)
        assert memory.show(known).stale_at is None


def test_a_name_that_never_was_there_makes_nothing_stale(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::nothing")
        write(code, auth=AUTH + "\nX = 1\n")
        assert memory.staleness.follow().stale == ()
        assert about(memory, known) == ["symbol:src/auth.py::nothing"]


def test_what_goes_with_its_file_is_told_once(code: Path, at: At) -> None:
    with at(code) as memory:
        learn(memory, "src/auth.py::renew")
        write(code, auth=None)
        assert [mark.why for mark in memory.staleness.follow().stale] == ["src/auth.py no longer exists"]


def test_a_file_no_grammar_reads_tells_nothing(code: Path, at: At) -> None:
    commit(code, "notes.xyz", "renew: yes\n")
    with at(code) as memory:
        known = learn(memory, "notes.xyz::renew")
        commit(code, "notes.xyz", "all gone\n")
        memory.staleness.follow()
        assert (about(memory, known), memory.show(known).stale_at) == (["symbol:notes.xyz::renew"], None)


def test_two_that_could_be_it_are_neither(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py::renew")
        twins = RENEW.replace("renew(", "one(") + "\n\n" + RENEW.replace("renew(", "two(")
        write(code, auth=f"{twins}\n\n{CHECK}\n\n{SESSION}")
        memory.staleness.follow()
        assert about(memory, known) == ["symbol:src/auth.py::renew"]
        assert memory.show(known).stale_why == "src/auth.py::renew no longer exists"


def test_a_file_that_was_split_makes_its_memories_stale(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py")
        front = (
            "from tokens import renew\nfrom checks import check\n" + "# kept for those who import it\n" * 30
        )
        write(code, auth=front, tokens=RENEW, checks=f"{CHECK}\n\n{SESSION}")
        (mark,) = memory.staleness.follow().stale
        assert mark.why == "most of what was in src/auth.py is not there any more"
        assert memory.staleness.renew(known).stale_at is None
        assert memory.staleness.sweep().stale == ()


def test_renaming_everything_in_a_file_is_no_split(code: Path, at: At) -> None:
    with at(code) as memory:
        known = learn(memory, "src/auth.py")
        renamed = AUTH.replace("renew(", "a(").replace("check(", "b(").replace("Session", "C")
        write(code, auth=renamed)
        memory.staleness.follow()
        assert memory.show(known).stale_at is None


def test_an_entry_point_that_is_gone_makes_what_it_enters_stale(code: Path, at: At) -> None:
    with at(code) as memory:
        memory.code.build()
        memory.code.add_edge("src/other.py::start", "is_entrypoint_for", "src/auth.py")
        known = learn(memory, "src/auth.py")
        memory.staleness.sweep()
        write(code, other="import auth\n")
        assert [mark.why for mark in memory.staleness.follow().stale] == [
            "src/other.py::start no longer exists"
        ]
        assert about(memory, known) == ["file:src/auth.py"]


def test_a_look_that_meets_no_definition_reads_no_code(code: Path, at: At, tmp_path: Path) -> None:
    import subprocess
    import sys

    with at(code) as memory:
        learn(memory, "README.md")
        commit(code, "README.md", "# Another\n")
    script = (
        "import sys; from recollect import Recollect\n"
        f"with Recollect({str(tmp_path / 'm.db')!r}, folder={str(code)!r}) as memory:\n"
        "    memory.staleness.at_session_start()\n"
        "assert not [name for name in sys.modules if 'tree_sitter' in name]\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_a_file_of_many_definitions_is_another_one_when_most_went_a_small_one_only_changed(
    code: Path, at: At
) -> None:
    many = "".join(f"def act_{n}(x):\n    return x.part_{n}.turned({n})\n\n\n" for n in range(6))
    few = "def one(x):\n    return x.first.of_all()\n\n\ndef two(x):\n    return x.second.to_none()\n"
    write(code, many=many, few=few)
    with at(code) as memory:
        large, small = learn(memory, "src/many.py"), learn(memory, "src/few.py", "Few acts are known")
        new = "class Other:\n    def run(self):\n        while self.goes:\n            self.step()\n"
        write(code, many=new, few=new)
        memory.staleness.follow()
        memory.staleness.sweep()
        states = [memory.staleness.files_of(one)[0].state for one in (large, small)]
        assert states == [AnchorState.RESTRUCTURED, AnchorState.CHANGED]
