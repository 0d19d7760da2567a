"""Reading benchmark files, with the oddities they have."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import locomo, longmemeval, paraphrases
from recollect.errors import BadInput, NotFound
from recollect.model.provenance import Channel
from tests.benchmarks.files import locomo_file, longmemeval_file


def test_a_turn_is_a_document_about_its_speaker(tmp_path: Path) -> None:
    (collection,) = locomo.load(locomo_file(tmp_path)).collections
    first, second, oven, _ = collection.documents

    assert first.text == "I adopted a grey kitten called Pixel."
    assert (first.item, first.about, first.session) == ("D1:1", ("person:Ada",), "conv-1 session_1")
    assert first.at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert second.at == datetime(2023, 5, 8, 13, 57, tzinfo=UTC)
    assert oven.at == datetime(2023, 6, 1, 0, 5, tzinfo=UTC)


def test_a_picture_is_its_caption_and_nothing_else(tmp_path: Path) -> None:
    (collection,) = locomo.load(locomo_file(tmp_path)).collections

    assert collection.documents[2].text == "Look at my new oven. [a photo of a red oven]"
    assert collection.plain["D2:1"] == "Ben: Look at my new oven. [a photo of a red oven]"


@pytest.mark.parametrize(
    ("written", "turns"),
    [
        ("D8:6", ["D8:6"]),
        ("D8:6; D9:17", ["D8:6", "D9:17"]),
        ("D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]),
        ("D:11:26", ["D11:26"]),
        ("D30:05", ["D30:5"]),
        ("D", []),
        ("", []),
    ],
)
def test_evidence_is_read_however_it_is_written(written: str, turns: list[str]) -> None:
    assert locomo.turn_ids(written) == turns


def test_evidence_that_names_no_turn_is_counted(tmp_path: Path) -> None:
    dataset = locomo.load(locomo_file(tmp_path))
    asked = dataset.collections[0].questions

    assert dataset.left_out == {"evidence naming no turn": 2, "questions without evidence": 1}
    assert [sorted(question.evidence) for question in asked] == [
        ["D1:1"],
        ["D1:2", "D2:1"],
        ["D2:2"],
        ["D1:1"],
    ]
    assert [question.counts for question in asked] == [True, True, True, False]


def test_sessions_are_pooled_and_unanswerable_questions_left_out(tmp_path: Path) -> None:
    dataset = longmemeval.load(longmemeval_file(tmp_path))
    (collection,) = dataset.collections

    said = [(document.session, document.channel) for document in collection.documents]
    assert list(dict.fromkeys(session for session, _ in said)) == ["s1", "s2", "s3"]
    assert [session for session, channel in said if channel is Channel.USER] == ["s1", "s2"]
    assert collection.documents[0].at == datetime(2023, 4, 10, 17, 50, tzinfo=UTC)
    assert [question.category for question in collection.questions] == [
        "single-session-user",
        "multi-session",
    ]
    assert dataset.left_out["questions without an answer"] == 1


def test_the_baseline_by_words_sees_what_the_user_said(tmp_path: Path) -> None:
    (collection,) = longmemeval.load(longmemeval_file(tmp_path)).collections

    assert collection.plain["s1"] == "My bicycle is a blue Brompton."


def test_a_limit_keeps_the_first_questions_and_what_they_need(tmp_path: Path) -> None:
    dataset = locomo.load(locomo_file(tmp_path))

    assert len(dataset.first(2).collections[0].questions) == 2
    assert dataset.first(None) is dataset


@pytest.mark.parametrize("load", [locomo.load, longmemeval.load])
@pytest.mark.parametrize(
    "text", ["not json", "{}", "[]", "[1]", '[{"a": 1}]', '[{"conversation": 1, "qa": 2}]']
)
def test_a_file_of_another_shape_is_a_sentence(tmp_path: Path, load: object, text: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text, "utf-8")

    with pytest.raises(BadInput, match=r"wrong\.json"):
        load(path)  # type: ignore[operator]


@pytest.mark.parametrize("load", [locomo.load, longmemeval.load, paraphrases.load])
def test_a_missing_file_is_a_sentence(tmp_path: Path, load: object) -> None:
    with pytest.raises(NotFound, match=r"no file called .*gone\.json"):
        load(tmp_path / "gone.json")  # type: ignore[operator]


def test_a_strange_date_is_a_sentence(tmp_path: Path) -> None:
    wrong = {"conversation": {"session_1_date_time": "yesterday", "session_1": [{"speaker": "Ada"}]}}

    with pytest.raises(BadInput, match="conversation 1"):
        locomo.load(locomo_file(tmp_path, **wrong))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "line 1"),
        ('{"a": "x"}', "line 1"),
        ('{"a": "x", "b": "y", "label": "same"}', "labelled otherwise"),
    ],
)
def test_pairs_of_another_shape_are_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(text, "utf-8")

    with pytest.raises(BadInput, match=said):
        paraphrases.load(path)
