"""
Embedding tiers: which model turns text into vectors. The tier is chosen when a store is created, or by command, and
stored as a line of text; nothing switches it afterwards, and no text leaves this machine without the user's consent.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, Protocol, assert_never, get_args

from recollect.errors import BadSetting, ProviderError
from recollect.model.embedding import Embedding, QueryEmbedding
from recollect.model.value import asdict, dataclass
from recollect.providers.embed_bundled import BundledEmbedder
from recollect.providers.embed_http import HttpEmbedder
from recollect.providers.http import Endpoint, check_key_env, check_url, is_this_machine, peek, read_key

Tier = Literal["ollama", "openai", "bundled", "none"]

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
    duplicate_threshold: float

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
    # For a model nobody measured; the bundled one knows its own.
    duplicate_threshold: float | None = None
    probe_ms: int = 200

    def __post_init__(self) -> None:
        _check_tier(self.tier, ("auto", *get_args(Tier)))
        _check_numbers(self.dimensions, self.duplicate_threshold)
        if self.url:
            check_url(self.url, setting="embedding.url")
        check_key_env(self.key_env, setting="embedding.key_env")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoice:
    """The tier a store lives with. It holds the name of the key's variable, never the key."""

    tier: Tier
    model: str = ""
    url: str = ""
    dimensions: int = 0
    key_env: str = ""
    duplicate_threshold: float | None = None
    may_leave_machine: bool = False

    def __post_init__(self) -> None:
        _check_tier(self.tier, get_args(Tier))
        if self.tier in ("ollama", "openai"):
            check_url(self.url, setting="embedding.url")
            check_key_env(self.key_env, setting="embedding.key_env")
            _check_numbers(self.dimensions, self.duplicate_threshold)
            if not (self.may_leave_machine or is_this_machine(self.url)):
                raise _bad_setting("url", self.url, "it is not on this machine, and nobody set it")

    def to_text(self) -> str:
        """The choice as a line to store."""
        fields = {name: value for name, value in asdict(self).items() if value}
        return json.dumps(fields, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> EmbedderChoice:
        """The choice in a stored line."""
        try:
            fields = json.loads(text)
            return cls(**{name: fields[name] for name in cls.__annotations__ if name in fields})
        except (ValueError, TypeError) as error:
            raise _bad_setting("tier", text[:100], "it does not describe a tier") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class TierStatus:
    """One tier as `recollect doctor` shows it."""

    name: Tier
    available: bool
    detail: str


def choose_tier(settings: EmbedderSettings) -> EmbedderChoice:
    """
    Decide the tier to live with.

    A tier that is named is taken as named, up or down. "auto" means the url that was set; without one,
    Ollama if it runs on this machine and has the model, else the bundled model.
    """
    match settings.tier:
        case "ollama":
            return _choose_ollama(settings)
        case "openai":
            return _choose_openai(settings)
        case "bundled" | "none":
            return EmbedderChoice(tier=settings.tier)
        case "auto":
            return _choose_automatically(settings)
        case _:
            assert_never(settings.tier)


def open_embedder(choice: EmbedderChoice, *, sleep: Callable[[float], None] = time.sleep) -> Embedder | None:
    """The embedder of a choice, not yet asked anything; None if the choice is to have none."""
    match choice.tier:
        case "ollama" | "openai":
            return HttpEmbedder(
                Endpoint(url=choice.url, key_env=choice.key_env, sleep=sleep),
                dialect=choice.tier,
                model=choice.model,
                dimensions=choice.dimensions,
                duplicate_threshold=choice.duplicate_threshold,
            )
        case "bundled":
            return _load_bundled()
        case "none":
            return None
        case _:
            assert_never(choice.tier)


@cache
def _load_bundled() -> BundledEmbedder:
    """One for the process: its weights are some 90 MB once they are unpacked."""
    return BundledEmbedder()


def list_tiers(settings: EmbedderSettings) -> list[TierStatus]:
    """Every tier, best first, and whether it could be chosen. Asks only this machine, within `probe_ms`."""
    return [
        _ollama_status(settings),
        _openai_status(settings),
        TierStatus(name="bundled", available=True, detail="ships with recollect"),
    ]


def _choose_ollama(settings: EmbedderSettings) -> EmbedderChoice:
    return EmbedderChoice(
        tier="ollama",
        model=settings.model or OLLAMA_MODEL,
        url=settings.url or OLLAMA_URL,
        key_env=settings.key_env,
        dimensions=settings.dimensions,
        duplicate_threshold=settings.duplicate_threshold,
        may_leave_machine=bool(settings.url),
    )


def _choose_openai(settings: EmbedderSettings) -> EmbedderChoice:
    # OpenAI's key is for OpenAI: another server gets a key only if its variable was named.
    usual = not settings.url or settings.url.rstrip("/") == OPENAI_URL
    return EmbedderChoice(
        tier="openai",
        model=settings.model or OPENAI_MODEL,
        url=settings.url or OPENAI_URL,
        key_env=settings.key_env or (OPENAI_KEY_ENV if usual else ""),
        dimensions=settings.dimensions,
        duplicate_threshold=settings.duplicate_threshold,
        may_leave_machine=True,
    )


def _choose_automatically(settings: EmbedderSettings) -> EmbedderChoice:
    if settings.url:
        return _choose_openai(settings)
    if _ollama_status(settings).available:
        return _choose_ollama(settings)
    return EmbedderChoice(tier="bundled")


def _ollama_status(settings: EmbedderSettings) -> TierStatus:
    url = settings.url if settings.tier == "ollama" and settings.url else OLLAMA_URL
    model = settings.model if settings.model and settings.tier in ("auto", "ollama") else OLLAMA_MODEL
    if not is_this_machine(url):
        return TierStatus(name="ollama", available=True, detail=f"set up at {url}; not probed from here")
    try:
        models = _model_names(peek(url.rstrip("/") + "/api/tags", within_s=settings.probe_ms / 1000))
    except ProviderError as error:
        return TierStatus(name="ollama", available=False, detail=f"not at {url}: {error.facts['reason']}")
    # Ollama lists a model without a tag as model:latest.
    if not {model, f"{model}:latest"} & models:
        detail = f"runs at {url} without {model}: ollama pull {model}"
        return TierStatus(name="ollama", available=False, detail=detail)
    return TierStatus(name="ollama", available=True, detail=f"runs at {url} with {model}")


def _model_names(answer: object) -> set[str]:
    models = answer.get("models") if isinstance(answer, dict) else None
    items = models if isinstance(models, list) else []
    return {str(item.get("name")) for item in items if isinstance(item, dict)}


def _openai_status(settings: EmbedderSettings) -> TierStatus:
    if settings.tier != "openai" and not (settings.tier == "auto" and settings.url):
        detail = "not set up; no text leaves this machine until embedding.url is set"
        return TierStatus(name="openai", available=False, detail=detail)
    choice = _choose_openai(settings)
    try:
        read_key(Endpoint(url=choice.url, key_env=choice.key_env), model=choice.model)
    except ProviderError as error:
        detail = f"set up for {choice.url}, but {error.facts['reason']}"
        return TierStatus(name="openai", available=False, detail=detail)
    return TierStatus(name="openai", available=True, detail=f"set up: {choice.model} at {choice.url}")


def _check_tier(tier: str, known: Sequence[str]) -> None:
    if tier not in known:
        raise _bad_setting("tier", tier, f"the tiers are {', '.join(known)}")


def _check_numbers(dimensions: int, duplicate_threshold: float | None) -> None:
    if not 1 <= dimensions <= 16_384:
        raise _bad_setting("dimensions", dimensions, "it is a number from 1 to 16384")
    if duplicate_threshold is not None and not 0 < duplicate_threshold <= 1:
        raise _bad_setting("duplicate_threshold", duplicate_threshold, "it is a cosine above 0 and at most 1")


def _bad_setting(name: str, value: object, reason: str) -> BadSetting:
    return BadSetting(name=f"embedding.{name}", value=value, origin="as given", reason=reason)
