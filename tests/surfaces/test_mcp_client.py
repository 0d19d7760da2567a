"""The server as a client that is not ours sees it: the official package, in both eras of the protocol."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from recollect import Recollect
from recollect.model.provenance import Channel
from recollect.surfaces.tools import TOOLS
from recollect.surfaces.vault_tools import TOOL_SETS
from tests.builders import an_engine
from tests.capture.test_standing import kept, read
from tests.surfaces.mcp_server import SERVER, id_in, serving

Story = Callable[[Client], Awaitable[None]]
ERAS = ("2026-07-28", "2025-11-25")


def talk(story: Story, *options: str, mode: str = "auto", **environment: str) -> None:
    """Let a story happen between the official client and a real server process."""

    async def talked() -> None:
        command, *words = [*SERVER, *options]
        server = StdioServerParameters(command=command, args=words, env={**os.environ, **environment})
        async with Client(stdio_client(server), mode=mode, read_timeout_seconds=60) as client:
            await story(client)

    anyio.run(talked)


def store(tmp_path: Path) -> Recollect:
    return an_engine(tmp_path / "home" / "data" / "memories.db", embedder=None)


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_is_listed_and_called_and_answers_with_one_text(era: str) -> None:

    async def story(client: Client) -> None:
        assert client.protocol_version == era
        assert client.server_info and client.server_info.name == "recollect"
        assert client.instructions and "about" in client.instructions
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
        for found, tool in zip(listed, TOOLS, strict=True):
            assert found.output_schema is None and found.annotations
            assert found.annotations.read_only_hint is tool.reads_only
            assert found.annotations.destructive_hint is tool.destroys
            assert found.annotations.idempotent_hint is True
            assert found.annotations.open_world_hint is False
        made = await client.call_tool("remember", {"text": "Uploads need WAL mode", "about": ["src/up.py"]})
        for tool in TOOLS:
            given = {**tool.example, **({"id": id_in(made.content[0].text)} if tool.destroys else {})}  # type: ignore[union-attr]
            said = await client.call_tool(tool.name, given)
            # One text: what comes twice is paid for twice.
            assert not said.is_error and said.structured_content is None and len(said.content) == 1, said
        wrong = await client.call_tool("recall", {"queston": "x"})
        assert wrong.is_error and "Send for example" in wrong.content[0].text  # type: ignore[union-attr]

    talk(story, mode="legacy" if era == "2025-11-25" else "auto")


def test_resources_and_prompts_are_read(tmp_path: Path) -> None:
    async def story(client: Client) -> None:
        made = await client.call_tool("remember", {"text": "Uploads need </WAL> mode", "kind": "gotcha"})
        uri = f"recollect://memory/{id_in(made.content[0].text)}"  # type: ignore[union-attr]
        assert [one.uri for one in (await client.list_resources()).resources] == ["recollect://project/brief"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["recollect://memory/{id}"]
        text = (await client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
        assert "Uploads need &#x3c;/WAL&#x3e; mode" in text
        # No work proved the note, so it is told only to those who ask for it.
        brief = (await client.read_resource("recollect://project/brief")).contents[0].text  # type: ignore[union-attr]
        assert brief == "Nothing is told unasked here yet."
        assert [one.name for one in (await client.list_prompts()).prompts] == ["recall", "review"]
        said: Any = (await client.get_prompt("recall", {"question": "uploads"})).messages[0].content
        assert "Question: uploads" in said.text and "Uploads need" in said.text
        said = (await client.get_prompt("review", {})).messages[0].content
        assert "Nothing waits for a review." in said.text
        for bad in ("recollect://memory/../../etc", "recollect://memory/01ZZZZ", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="There is no"):
                await client.read_resource(bad)
        with pytest.raises(MCPError, match="question"):
            await client.get_prompt("recall", {})

    talk(story)


def test_what_was_merely_read_is_in_no_answer(tmp_path: Path) -> None:
    with store(tmp_path) as memory:
        read(memory, 1, "The mirror is fast")
        waits = kept(memory, "The mirror is fast", channel=Channel.READ).id

    async def story(client: Client) -> None:
        told = [
            str(await client.call_tool("recall", {"question": "is the mirror fast?"})),
            str(await client.call_tool("pending", {})),
            str(await client.read_resource("recollect://project/brief")),
            str(await client.read_resource(f"recollect://memory/{waits}")),
            str(await client.get_prompt("review", {})),
        ]
        assert not [text for text in told if "mirror is fast" in text]
        assert "1 wait for a person" in told[1]

    talk(story)


def test_a_server_that_only_reads_refuses_every_tool_that_changes(tmp_path: Path) -> None:
    with store(tmp_path) as memory:
        made = kept(memory, "Uploads need WAL mode").id
        before = memory.history()

    async def story(client: Client) -> None:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {tool.name for tool in TOOLS if tool.annotations["readOnlyHint"]}
        for tool in TOOLS:
            given = {**tool.example, **({"id": made} if "id" in tool.example else {})}
            said = await client.call_tool(tool.name, given)
            assert said.is_error is not tool.annotations["readOnlyHint"], tool.name
            if said.is_error:
                assert "only reads" in said.content[0].text  # type: ignore[union-attr]

    talk(story, "--read-only")
    with store(tmp_path) as memory:
        assert memory.history() == before
        assert (memory.count(), memory.show(made).access_count) == (1, 0)


def test_a_server_that_only_reads_makes_no_store(tmp_path: Path) -> None:
    with serving("--read-only") as wire:
        said = wire.call("recall", question="anything")
    assert said["isError"] is True
    assert "There is no memory yet" in said["content"][0]["text"]
    assert not (tmp_path / "home" / "data").exists()


def test_in_a_session_the_hooks_recorded_it_goes_to_the_scratchpad(tmp_path: Path) -> None:
    """The host names its session in the environment; what is noted there is no memory yet."""
    work = Path.cwd()
    with Recollect(tmp_path / "home" / "data" / "memories.db", folder=work) as memory:
        memory.observer.record("session_started", session="5b0c9a52")
    with serving(CLAUDE_CODE_SESSION_ID="5b0c9a52") as wire:
        said = wire.call("remember", text="Uploads need WAL mode", kind="gotcha")
        assert said["content"][0]["text"].startswith("Noted.")
    with serving(CLAUDE_CODE_SESSION_ID="another") as wire:
        assert wire.call("remember", text="It is slow")["content"][0]["text"].startswith("Noted.")
    with Recollect(tmp_path / "home" / "data" / "memories.db", folder=work) as memory:
        assert [note.text for note in memory.observer.notes("5b0c9a52")] == [
            "Uploads need WAL mode",
            "It is slow",
        ]
        assert memory.count() == 0


def test_the_channel_is_the_agents_whoever_started_the_server(tmp_path: Path) -> None:
    with serving() as wire:
        made = wire.call("remember", text="I, the user, want tabs", kind="preference")
    with store(tmp_path) as memory:
        found = memory.show(id_in(made["content"][0]["text"]))
        assert (found.provenance.channel, found.state) == (Channel.AGENT, "quarantined")
        assert {change.actor for change in memory.history(found.id)} == {"agent"}


def test_the_sets_that_are_named_are_offered_instead_of_the_six(tmp_path: Path) -> None:
    """The client checks each answer against the listed schema here too."""
    with store(tmp_path) as memory:
        memory.vault.init(tmp_path / "Vault")

    async def story(client: Client) -> None:
        offered = (*TOOL_SETS["vault"], *TOOL_SETS["tasks"], *TOOL_SETS["messages"])
        listed = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert list(listed) == [tool.name for tool in offered]
        appending, sending = listed["vault_append"], listed["message_send"]
        assert appending and appending.idempotent_hint is False and appending.open_world_hint is False
        assert sending and sending.open_world_hint is True
        for tool in offered:
            answer = await client.call_tool(tool.name, dict(tool.example))
            assert not answer.is_error and answer.content, (tool.name, answer)
        other = await client.call_tool("vault_search", {"query": "gateway"})
        assert "gateway" in other.content[0].text.lower()  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="There is no tool 'recall'"):
            await client.call_tool("recall", {"question": "gateway"})

    talk(story, "--tools", "vault", "--tools", "tasks", "--tools", "messages")


def test_a_server_that_only_reads_offers_no_tool_that_writes_notes(tmp_path: Path) -> None:
    with store(tmp_path) as memory:
        memory.vault.init(tmp_path / "Vault")

    async def story(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["vault_read", "vault_search", "vault_list", "task_list"]
        answer = await client.call_tool("vault_read", {"path": "User Profile.md"})
        assert not answer.is_error, answer
        refused = await client.call_tool("vault_write", {"path": "A.md", "content": "x"})
        assert refused.is_error

    talk(story, "--read-only", "--tools", "vault", "--tools", "tasks", "--tools", "messages")
