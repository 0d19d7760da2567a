"""
Values as JSON and back, by their types: what crosses the line between a client and a server.

A value is an object with its fields and, under `is`, the name of its class; a subject is written as people do. What
comes in is made anew through its class, so that it is checked as if it had been made here.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from recollect.errors import BadInput
from recollect.model.query import Hit, ScorePart
from recollect.model.subject import Subject, parse_subject
from recollect.model.value import replace

IS = "is"
_MANY = (list, tuple, set, frozenset, Sequence, Iterable, Iterator, Collection)
_UNIONS = (Union, types.UnionType)


def encode_value(value: Any) -> Any:
    """A value as JSON can hold it."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Path | Subject):
        return str(value)
    if isinstance(value, Mapping):
        return {str(encode_value(name)): encode_value(part) for name, part in value.items()}
    kind: Any = type(value)
    if names := _field_names(kind):
        fields = {name: encode_value(getattr(value, name)) for name in names}
        if isinstance(value, Hit):
            fields["why"] = encode_value(value.why)
        return {IS: kind.__name__, **fields}
    if isinstance(value, list | tuple | set | frozenset):
        return [encode_value(part) for part in value]
    raise TypeError(f"{type(value).__name__} does not cross the line")


def decode_value(hint: Any, form: Any, name: str = "it") -> Any:
    """What a form says, as a value of this type; refuses what is none."""
    if hint is Any or hint is object or hint is inspect.Parameter.empty:
        return form
    origin = get_origin(hint)
    if origin in _UNIONS:
        return _decode_union(get_args(hint), form, name)
    if origin is Literal:
        return form if form in get_args(hint) else _refuse(name, form, f"one of {get_args(hint)}")
    if hint is None or hint is type(None):
        return None if form is None else _refuse(name, form, "null")
    if origin in _MANY or hint in _MANY:
        return _decode_many(hint, form, name)
    if origin in (dict, Mapping) or hint in (dict, Mapping):
        return _decode_mapping(hint, form, name)
    if isinstance(hint, type):
        return _decode_plain(hint, form, name)
    return form


def _decode_plain(kind: Any, form: Any, name: str) -> Any:
    if kind is Subject:
        return parse_subject(form) if isinstance(form, str) else _refuse(name, form, "TYPE:NAME")
    if issubclass(kind, Enum):
        return kind(form) if form in {one.value for one in kind} else _refuse(name, form, _choices(kind))
    if kind in (datetime, date):
        return _decode_moment(kind, form, name)
    if kind is timedelta:
        return timedelta(seconds=form) if _is_number(form) else _refuse(name, form, "a number of seconds")
    if kind is Path:
        return Path(form) if isinstance(form, str) else _refuse(name, form, "a path")
    if names := _field_names(kind):
        return _decode_fields(kind, names, form, name)
    if kind is float and _is_number(form):
        return float(form)
    is_right = isinstance(form, kind) and (kind is bool or not isinstance(form, bool))
    return form if is_right else _refuse(name, form, _JSON_NAMES.get(kind, kind.__name__))


_JSON_NAMES: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def _decode_union(members: tuple[Any, ...], form: Any, name: str) -> Any:
    if form is None and type(None) in members:
        return None
    others = [member for member in members if member is not type(None)]
    if len(others) == 1:
        return decode_value(others[0], form, name)
    if isinstance(form, dict) and IS in form:
        named = [m for m in others if isinstance(m, type) and m.__name__ == form[IS]]
        if named:
            return decode_value(named[0], form, name)
    # A text is a text where one may stand; whoever takes it makes more of it.
    if isinstance(form, str) and str in others:
        return form
    for member in others:
        try:
            return decode_value(member, form, name)
        except BadInput:
            continue
    return _refuse(name, form, "what stands here")


def _decode_many(hint: Any, form: Any, name: str) -> Any:
    if not isinstance(form, list):
        _refuse(name, form, "a list")
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if origin is tuple and inner and inner[-1] is not ...:
        if len(form) != len(inner):
            _refuse(name, form, f"a list of {len(inner)}")
        return tuple(decode_value(one, part, name) for one, part in zip(inner, form, strict=True))
    each = inner[0] if inner else Any
    parts = [decode_value(each, part, f"each of {name}") for part in form]
    if origin in (set, frozenset):
        return origin(parts)
    return parts if origin is list else tuple(parts)


