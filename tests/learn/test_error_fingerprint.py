"""One fingerprint for one failure, none for what many share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.learn.error_fingerprint import fingerprint_fault, is_same_failure
from recollect.observe.recognise.faults import read_fault

# Outputs of real tools: one mistake in two sessions, and pairs of mistakes that print nearly the same.
OUTPUTS = json.loads(Path(__file__).with_name("tool_outputs.json").read_text("utf-8"))
TRACE = (
    "Traceback (most recent call last):\n"
    '  File "src/shop/{place}.py", line {line}, in rate\n    return x\n{error}\n'
)


def read_keys(output: str) -> set[str]:
    fault = read_fault(output)
    fingerprint = fingerprint_fault(fault) if fault and not fault.is_generic else None
    return set(fingerprint.keys) if fingerprint else set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "src/a.go:12:3: error returned from external package is unwrapped: sig: a/b.Load(x string) (wrapcheck)",
            "cmd/c.go:99:1: error returned from external package is unwrapped: sig: d.Open() (int, error) (wrapcheck)",
        ),
        (
            TRACE.format(place="price", line=3, error="KeyError: 'eur'"),
            TRACE.format(place="price", line=44, error="KeyError: 'usd'"),
        ),
        (
            "E   ValueError: cannot convert order 17 to cents: bad separator",
            "E   ValueError: cannot convert order 99123 to cents: bad separator",
        ),
        (
            "error: database is locked by process 4411",
            "error: database is locked by process 9",
        ),
    ],
)
def test_the_same_failure_has_the_same_fingerprint_whatever_its_values(one: str, other: str) -> None:
    assert read_keys(one) & read_keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            TRACE.format(place="price", line=3, error="KeyError: 'eur'"),
            TRACE.format(place="cart", line=3, error="KeyError: 'eur'"),
        ),
        (
            "E   ValueError: cannot convert order 17 to cents",
            "E   ValueError: the cart of customer 17 is empty",
        ),
        ("src/a.go:12:3: x is bad (wrapcheck)", "src/a.go:12:3: x is bad (errcheck)"),
    ],
)
def test_unrelated_failures_are_never_joined(one: str, other: str) -> None:
    assert read_keys(one)
    assert read_keys(one).isdisjoint(read_keys(other))


@pytest.mark.parametrize(
    "output",
    [
        "E   AssertionError",
        "AssertionError\n=== 1 failed in 0.1s ===",
        "E   assert 1 == 2\n=== 1 failed ===",
        "--- FAIL: TestRates",
        "Error",
        'Traceback (most recent call last):\n  File "tests/test_price.py", line 3, in test\nAssertionError',
        "all 12 tests passed",
    ],
)
def test_what_many_failures_share_has_no_fingerprint(output: str) -> None:
    assert read_keys(output) == set()


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_number_changes_no_fingerprint(one: int, other: int) -> None:
    line = "E   RuntimeError: worker {} did not answer before the deadline"
    assert read_keys(line.format(one)) == read_keys(line.format(other))


LIFETIME = "RuntimeError: token lifetime of {} is below the minimum of 60"


@pytest.mark.parametrize(
    ("stored", "text", "output", "same"),
    [
        (LIFETIME.format(5), "an edit of auth.py", f"E   {LIFETIME.format(17)}\n1 failed", True),
        (
            "ValueError: unknown coupon 'SPRING' for this shop",
            "x",
            "E   ValueError: unknown coupon 'XMAS' for this shop",
            True,
        ),
        ("KeyError: 'lifetime'", "run make keys", "E   KeyError: 'lifetime'\n1 failed", True),
        ("KeyError: 'lifetime'", "run make keys", "E   KeyError: 'name'\n1 failed", False),
        ("AssertionError", "an edit of cart.py", "E   AssertionError\n1 failed", False),
        (
            LIFETIME.format(5),
            "an edit of auth.py",
            "E   RuntimeError: the queue is full of old work\n",
            False,
        ),
    ],
)
def test_a_stored_error_is_met_again_whatever_its_values_and_never_by_a_bare_line(
    stored: str, text: str, output: str, same: bool
) -> None:
    fault = read_fault(output)
    assert fault is not None
    assert is_same_failure(stored, text, fault, fingerprint_fault(fault)) is same


@pytest.mark.parametrize("name", OUTPUTS["same"])
def test_a_mistake_made_again_is_known_again_in_the_words_of_many_tools(name: str) -> None:
    one, other = OUTPUTS["same"][name]
    assert read_keys(one) & read_keys(other)


@pytest.mark.parametrize(("one", "other"), OUTPUTS["unrelated"])
def test_what_many_tools_say_in_the_same_words_joins_nothing(one: str, other: str) -> None:
    assert read_keys(one).isdisjoint(read_keys(other))


def test_failures_of_different_tools_share_no_fingerprint() -> None:
    keys = [read_keys(one) | read_keys(other) for one, other in OUTPUTS["same"].values()]
    assert sum(map(len, keys)) == len(set().union(*keys))
