"""From the words of one session to its notes, and what its own work says of them."""

from __future__ import annotations

import pytest

from recollect.learn.wording import MAX_NOTE_LENGTH
from recollect.model.session import WorkVerdict
from tests.learn.talk import Line, act, agent, heard, person, summary
from tests.observe.acts import edit, green, read, red, run

ASKED = person("`shop export` prints the wrong totals, can you find out why?")
DIAGNOSIS = agent(
    "I see the issue now. `write_totals()` in `src/export.py` reads the cached rates, because `load_rates()` is called "
    "before the tenant is known. Let me fix that."
)
CLOSING = agent(
    "Done. All tests pass.\n\n`write_totals()` now calls `load_rates(tenant)` instead of using the module's cache."
)


def texts(*lines: Line, verdict: WorkVerdict = WorkVerdict.PASSED) -> list[tuple[str, str]]:
    return [(seen.facts.get("proof", ""), seen.facts["text"]) for seen in heard(*lines, verdict=verdict)]


def test_a_diagnosis_that_the_work_bore_out_is_one_note_with_its_remedy() -> None:
    [(proof, text)] = texts(ASKED, DIAGNOSIS, act(edit("src/export.py")), act(green()), CLOSING)
    assert proof == "proved"
    assert "because `load_rates()` is called before the tenant is known" in text
    assert "instead of using the module's cache" in text
    assert len(text) <= MAX_NOTE_LENGTH + 20


def test_narration_status_and_courtesy_are_not_in_it() -> None:
    [(_, text)] = texts(ASKED, DIAGNOSIS, act(edit("src/export.py")), act(green()), CLOSING)
    for phrase in ("I see", "Let me", "Done", "tests pass"):
        assert phrase not in text


def test_a_note_is_about_the_files_it_names_and_changed() -> None:
    [seen] = heard(ASKED, DIAGNOSIS, act(edit("src/export.py")), act(green()), CLOSING)
    assert seen.files == ("src/export.py",)
    assert seen.event_ids


@pytest.mark.parametrize(
    ("lines", "verdict", "proof"),
    [
        ((act(read("src/export.py")),), WorkVerdict.UNTOUCHED, "open"),
        ((act(edit("src/export.py")),), WorkVerdict.UNKNOWN, "open"),
        ((act(edit("src/export.py")), act(green())), WorkVerdict.PASSED, "proved"),
        (
            (act(edit("src/export.py")), act(run("git commit -m x", "[main 1a2b3c4] x"))),
            WorkVerdict.PASSED,
            "proved",
        ),
        ((act(edit("src/export.py")), act(red())), WorkVerdict.FAILED, "refuted"),
        (
            (act(edit("src/export.py")), act(green()), person("no, that's wrong")),
            WorkVerdict.PASSED,
            "refuted",
        ),
    ],
)
def test_what_follows_decides_what_is_believed(
    lines: tuple[Line, ...], verdict: WorkVerdict, proof: str
) -> None:
    assert {state for state, _ in texts(ASKED, DIAGNOSIS, *lines, verdict=verdict)} == {proof}


def test_what_was_taken_back_is_not_proved_by_what_passes_without_it() -> None:
    lines = (
        ASKED,
        DIAGNOSIS,
        act(edit("src/export.py", before="a", after="b")),
        act(edit("src/export.py", before="b", after="c")),
        act(run("git checkout -- src/export.py")),
        person("try it in the importer"),
        act(edit("src/importer.py")),
        act(green()),
    )
    assert {state for state, _ in texts(*lines)} == {"refuted"}


def test_what_the_person_calls_wrong_later_is_not_believed() -> None:
    lines = (
        ASKED,
        DIAGNOSIS,
        act(edit("src/export.py")),
        act(green()),
        person("The totals are fine."),
        person("what you wrote about `load_rates()` and the tenant in `write_totals()` is inaccurate"),
    )
    assert {state for state, _ in texts(*lines)} == {"refuted"}


def test_a_bug_that_was_mended_is_told_as_mended() -> None:
    asked = person(
        "`merge_carts()` in `cart.py` loses the coupon when two carts meet, because `copy_lines()` copies lines only."
    )
    [(_, text)] = texts(asked, act(edit("src/cart.py")), act(green()))
    assert text.startswith("Fixed in `cart.py`: ")


def test_a_session_gives_few_notes() -> None:
    lines: list[Line] = []
    for number in range(12):
        lines += [
            person(f"`part_{number}` is broken"),
            agent(
                f"`run_{number}()` fails because `load_{number}()` must be called before `start_{number}()`."
            ),
            act(edit(f"src/part_{number}.py")),
            act(green()),
        ]
    assert 1 <= len(heard(*lines)) <= 4


def test_questions_and_answers_without_work_wait() -> None:
    assert [state for state, _ in texts(ASKED, DIAGNOSIS, verdict=WorkVerdict.UNTOUCHED)] == ["open"]


def test_errors_and_fixes_of_a_compaction_are_heard_and_the_rest_is_not() -> None:
    text = (
        "This session is being continued from a previous conversation.\n\n"
        "1. Primary Request and Intent:\n   The user must always get the export.\n\n"
        "4. Errors and fixes:\n"
        "   - `shop export` failed because `open_store()` needs `SHOP_HOME` at import time; "
        "it is now read in `main()`.\n\n"
        "6. All user messages:\n   - never use `eval()` because of the audit\n"
    )
    notes = texts(
        person("go on"), act(edit("src/store.py")), summary(text), act(edit("src/store.py")), act(green())
    )
    assert any("SHOP_HOME" in note for _, note in notes)
    assert not any("eval" in note or "always get" in note for _, note in notes)


def test_the_reason_in_an_own_commit_is_heard() -> None:
    reason = "`load_rates()` must run after the tenant is set, otherwise `totals.py` shows old prices."
    message = f"Read rates late\n\n{reason}"
    lines = (
        person("commit this"),
        act(edit("src/totals.py")),
        act(run(f'git commit -m "{message}"', "[main 1a2b3c4] Read rates late")),
    )
    assert any("otherwise `totals.py` shows old prices" in note for _, note in texts(*lines))


def test_a_command_that_does_not_do_it_here_is_told_with_the_one_that_does() -> None:
    lines = (
        person("answer the review comment"),
        act(
            run(
                "gh api repos/a/b/pulls/7/comments -f body=fixed -f in_reply_to=9",
                "in_reply_to is not a number",
                ok=False,
            )
        ),
        agent("`in_reply_to` must be an integer, so it needs `-F`."),
        act(run("gh api repos/a/b/pulls/7/comments -F body=fixed -F in_reply_to=9", "{}")),
    )
    [(proof, text)] = texts(*lines, verdict=WorkVerdict.UNTOUCHED)
    assert proof == "proved"
    assert "-f in_reply_to=9` fails with" in text
    assert "-F in_reply_to=9` works" in text
    assert "must be an integer" in text


def test_a_command_that_worked_when_tried_again_is_no_dead_one() -> None:
    line = "gh api repos/a/b/pulls/7/comments -f body=fixed"
    lines = (act(run(line, "server error", ok=False)), act(run(line, "{}")))
    assert texts(*lines, verdict=WorkVerdict.UNTOUCHED) == []


def test_the_last_word_of_the_person_stands() -> None:
    notes = heard(
        person("Never use mocks in the tests."),
        act(edit("src/a.py")),
        act(green()),
        person("I changed my mind: always use mocks in the tests."),
        act(edit("src/a.py")),
        act(green()),
    )
    assert [seen.facts["text"] for seen in notes if seen.origin == "directive"] == [
        "Always use mocks in the tests."
    ]
