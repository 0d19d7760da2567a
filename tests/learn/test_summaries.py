"""Compaction summaries and commit bodies, as agents write them: what is heard of them, and what proves it."""

from __future__ import annotations

import pytest

from recollect.learn.episodes import split_sections
from recollect.model.session import WorkVerdict
from tests.learn.talk import Line, act, heard, person, summary
from tests.observe.acts import edit, green, run

SUMMARY = """This session is being continued from a previous conversation that ran out of context.

Analysis:
Let me go through the conversation:
1. **First message**: asked for a cap on retries.

Summary:
1. Primary Request and Intent:
   - Retries in `client.py` must be capped.

2. Key Technical Concepts:
   - transports, because they always matter

3. Files and Code Sections:
   - **src/app/client.py**
      - Added `RetryPolicy`:
      ```python
      class RetryPolicy: ...
      ```

4. Errors and fixes:
   - **`test_retry` hangs under the async plugin**:
     - Cause: the event loop was created when `client.py` was imported, so each test got a
       loop that was closed.
     - Fix: create the loop lazily in `get_loop()`.
   - **Type error in policy.py**: `sleep()` cannot take the optional `delay`; it is now 0 by default.
     - User feedback: "never silence the type checker for this"

6. All user messages:
   - "never use type: ignore in this repo"

9. Optional Next Step:
   Run the whole suite.
"""


def notes(*lines: Line) -> list[tuple[str, str]]:
    return [(seen.facts["proof"], seen.facts["text"]) for seen in heard(*lines, verdict=WorkVerdict.PASSED)]


def worked(file: str) -> tuple[Line, Line]:
    return act(edit(file)), act(green())


def test_an_error_of_a_summary_is_one_note_with_its_cause_and_its_fix() -> None:
    told_of = notes(person("cap the retries in client.py"), *worked("src/app/client.py"), summary(SUMMARY))
    proofs = {text.partition(":")[0]: (proof, text) for proof, text in told_of}
    proof, text = proofs["`test_retry` hangs under the async plugin"]
    assert proof == "proved"
    assert "a loop that was closed" in text, "an item goes on in the next line"
    assert "Fix: Create the loop lazily in `get_loop()`." in text


def test_what_a_summary_says_that_the_person_said_is_nobodys_word() -> None:
    spoken = notes(person("cap the retries"), *worked("src/app/client.py"), summary(SUMMARY))
    assert spoken
    assert not any("type checker" in text or "type: ignore" in text for _, text in spoken)


def test_a_summary_that_begins_a_session_is_proved_by_work_on_what_it_names_alone() -> None:
    begun = notes(summary(SUMMARY), *worked("src/app/client.py"))
    assert {proof for proof, text in begun if "client.py" in text} == {"proved"}
    elsewhere = notes(summary(SUMMARY), *worked("docs/index.md"))
    assert {proof for proof, _ in elsewhere} == {"open"}


@pytest.mark.parametrize(
    "title",
    ["## Lessons learned", "**Root causes**:", "3. Key decisions:", "Gotchas", "### Fehler und Lösungen"],
)
def test_sections_are_known_by_what_their_title_is_about(title: str) -> None:
    text = f"""Where we stand

{title}
- `load_rates()` must run after `set_tenant()`, because the cache in `rates.py` is filled once.

## Next steps
- always write more documents about `rates.py`, because they matter
"""
    spoken = notes(person("fix the rates"), *worked("src/rates.py"), summary(text))
    assert ["set_tenant" in words for _, words in spoken] == [True]


def test_sections_keep_the_shape_of_their_lists() -> None:
    [section] = [text for title, text in split_sections(SUMMARY) if title == "Errors and fixes"]
    assert section.splitlines()[1].startswith("  - Cause:")


BODY = """The rates were read when `rates.py` was imported, so every tenant saw the prices of the
first one. `load_rates()` must run after `set_tenant()`.

- keep `rates.json` out of the wheel, because packagers patch it

Co-Authored-By: Kim <kim@example.org>"""
COMMITS = {
    "here-document": f"git commit -m \"$(cat <<'EOF'\nfix(rates): read the tenant first\n\n{BODY}\nEOF\n)\"",
    "standard input": f"git commit -F - <<'EOF'\nRead the tenant first\n\n{BODY}\nEOF",
}


@pytest.mark.parametrize("command", COMMITS.values(), ids=COMMITS.keys())
def test_the_reason_in_the_body_of_an_own_commit_is_heard(command: str) -> None:
    committed = act(run(command, "[main 1a2b3c4] Read the tenant first\n 2 files changed"))
    spoken = notes(person("the prices are wrong"), *worked("src/rates.py"), committed)
    assert any("`load_rates()` must run after `set_tenant()`" in text for _, text in spoken)
    assert not any("Co-Authored" in text or "fix(rates)" in text for _, text in spoken)
