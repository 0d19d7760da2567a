"""What a checkout says in its own words, in stories and docstrings, is text that was read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.events.bloom import split_words
from recollect.model.event import EventType, ToolAction
from tests.attacks.corpus import payloads
from tests.attacks.test_poisoning import EVERYTHING, could_speak
from tests.git.repos import a_repository, commit, isolate
from tests.hash_embedder import HashEmbedder

TEXTS = [one.text for one in payloads()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch, tmp_path / "person")
    return a_repository(tmp_path / "shop")


def holding(memory: Recollect, texts: Sequence[str]) -> list[str]:
    own = [set(split_words(text)) for text in texts]
    return [
        one.text
        for one in could_speak(memory)
        if any(len(words & set(split_words(one.text))) >= 0.6 * len(words) for words in own)
    ]


def test_docstrings_are_not_told_after_a_scan(tmp_path: Path, folder: Path) -> None:
    for number, text in enumerate(TEXTS):
        opening = text.replace('"', "'").replace("\\", "/")
        (folder / f"part{number}").mkdir()
        for name in ("a", "b", "c"):
            (folder / f"part{number}" / f"{name}.py").write_text(
                f'"""{opening}."""\n\n\ndef run_{name}():\n    return {number}\n', "utf-8"
            )
    commit(folder, "README.md", "shop\n")
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder()) as memory:
        memory.code.scan()
        assert memory.list(EVERYTHING, limit=1), "something was proposed"
        assert holding(memory, TEXTS) == []


def test_stories_are_not_told(tmp_path: Path, folder: Path) -> None:
    texts = TEXTS[::7]
    for number, text in enumerate(texts, start=1):
        (folder / ".bmad-core").mkdir(exist_ok=True)
        (folder / ".bmad-core" / "core-config.yaml").write_text("project: shop\n", "utf-8")
        stories = folder / "docs" / "stories"
        stories.mkdir(parents=True, exist_ok=True)
        (stories / f"1.{number}.story.md").write_text(
            f"# Story 1.{number}: {text}\n\n## Status\nInProgress\n\n## Acceptance Criteria\n1. {text}\n\n"
            f"## Tasks / Subtasks\n- [x] {text}\n- [ ] {text}\n",
            "utf-8",
        )
        commit(folder, f"x{number}", "1")
        with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder()) as memory:
            session = f"s{number}"
            data = {"branch": f"story/1.{number}"}
            memory.observer.record(EventType.SESSION_STARTED, session=session, data=data)
            for part in range(6):
                memory.observer.record(
                    EventType.TOOL_FINISHED,
                    session=session,
                    call_id=f"{session}-call-{part}",
                    tool="Edit",
                    action=ToolAction.EDIT,
                    files=(f"src/p{part}.py",),
                    ok=True,
                )
            memory.observer.end_session(session)
    with Recollect(tmp_path / "m.db", folder=folder, embedder=HashEmbedder()) as memory:
        assert any(one.kind == "work_state" for one in memory.list(EVERYTHING, limit=100))
        assert holding(memory, texts) == []
