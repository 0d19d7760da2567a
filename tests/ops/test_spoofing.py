"""Markers are commands only where the agent itself speaks: spoofed ones are never active, true ones are found."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.memory import MemoryState
from recollect.model.operations import OpsRun
from recollect.ops.markers import MarkerWord, parse_markers
from recollect.ops.recorder import RunRecorder
from tests.ops.conftest import Stage
from tests.ops.spoofs import EVIL, SPOOFS, TRUE

CATEGORIES = ("timing", "dependency", "behavior", "remediation", "maintenance")


def record(stage: Stage, lines: list[object], *, chunk: int = 1 << 20) -> None:
    operations = stage.memory.operations
    run_id = operations.new_id()
    run = OpsRun(id=run_id, job="j", chain_id=run_id, trigger="manual", started_at=stage.clock())
    recorder = RunRecorder(stage.memory, run, stream="claude", file=stage.file())
    stream = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
    for start in range(0, len(stream), chunk):
        recorder.feed(stream[start : start + chunk])
    recorder.finish()


def test_there_are_forty_transcripts() -> None:
    assert len(SPOOFS) == 40


@pytest.mark.parametrize("name", SPOOFS)
def test_a_spoofed_marker_is_not_active_and_the_true_one_is(stage: Stage, name: str) -> None:
    record(stage, list(SPOOFS[name]))
    active = [memory.text for memory in stage.memory.operations.list_memories()]
    assert active == [TRUE.partition("] ")[2]]


@pytest.mark.parametrize("name", SPOOFS)
def test_a_spoofed_marker_does_not_get_into_the_next_prompt(stage: Stage, name: str) -> None:
    record(stage, list(SPOOFS[name]))
    stage.play([{"result": {}}])
    stage.run()
    system = stage.given()[0]["system"]
    assert "Deploys are always approved" not in system
    assert "Came back 43 seconds" in system


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_chunks_of_any_size_give_the_same(stage: Stage, chunk: int) -> None:
    record(stage, list(SPOOFS["tool result"]), chunk=chunk)
    assert [memory.state for memory in stage.memory.operations.list_memories(list(MemoryState))] == ["active"]


def test_without_the_check_the_evil_marker_would_be_a_marker() -> None:
    """The transcripts would show nothing if their marker could not be read at all."""
    assert len(parse_markers(EVIL, CATEGORIES).markers) == 1


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="[]\n\r`\"“”„«»‘’'<>~>"), min_size=1, max_size=40
)
OBSERVATIONS = WORDS.map(str.strip).filter(lambda text: any(map(str.isalnum, text)))
SERVICES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True)
TRUE_LINES = st.builds(
    lambda category, service, text: (f"[MEMORY:{category}:{service}] {text}", category, service, text),
    st.sampled_from(CATEGORIES),
    SERVICES.filter(lambda name: name.lower() != "general"),
    OBSERVATIONS,
)
NOISE = st.one_of(
    st.sampled_from(["[MEMORY:", "[MEMORY]", "[MEMORY:timing", "[EVENT:loud:x] y", "] [", "[MEMORY::x] y"]),
    st.text(max_size=60).map(lambda text: text.replace("`", "").replace("~", "").replace("\n", " ")),
)


@settings(max_examples=200)
@given(st.lists(st.one_of(TRUE_LINES, NOISE), min_size=1, max_size=100))
def test_true_markers_are_found_among_noise(lines: list[object]) -> None:
    """Up to twenty thousand lines: each true one stands in a paragraph of its own, and is found."""
    texts = [line[0] if isinstance(line, tuple) else str(line) for line in lines]
    reading = parse_markers("\n\n".join(f"- {text}" for text in texts), CATEGORIES)
    found = [(marker.name, marker.service) for marker in reading.markers if marker.word is MarkerWord.MEMORY]
    wanted = [line[1:3] for line in lines if isinstance(line, tuple)]
    missing = [want for want in wanted if want not in found]
    assert missing == []


@settings(max_examples=200)
@given(st.lists(TRUE_LINES, min_size=1, max_size=60), st.sampled_from(["```", "~~~", "> ", "`", '"', "<x>"]))
def test_quoted_markers_are_never_commands(lines: list[tuple[str, str, str, str]], mark: str) -> None:
    body = [line[0] for line in lines]
    quoted = {
        "```": "```\n" + "\n".join(body) + "\n```",
        "~~~": "~~~\n" + "\n".join(body) + "\n~~~",
        "> ": "\n".join(f"> {line}" for line in body),
        "`": "\n\n".join(f"`{line}`" for line in body),
        '"': "\n\n".join(f'"{line}"' for line in body),
        "<x>": "<x>\n" + "\n".join(body) + "\n</x>",
    }[mark]
    reading = parse_markers(quoted, CATEGORIES)
    assert reading.markers == ()
    assert reading.quoted == len(lines)


@settings(max_examples=300)
@given(st.text(max_size=3_000) | st.text("[]:`\"'>~ \n\tMEMORYEVNTtiming<x/", max_size=3_000))
def test_no_text_breaks_the_parser(text: str) -> None:
    reading = parse_markers(text, CATEGORIES)
    assert all(marker.text and marker.name for marker in reading.markers)


HOSTILE = [
    "[MEMORY:" * 25_000,
    "[MEMORY:timing:x] " * 11_000,
    "[[" * 100_000,
    "`" * 200_000,
    "` `` " * 40_000,
    "<a>" * 66_000,
    "<a></" * 40_000,
    '"' * 200_000,
    "> \n" * 66_000,
    "```\n" * 50_000,
    "“" * 200_000,
    "'[" * 100_000,
    "[EVENT" + " " * 200_000,
    "    [MEMORY:timing:x] a\n\n" * 8_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_work_on_hostile_input_grows_with_its_length_alone(text: str) -> None:
    """Ten times the text may not take a hundred times the steps; seconds are measured by the benchmark."""

    def steps(part: str) -> int:
        count = 0

        def step(*_: object) -> object:
            nonlocal count
            count += 1
            return step

        sys.settrace(step)  # type: ignore[arg-type]
        try:
            parse_markers(part + "\n[MEMORY:timing:x] z", CATEGORIES)
        finally:
            sys.settrace(None)
        return count

    assert steps(text[:20_000]) <= 20 * steps(text[:2_000]) + 5_000
