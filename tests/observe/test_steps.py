"""Events told as steps: every call with its own end, in whatever order they came."""

from __future__ import annotations

import random

from recollect.model.event import EventType, ToolAction
from recollect.observe.steps import build_steps
from tests.observe.events import a_call, an_end, an_event


def test_parallel_results_find_their_calls() -> None:
    events = [a_call(0, "a"), a_call(1, "b"), an_end(2, "b", ok=False), an_end(3, "a", ok=True)]
    steps = build_steps("s1", events).steps
    assert [(step.number, step.call_id, step.ok) for step in steps] == [(1, "a", True), (2, "b", False)]


def test_the_order_they_are_given_in_does_not_matter() -> None:
    events = [
        event
        for n in range(20)
        for event in (a_call(n * 2, f"c{n}"), an_end(n * 2 + 1.5, f"c{n}", ok=n % 2 == 0))
    ]
    shuffled = events[:]
    random.Random(7).shuffle(shuffled)
    assert build_steps("s1", shuffled) == build_steps("s1", events)


def test_an_end_that_was_written_before_its_call_is_one_step_with_it() -> None:
    (step,) = build_steps("s1", [an_end(0, "a", ok=True, output="fine"), a_call(1, "a")]).steps
    assert (step.ok, step.output, len(step.event_ids)) == (True, "fine", 2)


def test_a_call_that_nobody_ended_is_a_step_without_an_end() -> None:
    (step,) = build_steps("s1", [a_call(0, "a")]).steps
    assert (step.ok, step.finished_at) == (None, None)


def test_an_end_without_a_call_is_a_step() -> None:
    (step,) = build_steps("s1", [an_end(0, "a", ok=True)]).steps
    assert step.finished_at == step.at


def test_without_ids_the_oldest_open_call_of_the_same_kind_is_meant() -> None:
    events = [
        a_call(0),
        a_call(1, command="lint"),
        a_call(2),
        an_end(3, ok=True),
        an_end(4, ok=False),
        an_end(5, command="lint"),
    ]
    first, lint, second = build_steps("s1", events).steps
    assert (first.ok, second.ok) == (True, False)
    assert lint.finished_at is not None


def test_the_first_witness_outranks_the_batch() -> None:
    batch = an_end(2, "a", data={"batch": True}, output="as the model saw it")
    (step,) = build_steps("s1", [a_call(0, "a"), batch, an_end(3, "a", ok=True, exit_code=0)]).steps
    assert (step.ok, step.exit_code) == (True, 0)
    (step,) = build_steps("s1", [a_call(0, "a"), batch]).steps
    assert step.output == "as the model saw it"


def test_words_know_after_how_many_steps_they_were_said() -> None:
    events = [
        an_event(EventType.PROMPT, 0, text="go"),
        a_call(1, "a"),
        an_end(2, "a"),
        an_event(EventType.ASSISTANT_TEXT, 3, text="done"),
        an_event(EventType.PROMPT, 4, text="<task-notification>", data={"machine": True}),
        an_event(EventType.UNKNOWN, 5),
    ]
    steps = build_steps("s1", events)
    assert [(said.text, said.after_step, said.machine) for said in steps.prompts] == [
        ("go", 0, False),
        ("<task-notification>", 1, True),
    ]
    assert steps.answers[0].after_step == 1
    assert steps.unknown == 1


def test_edits_are_values() -> None:
    told = {"edits": [{"file": "a.py", "before": "1", "after": "2", "lines": [3, 4]}], "denied": True}
    (step,) = build_steps("s1", [an_end(0, "a", action=ToolAction.EDIT, files=("a.py",), data=told)]).steps
    (edit,) = step.edits
    assert (edit.file, edit.before, edit.after, edit.lines) == ("a.py", "1", "2", (3, 4))
    assert step.denied
