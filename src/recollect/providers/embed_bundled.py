"""The embedding model that ships inside the package: all-MiniLM-L6-v2 with int8 weights, run by numpy alone.

No download, no torch, no inference runtime: a forward pass of six small layers. numpy is imported when the
first text is embedded, so importing this module costs little.
"""

from __future__ import annotations

import json
import re
import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import MissingExtra
from recollect.model.embedding import Embedding, QueryEmbedding, pack_words
from recollect.model.value import dataclass, field
from recollect.providers.wordpiece import Piece, Vocabulary, WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

WORD_DIMENSIONS = 64
MODEL_FILES = Path(__file__).parent / "bundled"


class BundledEmbedder:
    """Turns text into vectors with the bundled model, loaded at the first use.

    At most ``max_tokens`` pieces of a text are read (about 30,000 characters); what lies beyond is left to
    full-text search, so that one huge text cannot hold up a command for minutes.
    """

    #: changes whenever the numbers change
    model_id = "minilm-l6-int8-2"
    dimensions = 384
    word_dimensions = WORD_DIMENSIONS
    #: from this cosine on two texts say the same thing; measured on tests/data/paraphrases.jsonl
    duplicate_threshold = 0.82
    #: other languages are put into English word by word before they are embedded
    english_only = True

    def __init__(self, *, max_tokens: int = 8192) -> None:
        self._max_tokens = max_tokens
        self._threads = _BlasThreadLimit()
        # Layers share their room; threads take turns.
        self._turn = threading.RLock()
        # What is put before an agent is looked for twice with one question: for answers, and for recipes.
        self._last_question = lru_cache(maxsize=1)(self._question)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding per text, in order."""
        with self._turn:
            parts = [self._read(text) for text in texts]
            passes = [one for part in parts for one in part.passes]
            outcomes = self._run(passes)
            return [_embedding([next(outcomes) for _ in part.passes], part) for part in parts]

    def embed_query(self, text: str) -> QueryEmbedding:
        """A query with the vector of each of its word pieces, and the word each belongs to."""
        with self._turn:
            return self._last_question(text)

    def _question(self, text: str) -> QueryEmbedding:
        part = self._read(text)
        outcomes = list(self._run(part.passes))
        pieces = [piece for one in part.passes for piece in one.kept_pieces()]
        return QueryEmbedding(
            vector=_mean_vector(outcomes),
            words=b"".join(outcome.rows.astype("<f4").tobytes() for outcome in outcomes),
            pieces=tuple(map(self._wordpiece.name, pieces)),
            spans=tuple((piece.word_start, piece.word_end) for piece in pieces),
        )

    def _read(self, text: str) -> _TokenizedText:
        text = text[: self._max_tokens * _CHARACTERS_PER_TOKEN]
        pieces = self._wordpiece.pieces(text)[: self._max_tokens]
        starts = [0, *(match.end() for match in _SENTENCE_END.finditer(text))]
        sentences = [bisect_right(starts, piece.start) - 1 for piece in pieces]
        mask = [self._is_kept(piece) for piece in pieces]
        return _TokenizedText(passes=list(_passes(pieces, sentences, mask)))

    def _is_kept(self, piece: Piece) -> bool:
        """Punctuation and unknown pieces say nothing, and would match any of their like."""
        name = self._wordpiece.name(piece)
        return piece.id != self._wordpiece.unknown_id and any(map(str.isalnum, name))

    def _run(self, passes: Sequence[_Pass]) -> Iterator[_Outcome]:
        for batch in _batches(passes):
            with self._threads.limit():
                outcomes = self._run_batch(batch)
            yield from outcomes

    def _run_batch(self, batch: Sequence[_Pass]) -> list[_Outcome]:
        np = _load_numpy()
        cut = self._wordpiece
        ids = [[cut.start_id, *(piece.id for piece in one.pieces), cut.end_id] for one in batch]
        states, starts = self._network.states(ids)
        sums = np.add.reduceat(states, starts[:-1], axis=0)
        positions = np.concatenate(
            [np.flatnonzero([0, *one.mask, 0]) + at for one, at in zip(batch, starts, strict=False)]
        )
        rows = _unit(states[positions] @ self._network.projection)
        edges = np.cumsum([0, *(sum(one.mask) for one in batch)])
        return [
            _Outcome(sum=total, rows=rows[a:b]) for total, (a, b) in zip(sums, pairwise(edges), strict=True)
        ]

    @cached_property
    def _wordpiece(self) -> WordPiece:
        return WordPiece(Vocabulary((MODEL_FILES / "vocabulary.txt").read_bytes()))

    @cached_property
    def _network(self) -> Network:
        return Network(read_tensors(MODEL_FILES / "model.safetensors"))


_PASS_TOKENS = 256
# Large enough to keep the processor busy, small enough that the widest layer stays in its cache.
_BATCH_TOKENS = 512
_CHARACTERS_PER_TOKEN = 12
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+(?=[^\sa-z])|\s*\n\s*|[。！？]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pass:
    """As many pieces as the model reads at once, the sentence of each, and whether its vector is kept."""

    pieces: Sequence[Piece]
    sentences: Sequence[int]
    mask: Sequence[bool]

    def kept_pieces(self) -> Iterator[Piece]:
        return (piece for piece, is_kept in zip(self.pieces, self.mask, strict=True) if is_kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TokenizedText:
    passes: list[_Pass]

    def sentence_lengths(self) -> list[int]:
        """How many kept pieces each sentence has; a sentence of punctuation alone is left out."""
        counts: dict[int, int] = {}
        for one in self.passes:
            for sentence, is_kept in zip(one.sentences, one.mask, strict=True):
                counts[sentence] = counts.get(sentence, 0) + is_kept
        return [count for count in counts.values() if count]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What one pass gave: the sum of its states, and the unit vectors of its kept pieces."""

    sum: Matrix
    rows: Matrix


