"""Embeddings from a directory with a sentence-transformers model in ONNX form. Its packages are optional."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from recollect.errors import BadSetting, MissingExtra, ProviderAnswer
from recollect.model.embedding import Embedding, QueryEmbedding

PACKAGES = ("onnxruntime", "tokenizers")

_MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_TEXTS_AT_ONCE = 16
_LONGEST_TOKENS = 512
# Cautious, as for every model whose own value nobody measured: a false match loses a memory.
_SAME_ABOVE = 0.94


class OnnxEmbedder:
    """The model in one directory. Loading it takes the time; keep the object."""

    def __init__(self, path: Path, *, same_above: float | None = None) -> None:
        model = model_file(path)
        self._session = _session(model, path)
        self._tokenizer = _tokenizer(path)
        self._output = _output_name(self._session)
        self._pooling = _pooling(path)
        self._name = f"directory/{path.name}-{_fingerprint(model)}"
        self.dimensions = len(self._vectors(["length"])[0])
        self.model_id = f"{self._name}@{self.dimensions}"
        self.same_above = same_above or _SAME_ABOVE

    def embed_query(self, text: str) -> QueryEmbedding:
        """A question."""
        return QueryEmbedding(vector=self.embed([text])[0].vector)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding per text, in order."""
        # Texts of like length together, so that little of a batch is padding.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        found: dict[int, Embedding] = {}
        for places in _slices(order):
            vectors = self._vectors([texts[place] for place in places])
            found.update(zip(places, (Embedding(vector=v.tobytes()) for v in vectors), strict=True))
        return [found[place] for place in range(len(texts))]

    def _vectors(self, texts: list[str]) -> Any:
        import numpy

        ids, mask = _tokens(self._tokenizer, texts)
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        wanted = {item.name for item in self._session.get_inputs()}
        (answer,) = self._session.run([self._output], {k: v for k, v in feeds.items() if k in wanted})
        vectors = answer if answer.ndim == 2 else _pooled(answer, mask, self._pooling)
        lengths = numpy.linalg.norm(vectors.astype("float64"), axis=1, keepdims=True)
        if len(vectors) != len(texts) or not numpy.isfinite(lengths).all() or (lengths < 1e-12).any():
            raise ProviderAnswer(model=self._name, reason="a vector is missing, all zeros or not finite")
        return (vectors / lengths).astype("<f4")


def model_file(path: Path) -> Path:
    """The ONNX file of a model directory."""
    for name in _MODEL_FILES:
        if (path / name).is_file():
            return path / name
    raise _unusable(path, f"it holds neither {' nor '.join(_MODEL_FILES)}")


def missing_packages() -> list[str]:
    """Which of the optional packages that run a model directory are not installed."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


def _unusable(path: Path, reason: str) -> BadSetting:
    return BadSetting(name="embedding.path", value=str(path), origin="as given", reason=reason)


def _session(model: Path, path: Path) -> Any:
    runtime = _package("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    # onnxruntime's errors share no class of their own.
    except Exception as error:
        raise _unusable(path, f"{model.name} cannot be loaded: {_first_line(error)}") from error


def _tokenizer(path: Path) -> Any:
    package = _package("tokenizers")
    try:
        tokenizer = package.Tokenizer.from_file(str(path / "tokenizer.json"))
    # tokenizers raises bare Exception.
    except Exception as error:
        raise _unusable(path, f"tokenizer.json cannot be read: {_first_line(error)}") from error
    # Some files ask for padding to a fixed length, which makes every short text as slow as a long one.
    tokenizer.no_padding()
    longest = _settings(path / "sentence_bert_config.json").get("max_seq_length")
    tokenizer.enable_truncation(min(longest, _LONGEST_TOKENS) if isinstance(longest, int) else 256)
    return tokenizer


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(feature="A model directory in ONNX form", package=name) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(".")


def _settings(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise _unusable(file.parent, f"{file.name} cannot be read") from error
    return found if isinstance(found, dict) else {}


def _output_name(session: Any) -> str:
    names = [item.name for item in session.get_outputs()]
    return next((name for name in ("sentence_embedding", "last_hidden_state") if name in names), names[0])


def _pooling(path: Path) -> str:
    settings = _settings(path / "1_Pooling" / "config.json")
    if settings.get("pooling_mode_cls_token"):
        return "cls"
    if settings.get("pooling_mode_lasttoken"):
        return "last"
    if settings and not settings.get("pooling_mode_mean_tokens"):
        raise _unusable(path, "1_Pooling/config.json asks for something other than mean, cls or last token")
    return "mean"


def _pooled(answer: Any, mask: Any, pooling: str) -> Any:
    if pooling == "cls":
        return answer[:, 0]
    if pooling == "last":
        return answer[range(len(answer)), mask.sum(axis=1) - 1]
    weights = mask[:, :, None].astype(answer.dtype)
    return (answer * weights).sum(axis=1) / weights.sum(axis=1)


def _fingerprint(model: Path) -> str:
    """Eight digits that tell models of one name apart; from samples, because a model may have gigabytes."""
    # Here alone: it loads OpenSSL, and every process loads this module.
    import hashlib

    size = model.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with model.open("rb") as file:
        for part in range(64):
            file.seek(size * part // 64)
            digest.update(file.read(16384))
    return digest.hexdigest()[:8]


def _slices(order: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(order), _TEXTS_AT_ONCE):
        yield order[start : start + _TEXTS_AT_ONCE]


def _tokens(tokenizer: Any, texts: list[str]) -> tuple[Any, Any]:
    import numpy

    clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    rows = [encoding.ids or [0] for encoding in tokenizer.encode_batch(clean)]
    ids = numpy.zeros((len(rows), max(map(len, rows))), dtype="int64")
    mask = numpy.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return ids, mask
