"""From real files to the next session: the way of working is seen, its state kept, and resumed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.memory import MemoryState
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.methods.projects import PLAN, RULES, SPRINT, SPRINT_STATUS, STORY, checkout, write
from tests.observe.acts import edit, green, read, red, run
from tests.observe.session_story import tell

Opened = Callable[[Path], AbstractContextManager[Recollect]]
STORIES = {
    "docs/sprint-status.yaml": SPRINT_STATUS.format(status="in-progress"),
    "docs/stories/3-2-token-refresh.md": STORY.format(status="in-progress", second=" "),
}


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Opened:
    """The memory as another process opens it in a project."""
    return lambda folder: Recollect(
        tmp_path / "memories.db", folder=folder, embedder=HashEmbedder(), clock=clock
    )


def states(memory: Recollect) -> list[str]:
    return [found.text for found in memory.methods.resume()]


def test_a_bmad_story_goes_on_in_the_next_session(tmp_path: Path, clock: Clock, opened: Opened) -> None:
    folder = checkout(tmp_path / "shop", STORIES, "main")
    with opened(folder) as memory:
        assert memory.methods.active().method.id == "bmad"
        tell(memory, clock, "s1", edit("src/token.py"), branch="main")
        memory.observer.learn_due()
        assert memory.observer.session("s1").work == "bmad:epic_3/story_3_2"
    with opened(folder) as memory:
        [state] = memory.methods.resume()
        assert state.work and state.work.label == "Epic 3 / Story 3.2 Token refresh"
        assert "In progress: src/token.py" in state.text
        assert "1 of 3 acceptance criteria are met; open: #2, #3." in state.text
        kept = state.fields["methodology_state"]
        assert isinstance(kept, dict)
        assert (kept["methodology"], kept["current_story"]) == ("bmad", "3.2")


def test_a_story_that_passes_and_is_done_leaves_its_criteria_and_nothing_to_resume(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    folder = checkout(tmp_path / "shop", STORIES)
    with opened(folder) as memory:
        tell(memory, clock, "s1", edit("src/token.py"), branch="main")
        memory.observer.learn_due()
        assert len(states(memory)) == 1
        done = {
            "docs/stories/3-2-token-refresh.md": STORY.format(status="done", second="x"),
            "docs/sprint-status.yaml": SPRINT_STATUS.format(status="done"),
        }
        tell(memory, clock, "s2", edit("src/token.py"), green(), branch="main", work="bmad:epic_3/story_3_2")
        write(folder, done)
        [learned] = memory.observer.learn_due()
        assert {found.kind for found in learned.memories} >= {"work_unit_outcome", "acceptance_criterion"}
        assert all(found.trust.needs_review for found in learned.memories)
        assert memory.methods.resume(work="bmad:epic_3/story_3_2") == []


def test_a_red_test_is_the_first_thing_the_next_session_hears_of(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    folder = checkout(tmp_path / "shop", {"CLAUDE.md": RULES}, "feature/price")
    test = "tests/test_price.py"
    with opened(folder) as memory:
        assert memory.methods.active().why == "CLAUDE.md asks for it"
        tell(memory, clock, "s1", edit(test), red(), edit("src/price.py"), red(), branch="feature/price")
        memory.observer.learn_due()
        assert memory.observer.session("s1").phase == "define"
    with opened(folder) as memory:
        [state] = states(memory)
        assert state == (
            "Open work on Feature price. In the red stage, after 0 closed cycles. "
            "Red: tests/test_price.py::test_rate."
        )
        tell(memory, clock, "s2", edit("src/price.py"), green(), branch="feature/price")
        memory.observer.learn_due()
        [outcome] = memory.list(memory.filters(kinds=("work_unit_outcome",)))
        assert outcome.fields["succeeded"] is True
        assert states(memory) == []


def test_a_cycle_closed_in_one_session_leaves_a_contract(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    folder = checkout(tmp_path / "shop", {"CLAUDE.md": RULES}, "feature/price")
    with opened(folder) as memory:
        acts = (edit("tests/test_price.py"), red(), edit("src/price.py"), green())
        tell(memory, clock, "s1", *acts, branch="feature/price")
        memory.observer.learn_due()
        kinds = memory.filters(kinds=("test_contract",))
        [contract] = memory.list(kinds)
        assert contract.fields["test"] == "tests/test_price.py::test_rate"
        assert contract.state is MemoryState.ACTIVE
        assert memory.recall("what does the rate test promise?", filters=kinds).hits


def test_a_sprint_s_story_goes_on_in_the_next_session(tmp_path: Path, clock: Clock, opened: Opened) -> None:
    branch = "feature/US47-sign-out"
    folder = checkout(tmp_path / "shop", {"sprints/sprint-12.md": SPRINT}, branch)
    with opened(folder) as memory:
        tell(memory, clock, "s1", edit("src/session.py"), branch=branch)
        memory.observer.learn_due()
    with opened(folder) as memory:
        assert str(memory.methods.unit()) == "agile:sprint_12/story_US47"
        [state] = states(memory)
        assert "Story US47 “Sign out” of sprint 12. Stories done: US46." in state


def test_a_spec_goes_on_in_the_next_session(tmp_path: Path, clock: Clock, opened: Opened) -> None:
    folder = checkout(tmp_path / "shop", {".auto-claude/specs/042-retry/implementation_plan.json": PLAN})
    with opened(folder) as memory:
        commit = run("git commit -am 'Cap retries at three'", "[main 1a2b3c4] Cap retries at three")
        tell(memory, clock, "s1", commit, edit("src/retry.py"), branch="main")
        memory.observer.learn_due()
    with opened(folder) as memory:
        [state] = states(memory)
        assert "Next: subtask 1.2. Decided: Cap retries at three." in state


def test_without_any_sign_a_session_is_learned_from_as_ever(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    folder = checkout(tmp_path / "shop", {"README.md": "A shop."})
    with opened(folder) as memory:
        tell(memory, clock, "s1", edit("src/b.py"), edit("src/a.py"), branch="topic")
        memory.observer.learn_due()
        [state] = memory.list()
        assert (state.work, state.fields["branch"]) == (None, "topic")
        assert memory.observer.session("s1").phase == "implement"


def test_files_as_they_are_now_say_nothing_about_a_session_long_past(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    folder = checkout(tmp_path / "shop", STORIES)
    with opened(folder) as memory:
        tell(memory, clock, "s1", edit("src/token.py"), branch="topic")
        clock.pass_(days=3)
        memory.observer.learn_due()
        assert memory.observer.session("s1").work == ""


def test_to_switch_keeps_all_memories_and_takes_phases_from_the_new_one(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    folder = checkout(tmp_path / "shop", STORIES)
    with opened(folder) as memory:
        tell(memory, clock, "s1", edit("src/token.py"), branch="main")
        memory.observer.learn_due()
        before = memory.list()
        assert memory.methods.phase("qa") == "validate"
        assert memory.methods.use("tdd").method.id == "tdd"
        assert memory.list() == before
        assert memory.methods.phase("red") == "define"
        with pytest.raises(Exception, match="There is no phase 'qa' in tdd"):
            memory.methods.phase("qa")
    with opened(folder) as memory:
        assert memory.methods.active().method.id == "tdd"
        [state] = memory.methods.resume(work="bmad:epic_3/story_3_2")
        assert state.work and state.work.label == "Epic 3 / Story 3.2 Token refresh"
        assert memory.recall("token refresh", phase="red").hits
        assert memory.methods.use("auto").method.id == "bmad"


def test_the_phase_of_a_running_session_is_told_and_kept(
    tmp_path: Path, clock: Clock, opened: Opened
) -> None:
    folder = checkout(tmp_path / "shop", {"README.md": "A shop."})
    with opened(folder) as memory:
        tell(memory, clock, "s1", read("src/a.py"), branch="main")
        assert memory.methods.phase() == "explore"
        tell(memory, clock, "s1", edit("src/a.py"), red(), branch="main")
        assert memory.methods.phase() == "refine"
        assert memory.observer.session("s1").phase == "refine"
        memory.remember("The price is rounded", kind="gotcha")
        [hit] = memory.recall("price", phase="auto")
        assert ("phase", "refine") in [(part.name, part.words) for part in hit.why]