def _passes(pieces: Sequence[Piece], sentences: Sequence[int], mask: Sequence[bool]) -> Iterator[_Pass]:
    """One pass per sentence, several for one that is too long. No pieces are one pass.

    A sentence is read by itself: what stands around it would colour its words, and a memory is found by one of
    its sentences.
    """
    edges = [0, *(at for at in range(1, len(pieces)) if sentences[at] != sentences[at - 1]), len(pieces)]
    for start, end in pairwise(edges):
        for at in range(start, max(end, start + 1), _PASS_TOKENS - 2):
            stop = min(at + _PASS_TOKENS - 2, end)
            yield _Pass(pieces=pieces[at:stop], sentences=sentences[at:stop], mask=mask[at:stop])


def _batches(passes: Sequence[_Pass]) -> Iterator[list[_Pass]]:
    batch: list[_Pass] = []
    tokens = 0
    for one in passes:
        if batch and tokens + len(one.pieces) > _BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(one)
        tokens += len(one.pieces) + 2
    if batch:
        yield batch


def _embedding(outcomes: Sequence[_Outcome], reading: _TokenizedText) -> Embedding:
    np = _load_numpy()
    rows = b"".join(np.rint(outcome.rows * 127).astype(np.int8).tobytes() for outcome in outcomes)
    return Embedding(vector=_mean_vector(outcomes), words=pack_words(reading.sentence_lengths(), rows))


def _mean_vector(outcomes: Sequence[_Outcome]) -> bytes:
    total = sum(outcome.sum for outcome in outcomes)
    return bytes(_unit(total).astype("<f4").tobytes())


def _unit(rows: Any) -> Matrix:
    np = _load_numpy()
    unit: Matrix = rows / np.maximum(np.sqrt((rows * rows).sum(axis=-1, keepdims=True)), 1e-12)
    return unit


class Network:
    """The forward pass of MiniLM. Texts of a batch lie one after the other, so nothing is padded."""

    def __init__(self, tensors: Mapping[str, Any]) -> None:
        self._tensors = tensors
        self._norm = tensors["norm.weight"], tensors["norm.bias"]
        self._has_passed = False
        self.projection = tensors["projection"]

    def states(self, ids: Sequence[Sequence[int]]) -> tuple[Matrix, NDArray[np.int64]]:
        """The last hidden state of every token, and where each text begins (and, at the end, the total)."""
        np = _load_numpy()
        lengths = [len(one) for one in ids]
        starts = np.cumsum([0, *lengths])
        x = _dense_rows(self._tensors, "words", np.concatenate(ids))
        x += _dense_rows(self._tensors, "places", np.concatenate([np.arange(length) for length in lengths]))
        _normalise(x, *self._norm)
        spans = list(pairwise(starts.tolist()))
        for layer in self._kept_layers if self._has_passed else self._passing_layers():
            x = layer(x, spans)
        self._has_passed = True
        return x, starts

    def _passing_layers(self) -> Iterator[_Layer]:
        """
        The layers, each in the place of the one before.

        A short process asks one question, and filling 40 MB with weights takes longer than answering it.
        """
        place: dict[str, Matrix] = {}
        return (_dense_layer(self._tensors, f"layers.{at}.", place) for at in range(_LAYERS))

    @cached_property
    def _kept_layers(self) -> Sequence[_Layer]:
        return [_dense_layer(self._tensors, f"layers.{at}.", {}) for at in range(_LAYERS)]


_LAYERS = 6
_HEADS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    read: tuple[Matrix, Matrix]
    merge: tuple[Matrix, Matrix]
    merge_norm: tuple[Matrix, Matrix]
    widen: tuple[Matrix, Matrix]
    narrow: tuple[Matrix, Matrix]
    narrow_norm: tuple[Matrix, Matrix]

    def __call__(self, x: Matrix, spans: Sequence[tuple[int, int]]) -> Matrix:
        y = _linear(_attend(_linear(x, *self.read), spans), *self.merge)
        y += x
        _normalise(y, *self.merge_norm)
        wide = _linear(y, *self.widen)
        _gelu(wide)
        z = _linear(wide, *self.narrow)
        z += y
        _normalise(z, *self.narrow_norm)
        return z


