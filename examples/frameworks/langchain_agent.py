"""LangChain and deepagents: a middleware that tells an agent what is known, and keeps long histories short."""

from tempfile import TemporaryDirectory
from typing import Any

from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from recollect import Recollect
from recollect.adapters.langchain_agents import MemoryMiddleware
from recollect.adapters.langgraph_saver import RecollectSaver

TOLD: list[str] = []


class ScriptedChat(GenericFakeChatModel):
    """Says what the script says, and shows what it was told; take any chat model for the real one."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """The script knows the tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Any:
        TOLD.append(str(messages[0].text))
        return super()._generate(messages, *args, **options)


@tool
def run_tests() -> str:
    """Run the tests."""
    return "12 passed"


def main() -> None:
    call = {"id": "c1", "name": "run_tests", "args": {}}
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        memory.remember("Write tests with pytest, never unittest", kind="preference")
        script = [AIMessage("", tool_calls=[call]), AIMessage("Twelve tests pass."), AIMessage("Done.")]
        model = ScriptedChat(messages=iter(script))
        middleware = MemoryMiddleware(memory)
        agent = create_agent(model, [run_tests], middleware=[middleware], checkpointer=RecollectSaver(memory))
        ask: Any = {"messages": [("user", "Write tests for the price module and run them")]}
        print(agent.invoke(ask, {"configurable": {"thread_id": "t1"}})["messages"][-1].text)
        print("told:", "never unittest" in TOLD[0])
        print("seen:", ", ".join(str(event.type) for event in memory.observer.events("t1")))
        deep = create_deep_agent(model=model, middleware=[MemoryMiddleware(memory, with_tools=False)])
        print(deep.invoke(ask)["messages"][-1].text)


if __name__ == "__main__":
    main()
