"""What programs and browsers can do: the same acts, with the rights of who asks, and errors that say what to do."""

from __future__ import annotations

import json

import pytest

from recollect.model.provenance import Channel
from tests.ui.conftest import RunningDashboard


def test_a_memory_is_made_read_changed_and_forgotten(dashboard: RunningDashboard) -> None:
    with dashboard.browser_client() as client:
        made = client.post(
            "/memories",
            json={"text": "Retries are capped at 3", "kind": "decision", "about": ["src/retry.py"]},
        )
        assert made.status_code == 201
        memory_id = made.json()["memory"]["id"]
        assert client.get("/memories", headers={"Accept": "application/json"}).json()["total"] == 1
        changed = client.put(
            f"/memories/{memory_id}", json={"text": "Retries are capped at 5", "confidence": 0.9}
        )
        assert changed.json()["memory"]["text"] == "Retries are capped at 5"
        assert client.delete(f"/memories/{memory_id}").json()["changed"][0]["state"] == "archived"
        assert client.get("/memories.json").json()["total"] == 0
        assert client.post("/undo", json={"id": memory_id}).status_code == 200
        assert client.get("/memories.json").json()["memories"][0]["state"] == "active"


def test_many_are_forgotten_or_removed_at_once(dashboard: RunningDashboard) -> None:
    with dashboard.browser_client() as client:
        ids = [
            client.post("/memories", json={"text": f"Fact number {n}"}).json()["memory"]["id"] for n in "abc"
        ]
        assert len(client.request("DELETE", "/memories/bulk", json={"ids": ids[:2]}).json()["changed"]) == 2
        assert client.get("/memories.json").json()["total"] == 1
        client.post("/undo", json={"id": ids[0]})
        assert client.get("/memories.json").json()["total"] == 3
        client.request("DELETE", "/memories/bulk", json={"ids": ids, "purge": True})
        assert client.get("/memories.json?state=all").json()["total"] == 0


def test_a_program_with_the_key_has_an_agents_rights(dashboard: RunningDashboard) -> None:
    with dashboard.program_client() as client, dashboard.browser_client() as person:
        made = client.post("/memories", json={"text": "Caddy needs WireGuard", "kind": "dependency"}).json()[
            "memory"
        ]
        assert made["channel"] == Channel.AGENT
        other = client.post("/memories", json={"text": "Something else"}).json()["memory"]["id"]
        for method, path, body in (
            ("POST", "/review/confirm", {"ids": [made["id"]]}),
            ("PUT", f"/memories/{made['id']}", {"pinned": True}),
            ("DELETE", f"/memories/{made['id']}", {"purge": True}),
            ("POST", "/merge", {"keep": made["id"], "ids": [other]}),
            ("PUT", "/settings", {"name": "recall.limit", "value": "3"}),
            ("POST", "/settings/methodology", {"id": "tdd"}),
            ("POST", "/settings/prune", {}),
            ("POST", "/cooldowns/reset", {"service": "caddy"}),
        ):
            answer = client.request(method, path, json=body)
            assert answer.status_code == 403, (path, answer.text)
            assert answer.json()["error"]["code"] == "only_a_person"
        assert client.post("/review/flag", json={"ids": [made["id"]], "why": "wrong"}).status_code == 200
        assert person.post("/review/confirm", json={"ids": [made["id"]]}).json()["changed"][0]["verified"]


def test_duplicates_are_merged_in_one_act(dashboard: RunningDashboard) -> None:
    with dashboard.browser_client() as client:
        texts = ("Retries are capped at three", "The limit of attempts is 3", "We try thrice at most")
        ids = [client.post("/memories", json={"text": text}).json()["memory"]["id"] for text in texts]
        merged = client.post("/merge", json={"keep": ids[0], "ids": ids[1:]}).json()["changed"][0]
        assert {relation["memory_id"] for relation in merged["relations"]} == set(ids[1:])
        assert client.get("/memories.json").json()["total"] == 1
        client.post("/undo", json={"id": ids[0]})
        assert client.get("/memories.json").json()["total"] == 3


