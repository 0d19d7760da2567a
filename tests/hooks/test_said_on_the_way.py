"""What an agent says between its calls is heard from the transcript that its client keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.model.event import EventType
from tests.hooks.hooking import Hooks

CAUSE = (
    "The real cause: `LIFETIME` in `src/auth.py` is counted in seconds, not minutes, because the cookie library "
    "wants seconds."
)
FAILED = (
    "E   KeyError: 'lifetime'\nFAILED tests/test_auth.py::test_it - KeyError: 'lifetime'\n1 failed in 0.2s"
)


class Talk:
    """A session whose client writes a transcript beside its hooks."""

    def __init__(self, hooks: Hooks, folder: Path, name: str = "first") -> None:
        self.hooks, self.path, self._lines = hooks, folder / f"{name}.jsonl", 0
        hooks.session = name
        hooks.send("SessionStart", source="startup", transcript_path=str(self.path))

    def ask(self, text: str) -> None:
        self.hooks.ask(text)
        self._write("user", text)

    def act(
        self, said: str, event: str, tool: str, given: dict[str, Any], *, recorded: bool = True, **answer: Any
    ) -> None:
        """Some words, then a call; its hook, unless recording is paused."""
        call_id = f"toolu_{self._lines:04d}"
        call = {"type": "tool_use", "id": call_id, "name": tool, "input": given}
        self._write("assistant", [{"type": "text", "text": said}, call])
        if recorded:
            self.hooks.send(event, tool_name=tool, tool_use_id=call_id, tool_input=given, **answer)

    def end(self, last: str = "Done.") -> None:
        self._write("assistant", [{"type": "text", "text": last}])
        self.hooks.send("Stop", last_assistant_message=last)
        self.hooks.send("SessionEnd", reason="other", transcript_path=str(self.path))
        self.hooks.until_learned(self.hooks.session)

    def heard(self) -> list[str]:
        with self.hooks.memory() as memory:
            events = memory.observer.events(self.hooks.session)
        return [event.text for event in events if event.type is EventType.ASSISTANT_TEXT]

    def _write(self, kind: str, content: str | Sequence[dict[str, Any]]) -> None:
        self._lines += 1
        line = {
            "type": kind,
            "uuid": f"{self.hooks.session}-{self._lines}",
            "sessionId": self.hooks.session,
            "cwd": str(self.hooks.project),
            "timestamp": datetime.now(UTC).isoformat(),
            "message": {"role": kind, "id": f"m{self._lines}", "content": content},
        }
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def mend(talk: Talk, *, recorded: bool = True) -> None:
    hooks = talk.hooks
    path = str(hooks.project / "src/auth.py")
    change = {"file_path": path, "old_string": "300", "new_string": "600"}
    command = {"command": "pytest -q"}
    talk.ask("Tokens die too early, can you find out why and mend it?")
    talk.act("Let me run the tests.", "PostToolUseFailure", "Bash", command, error=f"Exit code 1\n{FAILED}")
    talk.act(
        CAUSE, "PostToolUse", "Edit", change, recorded=recorded, tool_response={"filePath": path, **change}
    )
    passed = {"stdout": "12 passed in 0.20s", "stderr": "", "interrupted": False}
    talk.act("Now it should pass.", "PostToolUse", "Bash", command, tool_response=passed)
    talk.end()


def test_a_diagnosis_said_between_two_calls_becomes_a_memory(hooks: Hooks, tmp_path: Path) -> None:
    talk = Talk(hooks, tmp_path)
    mend(talk)
    assert talk.heard() == ["Let me run the tests.", CAUSE, "Now it should pass.", "Done."]
    with hooks.memory() as memory:
        texts = [one.text for one in memory.list(limit=50)]
    assert any("counted in seconds, not minutes" in text for text in texts), texts
    assert hooks.troubles() == []


def test_what_is_said_while_recording_is_paused_stays_unheard(hooks: Hooks, tmp_path: Path) -> None:
    talk = Talk(hooks, tmp_path)
    mend(talk, recorded=False)
    assert talk.heard() == ["Let me run the tests.", "Now it should pass.", "Done."]


def test_the_transcript_of_another_session_is_not_this_ones(hooks: Hooks, tmp_path: Path) -> None:
    talk = Talk(hooks, tmp_path)
    talk.path.write_text("", "utf-8")
    talk.hooks.session = "other"
    talk._write("assistant", [{"type": "text", "text": CAUSE}])
    talk.hooks.session = "first"
    mend(talk)
    assert talk.heard() == ["Done."]


@pytest.mark.parametrize("setting", ["on", "off"])
def test_who_wants_no_words_heard_has_none_read(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv("RECOLLECT_LISTEN", setting)
    talk = Talk(hooks, tmp_path)
    mend(talk)
    assert (CAUSE in talk.heard()) is (setting == "on")
