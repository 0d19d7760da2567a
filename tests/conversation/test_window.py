"""What a window does to a long conversation, and what it never does."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.conversation import OverflowStore, Window, WindowSettings
from recollect.conversation.anchor import ANCHOR_MARK, SUMMARY_MARK
from recollect.conversation.shapes import SHAPES
from recollect.errors import BadInput, BadSetting, NotFound
from recollect.model.window_settings import parse_window_settings
from tests.conftest import NOON, Clock
from tests.conversation.histories import TASK, Messages, a_history, a_step, text_of

SHAPE_NAMES = list(SHAPES)


@pytest.fixture
def store(tmp_path: Path) -> OverflowStore:
    return OverflowStore(tmp_path / "overflow")


def run(window: Window, messages: Messages) -> list[Any]:
    """A view for every point at which the model would be called."""
    ends = [n for n in range(1, len(messages) + 1) if messages[n - 1]["role"] != "assistant"]
    return [window.prepare(messages[:end]) for end in ends]


# -- anchor -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPE_NAMES)
def test_the_anchor_comes_with_the_fifth_call_and_there_is_one(shape: str) -> None:
    views = run(Window(shape=shape), a_history(shape, 12))
    assert [text_of(view.messages).count(ANCHOR_MARK) for view in views] == [0] * 5 + [1] * 8
    assert "You have made 12 tool calls" in text_of(views[-1].messages[-1])
    assert "Build a REST API" in views[-1].report.anchor


@pytest.mark.parametrize("shape", SHAPE_NAMES)
def test_the_anchor_follows_the_latest_request_and_no_noise(shape: str) -> None:
    messages = a_history(shape, 3)
    messages += [{"role": "user", "content": "Now write the tests."}, *a_history(shape, 5)[1:]]
    messages += [
        {"role": "user", "content": "continue"},
        {"role": "user", "content": "<system-reminder>be quick</system-reminder>"},
    ]
    assert "Now write the tests." in run(Window(shape=shape), messages)[-1].report.anchor


@pytest.mark.parametrize("shape", SHAPE_NAMES)
def test_what_was_sent_stays_the_beginning_of_what_is_sent_next(shape: str, store: OverflowStore) -> None:
    """The anchor is outside of it: it stands at the end, behind all that a cache may hold."""
    last: list[Any] = []
    for view in run(Window(shape=shape, overflow=store), a_history(shape, 60, size=1500)):
        body = view.messages[: view.stable]
        if view.report.cache_break is None:
            assert [*map(text_of, body)][: len(last)][:-1] == [*map(text_of, last)][:-1]
        last = view.messages[: view.stable]


# -- stale outputs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPE_NAMES)
def test_old_outputs_are_compressed_in_batches_and_can_be_had_back(shape: str, store: OverflowStore) -> None:
    views = run(Window(shape=shape, overflow=store), a_history(shape, 40, size=1500))
    breaks = [view.report.cache_break for view in views if view.report.cache_break]
    masked = [edit for view in views for edit in view.report.edits if edit.action == "masked"]
    assert masked
    assert len(breaks) <= len(masked) // 4, "one break for many edits"
    assert all(found.tokens_again > 0 and found.cost > 0 for found in breaks)
    first = masked[0]
    assert first.tool == "read_file"
    assert first.characters_after < 400
    assert store.text(first.handle).startswith("line 0 of the output")
    recent = text_of(views[-1].messages[-15:])
    assert "Stale output" not in recent


@pytest.mark.parametrize("tool", ["browser_visit", "db_query", "analyze_image", "desktop_screenshot"])
def test_outputs_of_critical_tools_are_not_compressed_for_their_age(tool: str, store: OverflowStore) -> None:
    views = run(Window(overflow=store), a_history("anthropic", 40, size=1500, tool=tool))
    assert [edit for view in views for edit in view.report.edits] == []


def test_which_tools_are_critical_is_a_setting(store: OverflowStore) -> None:
    settings = WindowSettings(critical_tools=("read_*",), overflow_keep_files=5)
    views = run(Window(settings, overflow=store), a_history("anthropic", 40, size=1500))
    assert [edit for view in views for edit in view.report.edits] == []


def test_without_a_store_old_outputs_say_to_call_the_tool_again() -> None:
    views = run(Window(), a_history("anthropic", 40, size=1500))
    assert "call read_file again if you need it" in text_of(views[-1].messages)


def test_images_go_after_five_iterations() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    messages: Messages = [{"role": "user", "content": "Look at the page."}]
    for number in range(9):
        messages += a_step("anthropic", number, "seen", tool="take_picture")
        messages[-1]["content"][0]["content"] = [{"type": "text", "text": "seen"}, image]
    view = run(Window(WindowSettings(edit_at_least_tokens=0)), messages)[-1]
    assert text_of(view.messages).count('"image"') == 5


# -- overflow -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPE_NAMES)
def test_a_long_output_goes_to_a_file_with_a_preview(shape: str, store: OverflowStore) -> None:
    output = "".join(f"row {number}\n" for number in range(5000))
    view = Window(shape=shape, overflow=store).prepare([*a_history(shape, 1), *a_step(shape, 9, output)])
    (edit,) = view.report.edits
    assert edit.action == "overflowed"
    assert len(text_of(view.messages[-1])) < 900
    assert "row 4999" in text_of(view.messages), "the end is shown too"
    assert store.text(edit.handle) == output
    page = store.read(edit.handle, offset=10, limit=20)
    assert (page.text, page.next_offset, page.characters) == (output[10:30], 30, len(output))
    hits = store.read(edit.handle, pattern="ROW 4321")
    assert "row 4321" in hits.text
    assert hits.matches == 1


def test_a_critical_tool_may_say_more(store: OverflowStore) -> None:
    short, long = "x " * 3500, "x " * 4500
    for output, edits in ((short, 0), (long, 1)):
        messages = [*a_history("openai", 1), *a_step("openai", 9, output, tool="browser_fetch")]
        assert len(Window(overflow=store).prepare(messages).report.edits) == edits


@pytest.mark.parametrize(
    "handle", ["../secret", "o1/../../x", "", "o999", "/etc/passwd", "c:\\x", "O1", "o1\n"]
)
def test_a_handle_cannot_leave_the_folder(handle: str, store: OverflowStore, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("no", "utf-8")
    store.put("yes", tool="../../../etc/x", now=NOON)
    assert [path.parent for path in tmp_path.rglob("overflow_*")] == [store.folder]
    with pytest.raises(NotFound):
        store.read(handle)


def test_old_overflow_files_go_and_named_ones_stay(store: OverflowStore) -> None:
    for day in range(20):
        store.put(f"day {day}", tool="t", now=NOON + timedelta(days=day))
    now = NOON + timedelta(days=20)
    assert store.prune(now=now, keep_files=100, keep_days=14, keep=["o1"]) == 5
    assert store.handles()[:2] == ["o1", "o7"]
    store.prune(now=now, keep_files=4, keep_days=14)
    assert len(store.handles()) == 4
    assert OverflowStore(store.folder).put("more", tool="t", now=now) == "o21", "a name is not used twice"


def test_an_offset_below_zero_is_refused(store: OverflowStore) -> None:
    handle = store.put("x", tool="t", now=NOON)
    with pytest.raises(BadInput):
        store.read(handle, offset=-1)


# -- summaries ----------------------------------------------------------------------------------------------

SMALL = WindowSettings(summarise_above_tokens=4_000, fallback_above_tokens=12_000)


@pytest.mark.parametrize("shape", SHAPE_NAMES)
def test_above_the_limit_old_messages_are_summarised_and_the_task_stays_verbatim(
    shape: str, store: OverflowStore
) -> None:
    history = a_history(shape, 80, size=1500)
    rule = {"role": "system", "content": "Rules: reply in German."}
    messages = [rule, *history] if shape == "openai" else history
    views = run(Window(SMALL, shape=shape, overflow=store), messages)
    assert max(view.report.tokens_after for view in views) <= 4_400
    last = views[-1]
    assert messages[0] in last.messages
    assert {"role": "user", "content": TASK} in last.messages
    assert text_of(last.messages).count(SUMMARY_MARK) == 1
    compactions = [one for view in views for one in view.report.compactions]
    assert all(one.tokens_after < one.tokens_before for one in compactions)
    text = "".join(store.text(one.handle) for one in compactions)
    assert "line 0 of the output" in text
    assert "src/part_0.py" in text


def test_a_pinned_message_survives_every_edit_verbatim(store: OverflowStore) -> None:
    history = a_history("anthropic", 80, size=2500)
    pinned = history[4]
    window = Window(SMALL, overflow=store)
    window.pin(pinned)
    last = run(window, history)[-1]
    assert any(message is pinned for message in last.messages)
    assert history[3] in last.messages, "its call stays with it"


def test_a_pinned_message_is_known_again_when_it_was_copied(store: OverflowStore) -> None:
    history = a_history("openai", 80, size=2500)
    window = Window(SMALL, overflow=store)
    window.pin(dict(history[3]))
    assert history[3] in run(window, history)[-1].messages


def test_a_summary_tells_decisions_files_errors_and_what_is_open(store: OverflowStore) -> None:
    messages: Messages = [{"role": "user", "content": "Make the login work."}]
    messages += a_step(
        "anthropic", 1, "KeyError: 'token'", tool="bash", says="We should use JWT because it has no state."
    )
    messages[-2]["content"][1]["input"] = {"command": "pytest -q"}
    messages[-1]["content"][0]["is_error"] = True
    messages += a_step("anthropic", 2, "1 passed", tool="bash", says="Next: the logout still needs a test.")
    messages[-2]["content"][1]["input"] = {"command": "pytest -q"}
    messages += a_step("anthropic", 3, "ok", tool="edit_file")
    messages += a_history("anthropic", 30, size=1500)[1:]
    window = Window(SMALL, overflow=store)
    summary = next(one.text for view in run(window, messages) for one in view.report.compactions)
    assert "use JWT because it has no state" in summary
    assert "KeyError: 'token' (it passed later)" in summary
    assert "src/part_3.py" in summary
    assert "the logout still needs a test" in summary


class Writer:
    """A model that remembers what it was given."""

    name = "test/writer"

    def __init__(self, answer: str | Exception = "It went well.") -> None:
        self.prompts: list[str] = []
        self._answer = answer

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str:
        self.prompts.append(prompt)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def test_a_writing_model_never_gets_more_than_it_can_hold(store: OverflowStore) -> None:
    writer = Writer()
    settings = WindowSettings(
        summarise_above_tokens=20_000, fallback_above_tokens=60_000, summariser_tokens=3_000
    )
    window = Window(settings, overflow=store, writer=writer)
    views = run(window, a_history("anthropic", 150, size=1900, tool="db_query"))
    assert "It went well." in text_of(views[-1].messages)
    assert max(map(len, writer.prompts)) < 3_000 * 4
    assert {one.written_by for view in views for one in view.report.compactions} == {"test/writer"}


def test_when_the_writing_model_fails_the_summary_is_extracted(store: OverflowStore) -> None:
    window = Window(SMALL, overflow=store, writer=Writer(BadInput(reason="no")))
    compactions = [
        one for view in run(window, a_history("anthropic", 40, size=1500)) for one in view.report.compactions
    ]
    assert {one.written_by for one in compactions} == {"extractive"}
    assert all("model failed" in one.notes[0] for one in compactions)


def test_a_compaction_that_would_not_shrink_is_not_made() -> None:
    """One huge pinned message keeps the window over its limit: there is nothing to take out."""
    settings = WindowSettings(summarise_above_tokens=2_000, fallback_above_tokens=50_000)
    messages = a_history("anthropic", 12, size=100, task="Sort these: " + "x " * 20_000)
    views = run(Window(settings), messages)
    assert sum(len(view.report.compactions) for view in views) <= 1


@pytest.mark.parametrize("shape", SHAPE_NAMES)
@pytest.mark.parametrize("where", ["task", "argument", "result", "answer"])
def test_no_message_alone_keeps_the_window_over_its_limit(
    shape: str, where: str, store: OverflowStore
) -> None:
    huge = "a long line of text\n" * 40_000
    messages = a_history(shape, 3, task=huge if where == "task" else TASK)
    step = a_step(
        shape, 9, huge if where == "result" else "ok", tool="db_query", says=huge if where == "answer" else ""
    )
    if where == "argument" and shape == "anthropic":
        step[0]["content"][1]["input"] = {"path": "x", "content": huge}
    elif where == "argument":
        step[0]["tool_calls"][0]["function"]["arguments"] = (
            '{"content": "' + "a long line of text " * 40_000 + '"}'
        )
    view = Window(shape=shape, overflow=store).prepare([*messages, *step])
    assert view.report.tokens_after <= 120_000
    handles = [edit.handle for edit in view.report.edits]
    assert any("a long line of text" in store.text(handle) for handle in handles)


# -- counting -----------------------------------------------------------------------------------------------


def test_counts_stand_on_what_the_provider_reported() -> None:
    window = Window()
    history = a_history("anthropic", 4)
    guess = window.prepare(history[:3]).report
    assert not guess.is_anchored
    window.note_usage(10_000)
    report = window.prepare(history[:5]).report
    assert report.is_anchored
    assert 10_000 < report.tokens_after < 10_000 + 4 * guess.tokens_after


def test_usage_far_above_the_estimate_brings_the_summary_forward(store: OverflowStore) -> None:
    window = Window(overflow=store)
    history = a_history("anthropic", 40)
    window.prepare(history[:-2])
    window.note_usage(60_000)
    assert window.prepare(history).report.compactions


# -- settings, imports --------------------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_design() -> None:
    settings = WindowSettings()
    assert (settings.anchor_every_calls, settings.stale_after_messages, settings.stale_characters) == (
        5,
        15,
        150,
    )
    assert (settings.overflow_characters, settings.preview_characters) == (2_000, 400)
    assert (settings.critical_overflow_characters, settings.critical_preview_characters) == (8_000, 4_000)
    assert (settings.summarise_above_tokens, settings.summarise_keep_messages) == (40_000, 15)
    assert (
        settings.fallback_above_tokens,
        settings.fallback_keep_least,
        settings.fallback_keep_messages,
    ) == (120_000, 10, 20)


@pytest.mark.parametrize(
    "table",
    [{"anchor": 3}, {"stale_characters": 0}, {"stale_characters": "150"}, {"fallback_above_tokens": 10}],
)
def test_a_setting_that_cannot_be_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        parse_window_settings(table)


def test_settings_come_from_a_table() -> None:
    assert parse_window_settings({"critical_tools": ["ask_*"]}).critical_tools == ("ask_*",)


def test_the_window_loads_no_http_and_no_database() -> None:
    code = (
        "import sys, recollect.conversation\n"
        "bad = {'httpx', 'http', 'http.client', 'urllib.request', 'socket', 'ssl', 'apsw', 'numpy', 'asyncio'}\n"
        "print(sorted(bad & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_history_that_was_changed_is_read_anew(store: OverflowStore) -> None:
    window = Window(SMALL, overflow=store)
    run(window, a_history("anthropic", 40, size=1500))
    other = a_history("anthropic", 2, task="Something else.")
    view = window.prepare(other)
    assert SUMMARY_MARK not in text_of(view.messages)
    assert view.messages == other


def test_old_overflow_files_go_at_a_compaction_and_none_that_the_window_names(
    store: OverflowStore, clock: Clock
) -> None:
    for number in range(30):
        store.put(f"from another time {number}", tool="t", now=NOON - timedelta(days=40))
    window = Window(SMALL, overflow=store, clock=clock)
    views = run(window, a_history("anthropic", 60, size=2500))
    assert any(view.report.compactions for view in views)
    assert not any(store.text(handle).startswith("from another time") for handle in store.handles())
    named = set(re.findall(r'handle="?(\w+)', text_of(views[-1].messages)))
    assert {handle for handle in named if handle != "…"} <= set(store.handles())
