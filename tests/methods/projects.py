"""Real checkouts of projects that follow a way of working, and sessions in them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

STORY = """# Story 3.2: Token refresh

Status: {status}

## Story

As a **user**, I want to stay signed in, so that I can go on working.

## Acceptance Criteria

1. **Given** a token that ends soon **Then** it is renewed
2. A renewed token is kept in the vault
3. A refused renewal signs the user out

## Tasks / Subtasks

- [x] Renew the token (AC: #1)
  - [x] Ask the server
- [{second}] Keep it in the vault (AC: 2)
- [ ] Sign out on refusal (AC: #3)
  - [ ] Tell the user

## Dev Notes

Nothing.
"""
SPRINT_STATUS = """# Sprint Status
development_status:
  epic-3: contexted
  3-1-sign-in: done
  3-2-token-refresh: {status}
  3-3-sign-out: backlog
  epic-3-retrospective: optional
"""
PLAN = """{"feature": "Retry", "phases": [
  {"id": "p1", "subtasks": [
    {"id": "1.1", "description": "Cap the retries", "status": "completed"},
    {"id": "1.2", "description": "Back off between them", "status": "in_progress"}]},
  {"id": "p2", "subtasks": [{"id": "2.1", "description": "Say so in the log", "status": "pending"}]}]}
"""
SPRINT = """# Sprint 12

- [x] US46: Sign in
- [ ] US47: Sign out
- [ ] SHOP-9 Say goodbye
"""
RULES = "# Rules\n\nWe work by TDD: red, green, refactor.\n"


def checkout(folder: Path, files: Mapping[str, str], branch: str = "main") -> Path:
    """A git repository with these files, on this branch."""
    write(folder, files)
    subprocess.run(["git", "init", "-q", "-b", branch, str(folder)], check=True)
    return folder


def write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
