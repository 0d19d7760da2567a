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
    return lambda cls: _make_class(cls, frozen=frozen, kw_only=kw_only)


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
    return {name: _to_plain(getattr(value, name)) for name in value.__slots__}


if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, replace
else:
    asdict, dataclass, field, replace = _asdict, _dataclass, _Field, _replace

__all__ = ["asdict", "dataclass", "field", "replace"]


def _to_plain(value: Any) -> Any:
    kind = type(value)
    if "__dataclass_fields__" in kind.__dict__:
        return _asdict(value)
    if kind in (list, tuple):
        return kind(map(_to_plain, value))
    return {key: _to_plain(part) for key, part in value.items()} if kind is dict else value


def _make_class(cls: type, *, frozen: bool, kw_only: bool) -> Any:
    """The class once more: slots cannot be given to one that is there."""
    fields = {name: _field_of(cls.__dict__.get(name, ...)) for name in cls.__annotations__}
    body = {
        name: spec for name, spec in cls.__dict__.items() if name not in fields and name not in _UNSLOTTED
    }
    body["__annotations__"] = cls.__annotations__
    body["__slots__"] = tuple(fields)
    body["__signature__"] = _SIGNATURE
    body["__match_args__"] = () if kw_only else tuple(fields)
    body["__dataclass_fields__"] = _Fields(fields, frozen=frozen, kw_only=kw_only)
    body.setdefault("__repr__", _make_repr([name for name, spec in fields.items() if spec.repr]))
    key = _make_reader([name for name, spec in fields.items() if spec.compare])
    body.setdefault("__eq__", _make_eq(key))
    if body.get("__hash__") is None:
        body["__hash__"] = (lambda self: hash(key(self))) if frozen else None
    if frozen:
        body |= _FROZEN
    cls_with_slots: Any = type(cls)(cls.__name__, cls.__bases__, body)
    cls_with_slots.__qualname__ = cls.__qualname__
    cls_with_slots.__init__ = _make_lazy_init(cls_with_slots, fields, frozen=frozen, kw_only=kw_only)
    return cls_with_slots


_UNSLOTTED = ("__dict__", "__weakref__")


def _field_of(default: Any) -> _Field:
    if isinstance(default, _Field):
        return default
    if default.__class__.__hash__ is None:
        raise ValueError(f"mutable default {type(default)} is not allowed: use default_factory")
    return _Field(default=default)


class _Fields:
    """The fields as the standard library tells them; it is loaded for whoever asks."""

    __slots__ = ("_fields", "_how")

    def __init__(self, fields: Mapping[str, _Field], **how: bool) -> None:
        self._fields = fields
        self._how = how

    def __get__(self, instance: object, owner: type) -> Mapping[str, Any]:
        import dataclasses

        body: dict[str, Any] = {"__annotations__": owner.__annotations__, "__module__": owner.__module__}
        for name, spec in self._fields.items():
            options = {part: getattr(spec, part) for part in spec.__slots__ if getattr(spec, part) is not ...}
            body[name] = dataclasses.field(**options)
        library_class: Any = dataclasses.dataclass(**self._how)(type(owner.__name__, (), body))
        fields: Mapping[str, Any] = library_class.__dataclass_fields__
        # From now on there is nothing to be made.
        owner.__dataclass_fields__ = fields  # type: ignore[attr-defined]
        return fields


class _Signature:
    """What `inspect.signature` tells of a class of values, even before its `__init__` is written."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type) -> Any:
        from dataclasses import MISSING, fields
        from inspect import Parameter, Signature

        parameters = []
        for field in fields(owner):
            default = field.default if field.default is not MISSING else Parameter.empty
            if field.default_factory is not MISSING:
                default = field.default_factory()
            kind = Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(Parameter(field.name, kind, default=default, annotation=field.type))
        return Signature(parameters)


_SIGNATURE = _Signature()


def _make_lazy_init(cls: Any, fields: Mapping[str, _Field], **how: bool) -> Callable[..., None]:
    """An `__init__` that is written when the first value is made."""

    def write_first(self: object, *args: object, **kwargs: object) -> None:
        cls.__init__ = _write_init(cls, fields, **how)
        cls.__init__(self, *args, **kwargs)

    return write_first


def _write_init(
    cls: type, fields: Mapping[str, _Field], *, frozen: bool, kw_only: bool
) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_unset": _UNSET}
    arguments, lines = ["self", *["*"] * (kw_only and bool(fields))], []
    for name, spec in fields.items():
        expression = name
        if spec.default_factory is not ...:
            names[f"_make_{name}"] = spec.default_factory
            arguments.append(f"{name}=_unset")
            expression = f"_make_{name}() if {name} is _unset else {name}"
        elif spec.default is not ...:
            names[f"_default_{name}"] = spec.default
            arguments.append(f"{name}=_default_{name}")
        else:
            arguments.append(name)
        lines.append(f" _set(self, {name!r}, {expression})" if frozen else f" self.{name} = {expression}")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines or [" pass"]), names)
    written: Callable[..., None] = names["__init__"]
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    return written


_UNSET = object()


def _make_reader(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The fields of a value, side by side."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _make_repr(names: list[str]) -> Callable[[Any], str]:
    def shown(self: Any) -> str:
        parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({parts})"

    return shown


def _make_eq(key: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], bool]:
    def is_equal(self: Any, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return is_equal


def _refuse(self: object, name: str, *given: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if given else 'delete'} field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


_FROZEN: dict[str, Any] = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    # Copies and pickles would set the fields one by one.
    "__getstate__": _get_state,
    "__setstate__": _set_state,
}
