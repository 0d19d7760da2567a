"""The benchmark of secrets: what it finds on the disk, and that it would find more."""

from __future__ import annotations

import pytest

from benchmarks import secrets
from benchmarks.secret_shapes import Example
from benchmarks.secrets_labelled import HALVES

FEW = HALVES["development"][0][:8]


@pytest.mark.parametrize("way", secrets.WAYS)
def test_no_secret_reaches_the_disk(way: str) -> None:
    assert secrets._try_way(secrets.WAYS[way], FEW) == ()


@pytest.mark.parametrize("way", [way for way in secrets.WAYS if way != "file contents"])
def test_what_is_no_secret_does_by_every_way(way: str) -> None:
    plain = (Example(shape="plain", text="the harbour has zanzibarish lanterns", secret="zanzibarish"),)
    assert len(secrets._try_way(secrets.WAYS[way], plain)) == 1


def test_there_are_enough_of_them() -> None:
    halves = HALVES.values()
    assert sum(len(examples) for examples, _ in halves) >= 300
    assert sum(len(look_alikes) for _, look_alikes in halves) >= 300
    assert len({example.shape for examples, _ in halves for example in examples}) >= 40
