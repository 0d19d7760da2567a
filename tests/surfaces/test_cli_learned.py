"""`recollect lessons`, `recipes` and `skills`, and what `learn` proposes."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.event import EventType
from tests.surfaces.conftest import Run

REASONS = (
    ("billing", "the changelog has no entry for this release"),
    ("search", "CHANGELOG.md does not mention the new version"),
    ("mailer", "No changelog entry was written"),
)


@pytest.fixture
def failed(run: Run) -> None:
    """Three sessions whose work was rejected for one reason, and mended."""
    with Recollect() as memory:
        for thing, why in REASONS:
            memory.observer.record(EventType.SESSION_STARTED, session=thing, data={"branch": "topic"})
            memory.observer.record(EventType.PROMPT, session=thing, text=f"Release the {thing} package")
            memory.observer.validate("fail", session=thing, why=why)
            memory.observer.record(
                EventType.TOOL_FINISHED,
                session=thing,
                tool="Edit",
                action="edit",
                files=(f"{thing}/CHANGELOG.md",),
                ok=True,
                call_id=f"c-{thing}",
            )
            memory.observer.validate("pass", session=thing)
            memory.observer.record(EventType.SESSION_ENDED, session=thing)
        memory.observer.learn_due()


def test_a_dry_run_shows_each_proposal_with_its_evidence(failed: None, run: Run) -> None:
    shown = run("learn", "--dry-run", "--explain")
    assert "lessons, new: When asked to “Release the … package”, see to CHANGELOG.md" in shown.out
    assert "3 failures alike in 3 sessions" in shown.out
    assert all(why in shown.out for _, why in REASONS)
    assert shown.out.endswith("nothing was changed.\n")
    assert run("lessons").out.startswith("No lesson yet")


def test_lessons_are_listed_shown_promoted_retired_and_undone(failed: None, run: Run, person: Run) -> None:
    run("learn")
    [lesson] = run("lessons", "--json").json["lessons"]
    name = lesson["memory"]["id"]
    assert lesson["failures"] == 3
    assert "what worked: billing/CHANGELOG.md" in run("lessons", "show", name).out
    assert len(run("lessons", "show", name, "--json").json["evidence"]) == 3
    assert person("lessons", "promote", name).code == 0
    assert person("lessons", "retire", name, "--why", "done by CI").code == 0
    assert run("lessons", "--json").json["lessons"] == []
    assert person("lessons", "undo", name).code == 0
    assert len(run("lessons", "--json").json["lessons"]) == 1


def test_a_skill_is_shown_written_and_taken_away(run: Run, person: Run, tmp_path: Path) -> None:
    with Recollect() as memory:
        fields = {
            "task_pattern": "Release the … package",
            "steps": [{"description": "edit CHANGELOG.md"}],
            "success_count": 12,
        }
        memory.remember("To release: edit CHANGELOG.md", kind="workflow_recipe", fields=fields)
    assert "ready to be a skill" in run("recipes").out
    [recipe] = run("recipes", "--json").json["recipes"]
    assert "1. edit CHANGELOG.md" in run("recipes", "show", recipe["memory"]["id"]).out
    assert "release-the-package  [proposed]" in run("skills").out
    folder = str(tmp_path / "skills")
    preview = run("skills", "promote", "release-the-package", "--folder", folder, "--dry-run")
    assert preview.out.startswith("---\nname: release-the-package\n")
    assert not Path(folder).exists()
    written = person("skills", "promote", "release-the-package", "--folder", folder, "--yes", "--json").json
    assert Path(written["path"]).read_text("utf-8") == written["text"] == preview.out
    assert person("skills", "retire", "release-the-package").code == 0
    assert not Path(written["path"]).exists()
    assert person("skills", "undo", "release-the-package", "--json").json["state"] == "written"


def test_a_name_that_nothing_has_is_told(run: Run) -> None:
    run("remember", "Deploys run at night")
    for group in ("lessons", "recipes", "skills"):
        shown = run(group, "show", "01KNOTHING")
        assert shown.code != 0
        assert "01KNOTHING" in shown.err
