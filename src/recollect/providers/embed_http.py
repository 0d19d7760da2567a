"""Embeddings from a model server: Ollama's own interface, and the OpenAI one that many servers speak."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from recollect.errors import ProviderAnswer, ProviderRefused
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.value import dataclass
from recollect.providers.http import Endpoint, open_client, openai_address, post_json, read_key

if TYPE_CHECKING:
    import httpx

TEXTS_PER_REQUEST = 64
CHARACTERS_PER_REQUEST = 128_000
# Below 8,191 tokens, OpenAI's limit, even where a character is a token.
CHARACTERS_PER_TEXT = 8_000

# The cosine from which two texts say the same. 0.88 was set for qwen3-embedding; the others are cautious,
# because a false match loses a memory while a missed one only keeps it twice.
_DUPLICATE_THRESHOLDS = {
    "qwen3-embedding": 0.88,
    "text-embedding-3": 0.90,
    "nomic-embed-text": 0.92,
    "all-minilm": 0.88,
}
_UNKNOWN_MODEL_THRESHOLD = 0.94

# As this family was trained: questions carry their task, texts do not.
_QUERY_INSTRUCTION = "Instruct: Given a question, retrieve the notes that answer it\nQuery: "


class HttpEmbedder:
    """One model of one server, with vectors of one length."""

    def __init__(
        self,
        server: Endpoint,
        *,
        dialect: Literal["ollama", "openai"],
        model: str,
        dimensions: int,
        duplicate_threshold: float | None = None,
    ) -> None:
        self.model_id = f"{dialect}/{model}@{dimensions}"
        self.dimensions = dimensions
        self.duplicate_threshold = duplicate_threshold or duplicate_threshold_of(model)
        self._server = server
        self._model = model
        self._dialect = _DIALECTS[dialect]
        # What is put before an agent is looked for twice with one question: for answers, and for recipes.
        self._last_question = lru_cache(maxsize=1)(self._question)
        # Until the server refuses the parameter: then vectors are cut here.
        self._asks_dimensions = True

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding per text, in order."""
        if not texts:
            return []
        key = read_key(self._server, model=self.model_id)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        with open_client(self._server, headers=headers) as client:
            return [e for batch in _batches(texts) for e in self._embed_batch(client, batch)]

    def embed_query(self, text: str) -> QueryEmbedding:
        """A question; some models are told that it is one."""
        return self._last_question(text)

    def _question(self, text: str) -> QueryEmbedding:
        question = _QUERY_INSTRUCTION + text if "qwen3-embedding" in self.model_id else text
        return QueryEmbedding(vector=self.embed([question])[0].vector)

    def _embed_batch(self, client: httpx.Client, batch: list[str]) -> list[Embedding]:
        vectors = self._dialect.vectors(self._answer(client, batch), self.model_id)
        if len(vectors) != len(batch):
            reason = f"it holds {len(vectors)} vectors for {len(batch)} texts"
            raise ProviderAnswer(model=self.model_id, reason=reason)
        return [Embedding(vector=unit_vector(v, self.dimensions, model=self.model_id)) for v in vectors]

    def _answer(self, client: httpx.Client, batch: list[str]) -> object:
        url = self._dialect.address(self._server.url)
        body = {"model": self._model, "input": batch}
        if not self._asks_dimensions:
            return self._post(client, url, body)
        try:
            return self._post(client, url, {**body, "dimensions": self.dimensions})
        except ProviderRefused as refusal:
            if refusal.facts["status"] not in (400, 422):
                raise
        answer = self._post(client, url, body)
        self._asks_dimensions = False
        return answer

    def _post(self, client: httpx.Client, url: str, body: Mapping[str, object]) -> object:
        try:
            return post_json(client, self._server, url, body)
        except ProviderRefused as refusal:
            if refusal.facts["status"] == 404 and self._dialect is _DIALECTS["ollama"]:
                fix = f"ollama pull {self._model}"
                raise ProviderRefused(str(refusal), **refusal.facts, fix=fix) from refusal
            raise


def unit_vector(numbers: object, dimensions: int, *, model: str) -> bytes:
    """These numbers cut to length, at length one, as little-endian float32."""
    if not isinstance(numbers, list) or len(numbers) < dimensions:
        description = f"{len(numbers)} numbers" if isinstance(numbers, list) else "no list of numbers"
        raise ProviderAnswer(model=model, reason=f"a vector has {description}, not {dimensions}")
    try:
        values = array("d", numbers[:dimensions])
    except (TypeError, OverflowError) as error:
        raise ProviderAnswer(model=model, reason="a vector holds something that is not a number") from error
    length = math.hypot(*values)
    if not math.isfinite(length):
        raise ProviderAnswer(model=model, reason="a vector holds a number that is not finite")
    if length < 1e-12:
        raise ProviderAnswer(model=model, reason="a vector is all zeros")
    packed = array("f", (number / length for number in values))
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def duplicate_threshold_of(model: str) -> float:
    """The cosine from which this model's vectors of two texts say the same."""
    name = model.rpartition("/")[2]
    thresholds = (value for start, value in _DUPLICATE_THRESHOLDS.items() if name.startswith(start))
    return next(thresholds, _UNKNOWN_MODEL_THRESHOLD)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in map(_sendable, texts):
        if batch and (len(batch) == TEXTS_PER_REQUEST or size + len(text) > CHARACTERS_PER_REQUEST):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    yield batch


def _sendable(text: str) -> str:
    # A lone surrogate is not UTF-8, and some servers refuse an empty text.
    cut = text[:CHARACTERS_PER_TEXT].encode("utf-8", "replace").decode("utf-8")
    return cut if cut.strip() else "."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    address: Callable[[str], str]
    vectors: Callable[[object, str], list[object]]


def _ollama_address(url: str) -> str:
    return url.rstrip("/") + "/api/embed"


def _openai_address(url: str) -> str:
    return openai_address(url, "/embeddings")


def _ollama_vectors(answer: object, model: str) -> list[object]:
    vectors = answer.get("embeddings") if isinstance(answer, dict) else None
    if not isinstance(vectors, list):
        raise ProviderAnswer(model=model, reason="it has no list called embeddings")
    return vectors


def _openai_vectors(answer: object, model: str) -> list[object]:
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ProviderAnswer(model=model, reason="it has no list called data")
    # As text, because JSON may hold anything in the place of a number.
    by_place = {str(item.get("index", place)): item.get("embedding") for place, item in enumerate(items)}
    if set(by_place) != {str(place) for place in range(len(items))}:
        raise ProviderAnswer(model=model, reason="its indexes do not count the texts")
    return [by_place[str(place)] for place in range(len(items))]


_DIALECTS = {
    "ollama": _Dialect(address=_ollama_address, vectors=_ollama_vectors),
    "openai": _Dialect(address=_openai_address, vectors=_openai_vectors),
}
