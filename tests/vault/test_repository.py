"""A vault inside a repository: memories are reviewed in pull requests, and branches meet without duplicates."""

from __future__ import annotations

from tests.vault.team import Colleague, git, team

__all__ = ["team"]


def test_a_colleague_has_the_same_memory_under_the_same_id(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    assert ben.decisions() == ann.decisions()
    assert ben.notes() == ann.notes(), "and nothing was written for it"


def test_two_branches_come_together_without_duplicates(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    (shared,) = ann.decisions()
    ann.decide("Payments go through the blue gateway")
    ben.decide("Sessions live in the cookie store")
    ben.memory.edit(shared, text="Retries are capped at two")
    ann.share("blue")
    ben.share("cookies")
    for one in (ann, ben):
        one.merge("blue", "cookies")
        one.memory.vault.sync()
    assert ann.decisions() == ben.decisions()
    assert sorted(ann.decisions().values()) == [
        "Payments go through the blue gateway",
        "Retries are capped at two",
        "Sessions live in the cookie store",
    ]
    assert ann.notes() == ben.notes()
    assert len(ann.notes()) == 3
    for one in (ann, ben):
        assert not one.memory.vault.sync().changed
        assert one.left_to_commit() == "", "a sync after a merge leaves nothing to commit"


def test_what_two_people_decided_alike_is_one_memory_for_each(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    ann.decide("Money is kept in cents")
    ben.decide("Money is kept in cents.")
    ann.share("cents")
    ben.memory.vault.sync()
    git(ben.clone, "add", "-A")
    git(ben.clone, "commit", "-qm", "the same")
    git(ben.clone, "fetch", "-q")
    git(ben.clone, "merge", "-q", "-X", "theirs", "-m", "merge", "origin/cents")
    report = ben.memory.vault.sync()
    assert [text.rstrip(".") for text in ben.decisions().values()].count("Money is kept in cents") == 1
    assert not report.conflicts
    ben.memory.vault.sync()
    assert len([name for name in ben.notes() if "cents" in name]) == 1
