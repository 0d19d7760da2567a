"""Every program in `examples/frameworks` runs offline, is short, and says what its first line promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.conftest import needs

EXAMPLES = Path(__file__).parents[2] / "examples" / "frameworks"
MOST_LINES = 60
SAYS = {
    "anthropic_memory_tool.py": ("anthropic", ["File created successfully", "1. Lower the cap to 3"]),
    "claude_agent_sessions.py": (
        "claude_agent_sdk",
        ["lines to resume from: 3", "prompt, tool_called, tool_finished"],
    ),
    "google_adk_memory.py": (
        "google.adk",
        ["ann: My shoe size is 41", "ann: Ann wants parcels", "bob: nothing"],
    ),
    "langchain_agent.py": ("deepagents", ["Twelve tests pass.", "told: True", "tool_finished", "Done."]),
    "langgraph_graph.py": ("langgraph", ["Ann drinks green tea / Tea is served until five"]),
    "openai_agents_session.py": ("agents", ["items: 6", "told: True"]),
    "pydantic_ai_agent.py": ("pydantic_ai", ["Store it in UTC.", "told: True", "tool_finished"]),
}
PROGRAMS = [pytest.param(name, marks=needs(module), id=name) for name, (module, _) in SAYS.items()]


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_example_runs_and_says_what_it_shows(program: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / program)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    for words in SAYS[program][1]:
        assert words in ended.stdout


def test_every_example_is_short_tried_and_listed() -> None:
    page = (EXAMPLES.parent / "README.md").read_text("utf-8")
    programs = {path.name: path.read_text("utf-8") for path in EXAMPLES.glob("*.py")}
    assert set(programs) == set(SAYS)
    assert [name for name, text in programs.items() if len(text.splitlines()) >= MOST_LINES] == []
    assert [name for name in programs if f"`frameworks/{name}`" not in page] == []
