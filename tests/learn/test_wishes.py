"""Wishes: what a person asks for that describes how things should be, apart from what is to be done now."""

from __future__ import annotations

import pytest

from recollect.learn.wishes import find_wishes
from tests.learn.talk import Line, act, heard, person
from tests.observe.acts import edit, green, red, run

WISHES = (
    "I'd like the importer to print one line for each file instead of a progress bar.",
    "the invoice number should be left out of the file name when it is empty",
    "can we just retry automatically instead of asking the user?",
    "Let's only show the banner once a day, not at every start.",
    "I would have expected the parser to skip comments rather than fail.",
    "der Export sollte standardmäßig UTF-8 schreiben und nicht Latin-1",
    "le menu devrait se fermer seulement si rien n'est sélectionné",
)
ACTS = (
    "can you take a look at the importer and see if it should be split?",
    "please commit and push the branch, then run the whole suite again",
    "why should the parser skip comments rather than fail?",
    "can we add a test for each of the two that should fail?",
    "I just got an error when the exporter should have written a file",
    "I think we should somehow prevent this from happening",
    "yes, do it",
    "/review the importer should be checked",
    "<task-notification>the job should always be restarted instead</task-notification>",
)
WISH = person("`shop export` should print one line for each file instead of a progress bar.")
CARRIED_OUT = (act(edit("src/export.py")), act(green()))


@pytest.mark.parametrize("prompt", WISHES)
def test_how_something_should_be_is_a_wish(prompt: str) -> None:
    assert list(find_wishes(prompt))


@pytest.mark.parametrize("prompt", ACTS)
def test_what_is_to_be_done_now_is_none(prompt: str) -> None:
    assert not list(find_wishes(prompt))


@pytest.mark.parametrize(
    ("lines", "proof"),
    [
        (CARRIED_OUT, "proved"),
        ((act(edit("src/export.py")), act(run("git commit -m x", "[main 1a2b3c4] x"))), "proved"),
        ((act(edit("src/export.py")),), "open"),
        ((act(edit("src/export.py")), act(red())), "open"),
        ((*CARRIED_OUT, person("no, that's wrong")), "refuted"),
    ],
)
def test_a_wish_stands_as_far_as_the_work_bore_it_out(lines: tuple[Line, ...], proof: str) -> None:
    [wish] = [seen for seen in heard(WISH, *lines) if seen.facts.get("said")]
    assert (wish.kind, wish.facts["proof"]) == ("requirement", proof)
    assert wish.files == ("src/export.py",)


def test_a_wish_that_nobody_worked_on_is_not_noted() -> None:
    assert not heard(WISH)
