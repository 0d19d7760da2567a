"""What to put before an agent for a task: a few lines within a budget of tokens, or nothing."""

from tempfile import TemporaryDirectory

from recollect import Recollect


def main() -> None:
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        memory.remember(
            "Dates in the API are UTC; the page converts them", kind="gotcha", about=["src/dates.py"]
        )
        memory.remember("Write tests with pytest, never unittest", kind="preference")
        context = memory.context("fix the wrong date in src/dates.py", budget=400)
        print(context.text or "nothing to say")
        print(f"{context.tokens} tokens")


if __name__ == "__main__":
    main()
