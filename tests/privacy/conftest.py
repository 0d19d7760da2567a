"""A project with two files, and hooks that listen to what is done in it."""

from __future__ import annotations

from tests.hooks.conftest import hooks

__all__ = ["hooks"]
