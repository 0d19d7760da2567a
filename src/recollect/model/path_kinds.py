"""What a file is, judged by its path: handwritten, generated or vendored; a test or not."""

from __future__ import annotations

import re
from functools import lru_cache

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


_FOLDERS = frozenset("test tests spec specs __tests__ testing e2e".split())
_NAME = re.compile(
    r"\A(?:test_.+|tests|conftest|.+_(?:test|tests|spec)|.+\.(?:test|spec)|.+(?:Test|Tests|TestCase|Spec|IT))\.\w+\Z"
)


@lru_cache(maxsize=1 << 16)
def is_test_file(path: str) -> bool:
    """Whether a file of the project holds tests, or what tests share."""
    *folders, name = path.split("/")
    return not _FOLDERS.isdisjoint(folders) or _NAME.match(name) is not None
