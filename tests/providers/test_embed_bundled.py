import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from recollect.model.embedding import Embedding, pack_words, unpack_words
from recollect.providers.embed_bundled import BundledEmbedder

PARAPHRASES = Path(__file__).parents[1] / "data" / "paraphrases.jsonl"
ODD_TEXTS = [
    "",
    " \n",
    "\x00",
    "\ud800 half a pair",
    "🚀🎉",
    "日本語のテキスト",
    "שלום",
    "a" * 5000,
    "[SEP][CLS]",
    "?!",
]


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


@pytest.fixture(scope="module")
def cosines(embedder: BundledEmbedder) -> dict[str, np.ndarray]:
    """The cosines of the paraphrase set by label."""
    pairs = [json.loads(line) for line in PARAPHRASES.read_text("utf-8").splitlines()]
    sides = [vectors(embedder.embed([pair[side] for pair in pairs])) for side in "ab"]
    cosine = (sides[0] * sides[1]).sum(axis=1)
    labels = np.array([pair["label"] for pair in pairs])
    return {label: cosine[labels == label] for label in ("same", "related", "different", "opposite")}


def vectors(embeddings: list[Embedding]) -> np.ndarray:
    return np.stack([np.frombuffer(one.vector, "<f4") for one in embeddings])


def test_what_passes_the_threshold_says_the_same(cosines: dict, embedder: BundledEmbedder) -> None:
    passing = {
        label: int((cosine >= embedder.duplicate_threshold).sum()) for label, cosine in cosines.items()
    }
    assert passing["same"] / (passing["same"] + passing["related"] + passing["different"]) >= 0.95
    assert passing["same"] / len(cosines["same"]) >= 0.7


def test_paraphrases_are_nearer_than_related_and_those_nearer_than_unrelated(cosines: dict) -> None:
    same, related, different = (cosines[label] for label in ("same", "related", "different"))
    assert (same[:, None] > related).mean() > 0.97
    assert (related[:, None] > different).mean() > 0.97


def test_a_question_finds_its_answer_among_others(embedder: BundledEmbedder) -> None:
    answers = ["Backups start at two in the morning.", "Anna reviews the billing code.", "We lint with ruff."]
    question = np.frombuffer(embedder.embed_query("When is the nightly backup?").vector, "<f4")
    assert int((vectors(embedder.embed(answers)) @ question).argmax()) == 0


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_any_text_becomes_a_unit_vector(embedder: BundledEmbedder, text: str) -> None:
    [embedding] = embedder.embed([text])
    vector = np.frombuffer(embedding.vector, "<f4")
    assert vector.shape == (embedder.dimensions,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_no_texts_are_no_embeddings(embedder: BundledEmbedder) -> None:
    assert embedder.embed([]) == []


def test_a_text_gives_the_same_numbers_alone_and_in_company(embedder: BundledEmbedder) -> None:
    texts = ["Short.", "The staging database is wiped every Sunday night. Ask Anna first.", "word " * 300, ""]
    together = embedder.embed(texts)
    alone = [embedder.embed([text])[0] for text in texts]
    assert np.allclose(vectors(together), vectors(alone), atol=1e-5)
    both = [unpack_words([one.words for one in group], dimensions=64).rows for group in (together, alone)]
    assert np.abs(both[0].astype(int) - both[1]).max() <= 1


def test_a_megabyte_is_read_up_to_the_limit(embedder: BundledEmbedder) -> None:
    short = BundledEmbedder(max_tokens=600)
    [one] = short.embed(["All work and no play. " * 50_000])
    assert len(unpack_words([one.words], dimensions=64).rows) <= 600


def test_the_end_of_a_long_text_counts(embedder: BundledEmbedder) -> None:
    filler = "The weather was fine and nothing happened that day. " * 40
    query = np.frombuffer(embedder.embed_query("pgbouncer connection pool limit").vector, "<f4")
    plain, ending = vectors(
        embedder.embed([filler, filler + "The pgbouncer pool is limited to 40 connections. " * 5])
    )
    assert ending @ query > plain @ query + 0.05


def test_words_are_grouped_by_sentence_without_punctuation(embedder: BundledEmbedder) -> None:
    [one] = embedder.embed(["Ask Anna first. Then deploy!\nDone, e.g. today"])
    assert np.diff(unpack_words([one.words], dimensions=64).sentence_starts).tolist() == [3, 2, 4]


def test_text_without_words_has_none(embedder: BundledEmbedder) -> None:
    assert [one.words for one in embedder.embed(["", "?! ...", "🚀"])] == [b"", b"", b""]


def test_word_vectors_are_unit_rows(embedder: BundledEmbedder) -> None:
    [one] = embedder.embed(["Retries are capped at three."])
    rows = unpack_words([one.words], dimensions=64).rows.astype(float) / 127
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=0.03)


def test_a_word_of_the_query_meets_its_like_in_the_text(embedder: BundledEmbedder) -> None:
    [one] = embedder.embed(["The nightly backup runs in Frankfurt."])
    query = embedder.embed_query("backup Frankfurt")
    scores = (
        np.frombuffer(query.words, "<f4").reshape(-1, 64)
        @ unpack_words([one.words], dimensions=64).rows.T
        / 127
    )
    assert scores.argmax(axis=1).tolist() == [2, 5]


def test_each_row_of_a_query_names_its_piece_and_its_word(embedder: BundledEmbedder) -> None:
    text = "Why does pgbouncer, our Café-proxy, crash?"
    query = embedder.embed_query(text)
    words = [text[start:end] for start, end in query.spans]
    assert query.pieces[:6] == ("why", "does", "pg", "##bo", "##unce", "##r")
    assert words == ["Why", "does", *["pgbouncer"] * 4, "our", "Café", "proxy", "crash"]
    assert len(query.words) == 4 * 64 * len(query.pieces)


def test_packed_words_of_many_texts_become_one_matrix() -> None:
    rows = np.arange(5 * 64, dtype=np.uint8).view(np.int8).reshape(5, 64)
    blobs = [pack_words([2, 1], rows[:3].tobytes()), b"", pack_words([2], rows[3:].tobytes())]
    words = unpack_words(blobs, dimensions=64)
    assert (words.rows == rows).all()
    assert words.sentence_starts.tolist() == [0, 2, 3, 5]
    assert words.text_starts.tolist() == [0, 2, 2, 3]


def test_no_blobs_are_an_empty_matrix() -> None:
    words = unpack_words([], dimensions=64)
    assert words.rows.shape == (0, 64)
    assert words.sentence_starts.tolist() == words.text_starts.tolist() == [0]


def test_the_first_text_has_the_same_numbers_as_later_ones() -> None:
    fresh = BundledEmbedder()
    said = [fresh.embed(["Tokens expire. The cache does not."]) for _ in range(3)]
    assert said[0] == said[1] == said[2]


def test_one_question_fills_no_memory_with_weights() -> None:
    fresh = BundledEmbedder()
    fresh._network  # noqa: B018 - what is only mapped is counted as well
    tracemalloc.start()
    try:
        fresh.embed_query("When do our tokens expire?")
        once = tracemalloc.get_traced_memory()[1]
        fresh.embed_query("And who renews them?")
        twice = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert once < 20_000_000 < twice


def test_a_question_that_is_asked_again_at_once_is_read_once() -> None:
    fresh = BundledEmbedder()
    assert fresh.embed_query("When?") is fresh.embed_query("When?")


def test_importing_the_embedder_loads_no_numpy() -> None:
    code = "import sys, recollect.providers.embed_bundled; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
