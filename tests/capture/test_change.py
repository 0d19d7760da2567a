"""Editing, pinning, forgetting, purging, and taking any of it back."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Memory, Recollect, Remembered
from recollect.errors import BadInput, EmptyMemory, NotFound, NothingToUndo, UnknownKind
from recollect.model.json_form import changeable_to_json
from recollect.model.memory import MemoryState
from recollect.model.query import Filters
from tests.api.scripted_embedder import ScriptedEmbedder
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

EVERY_STATE = Filters(states=tuple(MemoryState), every_project=True)


def kept(memory: Recollect, text: str, **details: object) -> Memory:
    answer = memory.remember(text, **details)  # type: ignore[arg-type]
    assert isinstance(answer, Remembered), answer
    return answer.memory


def found(memory: Recollect, question: str) -> list[str]:
    return [hit.memory.text for hit in memory.recall(question)]


def by_words(memory: Recollect, question: str) -> list[str]:
    """What the words of a question find; no vector has a say."""
    return [hit.memory.text for hit in memory.recall(question, profile="keywords")]


@pytest.fixture
def scripted(store_address: str, clock: Clock) -> Iterator[tuple[Recollect, ScriptedEmbedder]]:
    model = ScriptedEmbedder()
    with Recollect(store_address, folder=None, embedder=model, clock=clock) as opened:
        yield opened, model


# -- edit ------------------------------------------------------------------------------------------------


def test_an_edited_memory_is_found_by_its_new_words_and_no_longer_by_its_old_ones(memory: Recollect) -> None:
    made = kept(memory, "The gateway listens on marmalade")
    memory.edit(made.id, text="The gateway listens on quicksilver")
    assert by_words(memory, "quicksilver") == ["The gateway listens on quicksilver"]
    assert by_words(memory, "marmalade") == []


def test_an_edited_memory_gets_the_vector_of_its_new_words(
    scripted: tuple[Recollect, ScriptedEmbedder],
) -> None:
    memory, model = scripted
    model.cosines = {"old words": 0.0, "new words": 1.0, "asked": 1.0}
    made = kept(memory, "old words")
    memory.edit(made.id, text="new words")
    assert model.seen == ["old words", "new words"]
    hit = memory.recall("asked", profile="v3")[0]
    assert {part.name: part.value for part in hit.why}["meaning"] == pytest.approx(1.0, abs=1e-3)
    assert memory.admin.stats().vectors == {"scripted-1": 1}


def test_a_memory_that_becomes_a_kind_without_vectors_loses_its_own(
    scripted: tuple[Recollect, ScriptedEmbedder],
) -> None:
    memory, _ = scripted
    made = kept(memory, "auth is dear")
    memory.edit(made.id, kind="context_cost")
    assert memory.admin.stats().vectors == {"scripted-1": 0}
    memory.edit(made.id, kind="fact")
    assert memory.admin.stats().vectors == {"scripted-1": 1}


def test_history_tells_what_was_and_what_became_of_it_and_who_and_why(
    memory: Recollect, clock: Clock
) -> None:
    made = kept(memory, "Retries are capped at 3", tags=["net"], why="heard in the meeting")
    clock.pass_(hours=1)
    memory.edit(made.id, text="Retries are capped at 5", tags=["net", "limits"], why="raised")
    remembered, edited = memory.history(made.id[:12])
    assert (remembered.action, remembered.why, remembered.actor) == (
        "remember",
        "heard in the meeting",
        "user",
    )
    assert (edited.action, edited.why, edited.at) == ("edit", "raised", clock())
    assert edited.before["text"] == "Retries are capped at 3"
    assert edited.after["text"] == "Retries are capped at 5"
    assert (edited.before["tags"], edited.after["tags"]) == (["net"], ["net", "limits"])
    assert set(edited.after) == {"text", "tags", "citation"}


def test_an_edit_that_changes_nothing_leaves_no_trace(memory: Recollect, clock: Clock) -> None:
    made = kept(memory, "Stable", tags=["a"])
    clock.pass_(days=1)
    assert memory.edit(made.id, text="Stable", tags=["a"]) == made
    assert len(memory.history(made.id)) == 1


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"text": " "}, EmptyMemory),
        ({"text": "\u200b"}, EmptyMemory),
        ({"kind": "nonsense"}, UnknownKind),
        ({"confidence": 3}, BadInput),
        ({"tags": [""]}, BadInput),
        ({"about": ["nothing"]}, BadInput),
        ({"fields": {"unheard": 1}}, BadInput),
        ({"state": "gone"}, BadInput),
        ({"scope": "universe"}, BadInput),
        ({"happened_at": "yesterdayish"}, BadInput),
        ({"relations": [{"type": "loves", "path": "x"}]}, BadInput),
        ({"shoe_size": 44}, BadInput),
        ({"text": 5}, BadInput),
        ({"half_life_days": -1}, BadInput),
    ],
)
def test_an_edit_that_makes_no_sense_changes_nothing(
    memory: Recollect, changes: dict[str, object], error: type[Exception]
) -> None:
    made = kept(memory, "As it was")
    with pytest.raises(error):
        memory.edit(made.id, **changes)
    assert memory.show(made.id) == made
    assert len(memory.history(made.id)) == 1


def test_an_edit_full_of_hidden_characters_is_put_aside(memory: Recollect) -> None:
    made = kept(memory, "Harmless")
    changed = memory.edit(made.id, text="Still harm" + "\u200b" * 12 + "less")
    assert (changed.text, changed.state) == ("Still harmless", MemoryState.QUARANTINED)


# -- undo ------------------------------------------------------------------------------------------------


def test_each_act_can_be_taken_back(memory: Recollect) -> None:
    made = kept(memory, "The flag is named dark-mode", tags=["ui"], about=["src/theme.py"])
    memory.edit(made.id, text="The flag is named night-mode", tags=[], confidence=0.3)
    assert memory.undo().action == "edit"
    assert changeable_to_json(memory.show(made.id)) == changeable_to_json(made)
    memory.pin(made.id)
    assert memory.undo().action == "pin"
    assert not memory.show(made.id).pinned
    memory.forget(made.id)
    assert found(memory, "flag") == []
    undone = memory.undo()
    assert (undone.action, undone.actor) == ("forget", "user")
    assert found(memory, "flag") == ["The flag is named dark-mode"]
    assert memory.undo().action == "remember"
    assert found(memory, "flag") == []
    assert memory.show(made.id).state is MemoryState.ARCHIVED
    with pytest.raises(NothingToUndo):
        memory.undo()


def test_undo_repeated_goes_back_through_every_version_byte_for_byte(memory: Recollect, clock: Clock) -> None:
    texts = ["One\n", "Two  spaces", "Drei Größen", "四", "five 👩‍👩‍👧"]
    made = kept(memory, texts[0], tags=["x", "y"], about=["person:Ada", "a/b.py"])
    versions = [memory.show(made.id)]
    for number, text in enumerate(texts[1:]):
        clock.pass_(minutes=1)
        memory.edit(made.id, text=text, tags=[f"t{number}"], about=[f"file:f{number}.py"])
        versions.append(memory.show(made.id))
    for version in reversed(versions[:-1]):
        memory.undo(made.id)
        now = memory.show(made.id)
        assert replace(now, updated_at=version.updated_at) == version
    assert by_words(memory, "One") == ["One"]
    assert by_words(memory, "Drei") == []


def test_undo_of_one_memory_leaves_the_others_alone(memory: Recollect) -> None:
    one, two = kept(memory, "First matter"), kept(memory, "Second matter")
    memory.edit(one.id, text="First matter, changed")
    memory.edit(two.id, text="Second matter, changed")
    memory.undo(one.id)
    assert memory.show(one.id).text == "First matter"
    assert memory.show(two.id).text == "Second matter, changed"
    memory.undo()
    assert memory.show(two.id).text == "Second matter"


def test_what_was_done_together_is_taken_back_together(memory: Recollect) -> None:
    ids = [kept(memory, text).id for text in ("Alpha here", "Beta here", "Gamma here")]
    memory.forget(*ids)
    assert memory.count() == 0
    assert len(memory.undo().memories) == 3
    assert memory.count() == 3


def test_an_undone_act_is_marked_and_not_undone_twice(memory: Recollect) -> None:
    made = kept(memory, "Version one")
    memory.edit(made.id, text="Version two")
    memory.edit(made.id, text="Version three")
    memory.undo()
    memory.undo()
    assert memory.show(made.id).text == "Version one"
    story = memory.history(made.id)
    assert [(change.action, change.undone) for change in story] == [
        ("remember", False),
        ("edit", True),
        ("edit", True),
        ("undo", False),
        ("undo", False),
    ]


def test_undo_passes_over_a_relation_to_what_was_purged_since(memory: Recollect) -> None:
    target, made = kept(memory, "The target"), kept(memory, "The pointer")
    memory.edit(made.id, relations=[{"type": "validates", "memory_id": target.id}])
    memory.edit(made.id, relations=[], text="The pointer, freed")
    memory.purge(target.id)
    memory.undo(made.id)
    assert memory.show(made.id).text == "The pointer"
    assert memory.show(made.id).relations == ()


def test_undo_of_an_import_takes_all_of_it_back(memory: Recollect, tmp_path: Path, clock: Clock) -> None:
    lines = ['{"format": "recollect-memories", "version": 1}']
    lines += [f'{{"text": "Imported note {n}"}}' for n in range(620)]
    memory.admin.import_memories(lambda: iter(lines))
    assert memory.count() == 620
    assert memory.undo().action == "import"
    assert memory.count() == 0


def test_undo_of_an_unknown_or_unchanged_memory_says_so(memory: Recollect) -> None:
    with pytest.raises(NothingToUndo, match="nothing to undo"):
        memory.undo()
    with pytest.raises(NotFound, match="ZZZ"):
        memory.undo("ZZZ")


# -- pin, forget -----------------------------------------------------------------------------------------


def test_a_pin_can_be_set_and_loosened(memory: Recollect) -> None:
    made = kept(memory, "Keep me")
    assert memory.pin(made.id).pinned
    assert not memory.pin(made.id, pinned=False).pinned
    assert [change.action for change in memory.history(made.id)] == ["remember", "pin", "unpin"]


def test_forgetting_one_of_several_that_does_not_exist_forgets_none(memory: Recollect) -> None:
    made = kept(memory, "Still here")
    with pytest.raises(NotFound):
        memory.forget(made.id, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert memory.show(made.id).state is MemoryState.ACTIVE


def test_what_is_forgotten_is_no_longer_found_through_its_neighbours(memory: Recollect) -> None:
    first = kept(memory, "The zeppelin leaves at noon", session="s1")
    second = kept(memory, "Bring sandwiches", session="s1")
    third = kept(memory, "And a map of the coast", session="s1")
    assert second.id in {hit.memory.id for hit in memory.recall("zeppelin", profile="keywords")}
    memory.forget(first.id)
    assert by_words(memory, "zeppelin") == []
    memory.undo()
    assert "Bring sandwiches" in by_words(memory, "zeppelin")
    memory.edit(first.id, text="The balloon leaves at noon")
    assert by_words(memory, "zeppelin") == []
    assert third.id in {hit.memory.id for hit in memory.recall("balloon", profile="keywords")}


# -- purge -----------------------------------------------------------------------------------------------


def test_a_purged_memory_is_gone_with_its_story_and_cannot_be_undone(memory: Recollect) -> None:
    made, other = (
        kept(memory, "A canary called Xylophone", session="s"),
        kept(memory, "Beside it", session="s"),
    )
    memory.edit(made.id, text="A canary called Xylophone, edited")
    assert memory.purge(made.id) == [made.id]
    with pytest.raises(NotFound):
        memory.show(made.id)
    assert [change.action for change in memory.history(made.id)] == ["purge"]
    assert "Xylophone" not in str(memory.history())
    assert by_words(memory, "Xylophone") == []
    assert memory.undo().memories[0].id == other.id
    with pytest.raises(NothingToUndo):
        memory.undo()
    assert memory.admin.stats(every_project=True).vectors == {"hash-1": 1}


def test_purging_the_last_memory_leaves_a_working_store(memory: Recollect) -> None:
    made = kept(memory, "The only one")
    memory.purge(made.id)
    assert found(memory, "only one") == []
    assert kept(memory, "The only one").id != made.id


# -- any series of acts ----------------------------------------------------------------------------------

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "tags", "about", "pin", "unpin", "forget", "kind", "revive", "undo"]),
        st.integers(0, 3),
        st.integers(0, 9),
    ),
    max_size=12,
)


@given(acts=ACTS)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_whatever_is_done_undoing_all_of_it_gives_the_first_state(acts: list[tuple[str, int, int]]) -> None:
    clock = Clock()
    with (
        tempfile.TemporaryDirectory() as folder,
        Recollect(Path(folder, "m.db"), folder=None, embedder=HashEmbedder(), clock=clock) as memory,
    ):
        ids = [kept(memory, f"Base memory {n}", tags=[f"t{n}"], session="s").id for n in range(4)]
        before = state_of(memory)
        searches = {word: sorted(by_words(memory, word)) for word in ("Base", "changed", "memory")}
        for act, which, number in acts:
            clock.pass_(seconds=1)
            do(memory, act, ids[which], number)
        while can_go_on(memory.history(limit=1000)):
            memory.undo()
        assert state_of(memory) == before
        assert {word: sorted(by_words(memory, word)) for word in searches} == searches


def do(memory: Recollect, act: str, memory_id: str, number: int) -> None:
    match act:
        case "edit":
            memory.edit(memory_id, text=f"Now changed to {number}")
        case "tags":
            memory.edit(memory_id, tags=[f"tag{n}" for n in range(number % 3)])
        case "about":
            memory.edit(memory_id, about=[f"person:p{number}"])
        case "pin" | "unpin":
            memory.pin(memory_id, pinned=act == "pin")
        case "forget":
            memory.forget(memory_id)
        case "kind":
            memory.edit(memory_id, kind=("fact", "decision", "context_cost")[number % 3])
        case "revive":
            memory.edit(memory_id, state="active")
        case "undo" if can_go_on(memory.history(limit=1000)):
            memory.undo()


def can_go_on(story: object) -> bool:
    """Whether an act other than the first remembering is left to take back."""
    return any(c.action not in ("remember", "undo") and not c.undone for c in story)  # type: ignore[attr-defined]


def state_of(memory: Recollect) -> list[dict[str, object]]:
    listed = memory.list(EVERY_STATE, limit=100)
    return [{"id": item.id, **changeable_to_json(item)} for item in listed]


@pytest.mark.sqlite
def test_purged_text_is_in_no_byte_of_the_file(memory: Recollect, tmp_path: Path) -> None:
    memory.remember(
        "Xylophonequartz is the old vault phrase", about=["module:xylophonequartz"], tags=["keep"]
    )
    kept = memory.remember("The build takes nine minutes", session="s1")
    answer = memory.remember("The grapefruitzeppelin password hint is moon", session="s1")
    assert isinstance(answer, Remembered)
    assert isinstance(kept, Remembered)

    memory.purge(answer.memory.id, memory.list(memory.filters(tags=("keep",)))[0].id)

    stored = b"".join(file.read_bytes() for file in tmp_path.glob("memories.db*")).lower()
    assert b"grapefruitzeppelin" not in stored
    assert b"xylophonequartz" not in stored
    assert b"nine minutes" in stored
