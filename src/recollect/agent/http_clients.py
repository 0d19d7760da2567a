"""Models behind plain HTTP that can use tools: Anthropic's messages, and the OpenAI chat that many servers speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.agent.model_client import ModelPrice, ModelReply, ModelRequest, ModelUsage
from recollect.conversation.shapes import SHAPES
from recollect.errors import BadInput, ProviderAnswer, ProviderRefused
from recollect.model.agent_tool import anthropic_tools, openai_tools
from recollect.providers.complete import ANTHROPIC_URL, OLLAMA_URL, OPENAI_URL
from recollect.providers.complete_http import ANTHROPIC_VERSION
from recollect.providers.http import Endpoint, openai_address, post_json, read_key
from recollect.providers.http import open_client as client_for

_CACHED = {"type": "ephemeral"}
_USUAL = {
    "anthropic": (ANTHROPIC_URL, "ANTHROPIC_API_KEY"),
    "openai": (OPENAI_URL, "OPENAI_API_KEY"),
    "ollama": (OLLAMA_URL, ""),
}
_READ_S = 600.0


def open_client(
    model: str, *, url: str = "", key_env: str = "", price: ModelPrice | None = None
) -> AnthropicClient | OpenAiClient:
    """The client for PROVIDER:MODEL, such as anthropic:claude-sonnet-4-5 or ollama:qwen3; not asked anything yet."""
    provider, _, name = model.partition(":")
    if provider not in _USUAL or not name:
        raise BadInput(
            f"{model!r} names no model. Write PROVIDER:MODEL with {', '.join(_USUAL)}, or scripted:FILE."
        )
    usual_url, usual_key = _USUAL[provider]
    # A key is for its own server: another one gets a key only if its variable was named.
    server = Endpoint(url=url or usual_url, key_env=key_env or ("" if url else usual_key), read_s=_READ_S)
    kind = AnthropicClient if provider == "anthropic" else OpenAiClient
    return kind(server, model=name, price=price, name=model)


class AnthropicClient:
    """A model behind Anthropic's /v1/messages; the system prompt and the stable messages are marked for its cache."""

    shape = "anthropic"

    def __init__(
        self, server: Endpoint, *, model: str, price: ModelPrice | None = None, name: str = ""
    ) -> None:
        """A client that has asked nothing yet."""
        self.name = name or f"{self.shape}:{model}"
        self._server = server
        self._model = model
        self._price = price or ModelPrice()

    def cost(self, usage: ModelUsage) -> float:
        """What so many tokens cost."""
        return self._price.of(usage)

    def send(self, request: ModelRequest) -> ModelReply:
        """Ask the model."""
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "messages": mark_for_cache(request.messages, request.stable),
        }
        if request.system:
            body["system"] = [{"type": "text", "text": request.system, "cache_control": _CACHED}]
        if request.tools:
            body["tools"] = anthropic_tools(request.tools)
        headers = {"anthropic-version": ANTHROPIC_VERSION}
        if key := read_key(self._server, model=self.name):
            headers["x-api-key"] = key
        url = self._server.url.rstrip("/").removesuffix("/v1") + "/v1/messages"
        answer = _post(self._server, self.name, url, headers, body)
        content = answer.get("content")
        if not isinstance(content, list):
            raise ProviderAnswer(model=self.name, reason="it has no list called content")
        message = {"role": "assistant", "content": content}
        return _reply(self, message, _anthropic_usage(answer.get("usage")), answer.get("stop_reason"))


