"""Telling by its path whether a file is a test, in the ways the languages of the code graph name them."""

from __future__ import annotations

import re
from functools import lru_cache

_FOLDERS = frozenset("test tests spec specs __tests__ testing e2e".split())
_NAME = re.compile(
    r"\A(?:test_.+|tests|conftest|.+_(?:test|tests|spec)|.+\.(?:test|spec)|.+(?:Test|Tests|TestCase|Spec|IT))\.\w+\Z"
)


@lru_cache(maxsize=1 << 16)
def is_test_file(path: str) -> bool:
    """Whether a file of the project holds tests, or what tests share."""
    *folders, name = path.split("/")
    return not _FOLDERS.isdisjoint(folders) or _NAME.match(name) is not None
