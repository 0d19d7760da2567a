"""Reads single keys from a terminal, without Enter."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from recollect.surfaces.cli import output

_END = ("", "\x04")


def read_key(question: str, allowed: str) -> str:
    """Show a question and wait for one of these keys; any other is passed over."""
    with _key_by_key():
        output.print_question(question)
        while (key := _read()).lower() not in allowed or not key.strip():
            if key in _END:
                raise click.Abort
    output.print_note(key)
    return key.lower()


def drop_typed_ahead() -> None:
    """Drop what was typed ahead: an Enter after a key must not answer the next question."""
    try:
        import termios
    except ImportError:  # Windows, where click reads keys that need no Enter
        return
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextmanager
def _key_by_key() -> Iterator[None]:
    try:
        import termios
        import tty
    except ImportError:
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        # Not at once but after what is written: a key pressed meanwhile counts, it is not thrown away.
        tty.setcbreak(terminal, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read() -> str:
    if sys.platform == "win32":
        return click.getchar()
    return os.read(sys.stdin.fileno(), 1).decode("utf-8", "replace")
