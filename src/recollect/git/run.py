"""
Starts git; nothing else in recollect does.

A repository may come from a stranger, and its config names programs that git would start: a file watcher,
hooks, diff drivers, filters, signature checkers, transports. Here all of them are switched off, whatever the
config says. The user's own and the system's config stay in force: that is where `safe.directory` lives.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import IO

from recollect.errors import RepositoryError

_SECONDS = 20.0
_BYTES = 32 * 1024 * 1024
_STREAM_SECONDS = 60.0
_STREAM_BYTES = 1024 * 1024 * 1024
_CHUNK_BYTES = 65_536
_COMPLAINT_BYTES = 4096

_NO_DIFF_PROGRAMS = ("--no-ext-diff", "--no-textconv")
# Looking inside a submodule would start another git under that submodule's config.
_NO_SUBMODULES = ("--ignore-submodules=dirty",)

# The commands recollect may run, each with the flags that keep it harmless. An unlisted name could be an
# alias, which the repository defines; before adding a row, find out which programs the command can start.
_COMMANDS = {
    "blame": ("--no-textconv",),
    "cat-file": (),
    "config": (),
    "diff": _NO_DIFF_PROGRAMS + _NO_SUBMODULES,
    "diff-files": _NO_DIFF_PROGRAMS + _NO_SUBMODULES,
    "diff-index": _NO_DIFF_PROGRAMS + _NO_SUBMODULES,
    "diff-tree": _NO_DIFF_PROGRAMS,
    "for-each-ref": (),
    "log": _NO_DIFF_PROGRAMS,
    "ls-files": (),
    "ls-tree": (),
    "merge-base": (),
    "remote": (),
    "rev-list": (),
    "rev-parse": (),
    "show": _NO_DIFF_PROGRAMS,
    "status": _NO_SUBMODULES,
    "symbolic-ref": (),
}
# These compare files on disk with stored ones, and so would pass them through filter programs.
_READS_FILES = frozenset({"blame", "diff", "diff-files", "diff-index", "ls-files", "status"})

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "color.ui=false",
    "diff.submodule=short",
    # The next three can make a plain `git log` start a signature checker or a merge driver.
    "log.showSignature=false",
    "log.diffMerges=separate",
    "format.pretty=medium",
)

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    # A clone gets neither replacements nor grafts, so with them two clones would see two histories.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    # A partial clone would fetch what it lacks, through whatever program its config names.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}


def run_git(
    args: Sequence[str],
    cwd: str,
    *,
    paths: Iterable[str] = (),
    timeout: float = _SECONDS,
    limit: int = _BYTES,
) -> str:
    """
    What git prints for ARGS in the repository whose top folder is CWD; git looks nowhere above it.

    File names go into PATHS, where they are never read as options or patterns; ask for `-z` when names come
    back. Bytes that are not UTF-8 arrive as surrogates. RepositoryError when git is missing, fails, takes
    longer than TIMEOUT seconds or prints more than LIMIT bytes.
    """
    return b"".join(_stream_chunks(_command(args, cwd, paths), cwd, timeout, limit)).decode(
        "utf-8", "surrogateescape"
    )


def stream_fields(
    args: Sequence[str],
    cwd: str,
    *,
    paths: Iterable[str] = (),
    timeout: float = _STREAM_SECONDS,
    limit: int = _STREAM_BYTES,
) -> Iterator[str]:
    """As `run` with `-z`: what stands before each NUL, while git is still writing; stop reading and git ends."""
    rest = b""
    for chunk in _stream_chunks(_command(args, cwd, paths), cwd, timeout, limit):
        *whole, rest = (rest + chunk).split(b"\0")
        for field in whole:
            yield field.decode("utf-8", "surrogateescape")
    if rest:
        yield rest.decode("utf-8", "surrogateescape")


def ask_git(args: Sequence[str], cwd: str) -> str | None:
    """As `run`, for questions that git answers with no by leaving with status 1: then None."""
    try:
        return run_git(args, cwd)
    except RepositoryError as error:
        if error.facts.get("status") == 1:
            return None
        raise


def _command(args: Sequence[str], cwd: str, paths: Iterable[str]) -> list[str]:
    program = _program()
    if program is None:
        raise _make_error(cwd, "git is not installed", fix="Install git, or put it on the PATH")
    filters = _filter_settings(cwd) if args[0] in _READS_FILES else ()
    options = ["--no-pager", *_as_options((*_SETTINGS, *filters))]
    names = list(paths)
    ending = ["--", *names] if names else []
    return [program, *options, args[0], *_COMMANDS[args[0]], *args[1:], *ending]


def _filter_settings(cwd: str) -> list[str]:
    """Settings that blank the filters the repository itself defines; the user's own, such as LFS, go on."""
    question = ["config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\..*\."]
    fields = (ask_git(question, cwd) or "").split("\0")
    names = {
        key.removeprefix("filter.").rpartition(".")[0]
        for scope, key in zip(fields[::2], fields[1::2], strict=False)
        if scope not in ("system", "global", "command")
    }
    if any("=" in name for name in names):
        # `-c NAME=VALUE` ends the name at the first "=", so such a filter cannot be blanked.
        raise _make_error(
            cwd, "its config defines a filter with '=' in its name, which cannot be switched off"
        )
    blanks = ("clean=", "smudge=", "process=", "required=false")
    return [f"filter.{name}.{blank}" for name in sorted(names) for blank in blanks]


