"""The benchmark of the vault measures what it says: it finds each change before it counts the time."""

from __future__ import annotations

from benchmarks.vault import run


def test_a_small_vault_is_measured() -> None:
    figures = run(40, searches=5, changes=2)
    assert figures.notes == 40
    assert (
        min(figures.first_index_s, figures.no_change_ms, figures.changed_note_ms, figures.search_p95_ms) > 0
    )
