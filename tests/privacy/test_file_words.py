"""What is kept of the words of files: no secret, however often it occurs, and none for longer than the rest."""

from __future__ import annotations

import pytest

from recollect import Recollect
from recollect.store.sqlite.driver import connect
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder
from tests.hooks.hooking import Hooks


@pytest.mark.parametrize("times", [1, 2, 7])
def test_a_secret_in_a_file_is_never_a_word_of_it(hooks: Hooks, times: int) -> None:
    secret = "hXk3pQ9vTz7LmN2w"
    path = str(hooks.project / "src/auth.py")
    content = f"DB_PASSWORD = '{secret}'\nlifetime lifetime lifetime\n" * times
    hooks.send(
        "PostToolUse",
        tool_name="Read",
        tool_use_id="toolu_1",
        tool_input={"file_path": path},
        tool_response={"type": "text", "file": {"filePath": path, "content": content}},
    )
    hooks.send(
        "PostToolUse",
        tool_name="Write",
        tool_use_id="toolu_2",
        tool_input={"file_path": path, "content": content},
        tool_response={"filePath": path, "content": content},
    )
    with hooks.memory() as memory:
        memory.observer.learn(hooks.session)
    stored = b"".join(file.read_bytes() for file in hooks.home.rglob("*") if file.is_file()).lower()
    assert secret.lower().encode() not in stored
    assert b"lifetime" in stored


def test_the_words_of_files_go_when_notes_and_trails_go(hooks: Hooks, clock: Clock) -> None:
    path = str(hooks.project / "src/auth.py")
    with Recollect(hooks.db, folder=hooks.project, embedder=HashEmbedder(), clock=clock) as memory:
        for action in ("read", "edit"):
            memory.observer.record(
                "tool_finished",
                session="old",
                action=action,
                files=[path],
                ok=True,
                data={"words": "zebrawolf:7", "names": "obermoser"},
            )
        memory.observer.learn("old")
        assert count_words(hooks) > 0
        # A month at a time: a clock that leaps is not believed.
        for _ in range(5):
            clock.pass_(days=25)
            memory.upkeep.run(every=True, budget=60.0)
        assert count_words(hooks) == 0


def count_words(hooks: Hooks) -> int:
    db = connect(str(hooks.db), create=False)
    try:
        return sum(count for (count,) in db.statement("SELECT count(*) FROM past_word"))
    finally:
        db.close()
