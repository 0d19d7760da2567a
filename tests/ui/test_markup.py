"""No stored text becomes markup: nine hundred hostile strings in every field, and every page with them, parsed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import product

import pytest

from recollect.model.operations import HealthCheck, OpsEvent, OpsEventType, OpsRun, OpsRunState
from recollect.surfaces.ui.formats import render_inline, render_markdown
from tests.ui.conftest import RunningDashboard

# A name that no template of ours has: where it is an element's or an attribute's, a text has become markup.
MARK = "pwn7x"
ENTRIES = ("", '">', "'>", "-->", "</script>", "</textarea>", "</title>", "`", "]]>", "\\x3e")
VECTORS = (
    f"<{MARK}>",
    f"<{MARK} onload=alert(1)>",
    f"<img src=x {MARK}=1 onerror=alert(1)>",
    f"<svg><{MARK}/onload=alert(1)>",
    f'" {MARK}="1',
    f"' {MARK}='1",
    f" {MARK}=1 hx-get=/evil hx-trigger=load ",
    f'<div hx-on:load="alert(1)" {MARK}>',
    f"<a href=javascript:alert(1) {MARK}>x</a>",
    f"[{MARK}](javascript:alert(1))",
    f"![{MARK}](https://evil.example/?q=1)",
    f"<style {MARK}>*{{}}</style>",
    f"{{{{ {MARK} }}}}{{% {MARK} %}}",
    f"&lt;{MARK}&gt;<{MARK}",
    f"`<{MARK}>` **<{MARK}>**",
)
EXITS = ("", "<!--", "//", "\u2028", "\x00", "&#x3c;b&#x3e;")
STRINGS = ["".join(parts) for parts in product(ENTRIES, VECTORS, EXITS)]


class Names(HTMLParser):
    """The names of elements and attributes, and where links and loads lead."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = [tag, *(name for name, _ in attributes)]
        self.bad += [name for name in names if MARK in name or name.startswith(("on", "hx-on"))]
        for name, value in attributes:
            target = (value or "").strip().lower()
            if name in ("href", "src", "action", "hx-get", "hx-post", "hx-delete", "hx-put"):
                leaves = "//" in target.partition("?")[0] or target.startswith(("javascript:", "data:"))
                is_link = tag == "a" and target.startswith(("http://", "https://"))
                self.bad += [f"{tag} {name}={target[:80]}"] if leaves and not is_link else []
        if tag in ("iframe", "object", "embed", "base", "img", "style"):
            self.bad.append(tag)


def find_names(html: str) -> list[str]:
    parser = Names()
    parser.feed(html)
    parser.close()
    return parser.bad


def test_there_are_nine_hundred_of_them_and_the_parser_sees_one_that_is_not_escaped() -> None:
    assert len(set(STRINGS)) == 900
    assert find_names(f"<p>{STRINGS[7]}</p>")
    assert find_names('<p onclick="x">') and find_names('<a href="javascript:alert(1)">')
    assert not find_names('<p class="x">&lt;pwn7x&gt;</p><a href="https://example.org">x</a>')


@pytest.mark.parametrize("render", [render_markdown, render_inline])
def test_no_text_becomes_markup_by_itself(render: object) -> None:
    assert [text for text in STRINGS if find_names(str(render(text)))] == []  # type: ignore[operator]


def fill(running: RunningDashboard) -> Iterator[str]:
    """Hostile strings in every field that comes from outside; the addresses of what holds them."""
    now = datetime.now(UTC)
    with running.open_memory(False) as memory:
        for number in range(0, len(STRINGS), 30):
            some = STRINGS[number : number + 30]
            made = memory.remember(
                f"{number} " + " | ".join(some),
                kind=("fact", "lesson", "workflow_recipe")[number % 3],
                about=[f"file:src/{some[1][:60]}.py", f"service:{some[2][:40]}", f"module:{some[4][:40]}"],
                tags=[some[3][:50]],
            )
            yield f"/memories/{made.memory.id}"
        record, session = memory.observer.record, f"s-{MARK}"
        record("session_started", session=session, data={"branch": STRINGS[20]})
        for text in STRINGS[::9]:
            record("prompt", session=session, text=text)
            record(
                "tool_finished",
                session=session,
                tool=text[:60],
                command=text,
                ok=False,
                output=text,
                files=[text],
            )
        yield f"/sessions/{session}"
        yield f"/sessions/{session}/not-told"
        operations = memory.operations
        for text in STRINGS[3::90]:
            run = OpsRun(
                id=operations.new_id(), job=text[:60], chain_id="c", trigger=text[:40], started_at=now
            )
            operations.put_run(run)
            event = OpsEvent(at=now, type=OpsEventType.AGENT, level="info", message=text, service=text[:60])
            operations.put_event(event)
            operations.put_check(HealthCheck(service=text[:60], healthy=False, at=now, message=text))
            yield f"/runs/{run.id}"
        assert set(OpsRunState)


def test_no_page_lets_a_stored_text_become_markup(dashboard: RunningDashboard) -> None:
    addresses = [
        *fill(dashboard),
        *(f"/memories?view={view}&state=all&limit=200" for view in ("table", "cards", "operators")),
        *(f"/learned?tab={tab}" for tab in ("lessons", "recipes", "skills")),
        "/",
        "/review",
        "/sessions",
        "/runs",
        "/events?limit=1000",
        "/services",
        "/cooldowns",
        "/tasks",
        "/settings",
    ]
    with dashboard.browser_client() as client:
        for address in addresses:
            answer = client.get(address, headers={"Accept": "text/html"})
            assert answer.status_code == 200, address
            assert find_names(answer.text) == [], address
        for page, text in product(("/memories", "/recall", "/chat", "/impact", "/nowhere"), STRINGS[::60]):
            name = "path" if page == "/impact" else "q"
            answer = client.get(
                page, params={name: text, "kind": "", "tag": text}, headers={"Accept": "text/html"}
            )
            assert answer.status_code < 500
            assert find_names(answer.text) == [], (page, text)


def test_json_holds_no_character_that_could_begin_markup(dashboard: RunningDashboard) -> None:
    list(fill(dashboard))
    with dashboard.browser_client() as client:
        for address in ("/memories.json?limit=200", "/events.json?limit=1000", f"/sessions/s-{MARK}.json"):
            answer = client.get(address)
            assert answer.headers["content-type"].startswith("application/json")
            assert not set("<>&") & set(answer.text)
