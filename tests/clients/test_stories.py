"""What a memory does in a real client, from the mistake to the session that is spared it."""

from __future__ import annotations

import re

import pytest

from tests.clients import shop
from tests.clients.story import GOTCHA, HOPE, Story

# The first test of a client fetches it and tells the whole story.
pytestmark = pytest.mark.timeout(900)


def test_every_session_ends_well(story: Story) -> None:
    assert story.installing.code == 0, story.installing
    for name, session in story.sessions.items():
        assert session.ran.code == 0, (name, session.ran)
        assert session.left_running == (), name


def test_the_tests_failed_and_passed_for_real(story: Story) -> None:
    mistake, failure = story.sessions["mistake"], story.sessions["failure"]

    assert mistake.times("1 failed, 2 passed", 3) == 1
    assert mistake.times("3 passed", 3) == 0
    assert mistake.times("3 passed", 6) == 1
    assert failure.times("1 failed, 2 passed", 4) == 1


def test_a_new_session_is_told_the_gotcha_at_the_prompt_exactly_once(story: Story) -> None:
    assert story.sessions["question"].times(GOTCHA, 0) == 1


def test_what_the_prompt_brought_does_not_come_again_with_the_file(story: Story) -> None:
    assert story.sessions["question"].times(GOTCHA, 1) == 1


def test_the_person_sees_what_was_told_and_its_cost(story: Story) -> None:
    if not story.driver.shows_messages:
        pytest.skip(f"{story.driver.name} shows no line of a hook where there is no terminal")
    ran = story.sessions["question"].ran

    assert re.search(
        r"recollect: 1 memory(?:, \d+ files?)?, \d+ tokens — recollect why", ran.out + ran.err
    ), ran


def test_after_a_yes_the_gotcha_comes_with_the_file_exactly_once(story: Story) -> None:
    reading = story.sessions["reading"]

    assert story.yes.code == 0, story.yes
    assert reading.times(GOTCHA, 0) == 0
    assert reading.times(GOTCHA, 1) == 1


def test_recall_answers_the_agent(story: Story) -> None:
    reading = story.sessions["reading"]

    assert reading.times(GOTCHA, 2) == reading.times(GOTCHA, 1) + 1


def test_a_session_whose_tests_fail_leaves_nothing(story: Story) -> None:
    assert [memory for memory in story.known["memories"] if HOPE in memory["text"]] == []
    assert _told_later(story, HOPE) == 0


def test_what_a_file_said_is_never_told_later(story: Story) -> None:
    states = [memory["state"] for memory in story.known["memories"] if shop.BAIT in memory["text"]]

    assert states == ["quarantined"]
    assert _told_later(story, shop.BAIT) == 0


def test_a_citation_in_the_answer_is_counted(story: Story) -> None:
    (gotcha,) = [memory for memory in story.known["memories"] if GOTCHA in memory["text"]]
    told = {told["moment"]: told["used"] for told in story.why["told"] if told["memory_id"] == gotcha["id"]}

    assert told["file"] == "cited"
    # Once in each of the two sessions whose answers cite it.
    assert gotcha["useful"] == 2


def _told_later(story: Story, text: str) -> int:
    later = [story.sessions[name] for name in ("elsewhere", "question", "reading")]
    return sum(session.times(text, request.place) for session in later for request in session.heard)
