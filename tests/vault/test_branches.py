"""Notes under git: merges that are not finished, and branches that have other notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import BadInput
from tests.vault.team import Colleague, git, team

__all__ = ["team"]

RETRIES = "Retries are capped at three"


def quarrel(ann: Colleague, ben: Colleague) -> Path:
    """Both change the same sentence; the merge stops in the middle. The note of the one who merges."""
    (shared,) = ann.decisions()
    ann.memory.edit(shared, text="Retries are capped at four")
    ben.memory.edit(shared, text="Retries are capped at two")
    ann.share("four")
    ben.share("two")
    git(ann.clone, "fetch", "-q")
    git(ann.clone, "merge", "-q", "origin/two", fails=True)
    note = ann.note(RETRIES)
    assert "<<<<<<< " in note.read_text("utf-8")
    return note


def test_a_note_in_the_middle_of_a_merge_is_left_alone_and_named(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    note = quarrel(ann, ben)
    before, known = note.read_bytes(), ann.decisions()
    for _ in range(2):
        report = ann.sync()
        assert "merge that is not finished (line " in report.problems[f"Decisions/{note.name}"]
        assert note.read_bytes() == before
        assert ann.decisions() == known
    (memory_id,) = known
    ann.memory.edit(memory_id, text="Retries are capped at five")
    ann.sync()
    assert note.read_bytes() == before, "nothing is written into it either"


@pytest.mark.parametrize("choice", ["--ours", "--theirs"])
def test_once_it_is_resolved_it_is_taken_in(team: tuple[Colleague, Colleague], choice: str) -> None:
    ann, ben = team
    note = quarrel(ann, ben)
    ann.sync()
    git(ann.clone, "checkout", choice, "--", str(note))
    git(ann.clone, "add", "-A")
    git(ann.clone, "commit", "-qm", "resolved")
    chosen = note.read_bytes()
    report = ann.sync()
    assert report.problems == {}
    assert list(ann.decisions().values()) == [
        f"Retries are capped at {'four' if choice == '--ours' else 'two'}"
    ]
    assert note.read_bytes() == chosen
    assert ann.left_to_commit() == ""


def test_a_merge_resolved_with_words_of_ones_own_is_taken_in(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    note = quarrel(ann, ben)
    ann.sync()
    head = note.read_text("utf-8").split("<<<<<<< ")[0]
    note.write_text(f"{head}Retries are capped at three, as before\n", "utf-8")
    assert ann.sync().problems == {}
    assert list(ann.decisions().values()) == ["Retries are capped at three, as before"]


def test_a_sample_of_a_conflict_in_code_is_no_conflict(vaulted: Recollect, root: Path) -> None:
    text = "A conflict looks so:\n\n```\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> main\n```\n"
    (root / "Memory/How git says it.md").write_text(text, "utf-8")
    report = vaulted.vault.sync()
    assert report.problems == {}
    assert report.new == ["Memory/How git says it.md"]


def test_an_agent_does_not_write_into_an_unfinished_merge(vaulted: Recollect, root: Path) -> None:
    note = root / "Active Tasks.md"
    text = "# Active Tasks\n<<<<<<< HEAD\n- [ ] one\n=======\n- [ ] two\n>>>>>>> main\n"
    note.write_text(text, "utf-8")
    with pytest.raises(BadInput, match="merge that is not finished"):
        vaulted.vault.tasks.create("three")
    assert note.read_text("utf-8") == text


def test_a_list_in_the_middle_of_a_merge_is_left_alone_until_it_is_resolved(
    vaulted: Recollect, root: Path
) -> None:
    memory = vaulted.remember("Tabs are four spaces wide", kind="preference").memory
    vaulted.vault.sync()
    note = root / "Context/Preferences.md"
    whole = note.read_text("utf-8")
    line = whole.splitlines()[-1]
    other = line.replace("four", "eight")
    note.write_text(f"# Preferences\n<<<<<<< HEAD\n{line}\n=======\n{other}\n>>>>>>> main\n", "utf-8")
    before = note.read_bytes()
    assert "merge that is not finished" in vaulted.vault.sync().problems["Context/Preferences.md"]
    vaulted.edit(memory.id, pinned=True)
    vaulted.vault.sync()
    assert note.read_bytes() == before
    note.write_text(f"# Preferences\n{other}\n", "utf-8")
    assert vaulted.vault.sync(mine=True).problems == {}
    assert vaulted.show(memory.id).text == "Tabs are eight spaces wide"


def test_a_branch_without_a_note_does_not_forget_its_memory(team: tuple[Colleague, Colleague]) -> None:
    ann, _ = team
    git(ann.clone, "checkout", "-qb", "feature")
    ann.decide("Payments go through the blue gateway")
    ann.share("feature")
    both = ann.decisions()
    git(ann.clone, "checkout", "-q", "-")
    git(ann.clone, "checkout", "-q", "main")
    assert len(ann.notes()) == 1
    report = ann.sync()
    assert report.forgotten == []
    assert ann.decisions() == both
    assert len(ann.notes()) == 1, "nor does it get the note of the other branch"
    assert ann.left_to_commit() == ""
    git(ann.clone, "checkout", "-q", "feature")
    assert not ann.sync().changed
    assert ann.decisions() == both


def test_a_memory_that_went_on_while_its_note_was_away_is_shown_when_it_is_back(
    team: tuple[Colleague, Colleague],
) -> None:
    ann, _ = team
    git(ann.clone, "checkout", "-qb", "feature")
    memory_id = ann.decide("Payments go through the blue gateway")
    ann.share("feature")
    git(ann.clone, "checkout", "-q", "main")
    ann.sync()
    ann.memory.edit(memory_id, text="Payments go through the green gateway")
    ann.sync()
    assert len(ann.notes()) == 1
    git(ann.clone, "checkout", "-q", "feature")
    ann.sync()
    assert "green" in ann.note("Payments go through the blue gateway").read_text("utf-8")


def test_a_note_that_a_commit_deleted_is_forgotten(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    git(ben.clone, "rm", "-q", str(ben.note(RETRIES)))
    git(ben.clone, "commit", "-qm", "not any more")
    git(ben.clone, "push", "-q", "origin", "HEAD:main")
    git(ann.clone, "pull", "-q", "origin", "main")
    report = ann.sync()
    assert report.forgotten == [f"Decisions/{RETRIES}.md"]
    assert ann.decisions() == {}


def test_a_note_that_was_never_committed_is_forgotten_when_it_is_deleted(
    team: tuple[Colleague, Colleague],
) -> None:
    ann, _ = team
    ann.decide("Payments go through the blue gateway")
    ann.sync()
    ann.note("Payments go through the blue gateway").unlink()
    ann.sync()
    assert list(ann.decisions().values()) == [RETRIES]


def test_checking_out_an_older_state_changes_no_file(team: tuple[Colleague, Colleague]) -> None:
    ann, _ = team
    (shared,) = ann.decisions()
    ann.memory.edit(shared, text="Retries are capped at two")
    ann.share("two")
    git(ann.clone, "checkout", "-q", "HEAD~1")
    ann.sync()
    assert ann.left_to_commit() == ""
    assert ann.decisions() == {shared: RETRIES}, "what is checked out is what holds"
    git(ann.clone, "checkout", "-q", "-")
    ann.sync()
    assert ann.left_to_commit() == ""
    assert ann.decisions() == {shared: "Retries are capped at two"}


def test_of_two_notes_with_one_id_the_one_that_stays_has_the_memory(
    team: tuple[Colleague, Colleague],
) -> None:
    ann, ben = team
    for one, name in ((ann, "Retries"), (ben, "The cap of retries")):
        git(one.clone, "mv", str(one.note(RETRIES)), str(one.note(name)))
        one.share(name.lower().replace(" ", "-"))
    git(ann.clone, "fetch", "-q")
    git(ann.clone, "merge", "-q", "origin/the-cap-of-retries", fails=True)
    git(ann.clone, "checkout", "origin/the-cap-of-retries", "--", str(ann.note("The cap of retries")))
    report = ann.sync()
    assert len(report.problems) == 1
    assert "has the same recollect_id" in next(iter(report.problems.values()))
    known = ann.decisions()
    ann.note("Retries").unlink()
    ann.sync()
    assert ann.decisions() == known
    assert ann.sync().problems == {}
    ann.note("The cap of retries").write_text(
        ann.note("The cap of retries").read_text("utf-8").replace("three", "nine"), "utf-8"
    )
    ann.sync()
    assert list(ann.decisions().values()) == ["Retries are capped at nine"]


def test_a_colleagues_branch_is_not_mixed_with_what_this_one_added(team: tuple[Colleague, Colleague]) -> None:
    ann, ben = team
    (shared,) = ann.decisions()
    rules = "Retries\n- three for reads\n- one for writes\n- none for payments\n- two for the rest"
    ann.memory.edit(shared, text=rules)
    ann.share("main")
    ben.merge("main")
    ben.memory.edit(shared, text=f"- five in the cellar\n{rules}")
    ben.share("ben")
    ann.memory.edit(shared, text=f"{rules}\n- six in the attic")
    ann.share("ann")
    git(ann.clone, "fetch", "-q")
    git(ann.clone, "checkout", "-q", "origin/ben")
    assert ann.sync().problems == {}
    assert ann.left_to_commit() == ""
    assert ann.decisions() == {shared: f"- five in the cellar\n{rules}"}
