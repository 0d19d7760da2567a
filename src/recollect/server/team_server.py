"""What the server does with a request once it knows who asks: which project, which act, done once, and written down."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from recollect.api import Recollect
from recollect.api.acts import ACTS, RemoteAct, call_act
from recollect.api.json_values import encode_value
from recollect.api.once import ANSWERS_KEPT, answer_once, record_act
from recollect.capture.share import return_rejected
from recollect.errors import BadInput, NotAllowed, NotFound
from recollect.model.history import Act
from recollect.model.ids import CHANCE_BITS, make_id
from recollect.model.project import Project
from recollect.model.query import Filters, Query
from recollect.model.team import Mode, Sharing
from recollect.model.value import dataclass, replace
from recollect.providers.embed import Embedder
from recollect.server.accounts import Accounts, SignedIn, sign_in
from recollect.server.management import MANAGEMENT, PREFIX
from recollect.server.memory_pool import MemoryKey, MemoryPool
from recollect.server.organisations import Organisations
from recollect.store.db import Db
from recollect.store.tables import projects, team

MAX_EVENTS = 1000
MAX_KEYS = 8
_MAX_PROJECT_KEY = 500
_KEY_PREFIXES = ("git:", "remote:", "path:")


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingCall:
    """A request: who asks, from which project, with which key of its own, and whether an agent says it."""

    who: SignedIn
    project_keys: tuple[str, ...] = ()
    project_name: str = ""
    request_key: str = ""
    by_agent: bool = False


class TeamServer:
    """The memories of all organisations of one database, for whoever may ask."""

    def __init__(
        self,
        address: str,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        embedder: Embedder | None = None,
    ) -> None:
        self.clock = clock
        self.organisations = Organisations(address, clock)
        self.pool = MemoryPool(self.organisations, clock, embedder=embedder)

    def sign_in(self, token: str) -> SignedIn:
        """Who holds this key."""
        return sign_in(self.organisations, token, self.clock)

    def accounts(self, organisation: str) -> Accounts:
        """The people of an organisation."""
        return Accounts(self.organisations.find(organisation), organisation, self.clock)

    def close(self) -> None:
        """Give everything back."""
        self.pool.close()
        self.organisations.close()

    # -- acts --------------------------------------------------------------------------------------------

    def call(self, incoming: IncomingCall, name: str, form: Mapping[str, Any]) -> str:
        """Do what was asked for; the answer as JSON."""
        if name.startswith(PREFIX):
            return self._manage(incoming, MANAGEMENT[name], form)
        act, who = ACTS[name], incoming.who
        who.check_mode(act.mode)
        project = self.find_project(incoming, act.mode)
        args, kwargs = act.read_arguments(form)
        if act.name == "undo" and not kwargs.get("memory_id"):
            raise BadInput(reason="undo takes back the last change of one memory here: name it")
        self.check_sessions(incoming, [form.get(one) for one in ("session", "session_id")])
        with self.lend(incoming, act.mode, project) as memory:
            args = [_at_home(value, project) for value in args]
            kwargs = {name: _at_home(value, project) for name, value in kwargs.items()}

            def answer() -> str:
                encoded = encode_value(call_act(memory, act, args, kwargs))
                if act.mode is Mode.WRITE:
                    record_act(
                        memory, who.person, act.name, token=who.token, target=_find_target(form, encoded)
                    )
                return json.dumps(encoded, ensure_ascii=False)

            if act.is_once and incoming.request_key:
                answered = answer_once(memory, who.person, incoming.request_key, act.name, answer)
            else:
                answered = answer()
        if act.name == "reviews.reject":
            self._return_rejected(who, args)
        return answered

    def _return_rejected(self, who: SignedIn, memory_ids: Sequence[str]) -> None:
        now = self.clock()
        act = Act(id=_make_id(now), at=now, actor=who.person, action="unshare")
        return_rejected(self.organisations.find(who.organisation), memory_ids, act)

    def receive_events(self, incoming: IncomingCall, forms: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Store what agents did on another machine; an event that was sent before is stored once."""
        incoming.who.check_mode(Mode.WRITE)
        if len(forms) > MAX_EVENTS:
            raise BadInput(reason=f"send at most {MAX_EVENTS:,} events at once")
        project = self.find_project(incoming, Mode.WRITE)
        self.check_sessions(incoming, {form.get("session_id") for form in forms})
        with self.lend(incoming, Mode.WRITE, project) as memory:
            stored = memory.observer.receive(forms)
        return {"stored": stored.stored, "known": stored.known}

    def read_mirror(self, incoming: IncomingCall, version: str) -> dict[str, Any]:
        """Every memory that a person may be told in a project, unless nothing has changed since that version."""
        incoming.who.check_mode(Mode.READ)
        project = self.find_project(incoming, Mode.READ)
        with self.lend(incoming, Mode.READ, project) as memory:
            now = f"{project.id if project else ''}:{':'.join(map(str, memory.browse.version()))}"
            if now == version:
                return {"version": now, "memories": None}
            filters = memory.filters()
            shown = memory.list(filters, limit=max(1, memory.count(filters)))
            return {"version": now, "memories": [encode_value(one) for one in shown]}

    def describe_me(self, incoming: IncomingCall) -> dict[str, Any]:
        """Who asks, and what they may do."""
        incoming.who.check_mode(Mode.READ)
        who = incoming.who
        return {
            "organisation": who.organisation,
            "person": who.person,
            "role": str(who.role),
            "agent": who.agent,
            "projects": list(allowed) if (allowed := who.list_projects(Mode.READ)) is not None else None,
        }

    @contextmanager
    def lend(self, incoming: IncomingCall, mode: Mode, project: Project | None) -> Iterator[Recollect]:
        """A memory that shows what this person may see while they do such a thing."""
        who = incoming.who
        who.check_mode(mode)
        sharing = self.accounts(who.organisation).sharing(project.id) if project else Sharing.PERSONAL
        viewer = who.make_viewer(mode, shares=sharing is Sharing.DIRECT)
        key = MemoryKey(who.organisation, viewer, project, who.agent or incoming.by_agent)
        with self.pool.lend(key) as memory:
            yield memory

    def find_project(self, incoming: IncomingCall, mode: Mode) -> Project | None:
        """The project that is meant, if it was granted; whoever writes in a new one makes it."""
        keys, who = incoming.project_keys[:MAX_KEYS], incoming.who
        if not keys:
            return None
        db = self.organisations.find(who.organisation)
        project = _find_known(db, keys)
        name = incoming.project_name or keys[0]
        if project is None and mode is not Mode.READ:
            who.check_project(None, mode, name)
            project = self._make_project(db, keys, incoming.project_name)
        if project is not None or who.list_projects(mode) is not None:
            who.check_project(project, mode, name)
        return project

    def tidy(self) -> None:
        """Answers that nobody will ask for again go."""
        for db in self.organisations.list_open():
            team.forget_answers(db, self.clock() - ANSWERS_KEPT)

    def check_sessions(self, incoming: IncomingCall, session_ids: Iterable[object]) -> None:
        """Refuse that somebody speaks in another person's session."""
        db = self.organisations.find(incoming.who.organisation)
        for session_id in session_ids:
            if isinstance(session_id, str) and team.find_session_owner(db, session_id) not in (
                None,
                incoming.who.person,
            ):
                raise NotAllowed(
                    who=incoming.who.person, what="speak in that session", reason="it is another person's"
                )

    def _make_project(self, db: Db, keys: Sequence[str], name: str) -> Project:
        key = keys[0]
        if not key.startswith(_KEY_PREFIXES) or len(key) > _MAX_PROJECT_KEY:
            raise NotFound(what="project", name=key[:100])
        now = self.clock()
        with db.transaction():
            project = projects.ensure_project(db, key, name or key.rpartition("/")[2], _make_id(now), now)
            for other in keys[1:]:
                if other.startswith("remote:"):  # by which a shallow clone will know it
                    projects.add_key(db, project, other[:_MAX_PROJECT_KEY])
            return project

    def _manage(self, incoming: IncomingCall, act: RemoteAct, form: Mapping[str, Any]) -> str:
        incoming.who.check_mode(act.mode)
        accounts = self.accounts(incoming.who.organisation)
        args, kwargs = act.read_arguments(form)
        method = getattr(accounts, act.name.removeprefix(PREFIX))
        answer = json.dumps(encode_value(method(*args, **kwargs)), ensure_ascii=False)
        target = str(
            form.get("name") or form.get("person") or form.get("person_name") or form.get("prefix") or ""
        )
        self._record(incoming, act.name, target)
        return answer

    def record_refusal(self, incoming: IncomingCall, name: str, status: int) -> None:
        """Somebody known was refused something."""
        self._record(incoming, name, "", status)

    def _record(self, incoming: IncomingCall, act: str, target: str, status: int = 200) -> None:
        who = incoming.who
        self.accounts(who.organisation).record(who.person, act, token=who.token, target=target, status=status)


