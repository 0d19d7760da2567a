"""What the command line prints: data on stdout, else on stderr; sentences for people, JSON for programs."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import click

from recollect import config
from recollect.errors import BadInput, RecollectError
from recollect.model.anchor import SweepReport
from recollect.model.excerpt import cut_long_text, find_contradictions
from recollect.model.ids import SHORT_LENGTH
from recollect.model.injection import MIN_FILES_TO_COMPARE, Savings
from recollect.model.memory import AlreadyKnown, Intake, Memory, MemoryState, Refused, Remembered, render_text
from recollect.model.query import Hit, Recalled
from recollect.model.value import replace
from recollect.surfaces.json_answers import (
    SCHEMA,
    changed_to_json,
    dump_json,
    intake_to_json,
    memories_to_json,
    recalled_to_json,
)

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


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON, told before it is read: its errors come as asked for too."""
    return "--json" in arguments[: arguments.index("--") if "--" in arguments else len(arguments)]


def escape_unwritable_characters() -> None:
    """A name of bytes that are no text, or a terminal without our letters, must not end in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object."""
    _echo(dump_json(value))


def iter_json_lines(values: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Many JSON objects, a line each; the first says in which form they are."""
    for number, value in enumerate(values):
        fields = {"schema": SCHEMA, **value} if number == 0 else value
        yield json.dumps(fields, ensure_ascii=False)


def print_lines(texts: Iterable[str]) -> None:
    """Many lines, written as they come; a reader that has seen enough ends the command."""
    for text in texts:
        click.echo(text, color=config.wants_colour())


def print_line(text: str = "") -> None:
    """One line for people."""
    _echo(text)


def count_phrase(number: int, what: str) -> str:
    """So many of a thing: 1 memory, 2 memories, 1,200 files."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what[:-1]}ies" if what.endswith("y") else f"{number:,} {what}s"


def print_note(text: str) -> None:
    """Something said beside the answer."""
    _echo(text, err=True)


def print_question(question: str) -> None:
    """A question; what is typed stands behind it."""
    _echo(question, err=True, nl=False)


def _echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """
    Write to a stream. A reader that is gone must not stop the work: what comes after it is dropped.

    An answer that a full disk does not take is an error; words beside it that it does not take are dropped.
    """
    try:
        click.echo(text, err=err, nl=nl, color=config.wants_colour())
    except OSError as error:
        if not err and not isinstance(error, BrokenPipeError):
            raise
        drop_output(sys.stderr if err else sys.stdout)


def drop_output(stream: TextIO) -> None:
    """Nobody reads this stream any more: write it to nowhere from here on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def print_error(problem: RecollectError, *, as_json: bool) -> None:
    """What went wrong and what to do."""
    if as_json:
        _error_json(problem.code, str(problem), str(problem.facts.get("hint", "")), problem.fix)
        return
    print_note(click.style("error: ", fg="red") + str(problem))
    if problem.fix:
        print_note(click.style("  try: ", fg="cyan") + problem.fix)


def print_usage_error(problem: click.ClickException, *, as_json: bool) -> None:
    """The call itself was wrong."""
    context = problem.ctx if isinstance(problem, click.UsageError) else None
    command = context.command_path if context else "recollect"
    if isinstance(problem, click.exceptions.NoArgsIsHelpError) and not as_json:
        print_note(problem.format_message())
    elif isinstance(problem, click.exceptions.NoArgsIsHelpError):
        _error_json("usage", f"{command} needs a command or an argument.", "", f"{command} --help")
    elif as_json:
        _error_json("usage", problem.format_message(), "", f"{command} --help")
    else:
        print_note(click.style("error: ", fg="red") + problem.format_message())
        print_note(click.style("  try: ", fg="cyan") + f"{command} --help")


def _error_json(code: str, message: str, hint: str, fix: str) -> None:
    fields = {"code": code, "message": message, "hint": hint, "fix": fix}
    _echo(json.dumps({"schema": SCHEMA, "error": fields}, ensure_ascii=False), err=True)


def print_intake(answer: Intake) -> None:
    """What came of remembering."""
    if is_json():
        print_json(intake_to_json(answer))
        return
    match answer:
        case Remembered(memory=memory):
            print_line(f"{_good('Remembered')} {short_id(memory)} {_dim(_id_tail(memory))}")
            if memory.state is MemoryState.QUARANTINED:
                print_note(_warn("It is not used before a person says yes: recollect review"))
            if answer.redacted:
                print_note(_warn(f"Taken out: {', '.join(answer.redacted)}. Secrets are not kept."))
            if answer.hidden:
                print_note(_warn(f"Taken out: {answer.hidden} hidden characters."))
            if against := _contradiction_note(memory):
                waits = "It waits for review" if memory.state == "quarantined" else "Both are in use"
                print_note(_warn(f"It contradicts {against}. {waits}; `recollect settle` says which holds."))
            if answer.unembedded:
                print_note(
                    _warn(f"Kept without a vector: {answer.unembedded} `recollect reindex` makes up for it.")
                )
        case AlreadyKnown(memory=memory, likeness=likeness):
            how = "word for word" if likeness >= 1 else f"likeness {likeness:.2f}"
            print_line(f"{_good('Already known')} as {short_id(memory)} ({how}): {memory.text}")
        case Refused(reason=reason):
            print_line(f"{_warn('Not remembered')}: {reason}")


def print_hits(answer: Recalled, *, explain: bool, nearest: bool = False) -> None:
    """The hits that answer, best first, with `nearest` also those that only come near; and why with `explain`."""
    shown = answer if nearest else replace(answer, hits=answer.answers)
    if is_json():
        print_json({**recalled_to_json(shown), "known": answer.known})
        return
    for text in answer.notes:
        print_note(_warn(text))
    left_out = len(answer.hits) - len(shown.hits)
    if not answer.known:
        print_line("Nothing is known about this." + (" Nearest:" if shown.hits else ""))
    against = find_contradictions([hit.memory for hit in shown])
    for number, hit in enumerate(shown, start=1):
        _print_hit(number, hit, against.get(hit.memory.id, ()), explain=explain)
    if left_out and not answer.known:
        print_note(f"{count_phrase(left_out, 'memory')} near without answering; --all shows them.")
    elif left_out:
        print_note(f"{left_out} more come near; --all shows them.")


def _print_hit(number: int, hit: Hit, against: Sequence[str], *, explain: bool) -> None:
    memory = hit.memory
    print_line(f"{number:>2}. {_styled_text(memory, cut_long_text(memory.text, memory.id))}")
    print_line(f"    {_dim(short_id(memory) + '  ' + _id_tail(memory) + f'  score {hit.score:.2f}')}")
    if against:
        others = ", ".join(name[:SHORT_LENGTH] for name in against)
        print_line(f"    {_warn(f'contradicts {others}; `recollect settle` says which holds')}")
    if not memory.stale_at:
        for text in hit.notes:
            print_line(f"    {_warn(text)}")
    if explain:
        _print_explained(hit)


def print_memories(memories: Sequence[Memory], total: int) -> None:
    """A list of memories, newest first."""
    if is_json():
        print_json(memories_to_json(memories, total))
        return
    for memory in memories:
        print_line(f"{_dim(short_id(memory))}  {_styled_text(memory, memory.citation)}")
        print_line(f"{' ' * SHORT_LENGTH}  {_dim(_id_tail(memory))}")
    if not memories:
        print_line("Nothing is remembered here yet.")
    elif total > len(memories):
        print_note(f"{len(memories)} of {total} shown; --limit shows more.")


def print_text(memory: Memory) -> None:
    """One memory's words."""
    print_line(_styled_text(memory))


def print_changed(memories: Sequence[Memory], what: str, hint: str = "") -> None:
    """Memories that were changed."""
    if is_json():
        print_json(changed_to_json(memories))
        return
    for memory in memories:
        print_line(f"{_good(what)} {short_id(memory)}: {memory.citation}")
    if not memories:
        print_line("Nothing was changed.")
    elif hint:
        print_note(_dim(hint))


def print_sweep(report: SweepReport) -> None:
    """What a look over the files has done."""
    for move in report.moved:
        print_line(f"{_good('Followed')} {move.was} → {move.path} ({move.memory_id[:SHORT_LENGTH]})")
    for memory_id in report.fresh:
        print_line(f"{_good('Fresh again')} {memory_id[:SHORT_LENGTH]}")
    for text in report.notes:
        print_note(_warn(text))
    print_note(
        _dim(
            f"{report.looked_at} files looked at; {report.changed} have changed since they were learned about."
        )
    )


def print_stale(memories: Sequence[Memory]) -> None:
    """Memories that are stale, each with its reason."""
    for memory in memories:
        print_line(f"{_dim(short_id(memory))}  {_styled_text(memory, memory.citation)}")
    if not memories:
        print_line("Nothing is stale here.")


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns for people."""
    listed = [tuple(headings), *(tuple(map(escape_controls, row)) for row in rows)]
    widths = [max(len(row[i]) for row in listed) for i in range(len(headings))]
    for number, row in enumerate(listed):
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        print_line(_dim(text) if number == 0 else text)


@contextmanager
def show_progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal once it takes longer than half a second; elsewhere a line now and then."""
    if is_json():
        yield lambda done, total: None
        return
    if not sys.stderr.isatty():
        yield _progress_lines(label)
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


def escape_controls(cell: str) -> str:
    """A name that does nothing to the terminal."""
    # Folders can have any name; one with an escape sequence in it must not move the cursor.
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in cell)


