"""OpenAI's Agents SDK: a conversation kept in memory's file, with memory and the window before each call."""

import asyncio
from tempfile import TemporaryDirectory

from agents import Agent, RunConfig, Runner, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from recollect import Recollect
from recollect.adapters.openai_agents import RecollectSession, memory_function_tools, memory_input_filter


async def run(memory: Recollect) -> None:
    """Two turns; the second goes on from the first."""
    memory.remember("Ship to the pick-up point, never to the door", kind="preference")
    call = function_call("remember", {"fact": "The customer has moved to Ulm"}, call_id="c1")
    model = ScriptedModel(
        [[call], [assistant_message("Noted.")], [assistant_message("To the pick-up point.")]]
    )
    agent = Agent(name="desk", model=model, tools=list(memory_function_tools(memory)))
    config = RunConfig(call_model_input_filter=memory_input_filter(memory, session_id="order-42"))
    for prompt in ("I have moved to Ulm.", "Where do you ship my order, to the door?"):
        session = RecollectSession("order-42", memory)
        result = await Runner.run(agent, prompt, session=session, run_config=config)
        print(result.final_output)
    print("items:", len(await RecollectSession("order-42", memory).get_items()))
    print("told:", "pick-up point" in str(model.calls[-1].system_instructions))


def main() -> None:
    set_tracing_disabled(True)
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        asyncio.run(run(memory))


if __name__ == "__main__":
    main()
