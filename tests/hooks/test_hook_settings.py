"""A hook reads few settings by itself, and finds what everybody else finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import config
from recollect.events.excluded import parse_patterns
from recollect.hooks import hook_settings

USER = {
    "empty": "",
    "a table": '[inbox]\nmost_bytes = 1000\n[hooks]\nmost_ms = 250\n[record]\nexclude = "*.pem, secrets/**"\n',
    "dotted": 'db = "/elsewhere/memories.db"\nrecord.exclude = ["*.key", "vault/**"]\n',
}
PROJECT = {"none": "", "excludes": '[record]\nexclude = "build/**"\n[recall]\nlimit = 3\n'}
ENVIRONMENT = {
    "none": {},
    "database": {"RECOLLECT_DB": "/by/name.db"},
    "all": {
        "RECOLLECT_INBOX_MOST_BYTES": "5000",
        "RECOLLECT_HOOKS_MOST_MS": "99",
        "RECOLLECT_RECORD_EXCLUDE": "*.log",
    },
}


@pytest.mark.parametrize("user", USER)
@pytest.mark.parametrize("project", PROJECT)
@pytest.mark.parametrize("environment", ENVIRONMENT)
def test_a_hook_finds_what_everybody_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: str, project: str, environment: str
) -> None:
    _write(config.user_file(), USER[user])
    _write(tmp_path / "project" / config.PROJECT_FILE, PROJECT[project])
    for name, value in ENVIRONMENT[environment].items():
        monkeypatch.setenv(name, value)
    ours = hook_settings.read(str(tmp_path / "project"))
    theirs = config.load_settings(tmp_path / "project")
    assert ours.db == theirs.db
    assert ours.most_bytes == theirs.number("inbox.most_bytes")
    assert ours.most_ms == theirs.number("hooks.most_ms")
    assert ours.excluded == parse_patterns(theirs.text("record.exclude"))


@pytest.mark.parametrize("variable", ["", "XDG_DATA_HOME"])
def test_a_hook_finds_the_usual_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.delenv("RECOLLECT_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "data"))
    assert hook_settings.default_db() == str(config.data_dir() / "memories.db")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
