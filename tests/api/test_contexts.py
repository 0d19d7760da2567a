"""A context from a real store: who is asked for what, in which phase, for which work."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.api.contexts import Context
from recollect.config import load_settings, user_file
from recollect.errors import BadInput, BadSetting, NotFound
from recollect.model.event import EventType, ToolAction
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    return folder


@pytest.fixture
def shop(tmp_path: Path, project: Path, clock: Clock) -> Iterator[Recollect]:
    with Recollect(tmp_path / "m.db", folder=project, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def texts(memory: Recollect, context: Context) -> dict[str, list[str]]:
    return {
        slot.name: [memory.show(one.memory_id).text for one in slot.said]
        for slot in context.slots
        if slot.said
    }


def test_recipes_come_when_planning_and_not_for_a_trivial_task(shop: Recollect) -> None:
    shop.remember(
        "To add a payment provider: register it, then map its errors",
        kind="workflow_recipe",
        fields={"task_pattern": "add payment provider"},
    )
    task = "add the payment provider Stripe"
    planned = shop.context(task, phase="define")
    assert planned.layout == "planning"
    assert list(texts(shop, planned)) == ["recipes"]
    trivial = shop.context(task, phase="define", complexity="trivial")
    assert trivial.text == ""
    assert {slot.name: slot.why for slot in trivial.slots}["recipes"] == "not for trivial work"


def test_work_is_resumed_by_branch_and_by_unit(shop: Recollect) -> None:
    shop.remember(
        "Open work on branch main. Done: the parser. In progress: src/pay.py. Decided: no retries.",
        kind="work_state",
        fields={"branch": "main"},
    )
    shop.remember("Open work on another branch.", kind="work_state", fields={"branch": "other"})
    shop.remember("Open work on a spec.", kind="work_state", work="native:spec_042")
    (here,) = texts(shop, shop.context("go on", layout="brief"))["work"]
    assert "In progress: src/pay.py" in here
    named = shop.context("go on", layout="brief", work="native:spec_042")
    assert "Open work on a spec." in texts(shop, named)["work"]


def test_what_is_known_of_an_application_the_task_names(shop: Recollect) -> None:
    shop.remember("Cmd+L focuses the address bar", kind="behavior", about=["app:chrome"])
    shop.remember("Opens on the last sheet", kind="behavior", about=["app:excel"])
    context = shop.context("open the invoice in Chrome", layout="desktop")
    assert texts(shop, context)["apps"] == ["Cmd+L focuses the address bar"]


def test_files_are_put_there_while_implementing_only_from_inside_the_project(
    shop: Recollect, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.py").write_text("outside = 1\n")
    (project / "src" / "pay.py").write_text("def pay(): ...\n" * 400)
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"
    (project / "src" / "key.py").write_text(f'access = "{token}"\n')
    (project / "src" / "link.py").symlink_to(tmp_path / "secret.py")
    named = ["src/pay.py", "src/gone.py", "../secret.py", "src/link.py", "src/key.py"]
    shop.remember(
        "Work on payment retries reads src/pay.py first",
        kind="prefetch_pattern",
        confidence=0.8,
        fields={"always_read": named},
    )
    task = "Work on payment retries and read what is first"
    context = shop.context(task, phase="implement")
    assert [file.path for file in context.files] == ["src/pay.py", "src/key.py"]
    assert len(context.files[0].text) == 3_000
    assert context.files[0].characters == 6_000
    assert "outside = 1" not in context.text
    assert token not in context.text
    assert shop.context(task, phase="implement", files=False).files == ()
    assert shop.context(task, layout="implement", phase="refine").files == ()


def test_what_was_told_is_not_told_again(shop: Recollect) -> None:
    made = shop.remember("Retries are capped at three", kind="decision")
    context = shop.context("are retries capped at three")
    (said,) = [one for slot in context.slots for one in slot.said]
    assert said.memory_id == made.memory.id
    assert shop.context("are retries capped at three", known_ids=[said.memory_id]).text == ""


def test_a_layout_from_the_settings_file(tmp_path: Path, project: Path) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text(
        '[layouts.review]\ntokens = 300\n[[layouts.review.slots]]\nname = "rules"\nsource = "kinds"\n'
        'kinds = ["decision"]\nmost = 2\ntokens = 200\nbar = 0.5\n'
    )
    with Recollect(
        tmp_path / "m.db", folder=project, embedder=HashEmbedder(), settings=load_settings()
    ) as memory:
        memory.remember("Prices are whole cents", kind="decision")
        assert texts(memory, memory.context("", layout="review")) == {"rules": ["Prices are whole cents"]}
        assert memory.contexts.layouts()[-1].name == "review"


def test_layouts_must_be_tables_and_a_clone_cannot_change_the_users_own(project: Path) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text("[layouts.review]\ntokens = 300\n")
    (project / ".recollect").mkdir()
    (project / ".recollect" / "config.toml").write_text("[layouts.review]\ntokens = 1\n")
    assert load_settings(project).layouts["review"][0] == {"tokens": 300}
    user_file().write_text("layouts = 3\n")
    with pytest.raises(BadSetting, match=r"layouts cannot be 3 .*\[layouts.review\]"):
        load_settings()


def test_what_cannot_be_is_said(shop: Recollect) -> None:
    with pytest.raises(BadInput, match="a budget is 1 to"):
        shop.context("x", budget=0)
    with pytest.raises(BadInput, match="not 'huge'"):
        shop.context("x", complexity="huge")
    with pytest.raises(NotFound, match="no phase 'blue'"):
        shop.context("x", phase="blue")


def worked_on(shop: Recollect, project: Path, clock: Clock) -> None:
    """Sessions that each read a part of their own; the last one was about retries."""
    for number in range(12):
        path = "src/retry.py" if number == 11 else f"src/part_{number}.py"
        (project / path).write_text("x\n")
        clock.at += timedelta(hours=1)
        shop.observer.record(
            EventType.TOOL_FINISHED,
            session=f"s{number}",
            call_id=f"c{number}",
            tool="Read",
            action=ToolAction.READ,
            files=(path,),
            ok=True,
            data={"words": "attempts:9 breaker:5" if number == 11 else "basket:9"},
        )
        shop.observer.record(EventType.SESSION_ENDED, session=f"s{number}")
    shop.observer.learn_due()


def test_a_context_names_the_files_that_hooks_would_name_and_what_is_known_of_them(
    shop: Recollect, project: Path, clock: Clock
) -> None:
    worked_on(shop, project, clock)
    shop.remember("The breaker stays open for a minute", kind="gotcha", about=["src/retry.py"])
    context = shop.context("the breaker of retry.py gives up after three attempts")
    said = {slot.name: [one.memory_id for one in slot.said] for slot in context.slots}
    assert said["at hand"] == ["file:src/retry.py"]
    assert len(said["said"] + said["relevant"] + said["about files"]) == 1
    assert "[↗ file src/retry.py]" in context.text
    assert context.tokens == sum(slot.tokens for slot in context.slots) + context.borders
    again = shop.context("the breaker of src/retry.py gives up", known_ids=["file:src/retry.py"])
    assert "↗ file" not in again.text
    (project / "src/retry.py").unlink()
    assert "↗ file" not in shop.context("the breaker of retry.py gives up after three attempts").text


def test_a_layout_of_ones_own_can_name_files_and_what_is_about_them_in_sections(
    tmp_path: Path, project: Path, shop: Recollect, clock: Clock
) -> None:
    worked_on(shop, project, clock)
    user_file().parent.mkdir(parents=True)
    user_file().write_text(
        '[layouts.ahead]\ntokens = 400\nform = "sections"\n[[layouts.ahead.slots]]\nname = "open these"\n'
        'source = "foreseen"\nmost = 1\ntokens = 200\nbar = 0.0\n[[layouts.ahead.slots]]\nname = "beware"\n'
        'source = "about"\nmost = 1\ntokens = 200\nbar = 0.2\n'
    )
    shop.remember("Closed on Sundays", kind="gotcha", about=["src/retry.py"])
    shop.remember("Closed on Mondays", kind="gotcha", about=["src/part_1.py"])
    with Recollect(
        tmp_path / "m.db", folder=project, embedder=HashEmbedder(), settings=load_settings()
    ) as memory:
        context = memory.context("the breaker gives up after three attempts", layout="ahead")
        assert [one.memory_id for one in context.slots[0].said] == ["file:src/retry.py"]
        assert [memory.show(one.memory_id).text for one in context.slots[1].said] == ["Closed on Sundays"]
    assert "open these" in context.text
