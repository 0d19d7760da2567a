"""The optional writing model: which one, and how to get checked JSON from it. Prompts belong to the callers."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Literal, Protocol, TypeVar, assert_never, get_args

from recollect.errors import BadInput, BadSetting, ProviderAnswer
from recollect.model.value import dataclass
from recollect.providers.complete_cli import ClaudeCompleter
from recollect.providers.complete_http import AnthropicCompleter, OpenAiCompleter
from recollect.providers.http import Endpoint, check_key_env, check_url

T = TypeVar("T")
CompleterKind = Literal["none", "anthropic", "openai", "ollama", "claude-cli"]

ANTHROPIC_URL = "https://api.anthropic.com"
OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"

_DEFAULTS = {
    "anthropic": (ANTHROPIC_URL, "ANTHROPIC_API_KEY"),
    "openai": (OPENAI_URL, "OPENAI_API_KEY"),
    "ollama": (OLLAMA_URL, ""),
}
# An answer of brackets alone would otherwise be tried from each of them.
_STARTS = 64
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)```", re.DOTALL)


class Completer(Protocol):
    """A model that answers a prompt with text."""

    name: str

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleterSettings:
    """What the user set about the writing model. Naming a kind is the consent to send prompts to it."""

    kind: CompleterKind = "none"
    model: str = ""
    url: str = ""
    key_env: str = ""
    timeout_s: float = 120.0
    command: str = "claude"

    def __post_init__(self) -> None:
        if self.kind not in get_args(CompleterKind):
            raise _bad_setting("kind", self.kind, f"the kinds are {', '.join(get_args(CompleterKind))}")
        if self.kind in _DEFAULTS and not self.model:
            raise _bad_setting("model", "", f"the kind {self.kind} needs the name of a model")
        if self.url:
            check_url(self.url, setting="completer.url")
        check_key_env(self.key_env, setting="completer.key_env")
        if not self.timeout_s > 0:
            raise _bad_setting("timeout_s", self.timeout_s, "it is a number of seconds above 0")


def open_completer(
    settings: CompleterSettings, *, sleep: Callable[[float], None] = time.sleep
) -> Completer | None:
    """The writing model of these settings, not yet asked anything; None if there is to be none."""
    match settings.kind:
        case "none":
            return None
        case "anthropic":
            return AnthropicCompleter(_make_endpoint(settings, sleep), model=settings.model)
        case "openai" | "ollama":
            return OpenAiCompleter(
                _make_endpoint(settings, sleep), model=settings.model, provider=settings.kind
            )
        case "claude-cli":
            return ClaudeCompleter(
                command=settings.command, model=settings.model, timeout_s=settings.timeout_s
            )
        case _:
            assert_never(settings.kind)


def complete_json(
    completer: Completer,
    prompt: str,
    *,
    check: Callable[[object], T],
    system: str = "",
    max_tokens: int = 2048,
    attempts: int = 2,
) -> T:
    """
    Ask for JSON and return what `check` makes of it.

    `check` raises ValueError, KeyError, TypeError or BadInput with a reason the model can act on; the model
    is then asked once more and told the reason.
    """
    question, reason = prompt, ""
    for _ in range(attempts):
        answer = completer.complete(question, system=system, max_tokens=max_tokens)
        reason = "it holds no JSON"
        for value in _find_json(answer):
            try:
                return check(value)
            except (ValueError, KeyError, TypeError, BadInput) as error:
                reason = _sentence(error)
        question = _retry_prompt(prompt, answer, reason)
    raise ProviderAnswer(model=completer.name, reason=reason)


def _make_endpoint(settings: CompleterSettings, sleep: Callable[[float], None]) -> Endpoint:
    url, key_env = _DEFAULTS[settings.kind]
    # A key is for its own server: another one gets a key only if its variable was named.
    usual = not settings.url or settings.url.rstrip("/") == url
    return Endpoint(
        url=settings.url or url,
        key_env=settings.key_env or (key_env if usual else ""),
        read_s=settings.timeout_s,
        sleep=sleep,
    )


def _find_json(answer: str) -> Iterator[object]:
    """Every JSON value an answer may mean, likeliest first: all of it, its fences, then any in prose."""
    text = _THOUGHT.sub("", answer).strip()
    for whole in (text, *_FENCE.findall(text)):
        try:
            yield json.loads(whole)
        except (ValueError, RecursionError):
            continue
    yield from _find_json_in_prose(text)


def _find_json_in_prose(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder()
    place = 0
    for _ in range(_STARTS):
        start = re.compile(r"[{\[]").search(text, place)
        if start is None:
            return
        try:
            value, place = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place = start.end()
            continue
        yield value


def _sentence(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it lacks {error.args[0]!r}" if error.args else "it lacks a field"
    return str(error).strip().rstrip(".")[:500] or type(error).__name__


def _retry_prompt(prompt: str, answer: str, reason: str) -> str:
    return (
        f"{prompt}\n\nYour last answer could not be used: {reason}. It began:\n{answer[:1000]}\n\n"
        "Answer again, with the JSON and nothing else."
    )


def _bad_setting(name: str, value: object, reason: str) -> BadSetting:
    return BadSetting(name=f"completer.{name}", value=value, origin="as given", reason=reason)
