"""
Keys of programs and passwords of people.

A key is `rct_ORGANISATION_PREFIX_SECRET`: the organisation says where to look, the prefix finds the row, and the
secret, 256 random bits, proves it. Only its SHA-256 is kept; of so many bits nothing slower is needed. Passwords are
people's own inventions and are hashed by argon2.
"""

from __future__ import annotations

import hashlib
import secrets
from hmac import compare_digest
from typing import NamedTuple

from recollect.errors import BadInput, MissingExtra

_MARK = "rct"
_PREFIX_BYTES = 5
_SECRET_BYTES = 32
MIN_PASSWORD = 10
MAX_PASSWORD = 1000


class TokenParts(NamedTuple):
    """A key, taken apart."""

    organisation: str
    prefix: str
    secret: str

    def __str__(self) -> str:
        return f"{_MARK}_{self.organisation}_{self.prefix}_{self.secret}"

    def __repr__(self) -> str:
        return f"TokenParts({self.organisation!r}, {self.prefix!r}, …)"


def make_token(organisation: str) -> TokenParts:
    """A new key."""
    return TokenParts(organisation, secrets.token_hex(_PREFIX_BYTES), secrets.token_hex(_SECRET_BYTES))


def parse_token(text: str) -> TokenParts | None:
    """A key that was sent; None for what is none."""
    mark, _, rest = text.strip().partition("_")
    organisation, _, secret = rest.rpartition("_")
    organisation, _, prefix = organisation.rpartition("_")
    if (
        mark != _MARK
        or not organisation
        or not _is_hex(prefix, _PREFIX_BYTES)
        or not _is_hex(secret, _SECRET_BYTES)
    ):
        return None
    return TokenParts(organisation, prefix, secret)


def hash_secret(secret: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(secret: str, digest: str) -> bool:
    """Whether this is the secret of which that was kept; in constant time."""
    return compare_digest(hash_secret(secret), digest)


def hash_password(password: str) -> str:
    """What is kept of a password."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise BadInput(reason=f"a password has {MIN_PASSWORD} to {MAX_PASSWORD:,} characters")
    return _load_hasher().hash(password)


def is_password(password: str, kept_hash: str) -> bool:
    """Whether this is the password; an account without one takes as long to say no."""
    from argon2.exceptions import InvalidHashError, VerificationError

    hasher = _load_hasher()
    try:
        return hasher.verify(kept_hash or _nobodys_hash(), password[:MAX_PASSWORD]) and bool(kept_hash)
    except (VerificationError, InvalidHashError):
        return False


def _is_hex(text: str, size: int) -> bool:
    return len(text) == 2 * size and all(letter in "0123456789abcdef" for letter in text)


_nobody: list[str] = []


def _nobodys_hash() -> str:
    """A hash of something nobody knows, made once."""
    if not _nobody:
        _nobody.append(_load_hasher().hash(secrets.token_hex(_SECRET_BYTES)))
    return _nobody[0]


def _load_hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ImportError as error:
        raise MissingExtra(feature="A password", package="'recollect[server]'") from error
    return PasswordHasher()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from argon2 import PasswordHasher
