"""
Arguments of an agent's tool: the part of JSON Schema that our tools use, declared and checked.

What is wrong is said in a sentence that also says what to send: the reader is a model that will try again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.errors import BadInput

Schema = Mapping[str, Any]


def text(says: str, *, most: int = 20_000) -> Schema:
    """A text that is not empty."""
    return {"type": "string", "minLength": 1, "maxLength": most, "description": says}


def one_of(says: str, *choices: str) -> Schema:
    """One of a few words."""
    return {"type": "string", "enum": list(choices), "description": says}


def texts(says: str, *, most: int = 20, length: int = 1_100) -> Schema:
    """A list of texts."""
    items = {"type": "string", "minLength": 1, "maxLength": length}
    return {"type": "array", "items": items, "maxItems": most, "description": says}


def number(says: str, *, low: int, high: int) -> Schema:
    """A whole number."""
    return {"type": "integer", "minimum": low, "maximum": high, "description": says}


def flag(says: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": says}


def arguments(*required: str, **named: Schema) -> Schema:
    """All arguments of a tool. No others are taken: a misspelt one must not be passed over."""
    return {
        "type": "object",
        "properties": dict(named),
        "required": list(required),
        "additionalProperties": False,
    }


def check_arguments(schema: Schema, arguments_sent: object, example: str) -> dict[str, Any]:
    """The arguments if they are as the schema says; else an error that says what to send."""

    def bad(reason: str) -> BadInput:
        return BadInput(f"{reason}. Send for example {example}")

    if not isinstance(arguments_sent, dict):
        raise bad("The arguments are not an object")
    properties = schema["properties"]
    for name in schema["required"]:
        if name not in arguments_sent:
            raise bad(f"The argument {name!r} is missing ({properties[name]['description']})")
    for name, value in arguments_sent.items():
        if name not in properties:
            raise bad(f"There is no argument {name!r}; there is {', '.join(properties)}")
        if reason := _find_fault(properties[name], value):
            raise bad(f"The argument {name!r} {reason}")
    return dict(arguments_sent)


def _find_fault(schema: Schema, value: object) -> str:
    """What is wrong with a value; empty if nothing is."""
    return _CHECKS[schema["type"]](schema, value)


def _find_text_fault(schema: Schema, value: object) -> str:
    if not isinstance(value, str):
        return f"is a text, not {_json_type_name(value)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"is one of {', '.join(schema['enum'])}"
    if schema.get("minLength") and not value.strip():
        return "is empty"
    if len(value) > schema.get("maxLength", len(value)):
        return f"has {len(value):,} characters; at most {schema['maxLength']:,} are taken"
    if "\0" in value or not _is_writable(value):
        return "holds a NUL or half a character"
    return ""


def _find_list_fault(schema: Schema, value: object) -> str:
    if not isinstance(value, list):
        return f"is a list of texts, not {_json_type_name(value)}"
    if len(value) > schema["maxItems"]:
        return f"has {len(value)} items; at most {schema['maxItems']} are taken"
    reasons = (_find_fault(schema["items"], item) for item in value)
    return next((f"holds one that {reason}" for reason in reasons if reason), "")


def _find_number_fault(schema: Schema, value: object) -> str:
    low, high = schema["minimum"], schema["maximum"]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        return f"is a whole number from {low} to {high}"
    return ""


def _find_flag_fault(schema: Schema, value: object) -> str:
    return "" if isinstance(value, bool) else f"is true or false, not {_json_type_name(value)}"


_CHECKS: Mapping[str, Callable[[Schema, object], str]] = {
    "string": _find_text_fault,
    "array": _find_list_fault,
    "integer": _find_number_fault,
    "boolean": _find_flag_fault,
}


def _json_type_name(value: object) -> str:
    """What a JSON value is, in a word."""
    words = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return words.get(type(value), "a number")


def _is_writable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
