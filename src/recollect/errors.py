"""
Every error recollect raises on purpose. The docstring of a class is its message, filled in with the facts.

RecollectError
├── BadInput             what you gave cannot be used
│   ├── EmptyMemory
│   ├── TextTooLong
│   ├── UnknownKind
│   ├── BadField
│   ├── BadSubject
│   ├── BadSetting
│   ├── BadTime
│   └── BadImport
├── OnlyAPerson          an agent asked for what only a person may do
├── AccessDenied         a server does not let this person or key do that
│   ├── NotSignedIn
│   ├── NotAllowed
│   ├── SecondPersonNeeded
│   └── TooManyRequests
├── NotFound             nothing has that name
│   ├── AmbiguousId
│   └── NothingToUndo
├── StoreError           the database refused
│   ├── StoreMissing
│   ├── StoreBusy
│   ├── StoreUnavailable
│   ├── StoreFull
│   ├── StoreReadOnly
│   ├── StoreCorrupt
│   │   └── NothingToRebuild
│   ├── NotOurStore
│   ├── SchemaTooNew
│   └── SqliteTooOld
├── ProviderError        a model could not be reached or answered nonsense
│   ├── ProviderUnreachable
│   ├── ProviderRefused
│   ├── ProviderAnswer
│   └── ModelMismatch
├── ServerError          a server of ours could not be reached or answered nonsense
│   ├── ServerAway
│   └── NeedsLocalStore
├── RepositoryError      git or the working tree is not as needed
├── ChannelDown          a message could not be sent or asked for
├── BadInstallRecord     the record of what was installed cannot be read
└── MissingExtra         an optional package is not installed
"""

from __future__ import annotations


class RecollectError(Exception):
    """Something went wrong in recollect."""

    code = "error"
    exit_code = 1
    # What a person can type to get on; shown as "fix" in JSON and under the sentence in a terminal.
    fix = ""

    def __init__(self, message: str | None = None, **facts: object) -> None:
        self.facts = facts
        if "fix" in facts:
            self.fix = str(facts["fix"])
        super().__init__(_shorten(message or _fill_template(type(self).__doc__ or "", facts), _MAX_MESSAGE))


class BadInput(RecollectError):
    """What you gave cannot be used: {reason}."""

    code = "bad_input"
    exit_code = 2


class EmptyMemory(BadInput):
    """There is no text to remember. Give at least one word."""

    code = "empty_memory"


class TextTooLong(BadInput):
    """The {what} has {size:,} characters; at most {limit:,} are kept. Shorten it or split it."""

    code = "too_long"


class UnknownKind(BadInput):
    """There is no kind of memory called {kind!r}. The kinds are: {known}"""

    code = "unknown_kind"


class BadField(BadInput):
    """A {kind} cannot carry {field}={value!r}: {reason}."""

    code = "bad_field"


class BadSubject(BadInput):
    """{subject!r} does not say what the memory is about: {reason}. Write TYPE:NAME, such as file:src/app.py."""

    code = "bad_subject"


class BadSetting(BadInput):
    """The setting {name} cannot be {value!r} ({origin}): {reason}."""

    code = "bad_setting"


class BadTime(BadInput):
    """{value!r} is not a time. Write a date such as 2026-05-08, or words such as "last week" or "3 days ago"."""

    code = "bad_time"


class BadImport(BadInput):
    """{path}, line {line}: {reason}. Nothing was imported."""

    code = "bad_import"


class OnlyAPerson(RecollectError):
    """Only a person may {what}. An agent may propose it; a person does it in a terminal of their own."""

    code = "only_a_person"
    fix = "recollect review"


class AccessDenied(RecollectError):
    """This server does not let you do that."""

    code = "access_denied"


class NotSignedIn(AccessDenied):
    """The server does not know this key: {reason}."""

    code = "not_signed_in"
    fix = "recollect login"


class NotAllowed(AccessDenied):
    """{who} may not {what} here: {reason}."""

    code = "not_allowed"


class SecondPersonNeeded(AccessDenied):
    """Memory {memory} waits for somebody other than the person who shared it."""

    code = "second_person_needed"


class TooManyRequests(AccessDenied):
    """More requests came with this key than the server takes. Try again in {seconds} s."""

    code = "too_many_requests"


class NotFound(RecollectError):
    """There is no {what} called {name!r}."""

    code = "not_found"


