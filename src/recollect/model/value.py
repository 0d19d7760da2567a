"""
The standard library's `dataclass`, `field`, `replace` and `asdict`, as far as our values need them, without its price.

The library writes and compiles up to seven methods for a class while its module is loaded: about a millisecond a class,
and a hook that answers a prompt loads eighty, most of which it makes nothing of. Here a class shares all methods but
`__init__` with the others, and that one is written when the first of its values is made. To a type checker, and to
the library's `fields`, they are dataclasses; a test holds them against the library's.
"""

from __future__ import annotations

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def _dataclass(*, slots: bool, frozen: bool = False, kw_only: bool = False) -> Callable[[type], type]:
    """A class of values from its annotations; always with slots."""
    if not slots:
        raise TypeError("a value has slots; without them, take the standard library's dataclass")
    return lambda cls: _made(cls, frozen=frozen, kw_only=kw_only)


class _Field:
    """What is said of a field besides its type."""

    __slots__ = ("compare", "default", "default_factory", "repr")

    def __init__(
        self, *, default: Any = ..., default_factory: Any = ..., repr: bool = True, compare: bool = True
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.repr = repr
        self.compare = compare


def _replace(value: Any, /, **changes: Any) -> Any:
    """The same value but for these fields."""
    for name in value.__slots__:
        if name not in changes:
            changes[name] = getattr(value, name)
    return value.__class__(**changes)


def _asdict(value: Any) -> dict[str, Any]:
    """The fields by name, and the same of values inside. What is no value, list, tuple or dict is not copied."""
    return {name: _plain(getattr(value, name)) for name in value.__slots__}


if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, replace
else:
    asdict, dataclass, field, replace = _asdict, _dataclass, _Field, _replace

__all__ = ["asdict", "dataclass", "field", "replace"]


def _plain(said: Any) -> Any:
    kind = type(said)
    if "__dataclass_fields__" in kind.__dict__:
        return _asdict(said)
    if kind in (list, tuple):
        return kind(map(_plain, said))
    return {key: _plain(part) for key, part in said.items()} if kind is dict else said


def _made(cls: type, *, frozen: bool, kw_only: bool) -> Any:
    """The class once more: slots cannot be given to one that is there."""
    fields = {name: _field_of(cls.__dict__.get(name, ...)) for name in cls.__annotations__}
    body = {
        name: said for name, said in cls.__dict__.items() if name not in fields and name not in _UNSLOTTED
    }
    body["__annotations__"] = cls.__annotations__
    body["__slots__"] = tuple(fields)
    body["__match_args__"] = () if kw_only else tuple(fields)
    body["__dataclass_fields__"] = _Fields(fields, frozen=frozen, kw_only=kw_only)
    body.setdefault("__repr__", _repr_of([name for name, said in fields.items() if said.repr]))
    key = _reader([name for name, said in fields.items() if said.compare])
    body.setdefault("__eq__", _eq_by(key))
    if body.get("__hash__") is None:
        body["__hash__"] = (lambda self: hash(key(self))) if frozen else None
    if frozen:
        body |= _FROZEN
    made: Any = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    made.__init__ = _unwritten_init(made, fields, frozen=frozen, kw_only=kw_only)
    return made


_UNSLOTTED = ("__dict__", "__weakref__")


def _field_of(said: Any) -> _Field:
    if isinstance(said, _Field):
        return said
    if said.__class__.__hash__ is None:
        raise ValueError(f"mutable default {type(said)} is not allowed: use default_factory")
    return _Field(default=said)


class _Fields:
    """The fields as the standard library tells them; it is loaded for whoever asks."""

    __slots__ = ("_fields", "_how")

    def __init__(self, fields: Mapping[str, _Field], **how: bool) -> None:
        self._fields = fields
        self._how = how

    def __get__(self, instance: object, owner: type) -> Mapping[str, Any]:
        import dataclasses

        body: dict[str, Any] = {"__annotations__": owner.__annotations__, "__module__": owner.__module__}
        for name, said in self._fields.items():
            given = {part: getattr(said, part) for part in said.__slots__ if getattr(said, part) is not ...}
            body[name] = dataclasses.field(**given)
        told: Any = dataclasses.dataclass(**self._how)(type(owner.__name__, (), body))
        fields: Mapping[str, Any] = told.__dataclass_fields__
        # From now on there is nothing to be made.
        owner.__dataclass_fields__ = fields  # type: ignore[attr-defined]
        return fields


def _unwritten_init(made: Any, fields: Mapping[str, _Field], **how: bool) -> Callable[..., None]:
    """An `__init__` that is written when the first value is made."""

    def write_first(self: object, *args: object, **kwargs: object) -> None:
        made.__init__ = _written_init(made, fields, **how)
        made.__init__(self, *args, **kwargs)

    return write_first


def _written_init(
    cls: type, fields: Mapping[str, _Field], *, frozen: bool, kw_only: bool
) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_unset": _UNSET}
    arguments, lines = ["self", *["*"] * (kw_only and bool(fields))], []
    for name, said in fields.items():
        made = name
        if said.default_factory is not ...:
            names[f"_make_{name}"] = said.default_factory
            arguments.append(f"{name}=_unset")
            made = f"_make_{name}() if {name} is _unset else {name}"
        elif said.default is not ...:
            names[f"_default_{name}"] = said.default
            arguments.append(f"{name}=_default_{name}")
        else:
            arguments.append(name)
        lines.append(f" _set(self, {name!r}, {made})" if frozen else f" self.{name} = {made}")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines or [" pass"]), names)
    written: Callable[..., None] = names["__init__"]
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    return written


_UNSET = object()


def _reader(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The fields of a value, side by side."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _repr_of(names: list[str]) -> Callable[[Any], str]:
    def shown(self: Any) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({said})"

    return shown


def _eq_by(key: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], bool]:
    def is_equal(self: Any, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return is_equal


def _refuse(self: object, name: str, *given: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if given else 'delete'} field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _take_state(self: Any, state: list[Any]) -> None:
    for name, said in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, said)


_FROZEN: dict[str, Any] = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    # Copies and pickles would set the fields one by one.
    "__getstate__": _state,
    "__setstate__": _take_state,
}
