"""The inbox: many processes write, others read, any of them may be killed, and nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.config import SETTINGS
from recollect.events import inbox as mail
from tests.builders import a_db


def line(number: int, **parts: object) -> str:
    return json.dumps(
        {"id": f"e{number}", "type": "prompt", "at": "2026-03-04T10:00:00+00:00", "session_id": "s", **parts}
    )


def read_all(inbox: str, name: str = "reader") -> list[str]:
    """Read and delete; the ids that were there."""
    found: list[str] = []
    for path in mail.list_left_over(inbox):
        with mail.claim_left_over(inbox, path) as claim:
            if claim:
                found += [form["id"] for form in claim.forms()]
                claim.done()
    with mail.claim_inbox(inbox, name) as claim:
        if claim:
            found += [form["id"] for form in claim.forms()]
            claim.done()
    return found


@pytest.fixture
def inbox(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "memories.db.inbox")


def test_what_is_written_can_be_read_once(inbox: str) -> None:
    assert mail.append(inbox, [line(1), line(2)]) == 2
    assert mail.has_waiting(inbox)
    assert read_all(inbox) == ["e1", "e2"]
    assert not mail.has_waiting(inbox)
    assert read_all(inbox) == []


@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
def test_the_inbox_is_for_its_owner_alone(inbox: str) -> None:
    mail.append(inbox, [line(1)])
    assert Path(inbox).stat().st_mode & 0o077 == 0
    assert Path(inbox).parent.stat().st_mode & 0o077 == 0


def test_a_full_inbox_drops_and_counts(inbox: str) -> None:
    assert mail.append(inbox, [line(1)], most_bytes=200) == 1
    assert mail.append(inbox, [line(2, text="x" * 200), line(3)], most_bytes=200) == 0
    assert mail.count_dropped(inbox) == 2
    assert read_all(inbox) == ["e1"]


def test_the_setting_and_the_hook_agree_on_the_cap() -> None:
    setting = next(setting for setting in SETTINGS if setting.name == "inbox.most_bytes")
    assert setting.default == mail.MAX_BYTES


def test_half_a_line_is_put_aside_and_the_next_one_is_whole(inbox: str) -> None:
    mail.append(inbox, [line(1)])
    with Path(inbox).open("a") as stream:
        stream.write('{"id": "e2", "type": "pro')
    mail.append(inbox, [line(3)])
    assert read_all(inbox) == ["e1", "e3"]
    assert mail.count_torn(inbox) == 1
    assert "e2" in Path(inbox + ".torn").read_text()


@pytest.mark.parametrize(
    "text", ["[]", "7", "null", '{"id": 7}', "\x00\x00", "not json", '{"id":"a","type":"prompt"}']
)
def test_what_is_no_event_is_put_aside(inbox: str, text: str) -> None:
    mail.append(inbox, [text, line(1)])
    assert read_all(inbox) == ["e1"]
    assert mail.count_torn(inbox) == 1


def test_what_is_put_aside_has_an_end(inbox: str) -> None:
    for _ in range(3):
        mail.append(inbox, ["x" * 600_000])
        read_all(inbox)
    assert mail.count_torn(inbox) == 3
    assert Path(inbox + ".torn").stat().st_size < 1_100_000


def test_a_reader_that_died_leaves_its_lines_to_the_next(inbox: str) -> None:
    mail.append(inbox, [line(1)])
    with mail.claim_inbox(inbox, "first") as claim:
        assert claim is not None
        assert len(list(claim.forms())) == 1  # and never done
    mail.append(inbox, [line(2)])
    assert mail.count_waiting_bytes(inbox) > 0
    assert read_all(inbox) == ["e1", "e2"]
    assert mail.list_left_over(inbox) == []


def test_what_a_living_reader_holds_is_left_to_it(inbox: str) -> None:
    mail.append(inbox, [line(1)])
    with mail.claim_inbox(inbox, "first") as claim:
        assert claim is not None
        (path,) = mail.list_left_over(inbox)
        with mail.claim_left_over(inbox, path) as second:
            assert second is None


@pytest.mark.skipif(sys.platform == "win32", reason="a file system with a limit is made by a limit of POSIX")
def test_a_full_disk_leaves_no_half_line(inbox: str) -> None:
    script = """
