"""
What a window costs and keeps: one long task with planted facts, under four ways of managing it.

The outputs are real: files of Python's standard library, listings of it and searches in it, as an agent's tools would
give them. Facts are planted in them. At the end each fact is asked for: it stands in the window, or a reader who knows
only its name looks it up behind the handles that the window names.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.timing import Times
from recollect.conversation import OverflowStore, Window, WindowSettings, repair
from recollect.conversation.masking import mask_text
from recollect.conversation.message_shape import Message, estimate_message
from recollect.conversation.shapes import SHAPES
from recollect.errors import RecollectError
from recollect.model.value import asdict, dataclass
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

CALLS = 60
FACTS = 200
TASK = (
    "Read through the standard library and write docs/survey.md: every module, what it is for, and which port each"
    " service uses. Never write outside docs/. Answer in short sentences."
)
_SHAPE = SHAPES["anthropic"]
_SETTINGS = WindowSettings()
_HANDLE = re.compile(r"\b[oc]\d+\b")
_MAX_READS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedFact:
    """Something that is said once, somewhere in an output."""

    name: str
    value: str

    @property
    def line(self) -> str:
        """The line that is planted."""
        return f"# {self.name} listens on port {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFigures:
    """What one way of managing the window came to."""

    name: str
    tokens_mean: int
    tokens_peak: int
    tokens_sent: int
    cache_breaks: int
    # Tokens that stood in the cache and had to be written again.
    tokens_again: int
    # All calls in plain input tokens, with the provider's prices for its cache.
    cost: int
    in_window: int
    by_handle: int
    facts: int
    reads: int
    task_verbatim: bool

    @property
    def answerable(self) -> float:
        """The share of facts that can be had."""
        return (self.in_window + self.by_handle) / self.facts


def run(
    calls: int = CALLS, facts: int = FACTS, seed: int = 7, *, critical: bool = False
) -> list[WindowFigures]:
    """The same task under every way; with critical tools nothing is masked or moved, and summaries must carry it."""
    history, planted = make_task(calls, facts, random.Random(seed), critical=critical)
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        store = OverflowStore(Path(folder) / "overflow")
        window = Window(_SETTINGS, overflow=store)

        def ours(messages: Sequence[Message]) -> list[Message]:
            view = window.prepare(messages)
            # The provider would report what it counted; here its count is the estimate of what was sent.
            window.note_usage(sum(map(_tokens, view.messages)))
            return view.messages

        ways: list[tuple[str, Callable[[Sequence[Message]], list[Message]], OverflowStore | None]] = [
            ("no management", list, None),
            ("last 40 messages", _last_forty, None),
            ("plain masking", _PlainMasking(), None),
            ("recollect window", ours, store),
        ]
        return [_measure(name, way, history, planted, used) for name, way, used in ways]


def make_task(
    calls: int, facts: int, chance: random.Random, *, critical: bool = False
) -> tuple[list[dict[str, Any]], list[PlantedFact]]:
    """A task of so many calls over real outputs, and the facts that stand in them."""
    outputs = [made for made, _ in zip(_real_outputs(chance), range(calls), strict=False)]
    if critical:
        outputs = [("browser_fetch", given, text[:7_500]) for _, given, text in outputs]
    planted = [
        PlantedFact(name=f"service-{number:03d}", value=str(chance.randrange(10_000, 65_000)))
        for number in range(facts)
    ]
    lines = [text.splitlines() for _, _, text in outputs]
    # The last calls stay in every window; a fact there would show nothing.
    for number, fact in enumerate(planted):
        target = lines[number % max(1, calls - 8)]
        target.insert(chance.randrange(len(target) + 1), fact.line)
    messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]
    for number, ((tool, given, _), text) in enumerate(zip(outputs, lines, strict=True)):
        use = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": given}
        says = {"type": "text", "text": f"Next I look at {next(iter(given.values()))}."}
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": "\n".join(text)}
        messages += [{"role": "assistant", "content": [says, use]}, {"role": "user", "content": [result]}]
    return messages, planted


def measure_overhead(messages: int = 1_000, runs: int = 200) -> dict[str, float]:
    """CPU and wall time of one `prepare` when the history has about so many messages; new files are written too."""
    calls = messages // 2 + runs
    history, _ = make_task(calls, 0, random.Random(3))
    settings = WindowSettings(summarise_above_tokens=10**8, fallback_above_tokens=10**8)
    times = Times()
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        window = Window(settings, overflow=OverflowStore(folder))
        for call in range(1, calls):
            end = 2 * call + 1
            if end < messages - runs:
                window.prepare(history[:end])
            elif end <= messages + runs:
                times.take(lambda end=end: window.prepare(history[:end]))  # type: ignore[misc]
    return {name: round(value, 3) for name, value in times.figures("prepare").items()}


class _PlainMasking:
    """Every output more than fifteen messages old is masked at every call, and nothing is kept elsewhere."""

    def __init__(self) -> None:
        self._masked: dict[int, Message] = {}

    def __call__(self, messages: Sequence[Message]) -> list[Message]:
        border = len(messages) - _SETTINGS.stale_after_messages
        return [self._mask(message) if index < border else message for index, message in enumerate(messages)]

    def _mask(self, message: Message) -> Message:
        if id(message) not in self._masked:
            results = _SHAPE.parse(message).results
            texts = {
                part.position: mask_text(
                    part.text, tool="tool", handle="", size=len(part.text), characters=150, is_error=False
                )
                for part in results
            }
            self._masked[id(message)] = _SHAPE.replace_results(message, texts) if texts else message
        return self._masked[id(message)]


def _last_forty(messages: Sequence[Message]) -> list[Message]:
    """The last forty messages, made sound so that a provider would take them."""
    return repair(messages[-40:], _SHAPE)[0]


def _measure(
    name: str,
    way: Callable[[Sequence[Message]], list[Message]],
    history: Sequence[Message],
    planted: Sequence[PlantedFact],
    store: OverflowStore | None,
) -> WindowFigures:
    sent: list[int] = []
    breaks = again = 0
    cost = 0.0
    last: list[Message] = []
    view: list[Message] = []
    for end in range(1, len(history) + 1, 2):
        view = way(history[:end])
        tokens = [_tokens(message) for message in view]
        same = _count_same(last, view)
        cached = sum(tokens[:same])
        # The last message is where an anchor stood: its going is no break of what was cached.
        if same < len(last) - 1:
            breaks += 1
            again += sum(map(_tokens, last[same:]))
        sent.append(sum(tokens))
        cost += _SETTINGS.cache_read_price * cached + _SETTINGS.cache_write_price * (sum(tokens) - cached)
        last = view
    in_window, by_handle, reads = _ask(planted, view, store)
    return WindowFigures(
        name=name,
        tokens_mean=round(statistics.mean(sent)),
        tokens_peak=max(sent),
        tokens_sent=sum(sent),
        cache_breaks=breaks,
        tokens_again=again,
        cost=round(cost),
        in_window=in_window,
        by_handle=by_handle,
        facts=len(planted),
        reads=reads,
        task_verbatim=any(message == history[0] for message in view),
    )


def _ask(
    planted: Sequence[PlantedFact], view: Sequence[Message], store: OverflowStore | None
) -> tuple[int, int, int]:
    """How many facts stand in the window, how many behind a handle that it names, and how many reads that took."""
    text = json.dumps(view, ensure_ascii=False)
    handles = list(dict.fromkeys(_HANDLE.findall(text))) if store is not None else []
    # Whole stretches of the conversation first: one look there saves many at single outputs.
    handles.sort(key=lambda handle: handle[0] != "c")
    in_window = by_handle = reads = 0
    for fact in planted:
        if fact.line in text:
            in_window += 1
            continue
        for handle in handles[:_MAX_READS]:
            reads += 1
            if store is not None and _holds(store, handle, fact):
                by_handle += 1
                break
    return in_window, by_handle, reads


def _holds(store: OverflowStore, handle: str, fact: PlantedFact) -> bool:
    """Whether a reader who knows only the name finds the value there."""
    try:
        return f"port {fact.value}" in store.read(handle, pattern=fact.name).text
    except RecollectError:
        return False


def _tokens(message: Message) -> int:
    return estimate_message(_SHAPE.parse(message), _SETTINGS.image_tokens)


def _count_same(last: Sequence[Message], view: Sequence[Message]) -> int:
    count = 0
    for before, now in zip(last, view, strict=False):
        if before is not now and before != now:
            break
        count += 1
    return count


def _real_outputs(chance: random.Random) -> Iterator[tuple[str, dict[str, str], str]]:
    """Outputs of tools over the standard library: tool, arguments, text; for ever."""
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in root.glob("*.py") if path.stat().st_size > 1_000)
    chance.shuffle(files)
    number = 0
    while True:
        path = files[number % len(files)]
        text = path.read_text(encoding="utf-8", errors="replace")
        match number % 4:
            case 0:
                start = chance.randrange(max(1, len(text) - 1_500))
                yield "read_file", {"path": path.name}, text[start : start + 1_500]
            case 1:
                yield "read_file", {"path": path.name}, text[:30_000]
            case 2:
                lines = [
                    f"{path.name}:{n}: {line}"
                    for n, line in enumerate(text.splitlines(), 1)
                    if "def " in line
                ]
                yield "search_files", {"pattern": f"def in {path.name}"}, "\n".join(lines) or "none"
            case _:
                shown = (f"{one.stat().st_size:>9} {one.name}" for one in files[number : number + 40])
                yield "run_shell_command", {"command": f"ls -l {number}"}, "\n".join(shown) or "empty"
        number += 1


@click.command("window")
@click.option(
    "--calls", type=click.IntRange(1), default=CALLS, show_default=True, help="Tool calls of the task."
)
@click.option(
    "--facts", type=click.IntRange(1), default=FACTS, show_default=True, help="Facts that are planted."
)
@click.option("--seed", type=int, default=7, show_default=True, help="What chance begins with.")
@click.option("--critical", is_flag=True, help="Outputs of tools that are never compressed for their age.")
@common
def window_(calls: int, facts: int, seed: int, critical: bool) -> None:
    """What a long task costs and keeps under four ways of managing the window, with planted facts.

    \b
    python -m benchmarks window
    python -m benchmarks window --critical --json
    """
    figures = run(calls, facts, seed, critical=critical)
    overhead = measure_overhead()
    if output.is_json():
        ways = [{**asdict(way), "answerable": round(way.answerable, 4)} for way in figures]
        output.print_json({"benchmark": "window", "ways": ways, "overhead": overhead})
        return
    output.print_table(_HEADINGS, [_row(way) for way in figures])
    times = ", ".join(f"{name} {value}" for name, value in overhead.items())
    output.print_line(f"One call at 1,000 messages: {times}")


_HEADINGS = (
    "",
    "tokens/call",
    "peak",
    "sent",
    "breaks",
    "again",
    "cost",
    "facts",
    "window",
    "handle",
    "reads",
    "task",
)


def _row(way: WindowFigures) -> tuple[str, ...]:
    sizes = (way.tokens_mean, way.tokens_peak, way.tokens_sent, way.cache_breaks, way.tokens_again, way.cost)
    facts = (f"{way.answerable:.1%}", str(way.in_window), str(way.by_handle), str(way.reads))
    return (way.name, *(f"{size:,}" for size in sizes), *facts, "verbatim" if way.task_verbatim else "LOST")
