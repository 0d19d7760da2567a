"""The organisations of one database. A file has one; a database of PostgreSQL has many, kept apart by its own rules."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from recollect.errors import BadInput, NotFound, StoreMissing
from recollect.model.viewer import check_person_name
from recollect.store.db import Db
from recollect.store.open import is_server_address, open_db
from recollect.store.tables import meta

DEFAULT = "default"
_NAME = "organisation"
_MAX_OPEN = 200


class Organisations:
    """Opens each organisation's part once; nobody looks through these connections but the server itself."""

    def __init__(self, address: str, clock: Callable[[], datetime]) -> None:
        self.address = address
        self.is_shared = is_server_address(address)
        self._clock = clock
        self._open: dict[str, Db] = {}
        self._lock = threading.Lock()

    def find(self, name: str) -> Db:
        """The organisation's part; NotFound if there is no such organisation."""
        check_person_name(name)
        with self._lock:
            if name not in self._open:
                self._open[name] = self._open_part(name, create=False)
                while len(self._open) > _MAX_OPEN:
                    self._open.pop(next(iter(self._open))).close()
            return self._open[name]

    def usual_name(self) -> str:
        """The organisation that is meant where nobody names one: a file's own, or the one called default."""
        if self.is_shared:
            return DEFAULT
        db = open_db(self.address, self._clock(), create=False)
        try:
            return meta.read_meta(db, _NAME) or DEFAULT
        finally:
            db.close()

    def create(self, name: str) -> Db:
        """The organisation's part, made if it is new."""
        check_person_name(name)
        with self._lock:
            if name not in self._open:
                self._open[name] = self._open_part(name, create=True)
            return self._open[name]

    def address_of(self, name: str) -> str:
        """The address under which the organisation's part is opened."""
        if not self.is_shared:
            return self.address
        parts = urlsplit(self.address)
        settings = {**dict(parse_qsl(parts.query, keep_blank_values=True)), "organisation": name}
        return urlunsplit(parts._replace(query=urlencode(settings, quote_via=quote)))

    def list_open(self) -> list[Db]:
        """The parts that are open."""
        with self._lock:
            return list(self._open.values())

    def check_reachable(self) -> None:
        """Ask the database something; whatever is wrong with it is raised."""
        with self._lock:
            opened = next(iter(self._open.values()), None)
        if opened is not None:
            opened.version()

    def close(self) -> None:
        """Give everything back."""
        with self._lock:
            for db in self._open.values():
                db.close()
            self._open.clear()

    def _open_part(self, name: str, *, create: bool) -> Db:
        try:
            db = open_db(self.address_of(name), self._clock(), create=create)
        except StoreMissing:
            raise NotFound(what="organisation", name=name) from None
        if self.is_shared:
            return db
        known = meta.read_meta(db, _NAME)
        if known is None and create:
            meta.save_meta(db, _NAME, name)
        elif known != name:
            db.close()
            if create:
                raise BadInput(
                    reason=f"this file is the memory of {known}; a file has one organisation, PostgreSQL has many"
                )
            raise NotFound(what="organisation", name=name)
        return db
