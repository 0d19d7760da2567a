"""When jobs start: by schedule, by files, by webhook; what was missed is started once."""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import BadSetting
from recollect.model.operations import OpsRun, OpsRunState
from recollect.model.value import replace
from recollect.ops.install import example_file, make_cron_lines, make_unit
from recollect.ops.jobs import OpsJob, load_jobs
from recollect.ops.schedule import parse_schedule
from recollect.ops.scheduler import Scheduler
from recollect.ops.webhook import WebhookServer, read_token
from tests.ops.conftest import Stage

# Stands for `recollect ops run`: says what it was started with.
STUB = "import sys; open(sys.argv[1], 'a').write(' '.join(sys.argv[2:]) + ' ' + sys.stdin.read() + chr(10))"


class Plan:
    """A scheduler whose jobs are a program that writes down how it was started."""

    def __init__(self, stage: Stage, *jobs: OpsJob, requests: Any = lambda: ()) -> None:
        self.stage = stage
        self.log = stage.folder / "started"
        self.file = stage.file(jobs={job.name: job for job in jobs})
        self.requests = requests
        self.scheduler = self.make()

    def make(self) -> Scheduler:
        words = [sys.executable, "-c", STUB, str(self.log)]
        return Scheduler(self.stage.memory.operations, self.file, words, requests=self.requests)

    def tick(self) -> list[str]:
        started = self.scheduler.tick()
        while self.scheduler.running():
            time.sleep(0.01)
        return [f"{request.job} {request.trigger}" for request in started]

    def end_run(self, job: str) -> None:
        """The run of a job ends now."""
        operations = self.stage.memory.operations
        now = operations.now()
        run_id = operations.new_id()
        run = OpsRun(id=run_id, job=job, chain_id=run_id, trigger="schedule", started_at=now)
        operations.put_run(run)
        operations.close_run(replace(run, state=OpsRunState.SUCCEEDED, ended_at=now))


def every(stage: Stage, plan: str, zone: str = "UTC", **details: Any) -> OpsJob:
    return replace(stage.job(**details), schedule=parse_schedule(plan, zone, "test"))


def test_an_interval_counts_from_the_end_of_the_last_run(stage: Stage) -> None:
    plan = Plan(stage, every(stage, "every 1h"))
    assert plan.tick() == ["homelab schedule"]
    stage.clock.pass_(minutes=50)
    plan.end_run("homelab")
    stage.clock.pass_(minutes=50)
    assert plan.tick() == []
    stage.clock.pass_(minutes=10)
    assert plan.tick() == ["homelab schedule"]


def test_a_cron_line_starts_at_its_moments_and_once_for_those_it_missed(stage: Stage) -> None:
    plan = Plan(stage, every(stage, "0 */6 * * *"))
    assert plan.tick() == []
    stage.clock.pass_(hours=6)
    assert plan.tick() == ["homelab schedule"]
    assert plan.tick() == []
    stage.clock.pass_(days=3)
    plan.scheduler = plan.make()
    assert plan.tick() == ["homelab schedule"]
    assert plan.tick() == []


def test_a_schedule_that_was_changed_is_counted_anew(stage: Stage) -> None:
    plan = Plan(stage, every(stage, "0 0 1 1 *"))
    plan.tick()
    plan = Plan(stage, every(stage, "30 12 * * *"))
    plan.tick()
    stage.clock.pass_(minutes=31)
    assert plan.tick() == ["homelab schedule"]


@pytest.mark.parametrize(
    ("now", "following"),
    [
        # In Berlin there is no 02:30 on the day the clocks go forward, and two of them when they go back.
        (datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 3, 29, 1, 0, tzinfo=UTC)),
        (datetime(2026, 3, 29, 12, tzinfo=UTC), datetime(2026, 3, 30, 0, 30, tzinfo=UTC)),
        (datetime(2026, 10, 24, 12, tzinfo=UTC), datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
        (datetime(2026, 10, 25, 0, 31, tzinfo=UTC), datetime(2026, 10, 26, 1, 30, tzinfo=UTC)),
    ],
)
def test_a_nightly_job_runs_once_a_night_when_clocks_change(now: datetime, following: datetime) -> None:
    assert parse_schedule("30 2 * * *", "Europe/Berlin", "test").find_next(None, now) == following


@pytest.mark.parametrize("plan", ["every", "every 0s", "* * *", "61 * * * *", "0 0 30 2 *", "sometimes"])
def test_what_is_no_schedule_is_refused_with_its_place(plan: str) -> None:
    with pytest.raises(BadSetting, match="here"):
        parse_schedule(plan, "UTC", "here")


def test_a_changed_file_starts_a_job_and_an_unchanged_one_does_not(stage: Stage) -> None:
    plan = Plan(stage, stage.job(files=("inbox/*.json",)))
    (stage.folder / "inbox").mkdir()
    (stage.folder / "inbox" / "old.json").write_text("{}")
    assert plan.tick() == []
    (stage.folder / "inbox" / "new.json").write_text("{}")
    assert plan.tick() == ["homelab file"]
    assert plan.tick() == []
    plan.scheduler = plan.make()
    assert plan.tick() == []
    (stage.folder / "inbox" / "new.json").write_text('{"changed": true}')
    assert plan.tick() == ["homelab file"]


