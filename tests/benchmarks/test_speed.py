"""Measuring speed: every figure is there, and goals are judged rightly. How fast it is, no test asserts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import speed
from benchmarks.commands import benchmarks_cli
from benchmarks.floor import Floor
from benchmarks.goals import GOALS, Goal, Measure, as_json, systems
from benchmarks.synthetic import DIMENSIONS, Corpus, GivenEmbedder
from recollect.errors import BadInput

SIZED = {
    "batch", "batch_closer", "ingest", "search", "search_closer", "disk", "disk_closer", "cold",
    "cold_embedding",
}  # fmt: skip


def test_every_figure_is_reported() -> None:
    result = CliRunner().invoke(benchmarks_cli, ["speed", "--sizes", "50", "--ops", "5", "--json"])
    assert result.exit_code == 0, result.stderr
    said = json.loads(result.stdout)
    ours, floor = said["systems"]["recollect"], said["systems"]["floor"]

    assert {measure["measure"] for measure in said["measures"]} == SIZED | {
        "import", "import_engine", "version",
    }  # fmt: skip
    assert {"search_p50_ms@50", "search_p95_ms@50", "search_cpu_p50_ms@50", "ingest_per_s@50"} <= set(ours)
    assert {"search_p50_ms@50", "ingest_per_s@50", "disk_bytes@50", "cold_cpu_s@50"} <= set(floor)
    assert {"import_cpu_ms", "version_cpu_ms", "cold_embedding_cpu_s@50"} <= set(ours)
    assert all(value >= 0 for value in [*ours.values(), *floor.values()])
    judged = {measure["measure"] for measure in said["measures"] if measure["verdict"] in ("PASS", "MISS")}
    assert judged == set(GOALS) & {measure["measure"] for measure in said["measures"]}
    assert {"search", "search_closer", "ingest", "cold", "cold_embedding", "import"} <= judged


@pytest.mark.parametrize("sizes", ["", "ten", "100,50", "0", "50,50"])
def test_strange_sizes_are_a_sentence(sizes: str) -> None:
    result = CliRunner().invoke(benchmarks_cli, ["speed", "--sizes", sizes])

    assert result.exit_code == 2
    assert "whole numbers" in result.stderr


def test_sizes_are_checked_before_anything_is_measured() -> None:
    with pytest.raises(BadInput):
        speed.run(())


def test_the_floor_finds_by_words_and_by_vector(tmp_path: Path) -> None:
    corpus = Corpus()
    made = corpus.memories(150)
    floor = Floor(tmp_path / "floor.db", dimensions=DIMENSIONS, ignored=corpus.stop_words)
    floor.add([(one.text, one.vector) for one in made])
    telling = max(made[7].text.split(), key=len)

    assert floor.search("", made[3].vector)[0][2] == made[3].text
    assert made[7].text in [text for _, _, text in floor.search(telling)]
    assert floor.search("nothing-like-it") == []
    floor.close()


def test_the_corpus_is_the_same_every_time() -> None:
    one, other = Corpus(), Corpus()

    assert one.memories(30) == other.memories(30)
    assert one.questions(one.memories(10), 3) == other.questions(other.memories(10), 3)


def test_the_given_embedder_gives_words_only_when_asked_to() -> None:
    corpus = Corpus()
    made = corpus.memories(2)
    plain, worded = (GivenEmbedder(model_id="given", with_words=words) for words in (False, True))
    for model in (plain, worded):
        model.give(made)
        model.give_question(corpus.questions(made, 1)[0])

    assert plain.embed([made[0].text])[0].words == b""
    assert worded.embed([made[1].text])[0].words == made[1].words
    assert plain.embed_query("two words").pieces == ()
    assert worded.embed_query("two words").spans == ((0, 3), (4, 9))


def test_a_goal_of_the_floor_judges_the_ratio() -> None:
    near = Measure(key="search", label="", size=10, ours={"p50_ms": 3.9}, floor={"p50_ms": 2.0})
    far = Measure(key="search", label="", size=10, ours={"p50_ms": 4.1}, floor={"p50_ms": 2.0})

    assert (near.verdict, far.verdict) == ("PASS", "MISS")
    assert systems([near]) == {"recollect": {"search_p50_ms@10": 3.9}, "floor": {"search_p50_ms@10": 2.0}}
    assert as_json([far])[0]["goal"] == "≤ 2 × floor"


def test_a_rate_must_reach_its_share_and_a_figure_its_bound() -> None:
    slow = Measure(key="ingest", label="", size=10, ours={"per_s": 39.0}, floor={"per_s": 100.0})
    light = Measure(key="import", label="", ours={"cpu_ms": 40.0})
    unjudged = Measure(key="version", label="", ours={"cpu_ms": 400.0})

    assert (slow.verdict, light.verdict, unjudged.verdict) == ("MISS", "PASS", "")
    assert str(Goal(figure="cpu_s", at_most=0.3)) == "≤ 0.3 s CPU"
