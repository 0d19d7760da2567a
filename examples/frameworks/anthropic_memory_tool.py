"""Anthropic's memory tool with the SDK's own tool runner: Claude's notes beside what people told recollect."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from anthropic import Anthropic

from recollect import Recollect
from recollect.adapters.anthropic_memory import RecollectMemoryTool

# What a model would send: it looks at what is known, writes a note, and answers.
SCRIPT: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories/known/decision.md"},
    {"command": "create", "path": "/memories/plan.md", "file_text": "1. Lower the cap to 3\n"},
]


def scripted_client() -> Anthropic:
    """A client whose model answers from the script; take `Anthropic()` for the real one."""
    turns = iter(enumerate(SCRIPT))

    def respond(request: httpx2.Request) -> httpx2.Response:
        number, command = next(turns, (-1, None))
        block: dict[str, Any] = {"type": "text", "text": "The plan is written."}
        if command is not None:
            block = {"type": "tool_use", "id": f"call-{number}", "name": "memory", "input": command}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": [block]}
        reason = "end_turn" if command is None else "tool_use"
        usage = {"input_tokens": 1, "output_tokens": 1}
        return httpx2.Response(
            200, json={**message, "stop_reason": reason, "stop_sequence": None, "usage": usage}
        )

    return Anthropic(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(respond)))


def main() -> None:
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        memory.remember("Retries are capped at 3: the bank blocks a card after the fourth", kind="decision")
        tool = RecollectMemoryTool(memory, directory=f"{folder}/files")
        runner = scripted_client().beta.messages.tool_runner(
            model="claude-sonnet-5-5",
            max_tokens=1024,
            tools=[tool],
            messages=[{"role": "user", "content": "Plan the change of the retry cap."}],
        )
        for _ in runner:
            response = runner.generate_tool_call_response()
            for result in response["content"] if response else ():
                if isinstance(result, dict) and result["type"] == "tool_result":
                    print(str(result.get("content", "")).splitlines()[-1])
        print(Path(folder, "files", "plan.md").read_text("utf-8").strip())


if __name__ == "__main__":
    main()
