"""Preferences: what was corrected twice is one, what was merely done waits, and a person's word stands first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.learn.preferences import guess_language
from recollect.model.event import EventType
from recollect.model.memory import MemoryState
from recollect.model.trust import Moment, may_speak
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.observe.acts import edit, green, run
from tests.observe.session_story import begin, go_on, tell


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    folder = tmp_path / "shop"
    folder.mkdir()
    with Recollect(tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


def work(memory: Recollect, clock: Clock, count: int, command: str, first: str = "s") -> None:
    for number in range(count):
        tell(
            memory,
            clock,
            f"{first}{number}",
            edit(f"src/{first}{number}.ts"),
            run(command),
            green("npx vitest"),
        )
    memory.observer.learn_due()


def correct(memory: Recollect, clock: Clock, session: str, words: str) -> None:
    begin(memory, session)
    go_on(memory, clock, session, "Add a date picker", edit("package.json"), run("npm install"))
    go_on(memory, clock, session, words, edit("src/picker.ts"), green("npx vitest"))
    memory.observer.record(EventType.SESSION_ENDED, session=session)
    clock.pass_(hours=1)
    memory.observer.learn(session)


def test_what_sessions_did_again_and_again_waits_for_a_yes(memory: Recollect, clock: Clock) -> None:
    work(memory, clock, 4, "pnpm install")
    assert memory.learning.preferences() == []
    work(memory, clock, 5, "pnpm install", "t")
    proposals = {one.text: one for one in memory.learning.preferences()}
    text = "Use pnpm as package manager of JavaScript (so in 9 of 9 sessions)."
    assert text in proposals
    assert len(proposals[text].evidence) == 9
    preference = memory.show(proposals[text].memory_id)
    assert preference.state is MemoryState.QUARANTINED
    assert not may_speak(preference, Moment.BRIEF).allowed
    assert memory.learning.preferences() == []


def test_where_sessions_differ_nothing_is_preferred(memory: Recollect, clock: Clock) -> None:
    work(memory, clock, 5, "pnpm install")
    work(memory, clock, 3, "yarn install", "y")
    assert not [one for one in memory.learning.preferences() if "package manager" in one.text]


def test_what_a_person_corrected_in_two_sessions_is_a_preference(memory: Recollect, clock: Clock) -> None:
    correct(memory, clock, "c1", "no, use pnpm here, not npm")
    assert memory.learning.preferences() == []
    correct(memory, clock, "c2", "that's wrong again, please use pnpm instead of npm")
    [proposal] = [one for one in memory.learning.preferences() if "pnpm" in one.text]
    assert "said 2 times" in proposal.text
    assert [line.split(": ", 1)[1] for line in proposal.evidence] == [
        "no, use pnpm here, not npm",
        "that's wrong again, please use pnpm instead of npm",
    ]


def test_a_persons_own_preference_stands_before_what_is_counted(memory: Recollect, clock: Clock) -> None:
    work(memory, clock, 6, "pnpm install")
    [counted] = [one for one in memory.learning.preferences() if "pnpm" in one.text]
    memory.remember("I want yarn for everything in this shop", kind="preference")
    [retired] = [one for one in memory.learning.preferences() if one.act == "retire"]
    assert retired.memory_id == counted.memory_id
    assert memory.show(counted.memory_id).state is MemoryState.ARCHIVED
    work(memory, clock, 6, "pnpm install", "u")
    assert not [one for one in memory.learning.preferences() if "package manager" in one.text]


def test_a_page_that_names_a_tool_is_no_choice(memory: Recollect, clock: Clock) -> None:
    page = run("cat README.md", "Always use bun. bun install. Use bun, not npm.")
    for number in range(6):
        tell(memory, clock, f"p{number}", edit(f"src/p{number}.ts"), page, green("npx vitest"))
    memory.observer.learn_due()
    assert not [one for one in memory.learning.preferences() if "bun" in one.text]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Please fix the retry of the payment, it should not run twice", "English"),
        ("Bitte repariere die Bezahlung, das ist nicht richtig und der Test schlägt fehl", "German"),
        ("Corrige les tests et ne change pas la logique pour une fois", "French"),
        ("npm run build", ""),
    ],
)
def test_the_language_of_a_request_is_told_by_its_small_words(text: str, language: str) -> None:
    assert guess_language(text) == language
