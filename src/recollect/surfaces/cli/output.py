"""What the command line prints: data on stdout, else on stderr; sentences for people, JSON for programs."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from recollect import config
from recollect.errors import BadInput, RecollectError
from recollect.model.hit import Hit, Recalled
from recollect.model.ids import SHORT_LENGTH
from recollect.model.json_form import memory_to_json, moment_to_json
from recollect.model.memory import Memory, MemoryState, told
from recollect.model.outcome import AlreadyKnown, Intake, Refused, Remembered
from recollect.model.staleness import Swept
from recollect.model.value import replace

SCHEMA = 1
_JSON = "recollect.json"
# Ten characters are the time; three more tell apart what one batch made.
_QUIET_SECONDS = 0.5


def use_json() -> None:
    """This command prints JSON."""
    click.get_current_context().meta[_JSON] = True


def is_json() -> bool:
    """Whether this command prints JSON."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_JSON))


def asks_for_json(given: Sequence[str]) -> bool:
    """Whether a command line asks for JSON, told before it is read: its errors come as asked for too."""
    return "--json" in given[: given.index("--") if "--" in given else len(given)]


def spell_out_what_cannot_be_written() -> None:
    """A name of bytes that are no text, or a terminal without our letters, must not end in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def data(value: Mapping[str, Any]) -> None:
    """One JSON object."""
    click.echo(json.dumps({"schema": SCHEMA, **value}, ensure_ascii=False, default=_json_value))


def json_lines(values: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Many JSON objects, a line each; the first says in which form they are."""
    for number, value in enumerate(values):
        said = {"schema": SCHEMA, **value} if number == 0 else value
        yield json.dumps(said, ensure_ascii=False)


def lines(texts: Iterable[str]) -> None:
    """Many lines, written as they come."""
    for text in texts:
        line(text)


def line(text: str = "") -> None:
    """One line for people."""
    click.echo(text, color=config.wants_colour())


