"""Proof before belief: what a session's own work says of a statement made in it."""

from __future__ import annotations

import pytest

from recollect.learn.episodes import cut_episodes
from recollect.learn.proof import Proof, ProofState, Prover
from recollect.model.session import WorkVerdict
from tests.learn.talk import Line, act, agent, person, session
from tests.observe.acts import edit, green, read, red, run

ASK = person("The totals of `shop export` are wrong, please find out why and mend it")
CAUSE = "`write_totals()` in `src/export.py` reads the cached rates before the tenant is known"
SAY = agent(CAUSE)
EDIT = act(edit("src/export.py", "a", "b"))
COMMIT = act(run('git commit -m "Totals"', "[main 1a2b3c4] Totals\n 1 file changed"))
NO_COMMIT = act(run('git commit -m "Totals"', "nothing to commit", ok=False))


def prove(
    *lines: Line, text: str = CAUSE, said_in: int = 0, verdict: WorkVerdict = WorkVerdict.PASSED
) -> Proof:
    """What the work says of a text of the episode at this place."""
    episodes = cut_episodes(session(*lines))
    return Prover(episodes, verdict).prove(text, episodes[said_in])


def prove_summary(*lines: Line, text: str = CAUSE, said_after: int) -> Proof:
    episodes = cut_episodes(session(*lines))
    return Prover(episodes, WorkVerdict.PASSED).prove_summary(text, episodes[-1], said_after)


def outcome(proof: Proof) -> tuple[str, str]:
    return str(proof.state), proof.why


def test_a_check_that_passes_after_the_change_proves_it_with_its_events() -> None:
    proof = prove(ASK, SAY, EDIT, act(green()))
    assert outcome(proof) == ("proved", "pytest passed after the change")
    assert len(proof.event_ids) == 1
    assert [step.files for step in proof.changes] == [("src/export.py",)]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((), ("open", "no check and no commit after its change tells")),
        ((act(green()), act(green())), ("proved", "pytest passed after the change")),
        ((act(red()), act(green())), ("proved", "pytest passed after the change")),
        ((act(green()), act(red())), ("open", "no check and no commit after its change tells")),
        ((COMMIT,), ("proved", "committed; no check tells otherwise")),
        ((NO_COMMIT,), ("open", "no check and no commit after its change tells")),
        ((act(red()), COMMIT), ("open", "no check and no commit after its change tells")),
        ((act(run("ls", "export.py")), COMMIT), ("proved", "committed; no check tells otherwise")),
    ],
)
def test_what_comes_after_the_change_decides(after: tuple[Line, ...], expected: tuple[str, str]) -> None:
    assert outcome(prove(ASK, SAY, EDIT, *after)) == expected


def test_a_check_before_the_change_proves_nothing() -> None:
    assert prove(ASK, SAY, act(green()), EDIT).state is ProofState.OPEN


def test_a_later_change_that_breaks_the_check_does_not_take_the_proof_away() -> None:
    later = (person("Now rename the option"), act(edit("src/cli.py", "a", "b")), act(red()))
    proof = prove(ASK, SAY, EDIT, act(green()), *later)
    assert outcome(proof) == ("proved", "pytest passed after the change")


def test_every_check_that_ran_must_have_passed() -> None:
    lint = run("ruff check .", "src/export.py:3:1: F401 `os` imported but unused\nFound 1 error.", ok=False)
    assert prove(ASK, SAY, EDIT, act(green()), act(lint)).state is ProofState.OPEN


def test_a_session_that_failed_refutes_whatever_was_said_in_it() -> None:
    proof = prove(ASK, SAY, EDIT, act(green()), verdict=WorkVerdict.FAILED)
    assert outcome(proof) == ("refuted", "the session ended with a failing check")


def test_a_change_that_was_taken_back_refutes_it() -> None:
    back = act(run("git checkout -- src/export.py"))
    assert outcome(prove(ASK, SAY, EDIT, back, act(green()))) == ("refuted", "its change was taken back")