class AmbiguousId(NotFound):
    """{prefix!r} begins {count} memory ids. Give more of it: {examples}."""

    code = "ambiguous_id"


class NothingToUndo(NotFound):
    """There is nothing to undo{where}."""

    code = "nothing_to_undo"


class StoreError(RecollectError):
    """The database {path} refused: {reason}."""

    code = "store_error"


class StoreMissing(StoreError):
    """There is no memory yet at {path}. The first `recollect remember` makes it; `--db` names another file."""

    code = "not_initialised"
    exit_code = 3


class StoreBusy(StoreError):
    """The database {path} stays locked by {holder}. Try again when it has finished."""

    code = "busy"
    exit_code = 4

    def __init__(self, message: str | None = None, *, holder: str = "", **facts: object) -> None:
        super().__init__(message, holder=holder or "another process", **facts)


class StoreUnavailable(StoreError):
    """The database {path} cannot be reached now: {reason}. What was not confirmed was not done; try again."""

    code = "unavailable"
    exit_code = 4


class StoreFull(StoreError):
    """The disk that holds {path} is full; nothing was changed. Free some space and try again."""

    code = "disk_full"


class StoreReadOnly(StoreError):
    """{path} cannot be written: {reason}. Give yourself write permission, or name another file with --db."""

    code = "read_only"


class StoreCorrupt(StoreError):
    """The database {path} is damaged: {reason}. Mend it: `recollect doctor --fix`, or `recollect restore` a backup."""

    code = "corrupt"
    fix = "recollect doctor --fix"


class NothingToRebuild(StoreCorrupt):
    """Nothing in {path} can be read, and there is no snapshot. `recollect doctor --fix --from FILE` takes a backup."""

    code = "nothing_to_rebuild"
    fix = "recollect doctor --fix --from FILE"


class NotOurStore(StoreError):
    """{path} is not a recollect database ({reason}); it was left untouched. Name another file with --db."""

    code = "not_ours"


class SchemaTooNew(StoreError):
    """The database {path} is at schema {found}; this recollect knows up to {known}. Upgrade recollect."""

    code = "schema_too_new"


class SqliteTooOld(StoreError):
    """SQLite {found} loses data when its log is reset; recollect needs {needed}. Upgrade the apsw package."""

    code = "sqlite_too_old"


class ProviderError(RecollectError):
    """The model {model} failed: {reason}."""

    code = "provider_error"


class ProviderUnreachable(ProviderError):
    """The model server at {url} does not answer ({reason}). Start it, or choose another with `recollect config`."""

    code = "provider_unreachable"


class ProviderRefused(ProviderError):
    """The model server at {url} refused with status {status}: {reason}. Check its key and model name."""

    code = "provider_refused"


class ProviderAnswer(ProviderError):
    """The answer of {model} cannot be used: {reason}."""

    code = "provider_answer"


class ModelMismatch(ProviderError):
    """The memories were indexed with {stored}, but the settings ask for {asked}. Run `recollect reindex`."""

    code = "model_mismatch"
    fix = "recollect reindex"


class ServerError(RecollectError):
    """The server at {url} cannot be used: {reason}."""

    code = "server_error"


class ServerAway(ServerError):
    """The server at {url} does not answer: {reason}."""

    code = "server_away"


class NeedsLocalStore(ServerError):
    """{what} works on a memory of this machine, and {url} is in use. Unset RECOLLECT_URL, or name a file with --db."""

    code = "needs_local_store"


class RepositoryError(RecollectError):
    """git gave no answer about {path}: {reason}."""

    code = "repository_error"


class ChannelDown(RecollectError):
    """The channel {channel} cannot be reached ({reason}). A message to it is kept and sent with the next one."""

    code = "channel_down"


class BadInstallRecord(RecollectError):
    """The record of what was installed, {path}, cannot be read: {reason}. Put a copy of it back."""

    code = "install_record"


class MissingExtra(RecollectError):
    """{feature} needs the package {package}. Install it: pip install {package}"""

    code = "missing_package"


# A message repeats what was given, but not a megabyte of it.
_MAX_MESSAGE = 2000
_MAX_FACT = 600


def _fill_template(template: str, facts: dict[str, object]) -> str:
    shortened = {
        name: _shorten(fact, _MAX_FACT) if isinstance(fact, str) else fact for name, fact in facts.items()
    }
    return " ".join(template.split()).format(**shortened)


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most // 2] + " … " + text[-most // 2 :]