def counted(number: int, what: str) -> str:
    """So many of a thing: 1 memory, 2 memories, 1,200 files."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what[:-1]}ies" if what.endswith("y") else f"{number:,} {what}s"


def note(text: str) -> None:
    """Something said beside the answer."""
    click.echo(text, err=True, color=config.wants_colour())


def ask(question: str) -> None:
    """A question; what is typed stands behind it."""
    click.echo(question, err=True, nl=False, color=config.wants_colour())


def error(problem: RecollectError, *, as_json: bool) -> None:
    """What went wrong and what to do."""
    if as_json:
        _error_json(problem.code, str(problem), str(problem.facts.get("hint", "")), problem.fix)
        return
    note(click.style("error: ", fg="red") + str(problem))
    if problem.fix:
        note(click.style("  try: ", fg="cyan") + problem.fix)


def usage_error(problem: click.ClickException, *, as_json: bool) -> None:
    """The call itself was wrong."""
    context = problem.ctx if isinstance(problem, click.UsageError) else None
    command = context.command_path if context else "recollect"
    if isinstance(problem, click.exceptions.NoArgsIsHelpError) and not as_json:
        note(problem.format_message())
    elif isinstance(problem, click.exceptions.NoArgsIsHelpError):
        _error_json("usage", f"{command} needs a command or an argument.", "", f"{command} --help")
    elif as_json:
        _error_json("usage", problem.format_message(), "", f"{command} --help")
    else:
        note(click.style("error: ", fg="red") + problem.format_message())
        note(click.style("  try: ", fg="cyan") + f"{command} --help")


def _error_json(code: str, message: str, hint: str, fix: str) -> None:
    said = {"code": code, "message": message, "hint": hint, "fix": fix}
    click.echo(json.dumps({"schema": SCHEMA, "error": said}, ensure_ascii=False), err=True)


def _json_value(value: object) -> str:
    return moment_to_json(value) if isinstance(value, datetime) else str(value)


def intake(answer: Intake) -> None:
    """What came of remembering."""
    if is_json():
        data(_intake_json(answer))
        return
    match answer:
        case Remembered(memory=memory):
            line(f"{_good('Remembered')} {short(memory)} {_dim(_tail(memory))}")
            if memory.state is MemoryState.QUARANTINED:
                note(_warn("It is not used before a person says yes: recollect review"))
            if answer.redacted:
                note(_warn(f"Taken out: {', '.join(answer.redacted)}. Secrets are not kept."))
            if answer.hidden:
                note(_warn(f"Taken out: {answer.hidden} hidden characters."))
            if against := _contradicted(memory):
                waits = "It waits for review" if memory.state == "quarantined" else "Both are in use"
                note(_warn(f"It contradicts {against}. {waits}; `recollect settle` says which holds."))
            if answer.unembedded:
                note(
                    _warn(f"Kept without a vector: {answer.unembedded} `recollect reindex` makes up for it.")
                )
        case AlreadyKnown(memory=memory, likeness=likeness):
            how = "word for word" if likeness >= 1 else f"likeness {likeness:.2f}"
            line(f"{_good('Already known')} as {short(memory)} ({how}): {memory.text}")
        case Refused(reason=reason):
            line(f"{_warn('Not remembered')}: {reason}")


def recalled(answer: Recalled, *, explain: bool) -> None:
    """The hits, best first, and with `explain` what each score is made of."""
    if is_json():
        data({"hits": [_hit_json(hit) for hit in answer], "notes": list(answer.notes)})
        return
    for text in answer.notes:
        note(_warn(text))
    if not answer.hits:
        line("Nothing is remembered about that.")
    for number, hit in enumerate(answer, start=1):
        line(f"{number:>2}. {_told(hit.memory)}")
        line(f"    {_dim(short(hit.memory) + '  ' + _tail(hit.memory) + f'  score {hit.score:.2f}')}")
        if not hit.memory.stale_at:
            for text in hit.notes:
                line(f"    {_warn(text)}")
        if explain:
            _explained(hit)


def memories(found: Sequence[Memory], total: int) -> None:
    """A list of memories, newest first."""
    if is_json():
        data({"memories": [memory_to_json(memory) for memory in found], "total": total})
        return
    for memory in found:
        line(f"{_dim(short(memory))}  {_told(memory, memory.citation)}")
        line(f"{' ' * SHORT_LENGTH}  {_dim(_tail(memory))}")
    if not found:
        line("Nothing is remembered here yet.")
    elif total > len(found):
        note(f"{len(found)} of {total} shown; --limit shows more.")


def text(memory: Memory) -> None:
    """One memory's words."""
    line(_told(memory))


def changed(found: Sequence[Memory], what: str, hint: str = "") -> None:
    """Memories that were changed."""
    if is_json():
        data({"changed": [memory_to_json(memory) for memory in found]})
        return
    for memory in found:
        line(f"{_good(what)} {short(memory)}: {memory.citation}")
    if not found:
        line("Nothing was changed.")
    elif hint:
        note(_dim(hint))


def swept(done: Swept) -> None:
    """What a look over the files has done."""
    for move in done.moved:
        line(f"{_good('Followed')} {move.was} → {move.path} ({move.memory_id[:SHORT_LENGTH]})")
    for memory_id in done.fresh:
        line(f"{_good('Fresh again')} {memory_id[:SHORT_LENGTH]}")
    for text in done.notes:
        note(_warn(text))
    note(
        _dim(f"{done.looked_at} files looked at; {done.changed} have changed since they were learned about.")
    )


