"""
How a person's browser is let in, and a program: a link that works once becomes a cookie; a program sends a key.

The cookie is a person's, because only they saw the link. The key lies in a file that every program of theirs can read,
agents too: who comes with it has an agent's rights, and does not confirm, pin or purge.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from enum import StrEnum
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie

_TOKEN_BYTES = 16
_MAX_LINKS = 20
_MAX_BROWSERS = 50
COOKIE_AGE = 60 * 60 * 24 * 30


class Visitor(StrEnum):
    """Who asks."""

    PERSON = "person"
    AGENT = "agent"
    STRANGER = "stranger"


class Access:
    """The links that are still good, the browsers that were let in, and the key."""

    def __init__(self, *, port: int, key: str) -> None:
        self._cookie = f"recollect_{port}"
        self._key = key
        self._links: OrderedDict[str, None] = OrderedDict()
        self._browsers: OrderedDict[str, None] = OrderedDict()

    def make_link_token(self) -> str:
        """A token for a link that lets one browser in, once."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._links[token] = None
        while len(self._links) > _MAX_LINKS:
            self._links.popitem(last=False)
        return token

    def redeem(self, token: str) -> str:
        """The cookie for a good token, which is spent from now on; empty for any other."""
        match = _find_secret(token, self._links)
        if match is None:
            return ""
        del self._links[match]
        browser = secrets.token_urlsafe(2 * _TOKEN_BYTES)
        self._browsers[browser] = None
        while len(self._browsers) > _MAX_BROWSERS:
            self._browsers.popitem(last=False)
        return f"{self._cookie}={browser}"

    def find_standing(self, cookies: Sequence[str], authorizations: Sequence[str]) -> Visitor | None:
        """Who sends these headers; None: nobody we know."""
        if _find_secret(_read_cookie(cookies, self._cookie), self._browsers) is not None:
            return Visitor.PERSON
        sent = authorizations[0] if len(authorizations) == 1 else ""
        if compare_digest(sent.encode("utf-8", "replace"), f"Bearer {self._key}".encode()):
            return Visitor.AGENT
        return None


def _find_secret(sent: str, secrets_known: Sequence[str] | OrderedDict[str, None]) -> str | None:
    """The one that was sent. All are compared, each in constant time."""
    encoded = sent.encode("utf-8", "replace")
    matches = [one for one in secrets_known if compare_digest(encoded, one.encode())]
    return matches[0] if matches and sent else None


def _read_cookie(headers: Sequence[str], name: str) -> str:
    for header in headers:
        try:
            cookies: SimpleCookie = SimpleCookie(header)
        except CookieError:
            continue
        if name in cookies:
            return cookies[name].value
    return ""