def summary_line(memory: Memory) -> str:
    """A memory in a line, after a word in colour if it is stale."""
    return _styled_text(memory, escape_controls(memory.citation))


def write_file(path: Path, content: str) -> None:
    """A file that was asked for."""
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as problem:
        raise BadInput(f"{path} cannot be written: {problem.strerror}.") from problem
    print_note(f"Drawn: {path}")


def short_id(memory: Memory) -> str:
    """The first characters of an id: enough to name a memory on a command line."""
    return memory.id[:SHORT_LENGTH] if not is_json() else memory.id


def _contradiction_note(memory: Memory) -> str:
    ids = (r.memory_id or "" for r in memory.relations if r.auto_extracted and r.type == "conflicts_with")
    return ", ".join(name[:SHORT_LENGTH] for name in ids)


def _progress_lines(label: str) -> Callable[[int, int], None]:
    last_shown = [0]

    def step(done: int, total: int) -> None:
        if total and done * 10 // total > last_shown[0]:
            last_shown[0] = done * 10 // total
            print_note(f"{label}: {done} of {total}")

    return step


def _print_explained(hit: Hit) -> None:
    for part in sorted(hit.why, key=lambda part: -abs(part.added)):
        words = f"  {part.words}" if part.words else ""
        print_line(_dim(f"      {part.added:+.3f}  {part.name:<10} {part.value:.2f}{words}"))


