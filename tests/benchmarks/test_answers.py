"""Asking memory and the baselines, on tiny files, with the model of the tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import locomo, longmemeval
from benchmarks.commands import benchmarks_cli
from benchmarks.metrics import METRICS
from benchmarks.questions import Collection, Dataset, Document
from benchmarks.run import OURS, WITHOUT_SUBJECTS, run
from recollect.errors import NotFound
from tests.benchmarks.files import locomo_file, longmemeval_file
from tests.conftest import NOON
from tests.hash_embedder import HashEmbedder

SYSTEMS = {"recollect", "bm25", "vectors", "rrf"}


def test_every_system_is_scored_on_the_same_questions(tmp_path: Path) -> None:
    found = run(locomo.load(locomo_file(tmp_path)), embedder=HashEmbedder())

    assert set(found.systems) == SYSTEMS
    assert all(tuple(scores) == METRICS for scores in found.systems.values())
    assert found.systems[OURS]["r@5"] == 100.0
    assert found.counts["questions"] == 3
    assert found.counts["memories"] == 4
    assert found.model == "hash-1"


def test_adversarial_questions_stand_apart_with_and_without_subjects(tmp_path: Path) -> None:
    found = run(locomo.load(locomo_file(tmp_path)), embedder=HashEmbedder(), unnamed_in=locomo.ADVERSARIAL)

    assert set(found.categories[locomo.ADVERSARIAL]) == SYSTEMS | {WITHOUT_SUBJECTS}
    assert WITHOUT_SUBJECTS not in found.systems
    assert found.counts["questions 5 adversarial"] == 1


def test_hits_are_mapped_to_sessions(tmp_path: Path) -> None:
    found = run(longmemeval.load(longmemeval_file(tmp_path)), embedder=HashEmbedder())

    assert found.systems[OURS]["all@5"] == 100.0
    assert set(found.categories) == {"single-session-user", "multi-session"}


def test_what_is_known_already_stands_for_both(tmp_path: Path) -> None:
    asked = locomo.load(locomo_file(tmp_path)).collections[0].questions[0]
    twice = tuple(
        Document(item=item, text="Ada adopted a kitten.", session="s", at=NOON) for item in ("D1:1", "D1:2")
    )
    plain = {document.item: document.text for document in twice}
    collection = Collection(name="twice", documents=twice, plain=plain, questions=(asked,))
    found = run(Dataset(name="twice", collections=(collection,)), embedder=HashEmbedder())

    assert (found.counts["memories"], found.counts["already known"]) == (1, 1)
    assert found.systems[OURS]["r@5"] == 100.0


def test_progress_is_told_while_remembering_and_asking(tmp_path: Path) -> None:
    from contextlib import contextmanager

    told: list[tuple[str, int, int]] = []

    @contextmanager
    def progress(label: str):  # type: ignore[no-untyped-def]
        yield lambda done, total: told.append((label, done, total))

    run(locomo.load(locomo_file(tmp_path)), embedder=HashEmbedder(), progress=progress)

    assert told[0] == ("Remembering", 4, 4)
    assert told[-1] == ("Asking", 4, 4)


def test_an_unknown_profile_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="ranking profile"):
        run(locomo.load(locomo_file(tmp_path)), profile="none", embedder=HashEmbedder())


def test_the_command_prints_json_for_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "bundled")
    result = CliRunner().invoke(benchmarks_cli, ["locomo", str(locomo_file(tmp_path)), "--json"])
    said = json.loads(result.stdout)

    assert result.exit_code == 0
    assert said["schema"] == 1
    assert set(said) == {
        "schema", "benchmark", "profile", "systems", "categories", "counts", "model", "seconds",
    }  # fmt: skip
    assert set(said["systems"]) == SYSTEMS
    assert set(said["systems"]["recollect"]) == set(METRICS)
    assert all(0 <= share <= 100 for scores in said["systems"].values() for share in scores.values())
    assert {"r@10", "all@10"} <= set(said["categories"]["5 adversarial"][WITHOUT_SUBJECTS])


def test_without_a_model_words_remain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    path = str(longmemeval_file(tmp_path))
    result = CliRunner().invoke(benchmarks_cli, ["longmemeval", path, "--limit", "1", "--json"])
    said = json.loads(result.stdout)

    assert set(said["systems"]) == {"recollect", "bm25"}
    assert (said["model"], said["counts"]["questions"]) == ("none", 1)


def test_the_command_prints_a_table_for_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDING_TIER", "none")
    result = CliRunner().invoke(benchmarks_cli, ["locomo", str(locomo_file(tmp_path))])

    assert result.exit_code == 0
    assert "locomo: 3 questions, 4 memories" in result.stdout
    assert "5 adversarial (1)" in result.stdout


@pytest.mark.parametrize("command", ["locomo", "longmemeval", "paraphrases"])
def test_a_bad_file_is_a_sentence_and_an_exit_code(tmp_path: Path, command: str) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[]]", "utf-8")
    missing = CliRunner().invoke(benchmarks_cli, [command, str(tmp_path / "gone.json")])
    unreadable = CliRunner().invoke(benchmarks_cli, [command, str(wrong)])

    assert (missing.exit_code, unreadable.exit_code) == (1, 2)
    assert "gone.json" in missing.stderr
    assert "wrong.json" in unreadable.stderr
    assert "Traceback" not in missing.stderr + unreadable.stderr
