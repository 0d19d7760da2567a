"""The checks of `recollect doctor`: every part, a real round trip, and how to repair each fault."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from recollect.api import Recollect, rebuild_store
from recollect.config import Settings, data_dir, is_agent_process
from recollect.errors import RecollectError, StoreCorrupt, StoreMissing
from recollect.events import inbox
from recollect.model.health import Finding, FindingLevel
from recollect.store.open import library_version, network_file_system
from recollect.store.recovery.rebuild import Rebuilt
from recollect.store.safety.snapshots import list_snapshots, snapshot_folder

_SLOW_SECONDS = 5.0
# What is wrong with these cannot be mended in place.
_DATA = frozenset({"database file", "commits", "links", "memories"})
_MAX_NAMED = 20

Progress = Callable[[int, int], None]


def check_up(settings: Settings) -> list[Finding]:
    """Run all checks; nothing is changed."""
    return [
        _check_python(),
        *_run_check("memory", lambda: _check_store(settings)),
        *_run_check("round trip", _check_round_trip),
    ]


def repair(settings: Settings, progress: Progress, source: Path | None = None) -> list[str]:
    """Repair what can be repaired; returns sentences. `source`: a backup or an export to rebuild from."""
    done: list[str] = []
    path = Path(settings.db)
    if source is not None and not source.is_file():
        raise StoreMissing(f"There is no backup or export at {source}.")
    if not _is_on_server(settings):
        if not path.exists():
            return _bring_back(settings, path, progress, source)
        if os.name == "posix":
            done += _readable_by_others(path)
        if source is not None or _is_damaged(settings):
            done += _rebuild(settings, progress, source)
    inbox.reset_counts(inbox.inbox_path(settings.db))
    with Recollect(settings=settings, folder=None, create=False) as memory:
        filed = memory.admin.rebuild_search_index(progress)
        done.append(f"The search index was written anew: {filed} entries.")
        missing = memory.admin.reindex(progress) if _model_is_kept(memory) else None
        if missing and missing.embedded:
            done.append(f"{missing.embedded} memories got the vectors they lacked.")
    return done


def _bring_back(settings: Settings, path: Path, progress: Progress, source: Path | None) -> list[str]:
    """A store whose file is gone: from the backup that is named, or from its newest snapshot."""
    if source is None and not list_snapshots(str(path)):
        return []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    return _rebuild(settings, progress, source)


def _is_damaged(settings: Settings) -> bool:
    try:
        with Recollect(settings=settings, folder=None, create=False) as memory:
            return any(f.verdict is FindingLevel.FAIL and f.check in _DATA for f in memory.admin.verify())
    except StoreCorrupt:
        return True


def _rebuild(settings: Settings, progress: Progress, source: Path | None) -> list[str]:
    """A sound store in the place of the damaged one; then what an export has and the store has not."""
    path = Path(settings.db)
    export = source if source is not None and not _is_database(source) else None
    result = rebuild_store(path, progress, None if export else source, from_nothing=export is not None)
    done = _describe_rebuild(path, result)
    if export is not None:
        with Recollect(settings=settings, folder=None, create=False) as memory:
            # A person who mends their own store keeps the standing of what comes back; an agent proposes.
            mine = not is_agent_process()
            result_of_import = memory.admin.import_memories(
                lambda: _lines(export), name=str(export), mine=mine
            )
        done.append(f"{result_of_import.remembered} memories came back from {export}.")
    return done


def _describe_rebuild(path: Path, result: Rebuilt) -> list[str]:
    copy = f" and the copy {result.copy}" if result.copy else ""
    done = [f"{path} was rebuilt from {result.read} memories that could be read{copy}."]
    for names, what in (
        (result.older, "as an earlier copy has them"),
        (result.doubtful, "altered, in no copy, and out of use until you have looked at them"),
        (result.lost, "lost: only their story is left"),
    ):
        if names:
            # What is gone is named to the last one.
            shown = names if names is result.lost else names[:_MAX_NAMED]
            listed = ", ".join(shown) + (" …" if len(names) > len(shown) else "")
            done.append(f"{len(names)} are {what}: {listed}")
    if result.unnamed:
        done.append(f"{result.unnamed} more are lost: nothing is left of them but their number.")
    done += [f"In the damaged store {loss}." for loss in result.missing]
    done.append(f"The damaged file is kept at {result.kept}.")
    return done


def _is_database(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(16) == b"SQLite format 3\0"


def _lines(file: Path) -> Iterator[str]:
    with file.open(encoding="utf-8", errors="surrogateescape") as stream:
        yield from stream


def _check_python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(
        check="versions", verdict=FindingLevel.PASS, detail=f"Python {version}, SQLite {library_version()}"
    )


def _is_on_server(settings: Settings) -> bool:
    return "://" in settings.db


def _check_server(settings: Settings) -> Iterator[Finding]:
    """What can be asked of a database that is no file of this machine."""
    with Recollect(settings=settings, folder=None, create=False) as memory:
        yield from memory.admin.verify()
        yield _check_clock(memory)
        yield _check_methods(memory)
        yield _check_model(memory)
        yield from _check_tiers(memory)


def _check_store(settings: Settings) -> Iterator[Finding]:
    if _is_on_server(settings):
        yield from _check_server(settings)
        return
    path = Path(settings.db)
    if not path.exists() and list_snapshots(str(path)):
        detail = f"{path} is gone; a snapshot of it lies in {snapshot_folder(str(path))}"
        yield Finding(check="memory", verdict=FindingLevel.FAIL, detail=detail, fix="recollect doctor --fix")
        return
    if not path.exists():
        detail = f"none yet at {path}; the first `recollect remember` makes it"
        yield Finding(check="memory", verdict=FindingLevel.PASS, detail=detail)
        return
    yield _check_privacy(path)
    with Recollect(settings=settings, folder=None, create=False) as memory:
        yield from memory.admin.verify()
        yield _check_place(path)
        yield _check_clock(memory)
        yield from _check_recording(settings, memory)
        yield _check_methods(memory)
        yield _check_model(memory)
        yield from _check_tiers(memory)


def _check_privacy(path: Path) -> Finding:
    if os.name != "posix":
        return Finding(check="memory", verdict=FindingLevel.PASS, detail=str(path))
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        detail = f"{path} can be read by others (mode {mode:o})"
        return Finding(check="memory", verdict=FindingLevel.WARN, detail=detail, fix="recollect doctor --fix")
    folder_mode = stat.S_IMODE(path.parent.stat().st_mode)
    if _is_folder_open(path.parent):
        detail = f"the folder {path.parent} is open to others (mode {folder_mode:o})"
        fix = "recollect doctor --fix" if _is_our_folder(path.parent) else f"chmod go-w {path.parent}"
        return Finding(check="memory", verdict=FindingLevel.WARN, detail=detail, fix=fix)
    return Finding(check="memory", verdict=FindingLevel.PASS, detail=f"{path}, yours alone")


def _is_our_folder(folder: Path) -> bool:
    """Whether we made this folder for memories alone; any other is a person's, and only they close it."""
    return folder == data_dir()


