"""Writing models behind HTTP: Anthropic's messages, and the OpenAI chat that Ollama and many others speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import ProviderAnswer, ProviderRefused
from recollect.providers.http import Endpoint, open_client, openai_address, post_json, read_key

if TYPE_CHECKING:
    import httpx

ANTHROPIC_VERSION = "2023-06-01"


class AnthropicCompleter:
    """A model behind Anthropic's /v1/messages."""

    def __init__(self, server: Endpoint, *, model: str) -> None:
        self.name = f"anthropic/{model}"
        self._server = server
        self._model = model

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str:
        """The model's answer to the prompt."""
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": max_tokens,
            "messages": [{"role": "user", "content": _utf8(prompt)}],
        }
        if system:
            body["system"] = _utf8(system)
        headers = {"anthropic-version": ANTHROPIC_VERSION}
        if key := read_key(self._server, model=self.name):
            headers["x-api-key"] = key
        url = self._server.url.rstrip("/").removesuffix("/v1") + "/v1/messages"
        with open_client(self._server, headers=headers) as client:
            return _anthropic_text(post_json(client, self._server, url, body), self.name)


class OpenAiCompleter:
    """A model behind an OpenAI-compatible /v1/chat/completions."""

    def __init__(self, server: Endpoint, *, model: str, provider: str = "openai") -> None:
        self.name = f"{provider}/{model}"
        self._server = server
        self._model = model

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str:
        """The model's answer to the prompt."""
        messages = [{"role": "system", "content": _utf8(system)}] if system else []
        messages.append({"role": "user", "content": _utf8(prompt)})
        key = read_key(self._server, model=self.name)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        with open_client(self._server, headers=headers) as client:
            answer = self._ask(client, {"model": self._model, "messages": messages}, max_tokens)
        return _openai_text(answer, self.name)

    def _ask(self, client: httpx.Client, body: dict[str, object], max_tokens: int) -> object:
        url = openai_address(self._server.url, "/chat/completions")
        try:
            return post_json(client, self._server, url, {**body, "max_tokens": max_tokens})
        except ProviderRefused as refusal:
            # OpenAI's reasoning models renamed the parameter; the servers that copy the interface did not.
            if refusal.facts["status"] != 400 or "max_completion_tokens" not in str(refusal):
                raise
        return post_json(client, self._server, url, {**body, "max_completion_tokens": max_tokens})


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _anthropic_text(answer: object, model: str) -> str:
    blocks = answer.get("content") if isinstance(answer, dict) else None
    if not isinstance(blocks, list):
        raise ProviderAnswer(model=model, reason="it has no list called content")
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return _text("".join(text for text in texts if isinstance(text, str)), answer, "stop_reason", model)


def _openai_text(answer: object, model: str) -> str:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ProviderAnswer(model=model, reason="it has no list called choices")
    message = choices[0].get("message")
    text = message.get("content") if isinstance(message, dict) else None
    return _text(text if isinstance(text, str) else "", choices[0], "finish_reason", model)


def _text(text: str, holder: object, why: str, model: str) -> str:
    if text.strip():
        return text
    reason = holder.get(why) if isinstance(holder, dict) else None
    raise ProviderAnswer(model=model, reason=f"it is empty ({why}: {str(reason)[:40]})")
