"""Imports lead where the language says, in small projects that use every form of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegraph import trees
from tests.codegraph.graphs import a_graph

LANGUAGES = sorted(path.stem for path in (trees.HERE / "imports").glob("*.txt"))
FEWEST = 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_import_leads_where_it_should_and_nowhere_else(language: str, tmp_path: Path) -> None:
    files = trees.load("imports", language)
    expected = trees.expected_imports(files)
    found = a_graph(trees.write(tmp_path / "tree", files)).edges("imports")
    assert len(expected) >= FEWEST
    assert sorted(expected - found) == []
    assert sorted(found - expected) == []