def _decode_mapping(hint: Any, form: Any, name: str) -> dict[Any, Any]:
    if not isinstance(form, dict):
        _refuse(name, form, "an object")
    inner = get_args(hint) or (str, Any)
    return {
        decode_value(inner[0], key, name): decode_value(inner[1], part, name) for key, part in form.items()
    }


def _decode_moment(kind: type, form: Any, name: str) -> Any:
    try:
        return kind.fromisoformat(form)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        return _refuse(name, form, "a time such as 2026-05-08T12:00:00Z")


def _decode_fields(kind: Any, names: tuple[str, ...], form: Any, name: str) -> Any:
    if not isinstance(form, dict):
        _refuse(name, form, "an object")
    hints = _hints_of(kind)
    fields = {part: decode_value(hints[part], form[part], f"{name}.{part}") for part in names if part in form}
    try:
        value = kind(**fields)
    except TypeError as error:  # a field is missing
        raise BadInput(reason=f"{name}: {error}") from error
    if isinstance(value, Hit):
        parts = decode_value(tuple[ScorePart, ...], form.get("why", []), f"{name}.why")
        return replace(value, tell=lambda: parts)
    return value


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a value that cross the line; what is worked out by a function does not."""
    if not (
        "__dataclass_fields__" in kind.__dict__ or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    ):
        return ()
    names = kind.__dict__.get("_fields") or tuple(inspect.get_annotations(kind))
    hints = _hints_of(kind)
    return tuple(name for name in names if get_origin(hints[name]) is not _CALLABLE)


_CALLABLE = get_origin(Callable[[], None])


@cache
def _hints_of(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _choices(kind: type[Enum]) -> str:
    return f"one of {', '.join(str(one.value) for one in kind)}"


def _is_number(form: Any) -> bool:
    return isinstance(form, int | float) and not isinstance(form, bool)


def _refuse(name: str, form: Any, wanted: str) -> Any:
    raise BadInput(reason=f"{name} is {wanted}, not {str(form)[:60]!r}")


def describe_type(hint: Any, known: dict[str, Any]) -> dict[str, Any]:
    """A type in the form of JSON Schema; the values that it names are added to `known`."""
    if hint is Any or hint is object or hint is inspect.Parameter.empty:
        return {}
    origin, inner = get_origin(hint), get_args(hint)
    if origin in _UNIONS:
        return {"anyOf": [describe_type(member, known) for member in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if hint is None or hint is type(None):
        return {"type": "null"}
    if origin in _MANY or hint in _MANY:
        if origin is tuple and inner and inner[-1] is not ...:
            return {"type": "array", "prefixItems": [describe_type(one, known) for one in inner]}
        return {"type": "array", "items": describe_type(inner[0], known) if inner else {}}
    if origin in (dict, Mapping) or hint in (dict, Mapping):
        return {"type": "object", "additionalProperties": describe_type(inner[1], known) if inner else {}}
    if isinstance(hint, type):
        return _describe_plain(hint, known)
    raise TypeError(f"{hint} cannot be described")


def _describe_plain(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    if kind in _SCHEMAS:
        return dict(_SCHEMAS[kind])
    if issubclass(kind, Enum):
        return {"type": "string", "enum": [one.value for one in kind]}
    names = _field_names(kind)
    if not names:
        raise TypeError(f"{kind.__name__} cannot be described")
    if kind.__name__ not in known:
        known[kind.__name__] = {}
        hints = _hints_of(kind)
        properties = {name: describe_type(hints[name], known) for name in names}
        if kind is Hit:
            properties["why"] = describe_type(tuple[ScorePart, ...], known)
        known[kind.__name__] = {"type": "object", "properties": {IS: {"const": kind.__name__}, **properties}}
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


_SCHEMAS: Mapping[type, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    timedelta: {"type": "number"},
    Path: {"type": "string"},
    Subject: {"type": "string"},
}
