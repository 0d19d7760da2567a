"""Every number of a window is a setting, with the defaults of the window itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.agent.loop import Loop
from recollect.agent.run_state import RunStore
from recollect.agent.scripted_client import ScriptedClient
from recollect.conversation import WindowSettings
from recollect.errors import BadSetting
from recollect.model.window_settings import WINDOW_HELP
from tests.agent.test_loop import DONE, calling, counting_tool


def write_user_file(text: str) -> None:
    file = config.user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def test_every_number_is_a_setting_with_its_default() -> None:
    assert sorted(WINDOW_HELP) == sorted(WindowSettings.__slots__)
    assert config.load_settings().window() == WindowSettings()


def test_a_table_of_the_users_file_shapes_the_window() -> None:
    write_user_file(
        '[window]\nsummarise_above_tokens = 9_000\nshrink_share = 0.25\ncritical_tools = ["sql_*", "ui_*"]\n'
    )
    window = config.load_settings().window()
    assert (window.summarise_above_tokens, window.shrink_share) == (9_000, 0.25)
    assert window.critical_tools == ("sql_*", "ui_*")
    assert window.stale_characters == 150


@pytest.mark.parametrize(
    "line",
    [
        "stale_characters = 0",
        "shrink_share = -1",
        'shrink_share = "much"',
        "shrink_share = nan",
        "stale_chars = 3",
    ],
)
def test_what_cannot_be_is_refused_by_name(line: str) -> None:
    write_user_file(f"[window]\n{line}\n")
    with pytest.raises(BadSetting, match=r"window\.s"):
        config.load_settings().window()


def test_numbers_that_contradict_each_other_are_refused() -> None:
    write_user_file("[window]\nfallback_above_tokens = 1_000\n")
    with pytest.raises(BadSetting, match="fallback_above_tokens"):
        config.load_settings().window()


def test_a_project_cannot_set_them(tmp_path: Path) -> None:
    (tmp_path / ".recollect").mkdir()
    (tmp_path / ".recollect/config.toml").write_text("[window]\nstale_characters = 9\n", "utf-8")
    with pytest.raises(BadSetting, match="project"):
        config.load_settings(tmp_path)


def test_a_loop_over_a_memory_has_the_window_of_its_settings(tmp_path: Path) -> None:
    write_user_file("[window]\noverflow_characters = 10\npreview_characters = 5\n")
    with Recollect(tmp_path / "memories.db", folder=None) as memory:
        tool = counting_tool([], lambda number: "a long output\n" * 30)
        store = RunStore(tmp_path / "runs")
        Loop(ScriptedClient([calling("a"), DONE]), [tool], memory, run_store=store).run("Count.")
    assert list(store.folder.rglob("overflow_*"))


def test_the_command_uses_them(tmp_path: Path) -> None:
    script = '[{"calls": [{"tool": "list_directory", "arguments": {}}]}]'
    (tmp_path / "turns.json").write_text(script, "utf-8")
    for number in range(40):
        (tmp_path / f"a-file-{number}.txt").write_text("x", "utf-8")
    command = [
        sys.executable,
        "-m",
        "recollect",
        "run",
        "look",
        "--model",
        "scripted:turns.json",
        "--no-memory",
    ]
    environment = {**os.environ, "RECOLLECT_WINDOW_OVERFLOW_CHARACTERS": "100"}
    done = subprocess.run(
        [*command, "--db", str(tmp_path / "memories.db")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "runs").rglob("overflow_*list-directory*"))
