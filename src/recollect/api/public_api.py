"""
The border of the library: sub-APIs that load at their first use, and errors that are all RecollectError.

Whoever calls the library need not know which database, parser or model lies below it: `except RecollectError` catches
whatever leaves a public call. What a caller wrote by mistake (a misspelt argument, a text where a list belongs) is told
by the name of the argument and the remedy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

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
}
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
    positions = _collection_arguments(method)
    may_be_closed = method.__name__ in _AFTER_CLOSE

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not may_be_closed:
            _check_open(args[0])
        _check_collections(positions, args, kwargs)
        try:
            return method(*args, **kwargs)
        except RecollectError:
            raise
        # The one place for it: what else a call may raise is nobody's to foresee, and the cause is kept.
        except Exception as error:
            raise _translate(method, error, args, kwargs) from error

    return call


def _guard_iterator(method: FunctionType) -> Callable[..., Any]:
    positions = _collection_arguments(method)

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Iterator[Any]:
        _check_open(args[0])
        _check_collections(positions, args, kwargs)
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


def _collection_arguments(method: FunctionType) -> Mapping[str, int]:
    """The arguments that take several values, each with its position; -1 for one that is given by name alone."""
    names = method.__code__.co_varnames[: method.__code__.co_argcount]
    return {
        name: names.index(name) if name in names else -1
        for name, annotation in method.__annotations__.items()
        if str(annotation).startswith(_COLLECTIONS) and name != "return"
    }


def _check_collections(
    positions: Mapping[str, int], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Refuse a text where several are expected: it would be taken for a list of letters."""
    for name, position in positions.items():
        value = kwargs.get(name) if name in kwargs or not 0 < position < len(args) else args[position]
        if isinstance(value, str):
            raise BadInput(reason=f"{name} takes a list; write {name}=[{value[:40]!r}]")


def _translate(
    method: FunctionType, error: Exception, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> RecollectError:
    name = f"{method.__name__}()" if method.__name__ != "__init__" else "Recollect()"
    # An error of the call itself has no frame inside the method.
    if isinstance(error, TypeError) and error.__traceback__ and error.__traceback__.tb_next is None:
        return BadInput(reason=_explain_call(method, name, kwargs) or f"{name}: {error}")
    if wrong := _find_wrong_type(method, args, kwargs):
        return BadInput(reason=f"{name}: {wrong}")
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


def _find_wrong_type(method: FunctionType, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """The first argument that is not of the simple type it is declared with."""
    names = method.__code__.co_varnames[: method.__code__.co_argcount]
    for name, value in (*zip(names, args, strict=False), *kwargs.items()):
        declared = str(method.__annotations__.get(name, ""))
        wanted = [part.strip() for part in declared.split("|")]
        if all(part in _SIMPLE_TYPES for part in wanted):
            types = tuple(kind for part in wanted for kind in _SIMPLE_TYPES[part])
            if not isinstance(value, types):
                return f"{name} is {declared}, not {str(value)[:60]!r} ({type(value).__name__})"
    return ""
