"""
The process of the agent that a hook works for, known again by its number and its start, and whether it is gone.

A hook is started by its agent, mostly through a shell; the first process above it that is no shell is taken for the
agent. A number alone may be given to another process later, so the moment of its start goes with it, and the
machine it was on. Where nothing can be known, nothing is said: a session is then over when it was silent for long.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    # Name, number of the parent, start.
    _Process = tuple[str, int, str]

_GENERATIONS = 12
# What stands between an agent and the hooks it starts.
_BETWEEN = frozenset(
    "sh bash dash zsh ksh fish ash busybox env timeout nohup nice setsid uv uvx cmd powershell pwsh conhost".split()
)


def describe_client_process() -> dict[str, Any] | None:
    """The agent's process, as it is written into the event of its start; None where it cannot be known."""
    number = os.getppid()
    for _ in range(_GENERATIONS):
        process = _read_process(number) if number > 1 else None
        if process is None:
            return None
        name, parent, started = process
        if name.lower().removesuffix(".exe") not in _BETWEEN:
            return {"pid": number, "started": started, "machine": _name_machine()}
        number = parent
    return None


def is_gone(process: Mapping[str, Any]) -> bool:
    """Whether a process that was written down has ended; False where nobody can tell from here."""
    number, started = process.get("pid"), process.get("started")
    if not isinstance(number, int) or not started or process.get("machine") != _name_machine():
        return False
    try:
        current = _read_process(number)
    except OSError:
        return False
    return current is None or current[2] != started


def _name_machine() -> str:
    """This machine, and where processes are numbered apart (a container), that part of it."""
    import platform

    try:
        return f"{platform.node()} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115
    except OSError:
        return platform.node()


def _read_process(number: int) -> _Process | None:
    if sys.platform == "win32":
        return _read_from_windows(number)
    if os.path.exists("/proc/self/stat"):  # noqa: PTH110
        return _read_from_proc(number)
    return _read_from_ps(number)


def _read_from_proc(number: int) -> _Process | None:
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            status = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    name, _, rest = status.partition("(")[2].rpartition(")")
    values = rest.split()
    # A zombie has ended; only its parent has not looked yet.
    return None if values[0] == "Z" else (name, int(values[1]), f"{_read_boot()} {values[19]}")


def _read_boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:  # noqa: PTH123
            return file.read(8)
    except OSError:
        return ""


def _read_from_ps(number: int) -> _Process | None:
    import subprocess

    # The moment of the start is written in words: always in the same language.
    command = ("env", "LC_ALL=C", "ps", "-o", "stat=,ppid=,lstart=,comm=", "-p", str(number))
    answer = subprocess.run(command, capture_output=True, text=True, timeout=2, check=False)
    words = answer.stdout.split(None, 7)
    if len(words) < 8 or words[0].startswith("Z"):
        return None
    return words[7].strip().rpartition("/")[2].lstrip("-"), int(words[1]), " ".join(words[2:7])


def _read_from_windows(number: int) -> _Process | None:  # pragma: no cover
    if sys.platform != "win32":
        return None
    import ctypes
    from ctypes import wintypes

    class Entry(ctypes.Structure):
        _fields_ = [
            ("dwSize", wintypes.DWORD),
            ("cntUsage", wintypes.DWORD),
            ("th32ProcessID", wintypes.DWORD),
            ("th32DefaultHeapID", ctypes.c_void_p),
            ("th32ModuleID", wintypes.DWORD),
            ("cntThreads", wintypes.DWORD),
            ("th32ParentProcessID", wintypes.DWORD),
            ("pcPriClassBase", wintypes.LONG),
            ("dwFlags", wintypes.DWORD),
            ("szExeFile", ctypes.c_char * 260),
        ]

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateToolhelp32Snapshot.restype = wintypes.HANDLE
    kernel.OpenProcess.restype = wintypes.HANDLE
    snapshot = wintypes.HANDLE(kernel.CreateToolhelp32Snapshot(2, 0))
    entry = Entry(dwSize=ctypes.sizeof(Entry))
    more = kernel.Process32First(snapshot, ctypes.byref(entry))
    while more and entry.th32ProcessID != number:
        more = kernel.Process32Next(snapshot, ctypes.byref(entry))
    kernel.CloseHandle(snapshot)
    handle = wintypes.HANDLE(kernel.OpenProcess(0x1000, False, number)) if more else None
    if not handle:
        return None
    times = [wintypes.FILETIME() for _ in range(4)]
    known = kernel.GetProcessTimes(handle, *(ctypes.byref(time) for time in times))
    kernel.CloseHandle(handle)
    if not known:
        return None
    started = f"{times[0].dwHighDateTime:08x}{times[0].dwLowDateTime:08x}"
    return entry.szExeFile.decode("utf-8", "replace"), int(entry.th32ParentProcessID), started