def _is_folder_open(folder: Path) -> bool:
    """Whether others may look into our folder, or put files and links into any that holds memories."""
    mode = folder.stat().st_mode
    if _is_our_folder(folder):
        return bool(mode & 0o077)
    return bool(mode & 0o022) and not mode & stat.S_ISVTX


def _check_place(path: Path) -> Finding:
    network = network_file_system(path)
    if not network:
        return Finding(check="file system", verdict=FindingLevel.PASS, detail="of this machine")
    detail = f"{path} is on a network ({network}); it is used without a write-ahead log: safe, but slower"
    return Finding(check="file system", verdict=FindingLevel.WARN, detail=detail, fix="recollect --db FILE")


def _check_clock(memory: Recollect) -> Finding:
    now, trusted = memory.safety.clock()
    if trusted < now:
        detail = (
            f"it says {now:%Y-%m-%d}, but memory was last used on {trusted:%Y-%m-%d}; nothing ages by it yet"
        )
        return Finding(check="clock", verdict=FindingLevel.WARN, detail=detail)
    return Finding(check="clock", verdict=FindingLevel.PASS, detail=f"{now:%Y-%m-%d}, as memory would expect")


def _readable_by_others(path: Path) -> list[str]:
    ends = ("", "-wal", "-shm", ".commits", ".reserve", ".inbox", ".hooks.log", ".gate")
    files = [file for end in ends if (file := Path(f"{path}{end}")).is_file() and not file.is_symlink()]
    open_ones = [file for file in files if stat.S_IMODE(file.stat().st_mode) & 0o077]
    for file in open_ones:
        file.chmod(0o600)
    if _is_our_folder(path.parent) and _is_folder_open(path.parent):
        path.parent.chmod(0o700)
        open_ones.append(path.parent)
    return [f"{file} is closed to others now." for file in open_ones]