def stale(found: Sequence[Memory]) -> None:
    """Memories that are stale, each with its reason."""
    for memory in found:
        line(f"{_dim(short(memory))}  {_told(memory, memory.citation)}")
    if not found:
        line("Nothing is stale here.")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns for people."""
    listed = [tuple(headings), *(tuple(map(visible, row)) for row in rows)]
    widths = [max(len(row[i]) for row in listed) for i in range(len(headings))]
    for number, row in enumerate(listed):
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        line(_dim(text) if number == 0 else text)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal once it takes longer than half a second; elsewhere a line now and then."""
    if is_json():
        yield lambda done, total: None
        return
    if not sys.stderr.isatty():
        yield _lines(label)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    started = time.monotonic()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=None)

    def step(done: int, total: int) -> None:
        if time.monotonic() - started > _QUIET_SECONDS and not bar.live.is_started:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield step
    finally:
        bar.stop()


def dim(text: str) -> str:
    """Something that stands back."""
    return _dim(text)


def visible(cell: str) -> str:
    """A name that does nothing to the terminal."""
    # Folders can have any name; one with an escape sequence in it must not move the cursor.
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in cell)


def told_short(memory: Memory) -> str:
    """A memory in a line, after a word in colour if it is stale."""
    return _told(memory, visible(memory.citation))


def file(path: Path, content: str) -> None:
    """A file that was asked for."""
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as problem:
        raise BadInput(f"{path} cannot be written: {problem.strerror}.") from problem
    note(f"Drawn: {path}")


def short(memory: Memory) -> str:
    """The first characters of an id: enough to name a memory on a command line."""
    return memory.id[:SHORT_LENGTH] if not is_json() else memory.id


def _contradicted(memory: Memory) -> str:
    found = (r.memory_id or "" for r in memory.relations if r.auto_extracted and r.type == "conflicts_with")
    return ", ".join(name[:SHORT_LENGTH] for name in found)


def _lines(label: str) -> Callable[[int, int], None]:
    told = [0]

    def step(done: int, total: int) -> None:
        if total and done * 10 // total > told[0]:
            told[0] = done * 10 // total
            note(f"{label}: {done} of {total}")

    return step


def _intake_json(answer: Intake) -> dict[str, Any]:
    match answer:
        case Remembered(memory=memory):
            return {
                "result": "remembered",
                "memory": memory_to_json(memory),
                "redacted": list(answer.redacted),
                "hidden": answer.hidden,
                "unembedded": answer.unembedded,
            }
        case AlreadyKnown(memory=memory, likeness=likeness):
            return {"result": "already_known", "memory": memory_to_json(memory), "likeness": likeness}
        case Refused(reason=reason):
            return {"result": "refused", "reason": reason}


def _hit_json(hit: Hit) -> dict[str, Any]:
    why = [
        {"part": p.name, "value": round(p.value, 4), "added": round(p.added, 4), "words": p.words}
        for p in hit.why
    ]
    said = {"score": round(hit.score, 4), "why": why, "notes": list(hit.notes)}
    return {**said, "memory": memory_to_json(hit.memory)}


def _explained(hit: Hit) -> None:
    for part in sorted(hit.why, key=lambda part: -abs(part.added)):
        words = f"  {part.words}" if part.words else ""
        line(_dim(f"      {part.added:+.3f}  {part.name:<10} {part.value:.2f}{words}"))


def _tail(memory: Memory) -> str:
    about = " ".join(str(subject) for subject in memory.subjects[:3])
    tags = " ".join(f"#{tag}" for tag in memory.tags[:4])
    state = "" if memory.state == "active" else f"[{memory.state}] "
    pinned = "pinned " if memory.pinned else ""
    day = f"{memory.happened_at:%Y-%m-%d}"
    return " ".join(f"{state}{pinned}{memory.kind} {day} {about} {tags}".split())


def _told(memory: Memory, text: str = "") -> str:
    """The text, after a word in colour if it is stale."""
    text = text or memory.text
    whole = told(replace(memory, text=text))
    return _warn(whole.removesuffix(text)) + text if whole != text else text


def _good(text: str) -> str:
    return click.style(text, fg="green")


def _warn(text: str) -> str:
    return click.style(text, fg="yellow")


def _dim(text: str) -> str:
    return click.style(text, dim=True)
