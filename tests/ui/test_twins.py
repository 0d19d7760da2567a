"""Every page has a twin for programs, and it is what the command line prints."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.model.memory import MemoryState
from recollect.surfaces.cli import cli
from tests.ui.conftest import RunningDashboard
from tests.ui.test_guard import ROUTES


@pytest.fixture
def run(sample_store: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Any:
    db, project = sample_store
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    monkeypatch.setenv("RECOLLECT_DB", str(db))

    def call(*words: str) -> dict[str, Any]:
        result = CliRunner().invoke(cli, [*words, "--json", "--project", str(project)])
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        assert isinstance(answer, dict)
        return answer

    return call


ALL_STATES = [word for state in MemoryState for word in ("--state", str(state))]
PAIRS = (
    ("/memories.json?limit=20", ("list",)),
    (
        "/memories.json?limit=20&kind=gotcha&state=all",
        (
            "list",
            "--kind",
            "gotcha",
            *ALL_STATES,
        ),
    ),
    ("/review.json", ("review", "--list")),
    ("/review.json?of_session=demo-fix-logout", ("review", "--list", "--session", "demo-fix-logout")),
    ("/modules.json", ("modules",)),
    ("/impact.json?path=shop/payments/gateway.py", ("impact", "shop/payments/gateway.py")),
    ("/runs.json?limit=20", ("ops", "runs")),
    ("/events.json?limit=50", ("ops", "events")),
    ("/services.json", ("ops", "health")),
    ("/cooldowns.json", ("ops", "cooldowns")),
    ("/tasks.json", ("tasks", "--status", "all")),
)


@pytest.mark.parametrize(("address", "words"), PAIRS, ids=[address for address, _ in PAIRS])
def test_a_twin_is_the_json_of_the_command(
    sample: RunningDashboard, run: Any, address: str, words: tuple[str, ...]
) -> None:
    with sample.browser_client() as client:
        assert client.get(address).json() == run(*words)


def test_a_memory_and_a_session_say_what_show_and_why_say(sample: RunningDashboard, run: Any) -> None:
    with sample.browser_client() as client:
        memory_id = client.get("/memories.json").json()["memories"][0]["id"]
        assert client.get(f"/memories/{memory_id}.json").json() == run("show", memory_id)
        session = client.get("/sessions/demo-chore-tests.json").json()
        told = run("why", "--session", "demo-chore-tests")
        assert {name: session[name] for name in told} == told
        health, stats = client.get("/health.json").json(), run("stats")
        assert {name: health[name] for name in stats} == stats
        settings = client.get("/settings.json").json()["settings"]
        assert settings.keys() == run("config", "show")["settings"].keys()


def test_every_page_has_a_twin_and_answers(sample: RunningDashboard) -> None:
    pages = {path for method, path in ROUTES if method == "GET"} - {"/live", "/export.jsonl", "/openapi.json"}
    plain = {path for path in pages if not path.endswith(".json") and not path.startswith("/static")}
    twins = {f"{path.rstrip('/') or '/health'}.json" for path in plain}
    assert twins <= pages
    with sample.browser_client() as client:
        ids = {
            room: client.get(f"/{room}.json").json()[room][0]["id"]
            for room in ("memories", "sessions", "runs")
        }
        for path in sorted(plain | twins):
            room = path.split("/")[1]
            address = re.sub("01KA3", str(ids.get(room, "")), path)
            answer = client.get(address)
            assert answer.status_code == 200, (address, answer.text[:300])
            if path in twins:
                assert answer.json()["schema"] == 1


def test_an_export_holds_every_memory(sample: RunningDashboard) -> None:
    with sample.browser_client() as client:
        lines = [json.loads(line) for line in client.get("/export.jsonl").text.splitlines()]
        total = client.get("/memories.json?state=all&projects=all").json()["total"]
        assert sum("text" in line for line in lines) <= total and len(lines) > 20
