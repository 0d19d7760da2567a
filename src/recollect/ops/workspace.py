"""The files of runs: what each was given and said, while it goes on and afterwards, readable by their owner alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from recollect.events.locks import lock, open_private
from recollect.events.redact import redact
from recollect.model.value import dataclass

# So much of a log is kept from its beginning, and as much from its end.
KEPT_BYTES = 16 * 1024 * 1024
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolder:
    """The folder of one run."""

    path: Path

    @property
    def output(self) -> Path:
        """What the agent says, as it says it; gone when the run has ended and its log is written."""
        return self.path / "output"

    @property
    def errors(self) -> Path:
        """What it complains of."""
        return self.path / "errors"

    @property
    def log(self) -> Path:
        """What is kept of both, without secrets."""
        return self.path / "log"

    @property
    def stdin_path(self) -> Path:
        """What it reads from its standard input."""
        return self.path / "input"

    @property
    def prompts(self) -> Path:
        """The prompts it was given, to tell examples in them from its own words."""
        return self.path / "prompts"

    @property
    def handoff(self) -> Path:
        """Where it may leave word for a higher tier."""
        return self.path / "handoff.json"

    @property
    def settings(self) -> Path:
        """The settings of its client, with the hook that keeps cooldowns."""
        return self.path / "settings.json"

    @property
    def schema(self) -> Path:
        """The schema of its output."""
        return self.path / "schema.json"

    def write(self, path: Path, text: str) -> Path:
        """Write one of the files."""
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def read(self, path: Path, most: int = 1_000_000) -> str:
        """One of the files, or nothing."""
        try:
            with path.open("rb") as file:
                return file.read(most).decode("utf-8", "replace")
        except OSError:
            return ""

    def keep_log(self) -> None:
        """Turn what was said into a log without secrets, and let the rest go. To do it again changes nothing."""
        if self.output.exists():
            fresh = self.log.with_suffix(".new")
            file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                for part in (self.output, self.errors):
                    for lines in _lines_kept(part):
                        out.write(redact(lines).text)
            fresh.replace(self.log)
        for path in (self.output, self.errors, self.stdin_path, self.prompts, self.schema):
            path.unlink(missing_ok=True)


class RunWorkspace:
    """The folder of all runs, beside the database."""

    def __init__(self, db: str) -> None:
        self.path = Path(db).absolute().parent / "ops"

    def folder_of(self, run_id: str) -> RunFolder:
        """The folder of a run."""
        return RunFolder(path=self.path / "runs" / run_id)

    def make(self, run_id: str) -> RunFolder:
        """The folder of a run that begins."""
        folder = self.folder_of(run_id)
        folder.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def drop_old(self, before: datetime) -> int:
        """Remove the folders of runs that were last written before a moment; how many."""
        dropped = 0
        with suppress(OSError):
            for folder in list((self.path / "runs").iterdir()):
                if folder.stat().st_mtime < before.timestamp() and not (folder / "output").exists():
                    shutil.rmtree(folder, ignore_errors=True)
                    dropped += 1
        return dropped

    @contextmanager
    def hold(self, job: str, *, wait: bool) -> Iterator[bool]:
        """Hold a job, so that nobody else starts it; False when somebody does. It ends with the process."""
        file = open_private(str(self.path / f"{job}.lock"))
        try:
            yield lock(file, wait=wait)
        finally:
            os.close(file)


def _lines_kept(path: Path) -> Iterator[str]:
    """The lines of a file in pieces, its middle left out when it is long."""
    try:
        size = path.stat().st_size
        file = path.open("rb")
    except OSError:
        return
    with file:
        yield from _pieces(file.read(min(size, KEPT_BYTES)))
        if size > 2 * KEPT_BYTES:
            yield f"\n[{size - 2 * KEPT_BYTES:,} bytes left out]\n"
            file.seek(size - KEPT_BYTES)
        yield from _pieces(file.read(KEPT_BYTES))


def _pieces(whole: bytes) -> Iterator[str]:
    """Text in pieces that end with a line: a secret does not go across lines, but for keys, which are read whole."""
    begin = 0
    while begin < len(whole):
        end = whole.rfind(b"\n", begin, begin + _CHUNK) + 1
        if end <= begin:
            end = whole.find(b"\n", begin) + 1 or len(whole)
        yield whole[begin:end].decode("utf-8", "replace")
        begin = end
