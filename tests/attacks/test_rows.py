"""Every row of the list of attacks whose surface exists has a test that bears its number."""

from __future__ import annotations

import re
from pathlib import Path

ROWS = (1, 2, 3, 4, 5, 6, 8, 9, 18, 19, 20, 21, 22, 24)


def test_every_row_has_a_test() -> None:
    texts = (path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    tested = {
        int(number) for text in texts for number in re.findall(r"^def test_a(\d+)_", text, re.MULTILINE)
    }
    assert set(ROWS) <= tested
