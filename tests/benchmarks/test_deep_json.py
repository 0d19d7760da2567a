"""A file of data that is nested without end is refused with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import cochange
from benchmarks.questions import read_json_list
from recollect.errors import BadInput


@pytest.mark.parametrize("read", [cochange.load, lambda path: read_json_list(path, "A list was expected.")])
def test_deep_json_is_refused_with_a_sentence(tmp_path: Path, read: Callable[[Path], object]) -> None:
    file = tmp_path / "deep.json"
    file.write_text("[" * 200_000)
    with pytest.raises(BadInput, match=r"deep\.json"):
        read(file)
