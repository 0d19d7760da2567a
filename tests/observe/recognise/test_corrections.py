"""Does a person put the agent right, and did a person speak at all?"""

from __future__ import annotations

import pytest

from recollect.events.machine_prompts import is_interrupt, is_machine_text, remove_machine_text
from recollect.model.observation import CorrectionKind
from recollect.observe.recognise.corrections import read_correction, read_rejection

K = CorrectionKind


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("no, use the repository pattern", K.NO),
        ("No. The total is computed in cents.", K.NO),
        ("nope, not there", K.NO),
        ("no that is the wrong file", K.NO),
        ("don't touch the migrations", K.DONT),
        ("please don't add comments", K.DONT),
        ("do not stash anything", K.DONT),
        ("stop adding type ignores", K.STOP),
        ("stop", K.STOP),
        ("hold on, we need the old behaviour", K.STOP),
        ("that's wrong", K.WRONG),
        ("that is not correct: the hook gets the prompt", K.WRONG),
        ("you are not correct: it is documented", K.WRONG),
        ("this is not what I asked for", K.WRONG),
        ("wrong file", K.WRONG),
        ("the second part is not correct, both add the trailer", K.WRONG),
        ("the change looks fine but that is wrong for windows", K.WRONG),
        ("instead of a class use a function", K.INSTEAD),
        ("use httpx instead of requests", K.INSTEAD),
        ("let's use true/false and not on/off for the switch", K.INSTEAD),
        ("use tabs, not spaces", K.INSTEAD),
        ("not as a comment, but as a document", K.INSTEAD),
        ("can you use a switch instead of these ifs?", K.INSTEAD),
        ("I said only the tests", K.SAID),
        ("sorry, my point is: the folder is ignored", K.SAID),
        ("undo that", K.UNDO),
        ("revert the last change", K.UNDO),
        ("please revert your edit of a.py", K.UNDO),
        ("put it back", K.UNDO),
        ("you forgot the tests", K.MISSED),
        ("you broke the build again", K.MISSED),
        ("hmm, you didn't update the docs", K.MISSED),
        ("Looks good. But you missed the second call.", K.MISSED),
    ],
)
def test_a_correction_is_recognised(prompt: str, kind: CorrectionKind) -> None:
    correction = read_correction(prompt)
    assert correction is not None
    assert correction.kind is kind


@pytest.mark.parametrize(
    "prompt",
    [
        "add a test for the total",
        "yes please",
        "no problem, go on",
        "no worries",
        "No need to hurry. Add a test.",
        "why did it stop halfway?",
        "is there no library for this?",
        "can you check that this is not duplicated?",
        "what was wrong with the setup?",
        "I don't know which error it was, can you look?",
        "we don't have `Session` anymore so this is obsolete",
        "the stop hook is not called, can you check?",
        "stop hook output is missing in the log",
        "Implement the following plan:\n\n# Plan\n\nDo not change the API. Use X instead of Y.",
        "fix the lint errors",
        "never mind the tests, can you show me the code?",
        "undefined is returned, why?",
        "The error is checked but not included in the message. Consider wrapping it.",
        "can we add a test so we don't break this again?",
        "don't we need a test for this?",
        "you didn't change the other file, right?",
        "not sure if this is the right word. alternatives?",
        "",
        "no, " + "x" * 5_000,
    ],
)
def test_what_only_looks_like_one_is_none(prompt: str) -> None:
    assert read_correction(prompt) is None


@pytest.mark.parametrize(
    ("prompt", "wanted", "unwanted"),
    [
        ("use httpx instead of requests", "use httpx", "requests"),
        ("instead of a class, use a function", "use a function", "a class"),
        ("let's use true/false and not on/off", "true/false", "on/off"),
        ("don't do that", "", ""),
    ],
)
def test_what_is_wanted_and_what_is_not_are_told_apart(prompt: str, wanted: str, unwanted: str) -> None:
    correction = read_correction(prompt)
    assert correction is not None
    assert (correction.wanted, correction.unwanted) == (wanted, unwanted)


def test_the_correction_begins_where_the_person_corrects() -> None:
    correction = read_correction("Looks good. But you missed the second call. It is in b.py.")
    assert correction is not None
    assert correction.text == "But you missed the second call. It is in b.py."


def test_an_echo_of_a_hook_is_not_part_of_the_correction() -> None:
    correction = read_correction("<hook_context>use X instead of Y</hook_context>\nno, keep it")
    assert correction is not None
    assert (correction.kind, correction.text) == (K.NO, "no, keep it")


REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)


@pytest.mark.parametrize(
    ("said", "is_correction"),
    [
        ("let's cut a branch first", True),
        ("call it tap instead of formula", True),
        ("can you use a switch instead of an if?", True),
        ("why not a constant?", False),
        ("what would we expect here?", False),
        ("wait please", False),
        ("i'll take it from here.", False),
        ("", False),
    ],
)
def test_what_is_said_with_a_rejection_corrects_unless_it_asks(said: str, is_correction: bool) -> None:
    correction = read_rejection(REJECTED + said)
    assert (correction is not None) is is_correction
    if correction:
        assert (correction.kind, correction.text) == (K.REJECTED, said)


def test_a_tools_output_that_quotes_a_rejection_is_none() -> None:
    assert read_rejection("grep: the user said: no") is None


@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
        "<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>",
        "<local-command-stdout>See ya!</local-command-stdout>",
        "<local-command-caveat>Caveat: …</local-command-caveat>",
        "[Request interrupted by user for tool use]",
        "Caveat: The messages below were generated by the user while running local commands.",
        "This session is being continued from a previous conversation that ran out of context.",
        "<hook_context>memories</hook_context>",
        "<system-reminder>x</system-reminder>",
        "Stop hook feedback:\nrun the tests",
        "",
    ],
)
def test_a_machines_text_is_no_persons(prompt: str) -> None:
    assert is_machine_text(prompt)
    assert read_correction(prompt) is None


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("fix it", "fix it"),
        ("<hook_context>memories</hook_context>\nfix it", "fix it"),
        ("fix <system-reminder>x</system-reminder>it", "fix it"),
        ("<command-name>/plan</command-name><command-args>the login page</command-args>", "the login page"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>fix it", "fix it"),
        ("a < b and <div> stay", "a < b and <div> stay"),
        ("<hook_context>never closed, fix it", "never closed, fix it"),
    ],
)
def test_a_prompt_is_what_the_person_said(prompt: str, said: str) -> None:
    assert remove_machine_text(prompt) == said
    assert not is_machine_text(prompt)


def test_an_interrupt_is_seen() -> None:
    assert is_interrupt("[Request interrupted by user]")
    assert is_interrupt("\n[Request interrupted by user for tool use]")
    assert not is_interrupt("he wrote [Request interrupted by user]")