import resource, signal, sys
from recollect.events import inbox as mail
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
mail.append(sys.argv[1], [sys.argv[2]])
resource.setrlimit(resource.RLIMIT_FSIZE, (150, 150))
try:
    mail.append(sys.argv[1], [sys.argv[2]])
except OSError:
    print("refused")
"""
    ended = subprocess.run(
        [sys.executable, "-c", script, inbox, line(1)], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "refused\n"
    assert Path(inbox).read_bytes() == mail.seal_line(line(1).encode()) + b"\n"


# -- many processes, and SIGKILL ---------------------------------------------------------------------------

WRITER = """
import os, sys
from recollect.events import inbox as mail
inbox, name = sys.argv[1:]
text = "x" * 300
for number in range(10**9):
    made = f"{name}-{number}"
    line = '{"id":"%s","type":"prompt","at":"2026-03-04T10:00:00+00:00","session_id":"s","text":"%s"}' % (made, text)
    if mail.append(inbox, [line]):
        os.write(1, f"{made}\\n".encode())
"""
READER = """
import os, sys, time
from recollect.model.ids import id_at
from recollect.observe.drain import drain_inbox
from recollect.observe.folders import Folders
from recollect.store.open import open_db
from datetime import UTC, datetime
db, inbox = sys.argv[1:]
now = datetime(2026, 3, 4, tzinfo=UTC)
opened = open_db(db, now)
folders = Folders(opened, lambda: now, lambda at: id_at(0, int.from_bytes(os.urandom(10))))
while True:
    drain_inbox(opened, inbox, folders, os.urandom(8).hex())
"""


KILLS = 30


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_nothing_acknowledged_is_lost_however_often_anybody_is_killed(tmp_path: Path) -> None:
    db, inbox = str(tmp_path / "memories.db"), str(tmp_path / "memories.db.inbox")
    a_db(db).close()
    chance = random.Random(20260304)
    heard = tmp_path / "acknowledged"
    with heard.open("ab") as out:
        start: list[Callable[[], subprocess.Popen[bytes]]] = [
            *(
                lambda: subprocess.Popen(
                    [sys.executable, "-c", WRITER, inbox, os.urandom(4).hex()], stdout=out
                ),
            )
            * 3,
            *(lambda: subprocess.Popen([sys.executable, "-c", READER, db, inbox]),) * 2,
        ]
        running = [begin() for begin in start]
        try:
            kills, pause = 0, 1.0
            # By what has happened and not by the clock: on a machine with much to do, starting takes its time.
            while kills < KILLS or not _enough(db, heard):
                time.sleep(pause * chance.uniform(0.05, 0.3))
                number = chance.randrange(len(running))
                running[number].send_signal(signal.SIGKILL)
                running[number].wait()
                running[number] = start[number]()
                kills, pause = kills + 1, pause * (1.05 if kills > KILLS else 1)
        finally:
            for process in running:
                process.kill()
                process.wait()
    acknowledged = heard.read_text().split()
    opened = a_db(db)
    stored = {row["id"] for row in opened.rows("events_known", ids=json.dumps(acknowledged))}
    opened.close()
    waiting = set(read_all(inbox))
    lost = set(acknowledged) - stored - waiting
    print(
        f"{len(acknowledged)} acknowledged, {len(stored)} stored, {len(lost)} lost, {mail.count_torn(inbox)} torn"
    )
    assert lost == set()
    assert len(acknowledged) == len(set(acknowledged)) > 50
    assert stored


def _enough(db: str, heard: Path) -> bool:
    """Whether both sides have got somewhere."""
    names = heard.read_text().split()
    opened = a_db(db)
    try:
        return len(names) > 50 and bool(opened.rows("events_known", ids=json.dumps(names)))
    finally:
        opened.close()
