"""Tell recollect what an agent did: a failed check, the edit that mended it, and what is learned from that."""

from tempfile import TemporaryDirectory

from recollect import Recollect


def main() -> None:
    with TemporaryDirectory() as folder, Recollect(f"{folder}/memory.db", folder=folder) as memory:
        watch = memory.observer
        session = "example-1"
        watch.start_session(session)
        watch.record("prompt", session=session, text="make the price tests pass")
        watch.record("tool_finished", session=session, action="read", files=["src/price.py"], ok=True)
        failing = "E   decimal.InvalidOperation: quantize result has too many digits"
        check = {"session": session, "action": "run", "command": "pytest tests/test_price.py"}
        watch.record("tool_finished", ok=False, output=f"{failing}\n1 failed in 0.10s", **check)
        watch.record("tool_finished", session=session, action="edit", files=["src/price.py"], ok=True)
        watch.record("tool_finished", ok=True, output="1 passed in 0.10s", **check)
        learned = watch.end_session(session)
        for unit, judgement in learned.verdicts:
            print(f"{unit or 'the session'}: {judgement.verdict}")
        for note in watch.notes(session):
            print(f"{note.kind}: {note.text}")


if __name__ == "__main__":
    main()
