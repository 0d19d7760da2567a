"""
Secrets: how many reach the disk, by every way in, and how many texts that only look like one are harmed.

Each labelled secret is put in as a memory, a prompt, an output, a command, the content and the name of a file, the
name of a subject, a transcript, an import, a note of the vault, a message of a chat and a line of a scheduled run; then
every file that was written is searched for it, also inside what is compressed. The rules of a public scanner are asked
in the same run, where its package is installed.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from benchmarks.secret_shapes import Example
from benchmarks.secrets_labelled import HALVES
from recollect.api import Recollect
from recollect.conversation.personas import Persona
from recollect.errors import RecollectError
from recollect.events.redact import redact
from recollect.hooks.dispatch import hear
from recollect.model.operations import OpsEvent, OpsEventType
from recollect.model.value import dataclass
from recollect.ops.workspace import RunWorkspace
from recollect.store.sqlite.catalogue import list_tables
from recollect.store.sqlite.driver import connect
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import json_option

if TYPE_CHECKING:
    from recollect.hooks.watchdog import Watchdog

MISSED_AT_MOST = 0.03
FALSE_AT_MOST = 0.01
_WAY = Callable[["_Room", Sequence[Example]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretScore:
    """What one half showed: by each way in the secrets that reached the disk, and the look-alikes that were harmed."""

    half: str
    secrets: int
    sorts: int
    look_alikes: int
    missed: Mapping[str, tuple[str, ...]]
    harmed: tuple[str, ...]
    # What the public scanner's rules missed and took for a secret; None where it is not installed.
    scanner: tuple[int, int] | None

    @property
    def missed_share(self) -> float:
        """Of all secrets by all ways, the share that reached the disk."""
        return sum(map(len, self.missed.values())) / (self.secrets * len(self.missed))


def run_secrets(half: str, progress: Callable[[int, int], None]) -> SecretScore:
    """Score one half of the labelled texts."""
    examples, look_alikes = HALVES[half]
    missed: dict[str, tuple[str, ...]] = {}
    for number, (name, way) in enumerate(WAYS.items(), start=1):
        missed[name] = _try_way(way, examples)
        progress(number, len(WAYS))
    return SecretScore(
        half=half,
        secrets=len(examples),
        sorts=len({example.shape for example in examples}),
        look_alikes=len(look_alikes),
        missed=missed,
        harmed=tuple(text for text in look_alikes if redact(text).text != text),
        scanner=_ask_scanner(examples, look_alikes),
    )


class _Patience:
    """Instead of a watchdog, which would end the benchmark with the hook."""

    def allow(self, most_ms: int) -> None:
        """All the time there is."""

    def left(self) -> float:
        """So many seconds."""
        return 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """A home of its own, with a project and a store."""

    home: Path
    project: Path

    @property
    def db(self) -> Path:
        return self.home / "data" / "memories.db"

    def open(self) -> Recollect:
        return Recollect(self.db, folder=self.project)

    def hear(self, event: str, **payload: Any) -> None:
        given = {"session_id": "bench", "cwd": str(self.project), "hook_event_name": event, **payload}
        hear("claude-code", event, json.dumps(given).encode(), cast("Watchdog", _Patience()))


def _try_way(way: _WAY, examples: Sequence[Example]) -> tuple[str, ...]:
    """The sorts of the secrets that reached a file of ours by one way."""
    with _own_home() as room:
        way(room, examples)
        with room.open() as memory:
            memory.observer.drain()
            with suppress(RecollectError):
                memory.observer.learn("bench")
        written = b"\n".join(_read_all(room.home))
    return tuple(f"{e.shape}: {e.text}" for e in examples if _parts_of(e.secret, written))


def _parts_of(secret: str, written: bytes) -> bool:
    """Whether a secret is there, as it is or in the lower case of an index of words."""
    return secret.encode() in written or (len(secret) >= 12 and secret.lower().encode() in written)


@contextmanager
def _own_home() -> Iterator[_Room]:
    names = ("RECOLLECT_HOME", "RECOLLECT_EMBEDDING_TIER", "HOME")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory(prefix="recollect-secrets-") as folder:
        room = _Room(home=Path(folder) / "home", project=Path(folder) / "project")
        room.project.mkdir()
        os.environ.update(RECOLLECT_HOME=str(room.home), RECOLLECT_EMBEDDING_TIER="none", HOME=folder)
        try:
            yield room
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def _read_all(home: Path) -> Iterator[bytes]:
    for file in home.rglob("*"):
        if not file.is_file():
            continue
        content = file.read_bytes()
        yield content
        if content.startswith(b"SQLite format 3"):
            yield from _unpack(file)


def _unpack(file: Path) -> Iterator[bytes]:
    db = connect(str(file), create=False)
    try:
        for table in list_tables(db):
            for row in db.statement(f'SELECT * FROM "{table.name}"'):  # noqa: S608
                for cell in row:
                    if isinstance(cell, bytes):
                        with suppress(zlib.error):
                            yield zlib.decompress(cell)
    finally:
        db.close()


def _remember(room: _Room, examples: Sequence[Example]) -> None:
    with room.open() as memory:
        for example in examples:
            memory.remember(example.text)


def _name_subjects(room: _Room, examples: Sequence[Example]) -> None:
    with room.open() as memory:
        for number, example in enumerate(examples):
            with suppress(RecollectError):
                name = " ".join(example.text.split())
                memory.remember(f"Note number {number}", about=[f"service:{name}"], tags=[name])


def _prompt(room: _Room, examples: Sequence[Example]) -> None:
    for example in examples:
        room.hear("UserPromptSubmit", prompt=example.text)


def _say(room: _Room, examples: Sequence[Example]) -> None:
    for example in examples:
        room.hear("Stop", last_assistant_message=f"Done.\n{example.text}\n")


def _output(room: _Room, examples: Sequence[Example]) -> None:
    for number, example in enumerate(examples):
        answer = {"stdout": f"line\n{example.text}\nline", "stderr": ""}
        _call(room, number, "Bash", {"command": "make check"}, answer)


def _command(room: _Room, examples: Sequence[Example]) -> None:
    for number, example in enumerate(examples):
        _call(room, number, "Bash", {"command": example.text}, {"stdout": "", "stderr": ""})


def _content(room: _Room, examples: Sequence[Example]) -> None:
    for number, example in enumerate(examples):
        path = str(room.project / f"file{number}.txt")
        text = f"{example.text}\n" * 3
        answer = {"type": "text", "file": {"filePath": path, "content": text}}
        _call(room, number, "Read", {"file_path": path}, answer)
        arguments = {"file_path": path, "content": text}
        _call(room, number + 10_000, "Write", arguments, {"filePath": path, "content": text})


def _file_name(room: _Room, examples: Sequence[Example]) -> None:
    for number, example in enumerate(examples):
        name = " ".join(example.text.split())[:150]
        if example.secret in name:
            path = f"{room.project}/{name}"
            answer = {"type": "text", "file": {"filePath": path, "content": "x"}}
            _call(room, number, "Read", {"file_path": path}, answer)


def _call(room: _Room, number: int, tool: str, arguments: dict[str, Any], answer: Any) -> None:
    common = {"tool_name": tool, "tool_use_id": f"toolu_{number:022d}", "tool_input": arguments}
    room.hear("PreToolUse", **common)
    room.hear("PostToolUse", **common, tool_response=answer)


def _transcript(room: _Room, examples: Sequence[Example]) -> None:
    lines: list[dict[str, Any]] = []
    for number, example in enumerate(examples):
        for kind, content in (
            ("user", example.text),
            ("assistant", [{"type": "text", "text": example.text}]),
            ("assistant", [_tool_use(number, example.text)]),
            ("user", [_tool_result(number, example.text)]),
        ):
            lines.append(
                {
                    "type": kind,
                    "uuid": f"{number}-{len(lines)}",
                    "sessionId": "bench",
                    "cwd": str(room.project),
                    "timestamp": "2026-05-08T12:00:00.000Z",
                    "message": {"role": kind, "content": content},
                }
            )
    file = room.project.parent / "transcripts" / "bench.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with room.open() as memory:
        report = memory.observer.import_sessions("claude-code", file, every_project=True)
        if not report.events:
            raise AssertionError("the transcript was not read")


def _tool_use(number: int, text: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number:022d}", "name": "Bash", "input": {"command": text}}


def _tool_result(number: int, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number:022d}", "content": text}


def _import(room: _Room, examples: Sequence[Example]) -> None:
    head = json.dumps({"format": "recollect-memories", "version": 1})
    lines = [head, *(json.dumps({"text": example.text, "kind": "fact"}) for example in examples)]
    with room.open() as memory:
        memory.admin.import_memories(lambda: iter(lines))


def _vault(room: _Room, examples: Sequence[Example]) -> None:
    with room.open() as memory:
        # Outside of what is searched: a person's note is theirs, and may hold what they like.
        root = room.project.parent / "vault"
        memory.vault.init(root)
        for number, example in enumerate(examples):
            (root / f"note{number}.md").write_text(f"# Note {number}\n\n{example.text}\n")
        memory.vault.sync()
        for number, example in enumerate(examples):
            with suppress(RecollectError):
                memory.vault.append(f"note{number}.md", f"\n{example.text}\n")
        memory.vault.sync()


def _chat(room: _Room, examples: Sequence[Example]) -> None:
    with room.open() as memory:
        chat = memory.chats.start(Persona(name="bench"))
        for number, example in enumerate(examples):
            memory.chats.add(
                chat.id,
                {"role": "user", "content": example.text},
                {"role": "assistant", "content": [_tool_use(number, example.text)]},
                {"role": "user", "content": [_tool_result(number, example.text)]},
            )


def _scheduled(room: _Room, examples: Sequence[Example]) -> None:
    with room.open() as memory:
        for number, example in enumerate(examples):
            memory.operations.put_event(
                OpsEvent(
                    run_id=None,
                    job="bench",
                    tier=1,
                    at=datetime.now(UTC),
                    type=OpsEventType.AGENT,
                    level="info",
                    service="shop",
                    message=example.text,
                    position=number,
                )
            )
    folder = RunWorkspace(str(room.db)).make("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    folder.output.write_text("\n".join(example.text for example in examples))
    folder.keep_log()


WAYS: Mapping[str, _WAY] = {
    "remember": _remember,
    "subject names": _name_subjects,
    "prompts": _prompt,
    "assistant text": _say,
    "outputs": _output,
    "commands": _command,
    "file contents": _content,
    "file names": _file_name,
    "transcripts": _transcript,
    "imports": _import,
    "vault notes": _vault,
    "chats": _chat,
    "scheduled runs": _scheduled,
}


def _ask_scanner(examples: Sequence[Example], look_alikes: Sequence[str]) -> tuple[int, int] | None:
    """What detect-secrets misses and what it takes for a secret, each text a file, with the rules it comes with."""
    try:
        from detect_secrets import SecretsCollection  # type: ignore[import-not-found]
        from detect_secrets.settings import default_settings  # type: ignore[import-not-found]
    except ImportError:
        return None
    with tempfile.TemporaryDirectory(prefix="recollect-scanner-") as folder, default_settings():

        def is_seen(text: str) -> bool:
            file = Path(folder) / "text.txt"
            file.write_text(f"{text}\n", encoding="utf-8")
            secrets = SecretsCollection()
            secrets.scan_file(str(file))
            return bool(list(secrets))

        missed = sum(not is_seen(example.text) for example in examples)
        return missed, sum(map(is_seen, look_alikes))


@click.command("secrets")
@click.option("--held-out", is_flag=True, help="Also score the half that no rule was written against.")
@click.option("--list", "is_listed", is_flag=True, help="List what was missed or harmed in the first half.")
@json_option
def secrets_(held_out: bool, is_listed: bool) -> None:
    """How many labelled secrets reach the disk by each way in, and how many look-alikes are harmed.

    The rules of detect-secrets are asked in the same run where it is installed.

    \b
    python -m benchmarks secrets
    python -m benchmarks secrets --held-out
    """
    scores = []
    for half in HALVES if held_out else list(HALVES)[:1]:
        with output.show_progress(f"Secrets, {half}") as progress:
            scores.append(run_secrets(half, progress))
    if output.is_json():
        output.print_json({"benchmark": "secrets", "halves": [_as_json(score) for score in scores]})
        return
    for score in scores:
        _print_score(score, is_listed=is_listed and score.half == next(iter(HALVES)))


def _as_json(score: SecretScore) -> dict[str, Any]:
    return {
        "half": score.half,
        "secrets": score.secrets,
        "sorts": score.sorts,
        "look_alikes": score.look_alikes,
        "missed": {way: len(texts) for way, texts in score.missed.items()},
        "missed_share": round(score.missed_share, 4),
        "harmed": len(score.harmed),
        "harmed_share": round(len(score.harmed) / score.look_alikes, 4),
        "scanner": {"missed": score.scanner[0], "harmed": score.scanner[1]} if score.scanner else None,
    }


def _print_score(score: SecretScore, *, is_listed: bool) -> None:
    rows = [
        (way, f"{len(texts)} of {score.secrets}", f"{100 * len(texts) / score.secrets:.1f} %")
        for way, texts in score.missed.items()
    ]
    rows.append(
        (
            "all ways",
            f"goal ≤ {100 * MISSED_AT_MOST:g} %",
            f"{100 * score.missed_share:.1f} %",
        )
    )
    harmed = len(score.harmed)
    rows.append(
        (
            "look-alikes harmed",
            f"{harmed} of {score.look_alikes}",
            f"{100 * harmed / score.look_alikes:.1f} %",
        )
    )
    if score.scanner:
        rows.append(("detect-secrets, missed", f"{score.scanner[0]} of {score.secrets}", ""))
        rows.append(("detect-secrets, harmed", f"{score.scanner[1]} of {score.look_alikes}", ""))
    output.print_table((f"{score.half}, {score.sorts} sorts", "reached the disk", ""), rows)
    for way, texts in score.missed.items() if is_listed else ():
        for text in texts:
            output.print_note(f"missed by {way}: {text!r}")
    for text in score.harmed if is_listed else ():
        output.print_note(f"harmed: {text!r} → {redact(text).text!r}")
