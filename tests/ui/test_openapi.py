"""The API by its own description, tried by Schemathesis: all it allows is answered, never with an error of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from recollect.surfaces.ui.app import Dashboard
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.openapi import describe_api
from tests.ui.conftest import RunningDashboard, run_dashboard

# They start processes or read a whole repository; their own tests wait for them.
SLOW = r"^/(health/(hooks|check)|modules/build|settings/(snapshot|reindex|vault))$"


def _describe() -> dict[str, object]:
    def never(for_agent: bool) -> None:
        raise AssertionError("nothing is opened to describe the API")

    dashboard = Dashboard(OpenMemories(never))  # type: ignore[arg-type]
    return dict(describe_api(dashboard.pages, dashboard.actions))


schema = schemathesis.openapi.from_dict(_describe()).exclude(path_regex=SLOW)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    """A dashboard of its own, which may be filled with anything."""
    home: Path = tmp_path_factory.mktemp("openapi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_HOME", str(home))
        with run_dashboard(home / "memories.db", None) as running:
            yield running


@schema.parametrize()
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_every_operation_answers_and_never_with_an_error_of_ours(
    case: schemathesis.Case, target: RunningDashboard
) -> None:
    case.headers.update({"Authorization": f"Bearer {target.key}", "Accept": "application/json"})
    answer = case.call(base_url=target.base)
    sent = answer.request.headers
    # Schemathesis also leaves the key out and sends other types: the guard says no to that, and to nothing else.
    if answer.status_code == 401:
        assert sent.get("Authorization") != f"Bearer {target.key}"
    elif answer.status_code == 415:
        assert not sent.get("Content-Type", "").startswith("application/json")
    else:
        assert answer.status_code in (200, 201, 400, 403, 404, 405), answer.text
        # A method that there is not is refused in a word by the guard; all else says what is wrong, and how.
        if answer.status_code >= 400 and answer.status_code != 405:
            error = answer.json()["error"]
            assert error["code"] and error["message"]