def test_the_persons_no_right_after_it_refutes_it() -> None:
    no = person("no, that's wrong")
    assert outcome(prove(ASK, SAY, EDIT, act(green()), no)) == ("refuted", "the person contradicted it")
    fine = person("thanks, now the docs")
    assert prove(ASK, SAY, EDIT, act(green()), fine).state is ProofState.PROVED


def test_a_later_word_of_the_person_that_calls_it_wrong_refutes_it() -> None:
    later = person("The tenant and the cached rates in write_totals: that explanation was not correct")
    lines = (ASK, SAY, EDIT, act(green()), person("thanks, now the docs"), later)
    assert outcome(prove(*lines)) == ("refuted", "the person called it wrong later")
    other = person("The docs of the login page are not correct")
    assert prove(*lines[:-1], other).state is ProofState.PROVED


def test_what_was_said_before_does_not_speak_against_it() -> None:
    before = person("The cached rates of the tenant in write_totals are wrong")
    assert (
        prove(before, agent("I will look."), ASK, SAY, EDIT, act(green()), said_in=-1).state
        is ProofState.PROVED
    )


def test_nothing_changed_leaves_it_open() -> None:
    assert outcome(prove(ASK, SAY, act(read("src/export.py")))) == ("open", "nothing was changed for it")


def test_a_diagnosis_is_borne_out_by_the_next_request_that_works_on_its_file() -> None:
    yes = person("Please go on with the other things on the list first, then do that")
    proof = prove(ASK, SAY, yes, EDIT, act(green()))
    assert proof.state is ProofState.PROVED


def test_a_yes_right_after_it_needs_no_name_but_a_text_with_another_file_does() -> None:
    yes = (person("yes, do it"), act(edit("src/rates.py", "a", "b")), act(green()))
    said = "The cache is filled before the tenant is known"
    assert prove(ASK, agent(said), *yes, text=said).state is ProofState.PROVED
    assert prove(ASK, SAY, *yes).state is ProofState.OPEN


def test_work_two_requests_later_on_something_else_is_no_proof() -> None:
    said = "The cache is filled before the tenant is known"
    lines = (ASK, agent(said), person("what is the time?"), agent("Ten."))
    work = (person("rename the option"), act(edit("src/cli.py", "a", "b")), act(green()))
    assert prove(*lines, *work, text=said).state is ProofState.OPEN


def test_an_answer_about_what_was_just_built_is_borne_out_by_it() -> None:
    lines = (ASK, EDIT, act(green()), person("why was that?"), SAY)
    assert prove(*lines, said_in=-1).state is ProofState.PROVED


def test_two_names_in_common_make_it_the_same_work() -> None:
    said = "`load_rates` must come after `set_tenant`"
    work = (
        person("go on"),
        agent("I move `load_rates` behind `set_tenant`."),
        act(edit("src/x.py")),
        act(green()),
    )
    talk = (person("what is the time?"), agent("Ten."))
    assert prove(ASK, agent(said), *talk, *work, text=said).state is ProofState.PROVED
    one_name = "`load_rates` is slow"
    assert prove(ASK, agent(one_name), *talk, *work, text=one_name).state is ProofState.OPEN


def test_a_summary_is_borne_out_by_the_work_before_it() -> None:
    lines = (ASK, EDIT, act(green()), person("go on with the docs"), act(read("README.md")))
    assert prove_summary(*lines, said_after=2).state is ProofState.PROVED
    assert prove_summary(ASK, act(read("a.py")), said_after=1).state is ProofState.OPEN


def test_a_summary_that_begins_a_session_tells_of_work_not_seen_here() -> None:
    said = "The cache is filled before the tenant is known"
    lines = (ASK, act(edit("src/cli.py", "a", "b")), act(green()))
    assert prove_summary(*lines, text=said, said_after=0).state is ProofState.OPEN
    assert prove_summary(*lines, text=said, said_after=1).state is ProofState.PROVED
