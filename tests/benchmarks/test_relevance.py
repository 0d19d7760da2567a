"""Whether what is told unasked is wanted: who is asked what, and what is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import labelled, relevance, relevance_sessions
from benchmarks.labelled import Labelled
from recollect.errors import BadInput
from recollect.inject.calibrate import ANSWERS, load_curves
from tests.benchmarks.files import locomo_file, longmemeval_file
from tests.benchmarks.test_replay import read, write
from tests.hash_embedder import HashEmbedder

FITTING, HELD_OUT = "conv-41", "conv-26"


def two_conversations(folder: Path) -> Path:
    """One that was fitted to, one that was not, and a third that was not and speaks of other things."""
    (entry,) = json.loads(locomo_file(folder).read_text())
    other = {
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Cai", "dia_id": "D1:1", "text": "The violin lessons begin in autumn."}
            ],
        },
        "qa": [{"question": "When do violin lessons begin?", "evidence": ["D1:1"], "category": 2}],
    }
    path = folder / "several.json"
    entries = [
        entry | {"sample_id": FITTING},
        entry | {"sample_id": HELD_OUT},
        other | {"sample_id": "conv-30"},
    ]
    path.write_text(json.dumps(entries))
    return path


def test_a_conversation_belongs_to_one_half_as_a_whole() -> None:
    assert labelled.is_held_out(HELD_OUT)
    assert not labelled.is_held_out(FITTING)


def test_only_what_is_held_out_is_asked_of_its_own_store_and_of_strange_ones(tmp_path: Path) -> None:
    dataset = labelled.load(two_conversations(tmp_path))
    asked = labelled.label_answers([dataset], embedder=HashEmbedder())
    assert all(one.held_out for one in asked)
    # Three of Ada's and Ben's, one of Cai's; each store is asked the other's first one.
    assert [one.answerable for one in asked] == [True, True, True, False, True, False]
    assert [one.wanted for one in asked] == [1, 2, 1, 0, 1, 0]
    assert all(not wanted for one in asked if not one.answerable for _, wanted in one.found)
    both = labelled.label_answers([dataset], fitted_too=True, embedder=HashEmbedder())
    assert sum(not one.held_out for one in both) == 3
    assert len(both) == len(asked) + 3


def test_questions_without_an_answer_are_asked_of_the_pooled_store(tmp_path: Path) -> None:
    asked = labelled.label_answers(
        [labelled.load(longmemeval_file(tmp_path))], fitted_too=True, embedder=HashEmbedder()
    )
    assert [one.answerable for one in asked] == [True, True, False]


def an_answer(*found: tuple[float, bool], answerable: bool = True, wanted: int = 1) -> Labelled:
    features = [({"fit": fit, "lead": 0.0, "place": 0.0}, is_wanted) for fit, is_wanted in found]
    return Labelled(source="s", held_out=True, answerable=answerable, found=tuple(features), wanted=wanted)


def test_told_is_what_reaches_the_bar_and_silence_is_judged() -> None:
    asked = [
        an_answer((1.0, True), (0.0, False), wanted=2),
        an_answer((0.0, True)),
        an_answer((0.0, False), answerable=False, wanted=0),
        an_answer((1.0, False), answerable=False, wanted=0),
    ]
    systems = relevance._systems(load_curves()[ANSWERS], asked)
    assert systems["recollect"] == {
        "precision": 50.0,
        "recall": 33.3,
        "silent_when_unknown": 50.0,
        "silence_was_right": 50.0,
        "helped": 50.0,
        "items": 2,
    }
    always, silent = systems["top-k always"], systems["always silent"]
    assert (always["precision"], always["recall"], always["silent_when_unknown"]) == (40.0, 66.7, 0.0)
    assert (silent["precision"], silent["recall"], silent["silent_when_unknown"]) == (None, 0.0, 100.0)


def test_the_whole_measurement_on_files(tmp_path: Path) -> None:
    found = relevance.run([labelled.load(two_conversations(tmp_path))], embedder=HashEmbedder())
    assert found["counts"]["questions"] == 6
    assert 0.0 <= found["calibration_error"] <= 1.0
    assert sum(one["count"] for one in found["reliability"]) == found["counts"]["items"]


def test_nothing_held_out_is_an_error_that_says_so(tmp_path: Path) -> None:
    (entry,) = json.loads(locomo_file(tmp_path).read_text())
    path = tmp_path / "fitted.json"
    path.write_text(json.dumps([entry | {"sample_id": name} for name in (FITTING, "conv-42")]))
    with pytest.raises(BadInput, match="fitted to"):
        relevance.run([labelled.load(path)], embedder=HashEmbedder())


def sessions(folder: Path) -> Path:
    """Tax and cart by turns; then tax again, and once a prompt about nothing known."""
    for number in range(6):
        name, text = ("tax.py", "the vat rate") if number % 2 else ("cart.py", "an empty cart")
        write(folder, f"s{number}", f"look at {text}", read(name, text), start=number * 1000)
    for number, name in enumerate(f"other{n}.py" for n in range(8)):
        write(folder, f"o{number}", f"{name} again", read(name), start=number * 1000 + 500)
    write(folder, "last", "the vat rate of tax is wrong", read("tax.py"), start=20_000)
    return folder


def test_a_file_named_in_time_counts_as_used_and_costs_its_tokens(tmp_path: Path) -> None:
    found = relevance_sessions.run(sessions(tmp_path / "s"), warm_up=14)
    ours, always = found["systems"]["recollect"], found["systems"]["top-k always"]
    assert found["counts"] == {"sessions": 15, "scored": 1}
    assert (ours["used"], ours["sessions_helped"]) == (100.0, 100.0)
    assert 0 < ours["tokens"] < always["tokens"]
    assert always["items"] > ours["items"]
    assert always["used"] < 100.0
    assert found["systems"]["silence"] == {
        "items": 0,
        "used": 0.0,
        "used_later": 0.0,
        "sessions_helped": 0.0,
        "sessions_helped_later": 0.0,
        "silent": 100.0,
        "tokens": 0.0,
    }


def test_too_few_sessions_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="more than 20"):
        relevance_sessions.run(sessions(tmp_path / "s"))
