"""What ties files: votes, fading, direction, moves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.model.cochange import HALF_LIFE, MAX_FILES, ChangeOccasion, Ties, name_likeness

AT = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


def learned(*occasions: str) -> Ties:
    ties = Ties()
    for files in occasions:
        ties.learn(ChangeOccasion(files=tuple(files.split()), at=AT))
    return ties


def a_session(*files: str, minutes: int = 1) -> ChangeOccasion:
    first_at = {file: AT + timedelta(minutes=minutes * number) for number, file in enumerate(files)}
    return ChangeOccasion(files=files, at=AT, first_at=first_at)


def test_files_that_change_together_are_named_first() -> None:
    ties = learned("a.py b.py", "a.py b.py", "a.py c.py", "d.py e.py")
    assert [path for path, _ in ties.near(["a.py"], 2)] == ["b.py", "c.py"]


def test_a_small_commit_says_more_than_a_large_one() -> None:
    ties = learned("a.py c.py d.py e.py f.py", "a.py b.py")
    assert ties.near(["a.py"], 1)[0][0] == "b.py"
    assert ties.strength("a.py", "b.py") == pytest.approx(0.5, abs=0.01)
    assert ties.strength("a.py", "c.py") == pytest.approx(0.125, abs=0.01)


def test_a_commit_of_everything_says_nothing() -> None:
    everything = " ".join(f"f{number}.py" for number in range(MAX_FILES + 1))
    ties = learned(everything)
    assert ties.around("f0.py") == {}.keys()
    assert ties.occasion == 1


def test_votes_fade_with_occasions_and_not_with_time() -> None:
    ties = learned("a.py b.py")
    before = ties.between("a.py", "b.py").votes
    for number in range(int(HALF_LIFE)):
        ties.learn(ChangeOccasion(files=(f"x{number}.py",), at=AT + timedelta(days=number)))
    after = ties.between("a.py", "b.py").votes
    assert after == before
    assert after.on(ties.occasion) == pytest.approx(0.5)


def test_commits_and_sessions_are_counted_apart() -> None:
    ties = learned("a.py b.py", "a.py b.py")
    ties.learn(a_session("b.py", "a.py"))
    votes = ties.between("a.py", "b.py").votes
    assert (votes.commits, votes.sessions, votes.last_at) == (2, 1, AT)


def test_direction_is_said_when_one_almost_always_comes_first() -> None:
    ties = Ties()
    for _ in range(4):
        ties.learn(a_session("b.py", "a.py", minutes=3))
    assert ties.between("b.py", "a.py").direction == 1
    assert ties.between("a.py", "b.py").direction == -1
    assert ties.between("a.py", "b.py").average_apart == timedelta(minutes=3)
    ties.learn(a_session("a.py", "b.py"))
    ties.learn(a_session("a.py", "b.py"))
    assert ties.between("b.py", "a.py").direction == 0


def test_two_meetings_are_too_few_for_a_direction() -> None:
    ties = Ties()
    for _ in range(2):
        ties.learn(a_session("a.py", "b.py"))
    assert ties.between("a.py", "b.py").direction == 0


def test_a_moved_file_keeps_its_company() -> None:
    ties = learned("old.py b.py", "old.py b.py", "new.py c.py")
    ties.move("old.py", "new.py")
    assert "old.py" not in ties.files
    assert set(ties.around("new.py")) == {"b.py", "c.py"}
    assert set(ties.around("b.py")) == {"new.py"}
    assert ties.files["new.py"].commits == 3


def test_a_file_that_moves_onto_its_partner_is_not_tied_to_itself() -> None:
    ties = learned("a.py b.py")
    ties.move("a.py", "b.py")
    assert set(ties.around("b.py")) == set()


def test_a_removed_file_is_never_named() -> None:
    ties = learned("a.py b.py", "a.py c.py")
    ties.remove("b.py")
    assert [path for path, _ in ties.near(["a.py"], 5)] == ["c.py"]


def test_an_unknown_file_is_answered_by_name_and_by_what_is_touched_often() -> None:
    ties = learned("src/auth.py", "src/db.py", "src/db.py", "src/db.py")
    assert ties.near(["tests/test_auth.py"], 5)[0][0] in {"src/auth.py", "src/db.py"}
    assert {path for path, _ in ties.near(["tests/test_auth.py"], 5)} == {"src/auth.py", "src/db.py"}


def test_nothing_known_gives_nothing() -> None:
    assert Ties().near(["a.py"], 5) == []
    assert Ties().strength("a.py", "b.py") == 0.0


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("src/auth.py", "tests/test_auth.py", 1.0),
        ("web/login.ts", "web/login.spec.ts", 1.0),
        ("pkg/store.go", "pkg/store_test.go", 1.0),
        ("src/auth_token.py", "src/token.py", 0.5),
        ("src/auth.py", "src/db.py", 0.0),
        ("Makefile", "src/makefile.py", 1.0),
    ],
)
def test_names_are_alike_without_folders_and_test_marks(one: str, other: str, likeness: float) -> None:
    assert name_likeness(one, other) == likeness