def _dense_layer(tensors: Mapping[str, Any], name: str, place: dict[str, Matrix]) -> _Layer:
    """A layer with its weights in `place`, which is filled the first time."""
    for part in ("read", "merge", "widen", "narrow"):
        place[part] = _dense(tensors, name + part, place.get(part))
    parts = {part: (weight.T, tensors[f"{name}{part}.bias"]) for part, weight in place.items()}
    norms = {
        part: (tensors[f"{name}{part}.weight"], tensors[f"{name}{part}.bias"])
        for part in ("merge_norm", "narrow_norm")
    }
    return _Layer(**parts, **norms)


def _dense(tensors: Mapping[str, Any], name: str, place: Matrix | None) -> Matrix:
    """A weight as float32; kept as int8 with one scale per row."""
    weight: Matrix = _load_numpy().multiply(tensors[name], tensors[f"{name}.scale"][:, None], out=place)
    return weight


def _dense_rows(tensors: Mapping[str, Any], name: str, at: NDArray[np.int64]) -> Matrix:
    rows: Matrix = tensors[name][at] * tensors[f"{name}.scale"][at, None]
    return rows


def _linear(x: Matrix, weight: Matrix, bias: Matrix) -> Matrix:
    y: Matrix = x @ weight
    y += bias
    return y


def _attend(read: Matrix, spans: Iterable[tuple[int, int]]) -> Matrix:
    """Each token of a text mixed from all tokens of that text; the 1/sqrt of the scores is in the weights."""
    np = _load_numpy()
    width = read.shape[1] // 3
    mixed: Matrix = np.empty((len(read), width), dtype=np.float32)
    for start, end in spans:
        shape = (end - start, 3, _HEADS, width // _HEADS)
        query, key, value = read[start:end].reshape(shape).transpose(1, 2, 0, 3)
        share = query @ key.transpose(0, 2, 1)
        share -= share.max(axis=2, keepdims=True)
        np.exp(share, out=share)
        share /= share.sum(axis=2, keepdims=True)
        mixed[start:end].reshape(shape[0], _HEADS, -1)[:] = (share @ value).transpose(1, 0, 2)
    return mixed


def _normalise(x: Matrix, weight: Matrix, bias: Matrix) -> None:
    np = _load_numpy()
    x -= x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
    x *= (1 / np.sqrt(variance + np.float32(1e-12)))[:, None]
    x *= weight
    x += bias


def _gelu(x: Matrix) -> None:
    """In place, in blocks that stay in the cache. The tanh form, which is within 0.0005 of the erf form."""
    np = _load_numpy()
    step = max(1, 65536 // x.shape[1])
    # exp overflows to infinity for very negative x, and x / infinity is the right answer, 0.
    with np.errstate(over="ignore"):
        for start in range(0, len(x), step):
            block = x[start : start + step]
            u = block * block
            u *= -0.0713548163
            u -= 1.5957691216
            u *= block
            np.exp(u, out=u)
            u += 1
            block /= u


def read_tensors(path: Path) -> dict[str, Any]:
    """The arrays of a safetensors file, mapped and not copied."""
    np = _load_numpy()
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    begin = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8:begin].tobytes())
    header.pop("__metadata__", None)
    return {name: _array(raw[begin:], entry) for name, entry in header.items()}


def _array(data: Any, entry: Mapping[str, Any]) -> Any:
    np = _load_numpy()
    kind = {"I8": np.int8, "F32": np.dtype("<f4")}[entry["dtype"]]
    start, end = entry["data_offsets"]
    return data[start:end].view(np.ndarray).view(kind).reshape(entry["shape"])


@dataclass(slots=True)
class _BlasThreadLimit:
    """Holds numpy's matrix library to one thread while the model runs, and gives it back after.

    The matrices are too small to share: with a second thread that has to wait for a busy core, OpenBLAS
    spins, and embedding was measured 3 to 30 times slower. Where the library cannot be told, nothing changes.
    """

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _holders: int = 0
    _before: int = 0

    @contextmanager
    def limit(self) -> Iterator[None]:
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._before = _set_blas_threads(limit=1)
            self._holders += 1

    def _leave(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0 and self._before > 1:
                _set_blas_threads(limit=self._before)


def _set_blas_threads(*, limit: int) -> int:
    """Set how many threads OpenBLAS uses and say how many it used; 1 if this numpy has another library."""
    import ctypes

    np = _load_numpy()
    # A lookup through numpy's own module reaches the library it was linked with, wherever that lies.
    linked = ctypes.CDLL(np._core._multiarray_umath.__file__)
    for name in (
        "scipy_openblas_{}_num_threads64_",
        "scipy_openblas_{}_num_threads",
        "openblas_{}_num_threads",
    ):
        if hasattr(linked, name.format("set")):
            before = int(getattr(linked, name.format("get"))())
            if before != limit:
                getattr(linked, name.format("set"))(limit)
            return before
    return 1


def _load_numpy() -> Any:
    try:
        import numpy
    except ImportError as exc:
        raise MissingExtra(feature="The bundled embedding model", package="numpy") from exc
    return numpy
