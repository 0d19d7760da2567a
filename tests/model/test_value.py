"""Our dataclasses behave as the standard library's do, and cost nothing before they are used."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from recollect.model import value

LIBRARY: Any = SimpleNamespace(
    dataclass=dataclasses.dataclass, field=dataclasses.field, replace=dataclasses.replace
)
OURS: Any = value


def point_of(maker: Any) -> Any:
    @maker.dataclass(frozen=True, slots=True, kw_only=True)
    class Point:
        """A place with a name."""

        x: float
        y: float = 0.0
        seen: list[str] = maker.field(default_factory=list)
        note: str = maker.field(default="", repr=False, compare=False)

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("left of the edge")

        @property
        def sum(self) -> float:
            return self.x + self.y

    return Point


def pair_of(maker: Any) -> Any:
    @maker.dataclass(frozen=True, slots=True)
    class Pair:
        left: object
        right: object = None

    return Pair


def tally_of(maker: Any) -> Any:
    @maker.dataclass(slots=True)
    class Tally:
        count: int = 0
        names: dict[str, int] = maker.field(default_factory=dict)

    return Tally


Act = Callable[[Any, Any], object]
ACTS: Mapping[str, Act] = {
    "shown": lambda cls, _: repr(cls(x=1, note="hidden")),
    "its fields": lambda cls, _: vars_of(cls(x=1, y=2)),
    "asked for a sum": lambda cls, _: cls(x=1, y=2).sum,
    "equal": lambda cls, _: cls(x=1, note="a") == cls(x=1, note="b"),
    "not equal": lambda cls, _: cls(x=1) == cls(x=2),
    "equal to something else": lambda cls, _: cls(x=1) == 1,
    "hashed, with a list in it": lambda cls, _: hash(cls(x=1)),
    "without what it needs": lambda cls, _: cls(),
    "with what it does not know": lambda cls, _: cls(x=1, z=1),
    "by place": lambda cls, _: cls(1),
    "refused when made": lambda cls, _: cls(x=-1),
    "changed": lambda cls, _: setattr(cls(x=1), "x", 2),
    "robbed": lambda cls, _: delattr(cls(x=1), "x"),
    "replaced": lambda cls, maker: vars_of(maker.replace(cls(x=1, y=2), y=3)),
    "replaced and refused": lambda cls, maker: maker.replace(cls(x=1), x=-1),
    "replaced by what it has not": lambda cls, maker: maker.replace(cls(x=1), z=-1),
    "lists its own": lambda cls, _: cls(x=1).seen is not cls(x=1).seen,
    "as a mapping": lambda cls, _: dataclasses.asdict(cls(x=1, seen=["a"])),
    "told of its fields": lambda cls, _: [
        (f.name, f.type, f.default, f.default_factory, f.repr, f.compare, f.kw_only)
        for f in dataclasses.fields(cls)
    ],
    "copied": lambda cls, _: copy.deepcopy(cls(x=1, seen=["a"])) == cls(x=1, seen=["a"]),
    "matched by place": lambda cls, _: cls.__match_args__,
    "named": lambda cls, _: (cls.__name__, cls.__qualname__[-5:], cls.__doc__, cls.__module__),
    "with slots": lambda cls, _: cls.__slots__,
}


def vars_of(made: Any) -> list[object]:
    return [getattr(made, name) for name in made.__slots__]


def outcome(act: Act, cls: Any, maker: Any) -> tuple[object, ...]:
    """What came of it; of an error its kind, and its words where they are not Python's own about arguments."""
    try:
        return ("gave", act(cls, maker))
    except TypeError as error:
        return ("raised", TypeError, str(error).rpartition("__init__()")[2])
    except Exception as error:  # noqa: BLE001
        return ("raised", type(error), str(error))


@pytest.mark.parametrize("act", ACTS)
def test_a_value_behaves_as_the_standard_library_has_it(act: str) -> None:
    ours, theirs = point_of(OURS), point_of(LIBRARY)
    assert outcome(ACTS[act], ours, OURS) == outcome(ACTS[act], theirs, LIBRARY)


def test_values_by_place_are_hashed_and_matched_as_the_library_does() -> None:
    ours, theirs = pair_of(OURS), pair_of(LIBRARY)
    assert hash(ours("a", 2)) == hash(theirs("a", 2)) == hash(("a", 2))
    assert ours("a") != ours("a", 2)
    assert ours.__match_args__ == theirs.__match_args__
    match ours("a", 2):
        case ours(left, right):
            assert (left, right) == ("a", 2)


def test_a_frozen_value_takes_no_further_field() -> None:
    # The library means to raise the same, and in some versions stumbles over its own slots.
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'z'"):
        point_of(OURS)(x=1).z = 2


def test_what_is_not_frozen_can_be_changed_and_not_hashed() -> None:
    ours, theirs = tally_of(OURS), tally_of(LIBRARY)
    for cls in (ours, theirs):
        tally = cls()
        tally.count += 1
        tally.names["a"] = 1
        assert (tally.count, tally.names, cls().names) == (1, {"a": 1}, {})
        with pytest.raises(TypeError, match="unhashable"):
            hash(tally)
        with pytest.raises(AttributeError):
            tally.other = 1


def test_a_value_of_one_field_is_compared_and_hashed() -> None:
    @OURS.dataclass(frozen=True, slots=True)
    class One:
        name: str

    assert One("a") == One("a")
    assert hash(One("a")) == hash(("a",))
    assert len({One("a"), One("a"), One("b")}) == 2


def test_what_a_class_says_itself_stays() -> None:
    @OURS.dataclass(frozen=True, slots=True)
    class Name:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Name) and self.text.lower() == other.text.lower()

        def __repr__(self) -> str:
            return f"<{self.text}>"

        def __hash__(self) -> int:
            return hash(self.text.lower())

    assert Name("A") == Name("a")
    assert len({Name("A"), Name("a")}) == 1
    assert repr(Name("A")) == "<A>"


@OURS.dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """At the top of a module, where pickle finds it."""

    text: str
    tags: tuple[str, ...] = ()


def test_a_frozen_value_survives_pickling() -> None:
    kept = Kept(text="a", tags=("b",))
    assert pickle.loads(pickle.dumps(kept)) == kept


@pytest.mark.parametrize("maker", [OURS, LIBRARY])
def test_a_default_that_all_values_would_share_is_refused(maker: Any) -> None:
    with pytest.raises(ValueError, match="is not allowed: use default_factory"):

        @maker.dataclass(slots=True)
        class Shared:
            names: list[str] = []  # noqa: RUF012


def test_the_fields_are_made_once() -> None:
    cls = point_of(OURS)
    assert dataclasses.fields(cls)[0] is dataclasses.fields(cls(x=1))[0]


def test_without_slots_there_is_no_value() -> None:
    with pytest.raises(TypeError, match="slots"):
        OURS.dataclass(slots=False)


def test_a_class_that_is_only_loaded_costs_no_library_and_no_compiling() -> None:
    code = (
        "import sys, builtins\n"
        "from recollect.model.value import dataclass, field\n"
        "builtins.compile = builtins.exec = None\n"
        "@dataclass(frozen=True, slots=True)\n"
        "class Pair:\n"
        "    left: int\n"
        "    right: list = field(default_factory=list)\n"
        "assert not {'dataclasses', 'inspect', 'typing'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
