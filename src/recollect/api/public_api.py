"""
The border of the library: sub-APIs that load at their first use, and errors that are all RecollectError.

Whoever calls the library need not know which database, parser or model lies below it: `except RecollectError` catches
whatever leaves a public call. What a caller wrote by mistake (a misspelt argument, a text where a list belongs) is told
by the name of the argument and the remedy.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, overload

from recollect.errors import BadInput, RecollectError, StoreError

if TYPE_CHECKING:
    from recollect.api.wiring import Wiring

_Api = TypeVar("_Api")
_Class = TypeVar("_Class", bound=type)

# Set by the compiler for a function that yields.
_YIELDS = 0x20
_COLLECTIONS = ("Iterable[", "Sequence[", "Collection[", "tuple[", "list[")
_SIMPLE_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "None": (type(None),),
    "Path": (),
    "datetime": (),
    "date": (),
}
_SEVERAL = (list, tuple, set, frozenset, dict)
# What a caller hands over by mistake is one of these; of any other type, the method itself knows more.
_PLAIN_TYPES = frozenset({str, bytes, int, float, bool, complex, type(None), *_SEVERAL})
# These may be called on a memory that is closed.
_AFTER_CLOSE = frozenset({"__init__", "close"})


class SubApi(Generic[_Api]):
    """A part of a memory's API, such as `memory.code`: its class is loaded, and one object made, at the first use."""

    def __init__(self, load: Callable[[], Callable[[Wiring], _Api]]) -> None:
        self._load = load

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, memory: None, owner: type) -> SubApi[_Api]: ...

    @overload
    def __get__(self, memory: object, owner: type) -> _Api: ...

    def __get__(self, memory: Any, owner: type) -> SubApi[_Api] | _Api:
        if memory is None:
            return self
        made = self._load()(memory._wiring)
        # The attribute of the same name is found before this descriptor from now on.
        memory.__dict__[self._name] = made
        return made


def public_api(cls: _Class) -> _Class:
    """Make every error that leaves a public method of a class a RecollectError."""
    for name, method in list(vars(cls).items()):
        if isinstance(method, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(
                cls, name, _guard_iterator(method) if method.__code__.co_flags & _YIELDS else _guard(method)
            )
    return cls


def _guard(method: FunctionType) -> Callable[..., Any]:
    expected = _list_expected(method)
    may_be_closed = method.__name__ in _AFTER_CLOSE

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not may_be_closed:
            _check_open(args[0])
        _check_arguments(expected, args, kwargs)
        try:
            return method(*args, **kwargs)
        except RecollectError:
            raise
        # The one place for it: what else a call may raise is nobody's to foresee, and the cause is kept.
        except Exception as error:
            raise _translate(method, error, args, kwargs) from error

    return call


def _guard_iterator(method: FunctionType) -> Callable[..., Any]:
    expected = _list_expected(method)

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Iterator[Any]:
        _check_open(args[0])
        _check_arguments(expected, args, kwargs)
        try:
            yield from method(*args, **kwargs)
        except RecollectError:
            raise
        except Exception as error:
            raise _translate(method, error, args, kwargs) from error

    return call


def _check_open(api: Any) -> None:
    if api._wiring.is_closed:
        raise StoreError("This memory is closed. Open it again: Recollect(…).")


class _Expected(NamedTuple):
    """An argument: its position (-1: by name alone), how it is declared, and the plain types it may have."""

    name: str
    position: int
    declared: str
    plain: frozenset[type]
    # The plain types of each of several values; None where nobody can say.
    each: frozenset[type] | None
    takes_several: bool


def _list_expected(method: FunctionType) -> tuple[_Expected, ...]:
    """The arguments of a method whose types can be told from how they are declared."""
    code = method.__code__
    names = code.co_varnames[: code.co_argcount]
    expected = []
    for name, annotation in method.__annotations__.items():
        plain = _plain_types(str(annotation))
        if name == "return" or plain is None:
            continue
        position = names.index(name) if name in names else -1
        inner = re.fullmatch(r"\w+\[(.*?)(?:, \.\.\.)?\](?: \| None)?", str(annotation))
        several = str(annotation).startswith(_COLLECTIONS)
        each = _plain_types(inner[1]) if inner and several else None
        expected.append(_Expected(name, position, str(annotation), plain, each, several))
    return tuple(expected)


def _plain_types(annotation: str) -> frozenset[type] | None:
    """The plain types that fit an annotation; None if it names types that may be anything."""
    # What stands in brackets says nothing of the value itself.
    parts = re.sub(r"\[.*\]", "[", annotation).split(" | ")
    fitting: set[type] = set()
    for part in parts:
        if part in _SIMPLE_TYPES:
            fitting.update(_SIMPLE_TYPES[part])
        elif part == "Mapping[":
            fitting.add(dict)
        elif part in _COLLECTIONS:
            fitting.update(_SEVERAL)
        elif "str" not in parts:
            return None
    return frozenset(fitting)


def _check_arguments(
    expected: tuple[_Expected, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Refuse what is plainly of another type, also a text where several are expected: it would be taken for letters."""
    for one in expected:
        if one.name in kwargs:
            value = kwargs[one.name]
        elif 0 < one.position < len(args):
            value = args[one.position]
        else:
            continue
        if type(value) is str and one.takes_several and str not in one.plain:
            raise BadInput(reason=f"{one.name} takes a list; write {one.name}=[{value[:40]!r}]")
        _check_plain(one.name, one.declared, one.plain, value)
        if one.each is not None and isinstance(value, list | tuple):
            for part in value:
                _check_plain(f"each of {one.name}", one.declared, one.each, part)


def _check_plain(name: str, declared: str, plain: frozenset[type], value: Any) -> None:
    kind = type(value)
    if kind in _PLAIN_TYPES and kind not in plain and not (kind is bool and int in plain):
        raise BadInput(reason=f"{name} is {declared}, not {str(value)[:60]!r} ({kind.__name__})")


def _translate(
    method: FunctionType, error: Exception, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> RecollectError:
    name = f"{method.__name__}()" if method.__name__ != "__init__" else "Recollect()"
    # An error of the call itself has no frame inside the method.
    if isinstance(error, TypeError) and error.__traceback__ and error.__traceback__.tb_next is None:
        return BadInput(reason=_explain_call(method, name, kwargs) or f"{name}: {error}")
    if isinstance(error, UnicodeEncodeError):
        return BadInput(reason=f"{name}: it holds half a character, which no memory has")
    if isinstance(error, ValueError):
        return BadInput(reason=f"{name}: {error}")
    if isinstance(error, OSError):
        return RecollectError(f"{name} failed: {error}.")
    return RecollectError(f"{name} failed unexpectedly: {type(error).__name__}: {error}.")


def _explain_call(method: FunctionType, name: str, kwargs: Mapping[str, Any]) -> str:
    """The argument that a method does not have, and the one that was probably meant."""
    # Loaded for mistakes alone.
    from difflib import get_close_matches

    code = method.__code__
    arguments = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    unknown = next((name for name in kwargs if name not in arguments), None)
    if unknown is None:
        return ""
    nearest = get_close_matches(unknown, arguments, n=1, cutoff=0.5)
    remedy = f"did you mean {nearest[0]}?" if nearest else f"its arguments are {', '.join(arguments)}"
    return f"{name} has no argument {unknown!r}; {remedy}"