def _id_tail(memory: Memory) -> str:
    about = " ".join(str(subject) for subject in memory.subjects[:3])
    tags = " ".join(f"#{tag}" for tag in memory.tags[:4])
    state = "" if memory.state == "active" else f"[{memory.state}] "
    pinned = "pinned " if memory.pinned else ""
    day = f"{memory.happened_at:%Y-%m-%d}"
    return " ".join(f"{state}{pinned}{memory.kind} {day} {about} {tags}".split())


def _styled_text(memory: Memory, text: str = "") -> str:
    """The text, after a word in colour if it is stale."""
    text = text or memory.text
    rendered = render_text(replace(memory, text=text))
    return _warn(rendered.removesuffix(text)) + text if rendered != text else text


def _good(text: str) -> str:
    return click.style(text, fg="green")


def _warn(text: str) -> str:
    return click.style(text, fg="yellow")


def _dim(text: str) -> str:
    return click.style(text, dim=True)


def describe_savings(savings: Savings) -> str:
    """Tokens saved, in a sentence that says what they are counted from."""
    here, mean, tokens = savings.here, savings.mean, savings.tokens
    if mean is None or tokens is None:
        compared = savings.known.found
        need = f"{compared} of {MIN_FILES_TO_COMPARE}"
        return f"Tokens saved: not known yet; {need} files found without help to compare with."
    files = count_phrase(here.direct, "file")
    return (
        f"Tokens saved: {tokens:,}; {files} named in time and opened without a search, told for {here.told:,}, "
        f"against {mean:,.0f} that finding one takes (mean of {savings.known.found})."
    )
