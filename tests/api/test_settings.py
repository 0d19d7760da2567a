"""Settings: which source wins, where each value comes from, and what a project's file may not touch."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from recollect import Recollect, config
from recollect.errors import BadSetting, NotFound

FORBIDDEN = [setting.name for setting in config.SETTINGS if not setting.by_project]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".recollect").mkdir(parents=True)
    return folder


def write_user(text: str) -> None:
    config.user_file().parent.mkdir(parents=True, exist_ok=True)
    config.user_file().write_text(text, "utf-8")


def write_project(project: Path, text: str) -> None:
    (project / config.PROJECT_FILE).write_text(text, "utf-8")


def test_the_stronger_source_wins_and_each_value_tells_where_it_comes_from(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def limit(**flags: object) -> tuple[int, str]:
        found = config.load_settings(
            project, {name.replace("_", "."): value for name, value in flags.items()}
        )
        value = found.get("recall.limit")
        return int(value.value), value.origin.split(" /")[0]

    assert limit() == (10, "default")
    write_user("[recall]\nlimit = 11\n")
    assert limit() == (11, "user file")
    write_project(project, "[recall]\nlimit = 12\n")
    assert limit() == (12, "project file")
    monkeypatch.setenv("RECOLLECT_RECALL_LIMIT", "13")
    assert limit() == (13, "environment RECOLLECT_RECALL_LIMIT")
    assert limit(recall_limit=14) == (14, "command line")
    assert limit(recall_limit=None) == (13, "environment RECOLLECT_RECALL_LIMIT")


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_projects_file_may_not_say_where_memories_go_or_which_model_is_asked(
    project: Path, name: str
) -> None:
    assert {"db", "embedding.url", "completer.kind"} <= set(FORBIDDEN)
    table, _, key = name.rpartition(".")
    value = "1024" if name == "embedding.dimensions" else '"none"'
    write_project(project, f"[{table}]\n{key} = {value}\n" if table else f"{key} = {value}\n")
    with pytest.raises(BadSetting, match="project's file may not set it") as refusal:
        config.load_settings(project)
    assert name in str(refusal.value)
    with pytest.raises(BadSetting):
        config.change_setting(name, value.strip('"'), project=project)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[recall]\nlimit = 0\n", "at least 1"),
        ("[graph]\nworkers = -1\n", "at least 0"),
        ("[recall]\nlimit = 'many'\n", "whole number"),
        ("[recall]\nlimit = 1.5\n", "whole number"),
        ("[recall]\nprofile = 'best'\n", "one of default, v3, keywords"),
        ("[recall]\nlimits = 5\n", "no setting"),
        ("[recall\n", "cannot be read"),
        ("recall = 5\n", "no setting"),
        ("[recall]\nprofile = ['default']\n", "one of"),
    ],
)
def test_a_wrong_value_is_named_with_the_file_it_stands_in(text: str, said: str) -> None:
    write_user(text)
    with pytest.raises(BadSetting, match=said) as refusal:
        config.load_settings()
    assert str(config.user_file()) in str(refusal.value)


@pytest.mark.parametrize(
    "setting",
    [one for one in config.SETTINGS if isinstance(one.default, int)],
    ids=lambda setting: setting.name,
)
def test_what_nought_means_is_said_where_it_may_be_set(setting: config.Setting) -> None:
    if "0 means" in setting.help:
        assert config.load_settings(flags={setting.name: 0}).number(setting.name) == 0
        with pytest.raises(BadSetting, match="at least 0"):
            config.load_settings(flags={setting.name: -1})
    else:
        with pytest.raises(BadSetting, match="at least 1"):
            config.load_settings(flags={setting.name: 0})


def test_a_file_of_bytes_that_are_no_text_is_named() -> None:
    config.user_file().parent.mkdir(parents=True)
    config.user_file().write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSetting, match="cannot be read"):
        config.load_settings()


def test_an_unknown_setting_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match=r"recall\.limit"):
        config.change_setting("recall.limits", "5")


def test_setting_keeps_comments_and_order_and_other_values() -> None:
    write_user(
        '# mine\n[recall]  # how much\nprofile = "v3"  # tried in May\n\n[embedding]\ntier = "bundled"\n'
    )
    file = config.change_setting("recall.limit", "7")
    text = file.read_text("utf-8")
    assert "# mine" in text
    assert "# tried in May" in text
    assert tomllib.loads(text) == {
        "recall": {"profile": "v3", "limit": 7},
        "embedding": {"tier": "bundled"},
    }
    assert text.index("[recall]") < text.index("[embedding]")
    assert config.load_settings().number("recall.limit") == 7


def test_a_settings_file_is_its_owners_alone_and_left_whole_when_it_cannot_be_written() -> None:
    file = config.change_setting("recall.limit", "7")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("broken", ["[recall\n", "recall = 5\n", "[[recall]]\nlimit = 1\n"])
def test_setting_in_a_broken_file_says_so_and_leaves_it(broken: str) -> None:
    write_user(broken)
    with pytest.raises(BadSetting):
        config.change_setting("recall.limit", "7")
    assert config.user_file().read_text("utf-8") == broken


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "a\nb", "\x1b[31m"])
def test_a_value_that_cannot_be_shown_is_refused(value: str) -> None:
    with pytest.raises(BadSetting):
        config.change_setting("db", value)
    assert not config.user_file().exists()


def test_the_settings_of_a_repository_hold_in_all_its_folders_and_not_beyond(tmp_path: Path) -> None:
    top = tmp_path / "repository"
    (top / ".git").mkdir(parents=True)
    (top / "src" / "deep").mkdir(parents=True)
    assert config.project_folder(top / "src" / "deep") == top
    loose = tmp_path / "loose" / "deep"
    loose.mkdir(parents=True)
    assert config.project_folder(loose) == loose


@pytest.mark.parametrize(
    ("environment", "colour"),
    [
        ({}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"TERM": "dumb"}, False),
        ({"CLICOLOR": "0"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, None),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_as_the_environment_asks(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], colour: bool | None
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert config.wants_colour() is colour


def test_a_recall_says_when_the_settings_ask_for_another_model(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with Recollect(
        file, folder=None, settings=config.load_settings(flags={"embedding.tier": "none"})
    ) as memory:
        memory.remember("The build takes nine minutes")
    with Recollect(
        file, folder=None, settings=config.load_settings(flags={"embedding.tier": "bundled"})
    ) as memory:
        (note,) = memory.recall("how long is the build?").notes

    assert "indexed with none" in note
    assert "recollect reindex" in note
