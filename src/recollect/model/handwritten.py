"""Telling by its path whether a file was written by hand: not other people's code, not made by a program."""

from __future__ import annotations

import re

# Other people's code, wherever it lies.
VENDORED = frozenset(
    "node_modules bower_components vendor third_party site-packages .venv venv .tox .nox __pycache__".split()
)
GENERATED_NAME = re.compile(
    r"(\.min\.(js|mjs|cjs)|[._]pb2?(_grpc)?\.(py|go|cc|h|rb)|_pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h)|\.generated\.\w+"
    r"|\.g\.(cs|dart)|\.designer\.cs|\.bundle\.js|-lock\.\w+)\Z",
    re.IGNORECASE,
)
_LOCKS = frozenset(
    "cargo.lock poetry.lock uv.lock yarn.lock gemfile.lock composer.lock pipfile.lock go.sum flake.lock".split()
)


def is_handwritten(path: str) -> bool:
    """Whether somebody may have written this file of the project."""
    *folders, name = path.split("/")
    return VENDORED.isdisjoint(folders) and name.lower() not in _LOCKS and not GENERATED_NAME.search(name)
