"""What can be asked of a server: the acts of memory, each by its route, with the answer a program can read."""

from __future__ import annotations

import json
import threading
from typing import Any

import httpx
import pytest

from recollect.api.acts import ACTS
from recollect.server.accounts import Accounts
from tests.server.running import RunningServer, Visitor


def test_what_is_remembered_is_recalled_listed_shown_changed_and_forgotten(alex: Visitor) -> None:
    memory = alex.remember("Retries are capped at three", kind="decision", about=["src/retry.py"])
    assert memory["owner"] == "alex" and memory["subjects"] == ["file:src/retry.py"]
    hits = alex.get("recall", question="how many retries?")["hits"]
    assert [hit["memory"]["id"] for hit in hits] == [memory["id"]]
    assert sum(part["added"] for part in hits[0]["why"]) == pytest.approx(hits[0]["score"])
    assert alex.get("edit", memory_id=memory["id"], text="Retries are capped at five")["text"].endswith(
        "five"
    )
    assert alex.get("show", memory_id=memory["id"])["text"] == "Retries are capped at five"
    assert [change["action"] for change in alex.get("history", memory_id=memory["id"])] == [
        "remember",
        "edit",
    ]
    assert alex.get("code.about", name="file:src/retry.py")["memories"]
    assert "capped at five" in alex.get("context", task="change the retries in src/retry.py")["text"]
    assert alex.get("forget", memory_ids=[memory["id"]])[0]["state"] == "archived"
    assert alex.get("count") == 0
    assert alex.get("undo", memory_id=memory["id"])["action"] == "forget"
    assert alex.texts() == {"Retries are capped at five"}


def test_review_is_a_persons_and_not_an_agents(
    alex: Visitor, accounts: Accounts, server: RunningServer
) -> None:
    agent = server.visit(accounts.issue_token("alex", agent=True)[0])
    noted = agent.remember("The cache lives in Redis")
    refused = agent.ask("reviews.confirm", memory_ids=[noted["id"]])
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "only_a_person")
    # A person's own key says so itself where an agent uses it.
    alex.client.headers["recollect-agent"] = "1"
    assert alex.ask("reviews.confirm", memory_ids=[noted["id"]]).status_code == 403
    del alex.client.headers["recollect-agent"]
    assert alex.get("reviews.confirm", memory_ids=[noted["id"]])[0]["trust"]["verified"]


def test_a_request_with_a_key_is_done_once(alex: Visitor) -> None:
    sent = {"text": "Deploys go out on Friday"}
    answers = [
        alex.client.post("/v1/remember", json=sent, headers={"idempotency-key": "one"}).json()
        for _ in range(3)
    ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["result"]["is"] == "Remembered"
    assert len(alex.get("history", memory_id=answers[0]["result"]["memory"]["id"])) == 1
    other = alex.client.post("/v1/forget", json={"memory_ids": []}, headers={"idempotency-key": "one"})
    assert other.status_code == 400


def test_the_same_key_at_once_is_done_once(alex: Visitor) -> None:
    answers: list[Any] = []

    def send() -> None:
        with httpx.Client(base_url=alex.client.base_url, headers=alex.client.headers, timeout=60) as client:
            answers.append(
                client.post(
                    "/v1/undo", json={"memory_id": memory}, headers={"idempotency-key": "undo"}
                ).json()
            )

    memory = alex.remember("Deploys go out on Friday")["id"]
    alex.get("edit", memory_id=memory, text="Deploys go out on Monday")
    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6 and len({json.dumps(answer) for answer in answers}) == 1
    assert alex.get("show", memory_id=memory)["text"] == "Deploys go out on Friday"


def test_events_of_another_machine_are_stored_once_and_learned_from(alex: Visitor, bo: Visitor) -> None:
    events = [
        {"id": f"e{n}", "type": kind, "at": f"2026-05-08T12:00:0{n}+00:00", "session_id": "s1", "text": text}
        for n, (kind, text) in enumerate(
            [("session_started", ""), ("prompt", "Never deploy on Friday"), ("session_ended", "")]
        )
    ]
    assert alex.client.post("/v1/events", json={"events": events}).json()["result"] == {
        "stored": 3,
        "known": 0,
    }
    assert alex.client.post("/v1/events", json={"events": events}).json()["result"] == {
        "stored": 0,
        "known": 3,
    }
    assert alex.get("observer.learn", session_id="s1")["session_id"] == "s1"
    assert [one["id"] for one in alex.get("observer.sessions")] == ["s1"]
    assert bo.get("observer.sessions") == []
    # Nobody else may speak in it.
    refused = bo.client.post("/v1/events", json={"events": [{**events[1], "id": "forged"}]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_allowed")
    assert bo.ask("observer.note", text="x", session="s1").status_code == 403


def test_a_secret_in_an_event_does_not_reach_the_store(alex: Visitor) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    event = {
        "id": "e1",
        "type": "prompt",
        "at": "2026-05-08T12:00:00+00:00",
        "session_id": "s",
        "text": secret,
    }
    alex.client.post("/v1/events", json={"events": [event]})
    assert secret not in alex.ask("reviews.session", session_id="s").text


def test_an_answer_that_cannot_be_given_says_what_is_wrong(alex: Visitor) -> None:
    for act, arguments, status, code in (
        ("remember", {}, 400, "bad_input"),
        ("remember", {"text": 5}, 400, "bad_input"),
        ("remember", {"text": "x", "project_id": "other"}, 400, "bad_input"),
        ("remember", {"text": "x", "channel": "user"}, 400, "bad_input"),
        ("remember", {"text": "x", "kind": "nonsense"}, 400, "unknown_kind"),
        ("show", {"memory_id": "01KA3"}, 404, "not_found"),
        ("undo", {}, 400, "bad_input"),
        ("nothing", {}, 404, "not_found"),
    ):
        response = alex.ask(act, **arguments)
        assert (response.status_code, response.json()["error"]["code"]) == (status, code), act
        assert response.json()["error"]["message"]
    assert alex.client.post("/v1/recall", content=b"{").status_code == 400
    assert alex.client.post("/v1/recall", content=b"[]").status_code == 400
    assert alex.client.get("/v1/recall").status_code == 405


def test_the_description_names_every_act_with_its_types(server: RunningServer) -> None:
    described = httpx.get(f"{server.url}/openapi.json").json()
    for act in ACTS.values():
        operation = described["paths"][act.path]["post"]
        assert operation["x-mode"] == act.mode
        assert operation["requestBody"]["content"]["application/json"]["schema"]["properties"].keys() == set(
            act.parameters
        )
    memory = described["components"]["schemas"]["Memory"]["properties"]
    assert {"id", "text", "owner", "subjects"} <= memory.keys()
    references = set(json.dumps(described).split('"#/components/schemas/')[1:])
    assert {name.partition('"')[0] for name in references} <= described["components"]["schemas"].keys()


def test_two_servers_on_one_database_see_each_others_writes(server: RunningServer, alex: Visitor) -> None:
    from tests.server.running import run_server

    with run_server(server.service.organisations.address) as second:
        there = second.visit(alex.token)
        memory = there.remember("Retries are capped at three")
        assert alex.texts() == {"Retries are capped at three"}
        alex.get("forget", memory_ids=[memory["id"]])
        assert there.texts() == set()
