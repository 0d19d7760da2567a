"""PydanticAI: memory as a capability, the window as a history processor."""

from tempfile import TemporaryDirectory

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from recollect import Recollect
from recollect.adapters.pydantic_ai_memory import MemoryCapability, window_history

told: list[str] = []


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """A model that first asks memory, then answers; take any model for the real one."""
    told.append(info.instructions or "")
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("recall", {"topic": "how are dates stored?"})])
    return ModelResponse(parts=[TextPart("Store it in UTC.")])


def main() -> None:
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        memory.remember(
            "Dates in the API are UTC; the page converts them", kind="gotcha", about=["src/dates.py"]
        )
        memory.remember("Answer in one sentence", kind="preference")
        capabilities = [MemoryCapability(memory), ProcessHistory(window_history())]
        agent = Agent(FunctionModel(scripted), capabilities=capabilities)
        result = agent.run_sync("How do I store the date of an order?")
        print(result.output)
        print("told:", "one sentence" in told[0])
        session = memory.observer.current()
        print("seen:", ", ".join(str(event.type) for event in memory.observer.events(session)))


if __name__ == "__main__":
    main()
