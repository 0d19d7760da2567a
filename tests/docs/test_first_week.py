"""A new user's path: every command of the guides, in their order, in a fresh home, as processes of their own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import blocks, text_of
from tests.git.repos import a_repository, commit, isolate

GUIDES = ("docs/first-week.md", "docs/how-to.md", "docs/troubleshooting.md")
# Served by nobody here.
NOT_RUN = ("recollect config set embedding.tier ollama",)


def commands_of(page: str) -> list[str]:
    lines = (
        line for block in blocks(text_of(page)) if block.language == "sh" for line in block.text.splitlines()
    )
    return [line for line in lines if line.startswith("recollect ") and line not in NOT_RUN]


@pytest.mark.parametrize("page", GUIDES)
def test_every_command_of_a_guide_works_in_a_fresh_home(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, tmp_path)
    shop = a_repository(tmp_path / "shop")
    commit(shop, "src/prices.py", "def round_price(price): ...\n")
    commit(shop, "src/importer.py", "def import_all(): ...\n")
    home = tmp_path / "user"
    (home / ".claude").mkdir(parents=True)
    environment = {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PATH": os.environ["PATH"],
        "SYSTEMROOT": os.environ.get("SYSTEMROOT", ""),
        "RECOLLECT_EMBEDDING_TIER": "none",
    }
    _work_for_a_moment(shop, environment)
    listed = commands_of(page)
    assert listed, page
    if page != GUIDES[0]:
        listed.insert(0, 'recollect remember "Prices are rounded half up" --about src/prices.py')
    for line in listed:
        ended = subprocess.run(
            [sys.executable, "-m", "recollect", *shlex.split(line)[1:]],
            cwd=shop,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ended.returncode == 0 or _is_for_a_person(ended.stderr), f"{line}: {ended.stderr}"
        assert "Traceback" not in ended.stderr, line


def _work_for_a_moment(shop: Path, environment: dict[str, str]) -> None:
    """An agent's session, as its hooks tell of it."""
    payload = {"session_id": "monday", "cwd": str(shop), "prompt": "round the prices on the invoice"}
    for event in ("SessionStart", "UserPromptSubmit"):
        subprocess.run(
            [sys.executable, "-m", "recollect.hooks", "claude-code", event],
            cwd=shop,
            env=environment,
            input=json.dumps(payload | {"hook_event_name": event, "source": "startup"}),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )


def _is_for_a_person(text: str) -> bool:
    """What only a person at a terminal may do; there is none in a test."""
    return "person" in text or "terminal" in text
