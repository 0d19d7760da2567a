"""A run in a process of its own that stops at one line of its journal, or inside one call, and waits to be killed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect import Recollect
from recollect.agent.journal import JournalLine
from recollect.agent.loop import Loop
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.agent.verify import RunClaim, RunVerdict, verify_by_function
from recollect.model.agent_tool import AgentTool, ToolOutput
from recollect.model.arguments import arguments, text

WORDS = (("a", "b"), ("c",), ("d", "e"))
TURNS: list[dict[str, Any]] = [
    {"say": "next", "calls": [{"tool": "append", "arguments": {"word": word}} for word in words]}
    for words in WORDS
]
# The first claim is rejected, so that a kill can fall between a rejection and the work after it.
SCRIPT = [*TURNS[:2], {"say": "{completion}"}, TURNS[2], {"say": "Done. {completion}"}]


def append_line(path: Path, line: str) -> None:
    """A line that is on disk when this returns."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def append_tool(folder: Path, stop_in: str = "") -> AgentTool:
    """A tool that does something that must not be done twice: it writes a word into a file."""

    def run(given: Mapping[str, Any]) -> ToolOutput:
        append_line(folder / "done.txt", given["word"])
        if given["word"] == stop_in:
            wait_for_the_end()
        return ToolOutput(text=f"wrote {given['word']}")

    return AgentTool(
        name="append",
        description="Write a word.",
        parameters=arguments("word", word=text("The word.")),
        example={"word": "a"},
        reads_only=False,
        run=run,
    )


def a_loop(folder: Path, *, memory: Recollect | None = None, stop_in: str = "", **more: Any) -> Loop:
    """The loop that is killed and the one that resumes."""

    def judge(claim: RunClaim) -> RunVerdict:
        passed = "Done." in claim.answer
        return RunVerdict(
            passed=passed, score=90 if passed else 10, reason="" if passed else "d and e are missing"
        )

    return Loop(
        ScriptedClient(SCRIPT),
        [append_tool(folder, stop_in)],
        memory,
        run_store=RunStore(folder / "runs"),
        verify=verify_by_function(judge),
        **more,
    )


def wait_for_the_end() -> None:
    """Say that the moment has come, and wait."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    time.sleep(60)


def main() -> None:
    """FOLDER, then a line's number or the word of a call to stop at; with a third word, a memory too."""
    folder, stop = Path(sys.argv[1]), sys.argv[2]
    memory = Recollect(folder / "memories.db", folder=None) if len(sys.argv) > 3 else None

    def progress(line: JournalLine) -> None:
        append_line(folder / "acknowledged.txt", f"{line.number} {line.type}")
        if str(line.number) == stop:
            wait_for_the_end()

    a_loop(folder, memory=memory, stop_in=stop, progress=progress).run("Write all the words.")
    sys.stdout.write("ended\n")


if __name__ == "__main__":
    main()