def test_a_job_that_runs_is_not_started_by_its_schedule_again(stage: Stage) -> None:
    job = every(stage, "every 1s")
    file = stage.file(jobs={job.name: job})
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    scheduler = Scheduler(stage.memory.operations, file, words)
    assert len(scheduler.tick()) == 1
    stage.clock.pass_(hours=1)
    assert len(scheduler.tick()) == 0
    assert list(scheduler.running()) == ["homelab"]
    scheduler.end_all()
    assert list(scheduler.running()) == []


@pytest.fixture
def webhook(stage: Stage) -> Iterator[WebhookServer]:
    jobs = {"homelab": stage.job(webhook=True), "closed": replace(stage.job(), name="closed")}
    server = WebhookServer(stage.file(jobs=jobs), "a-token-of-some-length", port=0)
    server.start()
    yield server
    server.stop()


def post(
    server: WebhookServer, path: str, token: str = "a-token-of-some-length", body: str = "", **more: str
) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("POST", path, body, {"Authorization": f"Bearer {token}", **more})
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_webhook_starts_its_job_with_the_prompt_it_was_given(stage: Stage, webhook: WebhookServer) -> None:
    assert post(webhook, "/run/homelab", body=json.dumps({"prompt": "Why is caddy slow?", "tier": 2})) == 202
    plan = Plan(stage, stage.job(webhook=True), requests=webhook.fetch)
    assert plan.tick() == ["homelab webhook"]
    assert plan.log.read_text() == "homelab --trigger webhook --tier 2 --prompt - Why is caddy slow?\n"
    assert plan.tick() == []


@pytest.mark.parametrize(
    ("path", "details", "status"),
    [
        ("/run/homelab", {"token": "wrong"}, 401),
        ("/run/homelab", {"token": ""}, 401),
        ("/run/homelab", {"Host": "evil.example:8787"}, 403),
        ("/run/closed", {}, 404),
        ("/run/nobody", {}, 404),
        ("homelab", {}, 404),
        ("/run/homelab", {"body": "[1]"}, 400),
        ("/run/homelab", {"body": "{"}, 400),
        ("/run/homelab", {"body": '{"tier": "x"}'}, 400),
        ("/run/homelab", {"body": "x" * 70_000}, 400),
    ],
)
def test_a_webhook_refuses_strangers_and_nonsense(
    webhook: WebhookServer, path: str, details: dict[str, str], status: int
) -> None:
    assert post(webhook, path, **details) == status
    assert webhook.fetch() == []


def test_the_token_is_made_once_for_its_owner_alone(stage: Stage) -> None:
    token, path = read_token(stage.file(), stage.folder / "ops")
    assert len(token) >= 32
    assert read_token(stage.file(), stage.folder / "ops")[0] == token
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o077 == 0


def write(stage: Stage, text: str) -> Path:
    path = stage.folder / "ops.toml"
    path.write_text(text)
    return path


def test_the_example_file_is_a_jobs_file(stage: Stage) -> None:
    file = load_jobs(write(stage, example_file()))
    job = file.get("health")
    assert [tier.model for tier in job.tiers] == ["haiku", "sonnet"]
    assert (file.limit_of("restart").most, file.limit_of("restart").window) == (2, timedelta(hours=4))
    assert (file.limit_of("redeployment").most, file.limit_of("redeployment").window) == (
        1,
        timedelta(hours=24),
    )
    assert "ExecStart=" in make_unit(file, "/data/memories.db")
    assert make_cron_lines(file, "/data/m.db")[0].startswith("* * * * * ")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[jobs.a]\nprompts = 'x'", "prompts"),
        ("[jobs.a]\ntimeout = 'soon'", "length of time"),
        ("[jobs.a]\nschedule = 'now and then'", "no schedule"),
        ("[jobs.a]\nclient = 'nobody'", "client"),
        ("[jobs.a]\nretries = true", "whole number"),
        ("[jobs.a]\nprompt_file = 'missing.md'", "missing.md"),
        ("[jobs.'a b']\nprompt = 'x'", "plain name"),
        ("[jobs.a]\nclient = 'own'", "command"),
        ("[actions]\nrestart = ['no group']", "service"),
        ("[actions]\nrestart = ['(?P<service>']", "pattern"),
        ("[webhook]\nhost = '0.0.0.0'", "host"),
        ("nonsense = 1", "nonsense"),
        ("[jobs.a", "cannot be read"),
    ],
)
def test_what_is_wrong_in_a_jobs_file_is_named(stage: Stage, text: str, problem: str) -> None:
    with pytest.raises(BadSetting, match=problem):
        load_jobs(write(stage, text))


@pytest.mark.parametrize(
    ("command", "is_structured"),
    [
        ('["./agent", "{prompt}"]', False),
        ('["./agent", "{prompt}", "--schema", "{schema}"]', True),
        ('["./agent", "{schema_file}"]', True),
    ],
)
def test_a_command_of_ones_own_is_taught_the_markers_unless_it_takes_a_schema(
    stage: Stage, command: str, is_structured: bool
) -> None:
    file = load_jobs(write(stage, f'[jobs.check]\nprompt = "Look."\ncommand = {command}\n'))
    assert file.jobs["check"].tiers[0].structured is is_structured
