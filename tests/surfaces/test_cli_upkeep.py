"""Memories in the course of time, from the command line; and the story each of them tells."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import Recollect, Remembered, config
from recollect.surfaces.cli.story import describe_change
from tests.builders import a_change, an_id
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.surfaces.conftest import Run


def opened(clock: Clock) -> Recollect:
    """The memory the commands see, at another time."""
    return Recollect(folder=None, settings=config.load_settings(), embedder=HashEmbedder(), clock=clock)


def remembered(memory: Recollect, text: str, **details: object) -> str:
    answer = memory.remember(text, **details)  # type: ignore[arg-type]
    assert isinstance(answer, Remembered)
    return answer.memory.id


@pytest.fixture
def last_month() -> Clock:
    return Clock(datetime.now(UTC) - timedelta(days=20))


def test_upkeep_says_what_each_job_did(run: Run) -> None:
    run("remember", "Deploys run at night")
    first = run("upkeep", "--json").json
    assert [job["outcome"] for job in first["jobs"]] == ["done"] * len(first["jobs"])
    assert "not due" in run("upkeep").out
    assert "would be: 0 aged" in run("upkeep", "--all", "--dry-run").out


def test_upkeep_says_that_it_doubts_the_clock(run: Run) -> None:
    with opened(Clock(datetime.now(UTC) - timedelta(days=90))) as memory:
        remembered(memory, "Deploys run at night")
    assert "The clock has jumped" in run("upkeep").err


@pytest.mark.usefixtures("a_person")
def test_prune_shows_archives_and_revive_brings_back(run: Run, last_month: Clock) -> None:
    with opened(last_month) as memory:
        name = remembered(memory, "The build is red just now", scope="session")
    shown = run("prune", "--dry-run").out
    assert f"Would archive {name[:13]}: The build is red just now" in shown
    assert "session over: it was for its session only, more than 7 days ago" in shown
    assert "1 memory, 6 tokens" in shown
    assert "nobody to ask: say --yes" in run("prune").err
    assert run("show", name, "--json").json["memory"]["state"] == "active"
    done = run("prune", "--yes", "--json").json
    assert [(item["memory"]["id"], item["rule"]) for item in done["pruned"]] == [(name, "session over")]
    assert done["saved"]["tokens"] == 6
    assert run("prune", "--dry-run").out == "There is nothing to prune.\n"
    assert run("revive").code == run("revive", name, "--all").code == 2
    assert f"Revived {name[:13]}" in run("revive", "--all").out
    assert run("show", name, "--json").json["memory"]["state"] == "active"


def test_an_agent_does_not_revive_or_settle(run: Run, last_month: Clock) -> None:
    with opened(last_month) as memory:
        name = remembered(memory, "The build is red just now")
        memory.forget(name)
    assert "Only a person may bring a memory back into use" in run("revive", name).err
    assert run("settle", name, name, "--json").error["code"] == "only_a_person"


@pytest.mark.usefixtures("a_person")
def test_feedback_is_noted_and_an_objection_takes_it_out_of_use(run: Run) -> None:
    name = run("remember", "Retries are capped at 3", "--json").json["memory"]["id"]
    assert "Noted as useful" in run("feedback", name, "useful").out
    assert run("show", name, "--json").json["memory"]["useful"] == 1
    said = run("feedback", name, "outdated", "--why", "five since March", "--json").json
    assert said["changed"][0]["state"] == "inactive"
    assert run("feedback", name, "splendid").code == 2


@pytest.mark.usefixtures("a_person")
def test_settle_lists_what_waits_and_ends_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    run("remember", "The API listens on port 80")
    said = run("remember", "The API listens on port 8080")
    assert "It contradicts" in said.err and "`recollect settle`" in said.err
    (pair,) = run("settle", "--json").json["conflicts"]
    newer, older = pair["newer"]["id"], pair["older"]["id"]
    assert f"newer {newer[:13]}  The API listens on port 8080\nolder {older[:13]}" in run("settle").out
    assert run("settle", newer).code == 2
    assert f"Superseded: {older[:13]}" in run("settle", newer, older).out
    assert "Nothing waits" in run("settle").out
    run("undo")
    both = run("settle", newer, older, "--both", "--json").json
    assert (len(both["kept"]), both["dropped"]) == (2, None)


def test_the_story_of_a_memory_is_told_in_words(run: Run, tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 1, 1, 9, 0, tzinfo=UTC))
    with opened(clock) as memory:
        name = remembered(memory, "Jellyfin takes 60s to start", kind="timing", session="s1")
        clock.pass_(days=10)
        memory.remember("Jellyfin takes 60s to start", kind="timing", session="s2")
        for days in (0, 30, 30, 13):
            clock.pass_(days=days)
            memory.upkeep.run()
        memory.upkeep.revive(name)
        memory.upkeep.judge(name, useful=True, why="it saved an hour")
        memory.edit(name, stale_at="2026-05-01")
        memory.undo(name)
    lines = run("history", name).out.splitlines()
    assert lines[0] == "2026-01-01 09:00  remembered by user: state active; confidence 0.70"
    assert lines[1].startswith("2026-01-11 09:00  said again by user: confidence 0.70 → 0.80; sessions +s2")
    assert "(said again in session s2)" in lines[1]
    assert lines[2].startswith(
        "2026-03-12 09:00  aged by recollect: confidence 0.80 → 0.40  (60 days since 2026-01-11."
    )
    assert "aged by recollect: state active → inactive; confidence 0.40 → 0.20" in lines[3]
    assert "revived by user: state inactive → active; confidence 0.20 → 0.30" in lines[4]
    assert "found useful by user: useful 0 → 1  (it saved an hour)" in lines[5]
    assert "edited by user: stale since 2026-05-01T00:00:00Z" in lines[6] and lines[6].endswith("[undone]")
    assert "undone by user: stale since 2026-05-01T00:00:00Z → none" in lines[7]
    assert len(lines) == 8


def test_a_change_is_told_whatever_it_holds() -> None:
    before = {"verified": False, "tags": ["a", "b", "d"], "relations": [], "fields": {}, "work": None}
    after = {
        "verified": True,
        "tags": ["b", "c"],
        "relations": [{"type": "supersedes", "memory_id": an_id(2), "confidence": 1.0}],
        "fields": {"module": "auth"},
        "work": {"methodology": "native", "hierarchy": ["spec", "task"]},
        "citation": "short",
    }
    line = describe_change(a_change(action="strange", before=before, after=after), with_id=False)
    assert "strange by user: verified no → yes; tags -a -d +c; relations +supersedes " in line
    assert "fields {} → module=auth" in line or "fields  → module=auth" in line
    assert "work methodology=native, hierarchy=spec, task" in line
    assert "short" not in line
