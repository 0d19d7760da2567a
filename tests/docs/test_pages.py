"""Links lead somewhere, pictures stand alone, and no page speaks of a machine it was written on."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from benchmarks.year import live
from recollect.demo import STORY, DemoScene
from tests.docs.pages import PAGES, ROOT
from tests.hash_embedder import HashEmbedder

PICTURES = sorted((ROOT / "docs").glob("*.svg"))
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# Registries have hosts, machines have paths; readers have neither of ours.
_FORBIDDEN = re.compile(
    r"/work\b|/root\b|/tmp/|/home/\w|files\.pythonhosted|pypi\.org|registry\.npmjs|index-url|\bseeds?\b|(?-i:\bTODO\b)",
    re.IGNORECASE,
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    for target in _LINK.findall(_FENCED.sub("", page.read_text("utf-8"))):
        if "://" in target:
            continue
        path, _, anchor = unquote(target).partition("#")
        file = page.parent / path if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in _anchors(file), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_can_be_reached(page: Path) -> None:
    others = (other for other in PAGES if other != page)
    linked = {
        (other.parent / target.partition("#")[0]).resolve() for other in others for target in _links(other)
    }
    assert page.name == "README.md" or page.resolve() in linked


@pytest.mark.parametrize("file", [*PAGES, *PICTURES, ROOT / "LICENSE"], ids=lambda file: file.name)
def test_no_page_names_a_machine_or_a_registry(file: Path) -> None:
    found = _FORBIDDEN.search(file.read_text("utf-8"))
    assert found is None, f"{file.name}: {found}"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_pictures_are_whole_and_ask_for_nothing_from_elsewhere(picture: Path) -> None:
    text = picture.read_text("utf-8")
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    addresses = set(re.findall(r"https?://[^\"')\s]+", text)) - {"http://www.w3.org/2000/svg"}
    assert not addresses
    assert "@font-face" not in text and "<script" not in text and "<image" not in text


@pytest.mark.parametrize(
    "scene", [scene for scene in STORY if scene.session], ids=lambda scene: scene.says[:30]
)
def test_the_demo_picture_tells_the_story_of_the_demo(scene: DemoScene) -> None:
    """Else: .venv/bin/python tools/docs/demo_picture.py"""
    drawn = ElementTree.fromstring((ROOT / "docs" / "demo.svg").read_text("utf-8"))
    assert scene.says in " ".join("".join(drawn.itertext()).replace("\N{NO-BREAK SPACE}", " ").split("\n"))


def test_the_picture_of_a_year_is_what_the_engine_does() -> None:
    """Else: .venv/bin/python tools/docs/year_picture.py"""
    tool = runpy.run_path(str(ROOT / "tools" / "docs" / "year_picture.py"))
    drawn = tool["picture"](live(embedder=HashEmbedder(), runs_a_day=1))
    assert (ROOT / "docs" / "year.svg").read_text("utf-8") == drawn


def _links(page: Path) -> list[str]:
    return [unquote(target) for target in _LINK.findall(page.read_text("utf-8")) if "://" not in target]


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    headings = _HEADING.findall(_FENCED.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