def _check_recording(settings: Settings, memory: Recollect) -> Iterator[Finding]:
    """What hooks wrote down: whether it arrives, and whether anything was lost on the way."""
    box = inbox.inbox_path(settings.db)
    try:
        memory.observer.drain()
    except OSError as error:
        yield Finding(
            check="inbox", verdict=FindingLevel.FAIL, detail=f"{box} cannot be read ({error.strerror})"
        )
        return
    lost, torn = inbox.count_dropped(box), inbox.count_torn(box)
    if lost:
        detail = f"{lost:,} events were dropped because the inbox was full"
        fix = "recollect config set inbox.most_bytes 268435456"
        yield Finding(check="inbox", verdict=FindingLevel.WARN, detail=detail, fix=fix)
    if torn:
        detail = f"{torn:,} lines were left half by a killed process, or damaged; they are in {box}.torn"
        yield Finding(check="inbox", verdict=FindingLevel.WARN, detail=detail)
    if not lost and not torn:
        unknown = f"{memory.observer.unknown():,} events of unknown types kept"
        detail = f"{inbox.count_waiting_bytes(box):,} bytes wait; {unknown}"
        yield Finding(check="inbox", verdict=FindingLevel.PASS, detail=detail)


def _check_methods(memory: Recollect) -> Finding:
    """Whether every installed methodology can be used."""
    broken = memory.methods.broken()
    if broken:
        detail = "left out: " + "; ".join(broken)
        return Finding(
            check="methodologies", verdict=FindingLevel.WARN, detail=detail, fix="recollect methods"
        )
    names = ", ".join(one.id for one in memory.methods.listed())
    return Finding(check="methodologies", verdict=FindingLevel.PASS, detail=names)


def _check_model(memory: Recollect) -> Finding:
    stored, requested = memory.admin.embedding(), memory.admin.requested_embedding()
    if requested is not None and requested.to_text() != stored.to_text():
        detail = f"memories were indexed by {stored.tier}, the settings ask for {requested.tier}"
        return Finding(check="model", verdict=FindingLevel.WARN, detail=detail, fix="recollect reindex")
    missing = memory.admin.unembedded()
    if missing:
        detail = f"{missing} memories have no vector and are found by their words alone"
        return Finding(check="model", verdict=FindingLevel.WARN, detail=detail, fix="recollect reindex")
    return Finding(check="model", verdict=FindingLevel.PASS, detail=f"this memory lives with {stored.tier}")


def _model_is_kept(memory: Recollect) -> bool:
    requested = memory.admin.requested_embedding()
    return requested is None or requested.to_text() == memory.admin.embedding().to_text()


def _check_tiers(memory: Recollect) -> Iterator[Finding]:
    used = memory.admin.embedding().tier
    for tier in memory.admin.tiers():
        mark = " (in use)" if tier.name == used else ""
        verdict = FindingLevel.FAIL if tier.name == used and not tier.available else FindingLevel.PASS
        yield Finding(check=f"tier {tier.name}", verdict=verdict, detail=tier.detail + mark)


def _check_round_trip() -> Iterator[Finding]:
    """Write and find in a throw-away store, by other words than were written."""
    started = time.process_time()
    with (
        tempfile.TemporaryDirectory(prefix="recollect-doctor-") as folder,
        Recollect(Path(folder, "trial.db"), folder=None) as memory,
    ):
        memory.remember("The staging server restarts every night at three", kind="fact")
        memory.remember("Alex prefers tabs over spaces", kind="preference")
        answer = memory.recall("when does the staging machine reboot?", limit=1)
    seconds = time.process_time() - started
    if not answer or "staging" not in answer[0].memory.text:
        yield Finding(
            check="round trip", verdict=FindingLevel.FAIL, detail="what was remembered was not recalled"
        )
        return
    detail = f"remembered two, recalled the right one by other words in {seconds:.2f} s of CPU"
    yield Finding(
        check="round trip",
        verdict=FindingLevel.WARN if seconds > _SLOW_SECONDS else FindingLevel.PASS,
        detail=detail,
    )


def _run_check(check: str, look: Callable[[], Iterator[Finding]]) -> list[Finding]:
    findings: list[Finding] = []
    try:
        findings.extend(look())
    except RecollectError as error:
        findings.append(Finding(check=check, verdict=FindingLevel.FAIL, detail=str(error), fix=error.fix))
    except OSError as error:  # a full disk: what else was looked at is told all the same
        place = f"{error.filename}: " if error.filename else ""
        detail = f"{place}{error.strerror or error}"
        findings.append(Finding(check=check, verdict=FindingLevel.FAIL, detail=detail))
    return findings