@pytest.mark.parametrize(
    ("wrong", "more", "state"),
    [
        ("inaccurate", {"text": "Retries are capped at 5"}, "active"),
        ("too_specific", {"text": "Retries are capped"}, "active"),
        ("outdated", {"text": "ignored"}, "inactive"),
        ("duplicate", {}, "inactive"),
    ],
)
def test_a_memory_is_corrected_for_each_reason(
    dashboard: RunningDashboard, wrong: str, more: dict[str, str], state: str
) -> None:
    with dashboard.browser_client() as client:
        one = client.post("/memories", json={"text": "Retries are capped at 3"}).json()["memory"]["id"]
        other = client.post("/memories", json={"text": "Something else entirely"}).json()["memory"]["id"]
        body = {"id": one, "wrong": wrong, **more, **({"original": other} if wrong == "duplicate" else {})}
        corrected = client.post("/review/correct", json=body).json()["changed"][0]
        assert corrected["state"] == state
        if state == "active":
            assert corrected["text"] == more["text"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/memories", {"text": ""}, 400),
        ("POST", "/memories", {"text": 5}, 400),
        ("POST", "/memories", {"text": "x", "kind": "nonsense"}, 400),
        ("POST", "/memories", {"text": "x", "confidence": 2}, 400),
        ("POST", "/memories", {"text": "x", "about": [1]}, 400),
        ("PUT", "/memories/01KA3", {"text": "y"}, 404),
        ("PUT", "/memories/01KA3", {}, 400),
        ("DELETE", "/memories/bulk", {}, 400),
        ("POST", "/review/correct", {"id": "01KA3", "wrong": "ugly"}, 400),
        ("POST", "/tasks", {"title": "x"}, 404),
        ("PUT", "/settings", {"name": "db", "value": "/tmp/x"}, 400),
        ("GET", "/memories.json?limit=0", None, 400),
        ("GET", "/memories.json?limit=9999999999999999999999", None, 400),
        ("GET", "/memories.json?min_confidence=nan", None, 400),
        ("GET", "/memories.json?state=asleep", None, 400),
        ("GET", "/memories.json?since=never", None, 400),
        ("GET", "/memories.json?about=%ff%00", None, 400),
        ("GET", "/runs.json?state=odd", None, 400),
        ("GET", "/impact.json?path=nowhere.py", None, 404),
        ("GET", "/sessions/none.json", None, 404),
        ("GET", "/nowhere.json", None, 404),
        ("POST", "/memories.json", {}, 405),
    ],
)
def test_bad_input_is_told_what_is_wrong(
    dashboard: RunningDashboard, method: str, path: str, body: dict[str, object] | None, status: int
) -> None:
    with dashboard.browser_client() as client:
        answer = client.request(method, path, json=body, headers={"Accept": "application/json"})
        assert answer.status_code == status, answer.text
        assert answer.json()["error"]["message"]


def test_a_body_that_is_no_json_is_refused(dashboard: RunningDashboard) -> None:
    with dashboard.browser_client() as client:
        for body in (b"{", b"[]", b"5", b"\xff\xfe", b"[" * 100_000):
            answer = client.post("/memories", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == 400


def test_a_page_of_ours_gets_toasts_that_can_undo(dashboard: RunningDashboard) -> None:
    htmx = {"HX-Request": "true", "Content-Type": "application/x-www-form-urlencoded"}
    with dashboard.browser_client() as client:
        answer = client.post("/memories", content="text=Retries+are+capped", headers=htmx)
        assert answer.status_code == 204
        toast = json.loads(answer.headers["hx-trigger"])["toast"]
        assert toast["text"] == "Remembered." and toast["undo"]
        french = {**htmx, "Accept-Language": "fr"}
        again = client.post("/memories", content="text=Retries+are+capped", headers=french)
        assert json.loads(again.headers["hx-trigger"])["toast"]["text"] == "C’est déjà connu."
        wrong = client.post("/memories", content="text=", headers=htmx)
        assert (
            wrong.status_code == 400 and json.loads(wrong.headers["hx-trigger"])["toast"]["kind"] == "error"
        )


def test_a_secret_is_taken_out_and_the_test_box_keeps_nothing(dashboard: RunningDashboard) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with dashboard.browser_client() as client:
        shown = client.post("/settings/redact", json={"text": f"token {secret}"}).json()
        assert secret not in shown["text"] and shown["kinds"]
        made = client.post("/memories", json={"text": f"The token is {secret}"}).json()
        assert made["redacted"] and secret not in json.dumps(made)
        assert secret not in client.get("/memories.json").text


def test_looking_is_no_access(dashboard: RunningDashboard) -> None:
    with dashboard.open_memory(False) as memory:
        memory.remember("Retries are capped at 3", kind="decision")
    with dashboard.browser_client() as client:
        for path in ("/memories.json?q=retries", "/recall.json?q=retries", "/memories", "/"):
            assert client.get(path).status_code == 200
    with dashboard.open_memory(False) as memory:
        assert memory.list()[0].access_count == 0


def test_a_text_is_found_as_it_is_typed(dashboard: RunningDashboard) -> None:
    with dashboard.browser_client() as client:
        for text in ("Payment retries are capped", "The clock is monotonic"):
            client.post("/memories", json={"text": text})
        hits = client.get("/memories.json?q=retr").json()["hits"]
        assert hits and hits[0]["memory"]["text"] == "Payment retries are capped"
