"""The one door: what is refused, what is taken out, what is embedded, and that all of it is one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from recollect import MemoryDraft, Recollect, RecollectError, Refused, Remembered
from recollect.capture import intake
from recollect.errors import BadField, BadInput, BadSubject, EmptyMemory, NotFound, TextTooLong, UnknownKind
from recollect.model.memory import Memory, MemoryState, Relation, RelationType
from tests.api.scripted_embedder import ScriptedEmbedder
from tests.conftest import Clock

# Made up here, in the shapes real ones have; put together so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KEY = "AKIA" + "QYLPMN5HHHFPZAM2"
HIDDEN = "\u200b\u200e\u2060\ufeff\u202e"


@pytest.fixture
def model() -> ScriptedEmbedder:
    return ScriptedEmbedder()


@pytest.fixture
def store(tmp_path: Path, clock: Clock, model: ScriptedEmbedder) -> Iterator[Recollect]:
    with Recollect(tmp_path / "memories.db", folder=None, embedder=model, clock=clock) as opened:
        yield opened


def bytes_of(folder: Path) -> bytes:
    """Every byte of the store, the log that is not yet in the file included."""
    return b"".join(file.read_bytes() for file in sorted(folder.glob("memories.db*")))


def a_remembered(answer: object) -> Remembered:
    assert isinstance(answer, Remembered)
    return answer


@pytest.mark.parametrize(
    ("text", "details", "error"),
    [
        ("", {}, EmptyMemory),
        ("  \n\t ", {}, EmptyMemory),
        ("\u200b\u200b\u2060", {}, EmptyMemory),
        ("x" * 64_001, {}, TextTooLong),
        ("fine", {"kind": "nonsense"}, UnknownKind),
        ("fine", {"confidence": 1.5}, BadInput),
        ("fine", {"confidence": float("nan")}, BadInput),
        ("fine", {"about": ["payments"]}, BadSubject),
        ("fine", {"about": ["person:"]}, BadSubject),
        ("fine", {"about": ["person:" + "x" * 1025]}, BadSubject),
        ("fine", {"tags": [" "]}, BadInput),
        ("fine", {"tags": ["x" * 201]}, TextTooLong),
        ("fine", {"tags": [f"t{n}" for n in range(257)]}, BadInput),
        ("fine", {"work": "native:"}, BadInput),
        ("fine", {"work": "native:" + "x" * 1100}, TextTooLong),
        ("fine", {"session": "s" * 1025}, TextTooLong),
        ("fine", {"fields": {"rationale": "x"}}, BadField),
        ("fine", {"kind": "issue", "fields": {"status": "maybe"}}, BadField),
        ("fine", {"kind": "error_pattern", "fields": {"occurrences": -1}}, BadField),
        ("fine", {"kind": "error_pattern", "fields": {"occurrences": 10**30}}, BadInput),
        ("fine", {"kind": "decision", "fields": {"rationale": "x" * 64_001}}, TextTooLong),
        ("fine", {"kind": "work_state", "fields": {"methodology_state": {"at": float("inf")}}}, BadInput),
        ("fine", {"kind": "work_state", "fields": {"methodology_state": {"at": object()}}}, BadInput),
        ("fine", {"why": "w" * 2001}, TextTooLong),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_sentence_and_nothing_is_kept(
    store: Recollect, text: str, details: dict[str, object], error: type[RecollectError]
) -> None:
    with pytest.raises(error) as refusal:
        store.remember(text, **details)  # type: ignore[arg-type]
    assert str(refusal.value).endswith((".", "?", '"')), str(refusal.value)
    assert "{" not in str(refusal.value).replace("{'", "")
    assert store.count() == 0
    assert store.history() == []


def test_fields_nested_without_end_are_refused(store: Recollect) -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"d": deep}
    with pytest.raises(BadInput, match="nested at most"):
        store.remember("fine", kind="work_state", fields={"methodology_state": deep})


def test_hidden_characters_are_taken_out_and_counted(store: Recollect) -> None:
    answer = a_remembered(store.remember(f"Deploys{HIDDEN} run at night", tags=["re\u200blease"]))
    assert answer.memory.text == "Deploys run at night"
    assert answer.memory.tags == ("release",)
    assert answer.hidden == len(HIDDEN) + 1
    assert answer.memory.state is MemoryState.ACTIVE


def test_ten_hidden_characters_are_no_accident_and_put_it_aside(store: Recollect) -> None:
    nine = a_remembered(store.remember("Nine " + "\u200b" * 9 + "hidden ones"))
    ten = a_remembered(store.remember("Ten " + "\u200b" * 10 + "hidden ones"))
    assert (nine.memory.state, ten.memory.state) == (MemoryState.ACTIVE, MemoryState.QUARANTINED)
    assert [hit.memory.id for hit in store.recall("hidden ones")] == [nine.memory.id]


def test_what_is_drawn_stays_as_it_was_typed(store: Recollect) -> None:
    text = "Größe 👩‍👩‍👧 ✈️ می‌خواهم 数据库 — “quoted”\n\tindented"
    answer = a_remembered(store.remember(text))
    assert (answer.memory.text, answer.hidden) == (text, 0)
    assert store.show(answer.memory.id).text == text


def test_secrets_never_reach_the_disk_wherever_they_stand(store: Recollect, tmp_path: Path) -> None:
    answer = a_remembered(
        store.remember(
            f"The deploy token is {TOKEN}, keep it safe",
            kind="error_pattern",
            tags=[TOKEN],
            about=[f"service:{KEY}"],
            work=f"native:{TOKEN}/step",
            fields={"error": f"denied for {KEY}", "fix": TOKEN},
            why=f"pasted with {TOKEN}",
        )
    )
    assert len(answer.redacted) >= 5
    memory_id = answer.memory.id
    store.edit(memory_id, text=f"The token {TOKEN} was changed to {KEY}", why=f"because of {KEY}")
    store.edit(memory_id, tags=[KEY], fields={"error": TOKEN}, citation=f"see {TOKEN}")
    store.edit(memory_id, relations=[{"type": "validates", "path": f"notes/{TOKEN}.md"}])
    store.undo()
    found = bytes_of(tmp_path)
    assert TOKEN.encode() not in found
    assert KEY.encode() not in found
    assert "deploy" in answer.memory.text
    assert TOKEN not in str(store.history(memory_id))


def test_hidden_pieces_do_not_carry_a_secret_past_the_door(store: Recollect, tmp_path: Path) -> None:
    split = TOKEN[:10] + "\u200b" + TOKEN[10:20] + "\u2060" + TOKEN[20:]
    a_remembered(store.remember(f"Use {split} for the mirror"))
    assert TOKEN.encode() not in bytes_of(tmp_path)


def test_a_session_id_is_kept_though_it_looks_like_a_secret(store: Recollect) -> None:
    session = "5f0c1e9a7b3d4c8e9f6a2b1c0d9e8f7a6b5c4d3e"
    answer = a_remembered(store.remember("Noted", session=session + "\u200b\ud800"))
    assert answer.memory.provenance.session_id == session + "\ufffd"


def test_kinds_that_are_not_embedded_get_no_vector(store: Recollect, model: ScriptedEmbedder) -> None:
    store.remember("auth costs 4000 tokens", kind="context_cost")
    store.remember("Retries are capped", kind="decision")
    assert model.seen == ["Retries are capped"]
    assert store.admin.stats().vectors == {"scripted-1": 1}
    assert store.admin.unembedded() == 0


def test_what_is_known_word_for_word_is_not_embedded_again(store: Recollect, model: ScriptedEmbedder) -> None:
    store.remember("Retries are capped")
    store.remember("retries are CAPPED.")
    assert model.seen == ["Retries are capped"]


def test_when_the_model_is_down_the_words_are_kept_and_reindex_makes_up_for_it(
    store: Recollect, model: ScriptedEmbedder
) -> None:
    model.is_down = True
    answer = a_remembered(store.remember("The proxy needs a restart"))
    assert "switched off" in answer.unembedded
    assert store.admin.unembedded() == 1
    found = store.recall("proxy restart")
    assert [hit.memory.id for hit in found] == [answer.memory.id]
    assert "words alone" in found.notes[0]
    model.is_down = False
    assert store.admin.reindex().embedded == 1
    assert store.admin.unembedded() == 0
    assert store.recall("proxy restart").notes == ()


def test_a_relation_to_an_unknown_memory_is_refused_by_name(store: Recollect) -> None:
    known = a_remembered(store.remember("Cap retries", kind="decision")).memory
    nowhere = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    for target in (nowhere, known.id):
        draft = MemoryDraft(
            text=f"Retries were capped, see {target}",
            kind="fact",
            relations=(Relation(type=RelationType.SUPERSEDES, memory_id=target),),
        )
        if target == nowhere:
            with pytest.raises(NotFound, match=nowhere):
                store.remember_many([draft])
            with pytest.raises(NotFound, match=nowhere):
                store.edit(known.id, relations=[{"type": "validates", "memory_id": nowhere}])
        else:
            made = a_remembered(store.remember_many([draft])[0]).memory
            assert made.relations[0].memory_id == known.id
    assert store.count() == 2
    assert store.show(known.id).relations == ()


def test_kinds_give_what_was_not_said(store: Recollect) -> None:
    dead_end = a_remembered(store.remember("Do not mock the clock", kind="dead_end")).memory
    assert (dead_end.half_life_days, dead_end.scope, dead_end.confidence) == (90, "module", 0.8)
    assert a_remembered(store.remember("Steps", kind="workflow")).memory.kind == "workflow_recipe"
    assert a_remembered(store.remember("A dialog opens", kind="e2e_observation")).memory.trust.needs_review


def test_the_citation_is_the_first_line_cut_at_a_word(store: Recollect) -> None:
    made = a_remembered(store.remember("word " * 40 + "\nsecond line")).memory
    assert len(made.citation) <= 80
    assert made.citation.endswith("word…")


def test_a_batch_that_breaks_leaves_nothing_of_its_commit(
    store: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = [store.draft(f"Number {n} of many") for n in range(10)]
    tell = intake._record_remembered

    def stumble(door: object, act: object, new: Sequence[Memory]) -> None:
        tell(door, act, new)  # type: ignore[arg-type]
        if "Number 7 of many" in [memory.text for memory in new]:
            raise RuntimeError("the power went")

    monkeypatch.setattr(intake, "_record_remembered", stumble)
    with pytest.raises(RecollectError, match="the power went"):
        store.remember_many(drafts)
    assert store.count() == 0
    assert store.history() == []
    assert list(store.recall("Number")) == []


def test_many_share_commits_and_keep_their_order(store: Recollect) -> None:
    answers = store.remember_many([store.draft(f"Fact {n} is {n * n}") for n in range(450)])
    ids = [a_remembered(answer).memory.id for answer in answers]
    assert ids == sorted(ids)
    assert len(set(ids)) == 450
    assert len({change.act_id for change in store.history(limit=500)}) == 1


def test_what_is_nothing_but_a_secret_is_refused_with_the_reason(memory: Recollect) -> None:
    answer = memory.remember("<private>the code of the safe</private>")

    assert isinstance(answer, Refused)
    assert "private" in answer.reason
    assert memory.count(memory.filters()) == 0


def test_a_secret_that_only_its_name_gives_away_is_kept_nowhere(store: Recollect) -> None:
    word = "sesame" + "Street42"
    answer = store.remember(
        "The database of the shop is on db1.",
        kind="work_state",
        about=[f"password:{word}", "service:shop"],
        fields={"methodology_state": {"db_password": word}},
    )
    assert isinstance(answer, Remembered)
    assert word not in repr(answer.memory)
    assert "password" in answer.redacted
