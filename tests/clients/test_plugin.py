"""The plugin as Claude Code itself sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.conftest import OpenRoom, fetched
from tests.clients.drivers.claude_code import CLAUDE_CODE, PROGRAM
from tests.clients.room import CHECKOUT
from tests.clients.ways import set_stage

pytestmark = [pytest.mark.client("claude-code"), pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    "what", [CHECKOUT, CHECKOUT / "plugins" / "claude-code"], ids=["marketplace", "plugin"]
)
def test_claude_code_finds_nothing_wrong_with_it(open_room: OpenRoom, tmp_path: Path, what: Path) -> None:
    fetched(CLAUDE_CODE)
    with open_room(tmp_path) as room:
        stage = set_stage(CLAUDE_CODE, tmp_path, room.url)
        ran = room.run(
            [str(PROGRAM), "plugin", "validate", str(what)],
            stage.project,
            {**stage.environment, **CLAUDE_CODE.environment(stage)},
        )

    assert ran.code == 0, ran
    assert "Validation passed" in ran.out, ran