def _make_id(now: datetime) -> str:
    return make_id(now, int.from_bytes(os.urandom(CHANCE_BITS // 8), "big"))


def _find_known(db: Db, keys: Sequence[str]) -> Project | None:
    """The project with one of these keys; or by its name, as a person would write it."""
    for key in keys:
        if project := projects.find_project_by_key(db, key):
            return project
    if len(keys) == 1 and not keys[0].startswith(_KEY_PREFIXES):
        with suppress(NotFound, BadInput):
            return projects.get_project(db, keys[0])
    return None


def _at_home(value: Any, project: Project | None) -> Any:
    """The same, about the project of the request: a client's own number for it means nothing here."""
    project_id = project.id if project else None
    if isinstance(value, Query):
        return replace(value, filters=_at_home(value.filters, project))
    return replace(value, project_id=project_id) if isinstance(value, Filters) else value


def _find_target(form: Mapping[str, Any], answer: Any) -> str:
    """Which memories it was about, by their ids."""
    named = [
        form[name]
        for name in ("memory_id", "keep", "drop", "one", "other")
        if isinstance(form.get(name), str)
    ]
    named += form["memory_ids"] if isinstance(form.get("memory_ids"), list) else []
    if not named and isinstance(answer, dict) and isinstance(answer.get("memory"), dict):
        named = [answer["memory"].get("id", "")]
    return " ".join(str(one)[:40] for one in named[:5])