class OpenAiClient:
    """A model behind an OpenAI-compatible /v1/chat/completions."""

    shape = "openai"

    def __init__(
        self, server: Endpoint, *, model: str, price: ModelPrice | None = None, name: str = ""
    ) -> None:
        """A client that has asked nothing yet."""
        self.name = name or f"{self.shape}:{model}"
        self._server = server
        self._model = model
        self._price = price or ModelPrice()

    def cost(self, usage: ModelUsage) -> float:
        """What so many tokens cost."""
        return self._price.of(usage)

    def send(self, request: ModelRequest) -> ModelReply:
        """Ask the model."""
        system = [{"role": "system", "content": request.system}] if request.system else []
        body: dict[str, object] = {
            "model": self._model,
            "temperature": request.temperature,
            "messages": [*system, *request.messages],
        }
        if request.tools:
            body["tools"] = openai_tools(request.tools)
        key = read_key(self._server, model=self.name)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        url = openai_address(self._server.url, "/chat/completions")
        try:
            answer = _post(self._server, self.name, url, headers, {**body, "max_tokens": request.max_tokens})
        except ProviderRefused as refusal:
            # OpenAI's reasoning models renamed the parameter; the servers that copy the interface did not.
            if refusal.facts["status"] != 400 or "max_completion_tokens" not in str(refusal):
                raise
            answer = _post(
                self._server, self.name, url, headers, {**body, "max_completion_tokens": request.max_tokens}
            )
        choices = answer.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        if not isinstance(first, dict) or not isinstance(message, dict):
            raise ProviderAnswer(model=self.name, reason="it has no choice with a message")
        fields = {
            name: value for name, value in message.items() if name in _STORED_FIELDS and value is not None
        }
        sent = {"role": "assistant", "content": message.get("content"), **fields}
        return _reply(self, sent, _openai_usage(answer.get("usage")), first.get("finish_reason"))


_STORED_FIELDS = ("content", "tool_calls", "refusal", "reasoning_content")


def mark_for_cache(messages: Sequence[Mapping[str, Any]], stable: int) -> list[Mapping[str, Any]]:
    """The messages with a cache mark on the last block that stays, which stands before an anchor."""
    marked = list(messages)
    place = min(stable, len(marked)) - 1
    if place < 0:
        return marked
    message = marked[place]
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
    last = len(blocks) - 1
    # An anchor may stand behind the results in the same message: it goes with the next request.
    while last > 0 and blocks[last].get("type") == "text" and blocks[last - 1].get("type") == "tool_result":
        last -= 1
    if last < 0 or blocks[last].get("type") in ("thinking", "redacted_thinking"):
        return marked
    blocks[last] = {**blocks[last], "cache_control": _CACHED}
    marked[place] = {**message, "content": blocks}
    return marked


def _post(
    server: Endpoint, name: str, url: str, headers: Mapping[str, str], body: Mapping[str, object]
) -> Mapping[str, Any]:
    with client_for(server, headers=headers) as client:
        answer = post_json(client, server, url, body)
    if not isinstance(answer, dict):
        raise ProviderAnswer(model=name, reason="it is not an object")
    return answer


def _reply(
    client: AnthropicClient | OpenAiClient, message: Mapping[str, Any], usage: ModelUsage, stop: object
) -> ModelReply:
    parsed = SHAPES[client.shape].parse(message)
    if not parsed.text.strip() and not parsed.calls:
        raise ProviderAnswer(model=client.name, reason=f"it is empty (stopped by {str(stop)[:40]})")
    return ModelReply(
        message=message, text=parsed.text, calls=parsed.calls, usage=usage, stop=str(stop or "")
    )


def _anthropic_usage(usage: object) -> ModelUsage:
    counts: Mapping[str, Any] = usage if isinstance(usage, dict) else {}
    read = _whole(counts.get("cache_read_input_tokens"))
    written = _whole(counts.get("cache_creation_input_tokens"))
    return ModelUsage(
        input_tokens=_whole(counts.get("input_tokens")) + read + written,
        output_tokens=_whole(counts.get("output_tokens")),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _openai_usage(usage: object) -> ModelUsage:
    counts: Mapping[str, Any] = usage if isinstance(usage, dict) else {}
    details = counts.get("prompt_tokens_details")
    read = _whole(details.get("cached_tokens")) if isinstance(details, dict) else 0
    return ModelUsage(
        input_tokens=_whole(counts.get("prompt_tokens")),
        output_tokens=_whole(counts.get("completion_tokens")),
        cache_read_tokens=read,
    )


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
