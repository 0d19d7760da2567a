"""What a team knows together: a person's own becomes everybody's, with a second person's yes where it is wanted."""

from __future__ import annotations

from recollect import Recollect
from recollect.model.team import Sharing
from recollect.server.accounts import Accounts
from recollect.server.removal import purge_person
from recollect.store.tables import team as team_rows
from tests.hash_embedder import HashEmbedder
from tests.server.running import RunningServer, Visitor

CANARY = "The canary lives in a yellow cage"


def test_what_is_shared_is_everybodys_and_its_history_says_who(alex: Visitor, bo: Visitor) -> None:
    memory = alex.remember(CANARY)
    assert bo.texts() == set()
    assert alex.get("reviews.share", memory_id=memory["id"], why="all feed it")["owner"] is None
    assert bo.texts() == {CANARY}
    assert [(one["actor"], one["action"]) for one in bo.get("history", memory_id=memory["id"])] == [
        ("alex", "remember"),
        ("alex", "share"),
    ]
    bo.get("edit", memory_id=memory["id"], text="The canary lives in a green cage")
    assert alex.texts() == {"The canary lives in a green cage"}
    assert alex.get("history", memory_id=memory["id"])[-1]["actor"] == "bo"


def test_sharing_can_be_taken_back(alex: Visitor, bo: Visitor) -> None:
    memory = alex.remember(CANARY)
    alex.get("reviews.share", memory_id=memory["id"])
    alex.get("undo", memory_id=memory["id"])
    assert bo.texts() == set() and alex.texts() == {CANARY}


def test_an_agent_does_not_share(alex: Visitor) -> None:
    memory = alex.remember(CANARY)
    alex.client.headers["recollect-agent"] = "1"
    refused = alex.ask("reviews.share", memory_id=memory["id"])
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "only_a_person")


def test_a_project_may_want_a_second_person(alex: Visitor, bo: Visitor, accounts: Accounts) -> None:
    first, second = alex.remember(CANARY), alex.remember("Deploys go out on Friday at noon")
    accounts.set_sharing(Sharing.REVIEW, "shop")
    for memory in (first, second):
        assert alex.get("reviews.share", memory_id=memory["id"])["state"] == "quarantined"
    assert bo.texts() == set()
    assert {one["memory"]["id"] for one in bo.get("reviews.pending")} == {first["id"], second["id"]}
    own = alex.ask("reviews.confirm", memory_ids=[first["id"]])
    assert (own.status_code, own.json()["error"]["code"]) == (403, "second_person_needed")
    bo.get("reviews.confirm", memory_ids=[first["id"]])
    assert bo.texts() == {CANARY}
    bo.get("reviews.reject", memory_ids=[second["id"]])
    assert alex.texts() == {CANARY, "Deploys go out on Friday at noon"}
    assert alex.get("show", memory_id=second["id"])["owner"] == "alex"
    assert bo.ask("show", memory_id=second["id"]).status_code == 404


def test_a_project_may_share_at_once(alex: Visitor, bo: Visitor, accounts: Accounts) -> None:
    alex.remember("The first one makes the project")
    accounts.set_sharing(Sharing.DIRECT, "shop")
    assert alex.remember(CANARY)["owner"] is None
    assert alex.remember("Alex likes tabs", kind="preference")["owner"] == "alex"
    assert bo.texts() == {CANARY}


def test_what_two_people_say_against_each_other_is_seen_side_by_side(alex: Visitor, bo: Visitor) -> None:
    one = alex.remember("Uploads are limited to 5 megabytes", about=["service:upload"])
    other = bo.remember("Uploads are limited to 9 megabytes", about=["service:upload"])
    assert bo.get("upkeep.conflicts") == []
    alex.get("reviews.share", memory_id=one["id"])
    bo.get("reviews.share", memory_id=other["id"])
    for person in (alex, bo):
        assert [[side["id"] for side in pair] for pair in person.get("upkeep.conflicts")] == [
            [other["id"], one["id"]]
        ]


def test_a_persons_data_is_removed_by_one_act(
    server: RunningServer, alex: Visitor, bo: Visitor, accounts: Accounts
) -> None:
    shared = bo.remember("Deploys go out on Friday at noon")
    bo.get("reviews.share", memory_id=shared["id"])
    own = bo.remember(CANARY)
    event = {
        "id": "e1",
        "type": "prompt",
        "at": "2026-05-08T12:00:00+00:00",
        "session_id": "s1",
        "text": CANARY,
    }
    bo.client.post("/v1/events", json={"events": [event]})
    address = server.service.organisations.address_of(accounts.organisation)
    with Recollect(address, folder=None, embedder=HashEmbedder()) as whole:
        assert purge_person(accounts, whole, "bo").purged == 1
    assert bo.ask("list").status_code == 401
    db = accounts.db
    assert team_rows.list_owned_memories(db, "bo") == []
    rows = str(
        (
            db.rows("events_of_session", session_id="s1"),
            db.rows("history_recent", limit=100),
            db.rows("audit_recent", person=None, limit=100),
        )
    )
    assert "canary" not in rows and "'bo'" not in rows and own["id"] in rows
    assert alex.texts() == {"Deploys go out on Friday at noon"}
    assert {one["actor"] for one in alex.get("history", memory_id=shared["id"])} == {"removed"}
