"""
Which model turns text into vectors. The tier is chosen once, at a store's birth or by command, and kept as a
small text; nothing here switches tiers afterwards, and no text leaves this machine unless the user said so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol, assert_never, get_args

from recollect.errors import BadSetting, ProviderError, RecollectError
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.value import asdict, dataclass
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.providers.embed_directory import OnnxEmbedder, missing_packages, model_file
from recollect.providers.embed_http import HttpEmbedder
from recollect.providers.http import Server, check_key_env, check_url, is_this_machine, key_of, peek

Tier = Literal["ollama", "openai", "directory", "bundled", "none"]

OLLAMA_URL = "http://127.0.0.1:11434"
OLLAMA_MODEL = "qwen3-embedding:4b"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "text-embedding-3-small"
OPENAI_KEY_ENV = "OPENAI_API_KEY"


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    # Names provider, model and dimensions: vectors with different ids are never compared.
    model_id: str
    dimensions: int
    # The cosine from which two texts say the same: this model's equivalent of 0.88.
    same_above: float

    def embed(self, texts: Sequence[str]) -> list[Embedding]: ...

    def embed_query(self, text: str) -> QueryEmbedding: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """
    What the user set about embeddings. Empty means "the tier's own".

    Giving a url, or the tier "openai", is the consent to send texts there; nothing else is.
    """

    tier: Literal[Tier, "auto"] = "auto"
    model: str = ""
    url: str = ""
    key_env: str = ""
    dimensions: int = 1024
    path: Path | None = None
    # For a model nobody measured; the bundled one knows its own.
    same_above: float | None = None
    probe_ms: int = 200

    def __post_init__(self) -> None:
        _check_tier(self.tier, ("auto", *get_args(Tier)))
        _check_numbers(self.dimensions, self.same_above)
        if self.url:
            check_url(self.url, setting="embedding.url")
        check_key_env(self.key_env, setting="embedding.key_env")
        if self.tier == "directory" and self.path is None:
            raise _bad("path", "", "the tier directory needs the path of a model directory")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoice:
    """The tier a store lives with. It holds the name of the key's variable, never the key."""

    tier: Tier
    model: str = ""
    url: str = ""
    dimensions: int = 0
    key_env: str = ""
    path: str = ""
    same_above: float | None = None
    may_leave_machine: bool = False

    def __post_init__(self) -> None:
        _check_tier(self.tier, get_args(Tier))
        if self.tier in ("ollama", "openai"):
            check_url(self.url, setting="embedding.url")
            check_key_env(self.key_env, setting="embedding.key_env")
            _check_numbers(self.dimensions, self.same_above)
            if not (self.may_leave_machine or is_this_machine(self.url)):
                raise _bad("url", self.url, "it is not on this machine, and nobody set it")

    def to_text(self) -> str:
        """The choice as a line to store."""
        said = {name: value for name, value in asdict(self).items() if value}
        return json.dumps(said, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> EmbedderChoice:
        """The choice in a stored line."""
        try:
            found = json.loads(text)
            return cls(**{name: found[name] for name in cls.__annotations__ if name in found})
        except (ValueError, TypeError) as error:
            raise _bad("tier", text[:100], "it does not describe a tier") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class TierStatus:
    """One tier as `recollect doctor` shows it."""

    name: Tier
    available: bool
    detail: str


def choose(settings: EmbedderSettings) -> EmbedderChoice:
    """
    Decide the tier to live with.

    A tier that is named is taken as named, up or down. "auto" means the url or path that was set; with
    neither, Ollama if it runs on this machine and has the model, else the bundled model.
    """
    match settings.tier:
        case "ollama":
            return _ollama(settings)
        case "openai":
            return _openai(settings)
        case "directory":
            return _directory(settings)
        case "bundled" | "none":
            return EmbedderChoice(tier=settings.tier)
        case "auto":
            return _automatic(settings)
        case _:
            assert_never(settings.tier)


def open_embedder(choice: EmbedderChoice, *, sleep: Callable[[float], None] = time.sleep) -> Embedder | None:
    """The embedder of a choice, not yet asked anything; None if the choice is to have none."""
    match choice.tier:
        case "ollama" | "openai":
            return HttpEmbedder(
                Server(url=choice.url, key_env=choice.key_env, sleep=sleep),
                dialect=choice.tier,
                model=choice.model,
                dimensions=choice.dimensions,
                same_above=choice.same_above,
            )
        case "directory":
            return OnnxEmbedder(Path(choice.path), same_above=choice.same_above)
        case "bundled":
            return BundledEmbedder()
        case "none":
            return None
        case _:
            assert_never(choice.tier)


def tiers(settings: EmbedderSettings) -> list[TierStatus]:
    """Every tier, best first, and whether it could be chosen. Asks only this machine, within `probe_ms`."""
    return [
        _ollama_status(settings),
        _openai_status(settings),
        _directory_status(settings),
        TierStatus(name="bundled", available=True, detail="ships with recollect"),
    ]


def _ollama(settings: EmbedderSettings) -> EmbedderChoice:
    return EmbedderChoice(
        tier="ollama",
        model=settings.model or OLLAMA_MODEL,
        url=settings.url or OLLAMA_URL,
        key_env=settings.key_env,
        dimensions=settings.dimensions,
        same_above=settings.same_above,
        may_leave_machine=bool(settings.url),
    )


def _openai(settings: EmbedderSettings) -> EmbedderChoice:
    # OpenAI's key is for OpenAI: another server gets a key only if its variable was named.
    usual = not settings.url or settings.url.rstrip("/") == OPENAI_URL
    return EmbedderChoice(
        tier="openai",
        model=settings.model or OPENAI_MODEL,
        url=settings.url or OPENAI_URL,
        key_env=settings.key_env or (OPENAI_KEY_ENV if usual else ""),
        dimensions=settings.dimensions,
        same_above=settings.same_above,
        may_leave_machine=True,
    )


def _directory(settings: EmbedderSettings) -> EmbedderChoice:
    path = (settings.path or Path()).expanduser().resolve()
    model_file(path)
    return EmbedderChoice(tier="directory", path=str(path), same_above=settings.same_above)


def _automatic(settings: EmbedderSettings) -> EmbedderChoice:
    if settings.url:
        return _openai(settings)
    if settings.path:
        return _directory(settings)
    if _ollama_status(settings).available:
        return _ollama(settings)
    return EmbedderChoice(tier="bundled")


def _ollama_status(settings: EmbedderSettings) -> TierStatus:
    url = settings.url if settings.tier == "ollama" and settings.url else OLLAMA_URL
    model = settings.model if settings.model and settings.tier in ("auto", "ollama") else OLLAMA_MODEL
    if not is_this_machine(url):
        return TierStatus(name="ollama", available=True, detail=f"set up at {url}; not probed from here")
    try:
        held = _models_in(peek(url.rstrip("/") + "/api/tags", within_s=settings.probe_ms / 1000))
    except ProviderError as error:
        return TierStatus(name="ollama", available=False, detail=f"not at {url}: {error.facts['reason']}")
    # Ollama lists a model without a tag as model:latest.
    if not {model, f"{model}:latest"} & held:
        detail = f"runs at {url} without {model}: ollama pull {model}"
        return TierStatus(name="ollama", available=False, detail=detail)
    return TierStatus(name="ollama", available=True, detail=f"runs at {url} with {model}")


def _models_in(answer: object) -> set[str]:
    models = answer.get("models") if isinstance(answer, dict) else None
    items = models if isinstance(models, list) else []
    return {str(item.get("name")) for item in items if isinstance(item, dict)}


def _openai_status(settings: EmbedderSettings) -> TierStatus:
    if settings.tier != "openai" and not (settings.tier == "auto" and settings.url):
        detail = "not set up; no text leaves this machine until embedding.url is set"
        return TierStatus(name="openai", available=False, detail=detail)
    choice = _openai(settings)
    try:
        key_of(Server(url=choice.url, key_env=choice.key_env), model=choice.model)
    except ProviderError as error:
        detail = f"set up for {choice.url}, but {error.facts['reason']}"
        return TierStatus(name="openai", available=False, detail=detail)
    return TierStatus(name="openai", available=True, detail=f"set up: {choice.model} at {choice.url}")


def _directory_status(settings: EmbedderSettings) -> TierStatus:
    if settings.path is None:
        return TierStatus(name="directory", available=False, detail="no embedding.path is set")
    try:
        found = model_file(settings.path.expanduser())
    except RecollectError as error:
        return TierStatus(name="directory", available=False, detail=str(error))
    missing = missing_packages()
    if missing:
        detail = f"{found} needs packages that are not installed: pip install {' '.join(missing)}"
        return TierStatus(name="directory", available=False, detail=detail)
    return TierStatus(name="directory", available=True, detail=str(found))


def _check_tier(tier: str, known: Sequence[str]) -> None:
    if tier not in known:
        raise _bad("tier", tier, f"the tiers are {', '.join(known)}")


def _check_numbers(dimensions: int, same_above: float | None) -> None:
    if not 1 <= dimensions <= 16_384:
        raise _bad("dimensions", dimensions, "it is a number from 1 to 16384")
    if same_above is not None and not 0 < same_above <= 1:
        raise _bad("same_above", same_above, "it is a cosine above 0 and at most 1")


def _bad(name: str, value: object, reason: str) -> BadSetting:
    return BadSetting(name=f"embedding.{name}", value=value, origin="as given", reason=reason)
