"""A project with code in it, a memory that stands in it, and a model that answers from a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.survey import ScanReport
from recollect.survey.scan import ScanSite, scan
from tests.codegraph import trees
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

SHOP = trees.load("habits", "python")


class Scripted:
    """Gives one answer after the other, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str:
        self.asked.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The folder of a small project."""
    return trees.write(tmp_path / "shop", SHOP)


@pytest.fixture
def at_shop(shop: Path, tmp_path: Path, clock: Clock) -> Iterator[Recollect]:
    """A person's memory that stands in it."""
    with Recollect(tmp_path / "m.db", folder=shop, embedder=HashEmbedder(), clock=clock) as memory:
        yield memory


@pytest.fixture
def with_model(at_shop: Recollect, shop: Path) -> Callable[..., ScanReport]:
    """A scan of the shop with these answers of a model."""

    def scanned(model: Scripted, *, only: str = "") -> ScanReport:
        project = at_shop.project()
        if project is None:
            at_shop.code.build()
            project = at_shop.project()
        assert project is not None
        site = ScanSite(
            door=at_shop.code._wiring.write_context(),
            root=shop,
            project_id=project.id,
            project_name=project.name,
            completer=model,
        )
        return scan(site, only=only)

    return scanned
