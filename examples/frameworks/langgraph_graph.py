"""LangGraph: a graph whose steps and long-term store lie in memory's file, and goes on in another process."""

from tempfile import TemporaryDirectory
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from recollect import Recollect
from recollect.adapters.langgraph_saver import RecollectSaver
from recollect.adapters.langgraph_store import MEMORIES, RecollectStore


class Visit(TypedDict):
    """What the graph knows of a visit."""

    question: str
    answers: list[str]


def answer(state: Visit, config: RunnableConfig, *, store: BaseStore) -> dict[str, Any]:
    """Answer from the store, and from what people told recollect."""
    known = store.search(("guests",), query=state["question"], limit=1)
    rules = store.search(MEMORIES, query=state["question"], limit=1)
    texts = [str(item.value["text"]) for item in (*known, *rules)]
    return {"answers": [*state["answers"], " / ".join(texts)]}


def open_graph(memory: Recollect) -> Any:
    """The graph, over one memory."""
    builder = StateGraph(Visit)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=RecollectSaver(memory), store=RecollectStore(memory))


def main() -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": "table-4"}}
    with TemporaryDirectory() as folder:
        with Recollect(f"{folder}/memory.db", folder=None) as memory:
            memory.remember("Tea is served until five", kind="decision")
            RecollectStore(memory).put(("guests",), "ann", {"text": "Ann drinks green tea"})
            open_graph(memory).invoke({"question": "which tea does Ann drink?", "answers": []}, thread)
        with Recollect(f"{folder}/memory.db", folder=None) as memory:
            state = open_graph(memory).get_state(thread)
            print(state.values["answers"][0])


if __name__ == "__main__":
    main()
