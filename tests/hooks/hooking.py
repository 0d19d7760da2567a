"""Hooks as clients run them: real processes, a payload in, an answer out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from recollect import Recollect
from recollect.events.inbox import inbox_path
from recollect.hooks.dispatch import hear
from recollect.hooks.log import failures, log_of
from recollect.hooks.watchdog import Watchdog
from recollect.model.provenance import Channel

HOOK = (sys.executable, "-m", "recollect.hooks")


class Patience:
    """Instead of a watchdog, which would end the tests with the hook."""

    def allow(self, most_ms: int) -> None:
        pass

    def left(self) -> float:
        return 60.0


@dataclass(slots=True)
class Hooks:
    """A project, a home, and an agent whose hooks are ours."""

    home: Path
    project: Path
    client: str = "claude-code"
    session: str = "11111111-2222-3333-4444-555555555555"
    environment: dict[str, str] = field(default_factory=dict)
    as_processes: bool = False

    @property
    def db(self) -> Path:
        return self.home / "data" / "memories.db"

    @property
    def inbox(self) -> Path:
        return Path(inbox_path(str(self.db)))

    def send(self, event: str, /, **payload: Any) -> dict[str, Any]:
        """One hook; its answer, empty when it says nothing."""
        given = json.dumps(self.payload(event) | payload).encode()
        said = self.run(event, given) if self.as_processes else self.hear(event, given)
        return dict(json.loads(said)) if said else {}

    def hear(self, event: str, given: bytes) -> str:
        """The same in this process, which is quicker by a start of Python: for stories of many steps."""
        return hear(self.client, event, given, cast("Watchdog", Patience()))

    def told(self, event: str, /, **payload: Any) -> str:
        """What the agent is told."""
        answer = self.send(event, **payload)
        if self.client == "opencode":
            return str(answer.get("context", ""))
        if self.client == "cursor":
            return str(answer.get("additional_context", ""))
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def payload(self, event: str) -> dict[str, Any]:
        return {"session_id": self.session, "cwd": str(self.project), "hook_event_name": event}

    def run(self, event: str, given: bytes, *, environment: Mapping[str, str] | None = None) -> str:
        """One hook with these bytes; it ends with 0 and says nothing on standard error."""
        ended = subprocess.run(
            (*HOOK, self.client, event),
            input=given,
            capture_output=True,
            cwd=self.project,
            env=environment or self.surroundings(),
            timeout=60,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, b"")
        if ended.stdout:
            json.loads(ended.stdout)
        return ended.stdout.decode()

    def surroundings(self) -> dict[str, str]:
        # A machine that runs many tests at once must not make a hook give up.
        ours = {
            "RECOLLECT_HOME": str(self.home),
            "RECOLLECT_HOOKS_MOST_MS": "30000",
            "RECOLLECT_EMBEDDING_TIER": "none",
        }
        kept = {
            name: os.environ[name]
            for name in ("PATH", "HOME", "PYTHONPATH", "SYSTEMROOT")
            if name in os.environ
        }
        return kept | ours | self.environment

    def read(self, file: str, **payload: Any) -> str:
        """What the agent is told after it read a file."""
        path = str(self.project / file)
        content = {"filePath": path, "content": "…", "numLines": 1, "startLine": 1, "totalLines": 1}
        return self.told(
            "PostToolUse",
            tool_name="Read",
            tool_use_id=f"toolu_{os.urandom(8).hex()}",
            tool_input={"file_path": path},
            tool_response={"type": "text", "file": content},
            **payload,
        )

    def ask(self, prompt: str) -> str:
        """What the agent is told with a prompt."""
        return self.told("UserPromptSubmit", prompt=prompt)

    def fail(self, command: str, output: str) -> str:
        """What the agent is told after a command failed."""
        return self.told(
            "PostToolUseFailure",
            tool_name="Bash",
            tool_use_id=f"toolu_{os.urandom(8).hex()}",
            tool_input={"command": command},
            error=f"Exit code 1\n{output}",
        )

    def pass_(self, command: str, output: str) -> str:
        """What the agent is told after a command passed."""
        return self.told(
            "PostToolUse",
            tool_name="Bash",
            tool_use_id=f"toolu_{os.urandom(8).hex()}",
            tool_input={"command": command},
            tool_response={"stdout": output, "stderr": "", "interrupted": False},
        )

    def edit(self, file: str, old: str, new: str) -> str:
        """An edit, done for real and told to the hook."""
        path = self.project / file
        before = path.read_text("utf-8")
        path.write_text(before.replace(old, new), "utf-8")
        change = {"file_path": str(path), "old_string": old, "new_string": new}
        answer = {"filePath": str(path), "oldString": old, "newString": new, "originalFile": before}
        return self.told(
            "PostToolUse",
            tool_name="Edit",
            tool_use_id=f"toolu_{os.urandom(8).hex()}",
            tool_input=change,
            tool_response=answer,
        )

    def memory(self, channel: Channel = Channel.USER) -> Recollect:
        """The same store, for a person or an agent beside the hooks."""
        actor = "user" if channel is Channel.USER else "agent"
        return Recollect(self.db, folder=self.project, actor=actor, channel=channel)

    def troubles(self) -> list[str]:
        return [str(told["trouble"]) for told in failures(log_of(str(self.db)))]

    def until_learned(self, session: str) -> None:
        """Wait for the process that a session's end has started."""
        for _ in range(600):
            with self.memory() as memory:
                learned = memory._db.row("session_learned_to", id=session)
                if learned and learned["learned_to"] is not None:
                    return
            time.sleep(0.05)
        raise AssertionError(f"session {session} was not learned from: {self.troubles()}")
