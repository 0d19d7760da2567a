"""A sentence that would be true of any file is refused."""

from __future__ import annotations

import pytest

from recollect.learn.specificity import is_specific

FILES = ("src/price.py", "src/tax.py")
EVIDENCE = ("KeyError: 'standard_rate'", "make check")


@pytest.mark.parametrize(
    "text",
    [
        "src/price.py is tricky, be careful.",
        "Always run the tests after changing price.py.",
        "src/price.py and src/tax.py are important files.",
        "Errors in src/price.py must be fixed before the change is made.",
        "",
    ],
)
def test_what_could_be_said_of_any_file_is_refused(text: str) -> None:
    assert not is_specific(text, files=FILES, evidence=EVIDENCE)


@pytest.mark.parametrize(
    "text",
    [
        "src/price.py fails with KeyError: 'standard_rate' until the table is loaded.",
        "A change of price.py forces one of tax.py too.",
        "Work on src/tax.py needs src/price.py too.",
    ],
)
def test_what_swapped_names_would_make_false_is_taken(text: str) -> None:
    assert is_specific(text, files=FILES, evidence=EVIDENCE)


def test_words_that_the_session_never_gave_are_no_evidence() -> None:
    assert not is_specific("src/price.py uses the flux_capacitor.", files=FILES, evidence=EVIDENCE)
