"""Sessions as other agents tell them: much narration, edits through a shell, few lessons and nothing absurd."""

from __future__ import annotations

import pytest

from recollect.model.session import WorkVerdict
from tests.learn.talk import Line, act, agent, heard, person
from tests.observe.acts import edit, green, read, red, run

NARRATION = (
    "Let me search more broadly:",
    "Now let me look at the module where PersonName is likely defined:",
    "Let's run the reproduction script to see if the issue is there.",
    "The file was edited successfully. Let me view the changes.",
    "Great! The test passes now. Let me also run the whole suite to make sure nothing else is broken.",
    "I need to understand how `decode_names()` is used before I change anything.",
    "This might be related to how the encodings are handled, but I'm not sure.",
    "THOUGHT: I will create a script that reproduces the problem.\n\n```bash\npython reproduce.py\n```",
    "Perfect! All 42 tests pass and the implementation is complete.",
)
SHELL_ONLY: tuple[Line, ...] = (
    person("PersonName has no `__contains__`. Make it iterable."),
    *(line for text in NARRATION for line in (agent(text), act(run("sed -i 's/a/b/' names.py")))),
    act(green()),
)
PATCHED: tuple[Line, ...] = (
    person("The importer drops the last row of every file."),
    *(agent(text) for text in NARRATION[:4]),
    act(read("src/importer.py")),
    act(red()),
    agent(
        "The last row is lost because `read_rows()` in `src/importer.py` splits on the line end and drops what follows "
        "it; a file without a final line end must be flushed in `close()`."
    ),
    act(edit("src/importer.py")),
    act(green()),
    *(agent(text) for text in NARRATION[4:]),
)


def test_narration_is_no_lesson() -> None:
    assert not heard(*SHELL_ONLY)


def test_the_one_diagnosis_among_narration_is_heard_alone() -> None:
    [seen] = heard(*PATCHED)
    assert "must be flushed in `close()`" in seen.facts["text"]
    for phrase in ("Let me", "THOUGHT", "tests pass", "search more"):
        assert phrase not in seen.facts["text"]


@pytest.mark.parametrize("verdict", [WorkVerdict.FAILED, WorkVerdict.UNKNOWN])
def test_without_proof_nothing_of_it_is_believed(verdict: WorkVerdict) -> None:
    unchecked = tuple(line for line in PATCHED if line != act(green()))
    assert "proved" not in {seen.facts["proof"] for seen in heard(*unchecked, verdict=verdict)}