def _as_options(settings: Iterable[str]) -> Iterator[str]:
    for setting in settings:
        yield "-c"
        yield setting


def _program() -> str | None:
    return _find_program_on(os.environ.get("PATH", os.defpath))


@cache
def _find_program_on(search_path: str) -> str | None:
    # Not shutil.which: on Windows it looks in the current folder first, where a stranger's git.exe may lie.
    name = "git.exe" if sys.platform == "win32" else "git"
    for candidate in (Path(folder, name) for folder in search_path.split(os.pathsep)):
        if candidate.is_absolute() and candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    return None


def _environment(cwd: str) -> dict[str, str]:
    """The caller's environment for git, without what a surrounding git hook or a trace setting left there."""
    environment = {name: value for name, value in os.environ.items() if not _misleads_git(name)}
    return environment | _ENVIRONMENT | {"GIT_CEILING_DIRECTORIES": str(Path(os.path.realpath(cwd)).parent)}


def _misleads_git(name: str) -> bool:
    if name.startswith("GIT_CONFIG_"):
        # Where the user's config lies, and settings such as safe.directory from a container's environment.
        return name == "GIT_CONFIG_PARAMETERS"
    return name == "LANGUAGE" or (name.startswith("GIT_") and name != "GIT_EXEC_PATH")


def _stream_chunks(command: list[str], cwd: str, timeout: float, limit: int) -> Iterator[bytes]:
    # These take longer to load than a cached `identify` takes, and that one starts no process.
    import subprocess
    import threading

    def stop() -> None:
        expired.set()
        process.kill()

    expired = threading.Event()
    complaints: list[bytes] = []
    read = 0
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=_environment(cwd),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:
        raise _make_error(cwd, f"git could not be started ({error})") from error
    with process:
        assert isinstance(process.stdout, BufferedReader)
        listener = threading.Thread(target=_collect_stderr, args=(process.stderr, complaints), daemon=True)
        watchdog = threading.Timer(timeout, stop)
        listener.start()
        watchdog.start()
        try:
            while read <= limit and (chunk := process.stdout.read1(_CHUNK_BYTES)):
                read += len(chunk)
                yield chunk
            if read <= limit:
                process.wait()
        finally:
            watchdog.cancel()
            process.kill()
            listener.join()
    if expired.is_set():
        raise _make_error(cwd, f"git took longer than {timeout:g} s")
    if read > limit:
        raise _make_error(cwd, f"git printed more than {limit:,} bytes")
    if process.returncode:
        raise _make_error(cwd, _reason(complaints, process.returncode), status=process.returncode)


def _collect_stderr(stream: IO[bytes], chunks: list[bytes]) -> None:
    chunks.append(stream.read(_COMPLAINT_BYTES))
    # Read on, or a talkative git would wait for us to make room.
    while stream.read(_COMPLAINT_BYTES):
        pass


def _reason(complaints: list[bytes], status: int) -> str:
    lines = b"".join(complaints).decode("utf-8", "replace").splitlines()
    complaint = next((line for line in lines if line.startswith(("fatal: ", "error: "))), "")
    return complaint.partition(": ")[2].rstrip(".") or f"it left with status {status}"


def _make_error(cwd: str, reason: str, **facts: object) -> RepositoryError:
    return RepositoryError(None, path=_printable(cwd), reason=_printable(reason), **facts)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
