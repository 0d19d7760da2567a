"""Keep a decision, ask for it in other words, and see why it was found."""

from tempfile import TemporaryDirectory

from recollect import AlreadyKnown, Recollect


def main() -> None:
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=None) as memory:
        rule = "Payment retries are capped at 3: the bank blocks a card after the fourth try"
        memory.remember(rule, kind="decision", about=["src/retry.py"])
        again = memory.remember(rule, kind="decision", about=["src/retry.py"])
        print("said twice:", "already known" if isinstance(again, AlreadyKnown) else "new")

        for hit in memory.recall("how often may we try to charge a card?", limit=3):
            print(f"{hit.memory.kind}: {hit.memory.text}")
            print("because:", ", ".join(f"{part.name} {part.added:+.2f}" for part in hit.why if part.added))


if __name__ == "__main__":
    main()
