"""A text in a person's own editor."""

from __future__ import annotations

import os

import click


def is_editor_set() -> bool:
    """Whether this person has said which editor is theirs."""
    return any(os.environ.get(name, "").strip() for name in ("VISUAL", "EDITOR"))


def edit_text(text: str) -> str:
    """The text as a person leaves it in their editor; empty if they did not change or save it."""
    saved = (click.edit(text + "\n", extension=".md") or "").strip()
    return saved if saved != text.strip() else ""
