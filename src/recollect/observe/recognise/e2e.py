"""Tool results of Playwright, Chrome DevTools and Electron servers → what they show about the application.

By rule, on the words that these servers and browsers use. Most results are routine and give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from recollect.model.observation import E2EClass, E2EObservation
from recollect.observe.recognise.excerpt import excerpt
from recollect.observe.recognise.normal_line import normalize_line

_SERVER = re.compile(
    r"playwright|chrome[-_ ]?devtools|electron|puppeteer|browser|webdriver|selenium|stagehand", re.IGNORECASE
)
# Acts by the words in a tool's name; the first that fits.
_ACTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (act, re.compile(pattern))
    for act, pattern in (
        ("screenshot", r"screenshot"),
        ("structure", r"snapshot|page_structure|verify_form_state|debug_elements|get_window_info"),
        ("shortcut", r"press_key|keyboard|shortcut"),
        ("fill", r"fill|type|select|upload|file"),
        ("click", r"click|drag|hover|tap"),
        ("eval", r"eval|run_code|script|send_command"),
        ("navigate", r"navigate|new_page|goto|tabs|select_page"),
        ("wait", r"wait"),
        ("dialog", r"dialog"),
        ("console", r"console|network|logs"),
    )
)
# What went wrong stands at the beginning; the page behind it may be long.
_MAX_TEXT = 8_192
_ROUTINE = frozenset({"console"})


@lru_cache(maxsize=512)
def read_e2e_tool(tool_name: str) -> tuple[str, str, str] | None:
    """(server, tool, act) of a tool's name; None if it is no tool for an interface."""
    server, _, tool = tool_name.removeprefix("mcp__").rpartition("__")
    if not server:
        server, tool = ("playwright", tool_name) if tool_name.startswith("browser_") else ("", tool_name)
    if not _SERVER.search(server):
        return None
    act = next((act for act, pattern in _ACTS if pattern.search(tool)), "")
    return (server, tool, act) if act else None


def read_e2e(
    tool_name: str, arguments: Mapping[str, object], result: str, *, previous_page: str = ""
) -> E2EObservation | None:
    """What a result shows; None if it is routine.

    `previous_page` is the page before the act, for acts that lead somewhere.
    """
    tool_parts = read_e2e_tool(tool_name)
    if tool_parts is None or tool_parts[2] in _ROUTINE:
        return None
    server, tool, act = tool_parts
    text = excerpt(result[:_MAX_TEXT])
    page = _page(arguments, text)
    classified = _classify(text, act)
    if (
        classified is None
        and act in {"click", "fill", "shortcut"}
        and previous_page
        and page not in {"", previous_page}
    ):
        classified = E2EClass.TEST_SEQUENCE, f"{previous_page} → {page}"
    if classified is None:
        return None
    observed, evidence = classified
    return E2EObservation(
        observed=observed,
        server=server,
        tool=tool,
        act=act,
        about=_about(arguments, text),
        page=page,
        file=_file(text),
        evidence=evidence,
    )


_C = E2EClass
# The first that fits decides: a reason stands before the time-out that it led to. Some only mean something in an error.
_RULES: tuple[tuple[E2EClass, bool, re.Pattern[str]], ...] = tuple(
    (observed, only_in_error, re.compile(pattern, re.IGNORECASE))
    for observed, only_in_error, pattern in (
        (
            _C.MCP_GOTCHA,
            False,
            r"\bref \S{1,20} not found|stale (?:element|ref|snapshot|uid)"
            r"|not found in the current page snapshot|no snapshot found|take a (?:new )?snapshot"
            r"|uid \S{1,20} not found",
        ),
        (_C.MCP_GOTCHA, False, r"strict mode violation|resolved to [2-9]\d* elements"),
        (
            _C.MCP_GOTCHA,
            False,
            r"does not handle the modal state|modal state|no (?:open )?(?:page|tab|dialog"
            r"|window)s? (?:open|selected|found|available)|no open (?:page|tab|dialog)",
        ),
        (
            _C.MCP_GOTCHA,
            False,
            r"(?:page|context|browser|target)(?:, context or browser)? has been closed|target closed"
            r"|browser is already (?:in use|running)|session closed|protocol error"
            r"|execution context was destroyed",
        ),
        (
            _C.MCP_GOTCHA,
            False,
            r"exceeds maximum allowed tokens|response too large|not serializable"
            r"|is not a valid selector|unsupported (?:token|selector)|failed to parse selector"
            r"|unknown engine|browser (?:is )?not installed|executable doesn't exist"
            r"|cannot (?:be )?serialize",
        ),
        (
            _C.MCP_GOTCHA,
            False,
            r"(?:debugging port|devtools|cdp) .{0,40}(?:not|refused|unavailable)"
            r"|no (?:running )?electron (?:application|app|window)|command blocked|restricted operation",
        ),
        (
            _C.PRECONDITION,
            False,
            r"element is not enabled|\bis disabled\b|button is disabled|aria-disabled=\"?true"
            r"|\[disabled\].{0,80}(?:submit|save|continue|next)",
        ),
        (
            _C.PRECONDITION,
            False,
            r"(?:must|need to|have to|required? to) (?:be )?(?:log(?:ged)? ?in|sign(?:ed)? ?in|enabled?"
            r"|configured?|connected?|selected?|created?)|please (?:log|sign) in"
            r"|session (?:has )?expired",
        ),
        (
            _C.PRECONDITION,
            False,
            r"\b(?:401|403)\b.{0,30}(?:unauthori[sz]ed|forbidden)|(?:unauthori[sz]ed"
            r"|forbidden).{0,30}\b(?:401|403)\b|redirect(?:ed|ing) to \S{0,80}(?:login|signin|sign-in"
            r"|auth)",
        ),
        (
            _C.PRECONDITION,
            False,
            r"ERR_CONNECTION_REFUSED|ECONNREFUSED|is the (?:dev )?server running"
            r"|requires .{2,60} (?:to be )?(?:enabled|first|configured|running)"
            r"|feature (?:flag )?.{0,40}(?:disabled|not enabled)|no (?:projects?|data|items?"
            r"|records?) (?:yet|found|available)",
        ),
        (
            _C.UI_BEHAVIOR,
            False,
            r"intercepts pointer events|obscured by|would receive the click"
            r"|element is outside of the viewport|covered by another",
        ),
        (
            _C.TIMING,
            False,
            r"element is not stable|still (?:animating|loading|running|pending)|(?:animation"
            r"|transition) (?:in progress|running)|not (?:yet|attached)\b.{0,40}(?:visible|ready|loaded"
            r"|mounted|dom)|detached from (?:the )?dom|\baria-busy=\"?true|loading(?:\.\.\.|…)",
        ),
        (
            _C.TIMING,
            False,
            r"timeout (?:of )?\d{2,7} ?ms exceeded|timed out (?:after|waiting)|waiting for (?:locator"
            r"|selector|element|function|navigation|text).{0,200}(?:timeout|exceeded)"
            r"|navigation timeout",
        ),
        (
            _C.UI_BEHAVIOR,
            True,
            r"element is not visible|is (?:hidden|not visible)|not editable|is not an? <?(?:input"
            r"|select)|zero size|no node found|could not find (?:element|text|button)"
            r"|no element (?:found|matches)|element not found",
        ),
        (
            _C.UI_BEHAVIOR,
            False,
            r"aria-invalid=\"?true|\balert(?:dialog)? (?:\""
            r"|\[ref).{2,160}|role=\"?alert|validation (?:error|failed|message)",
        ),
        (
            _C.UI_BEHAVIOR,
            False,
            r"(?:^|\s|\])(?:Uncaught )?(?:TypeError|ReferenceError|RangeError|Error): .{5,160}"
            r"|hydration (?:failed|mismatch)|unhandled (?:promise )?rejection",
        ),
    )
)
_IS_ERROR = re.compile(
    r"^(?:#+ )?(?:error|failed|result: error|Error:|✗|❌)|\bError: |### Error", re.IGNORECASE | re.MULTILINE
)
_MAX_EVIDENCE = 240


def _classify(text: str, act: str) -> tuple[E2EClass, str] | None:
    is_error = _IS_ERROR.search(text[:2_000]) is not None
    # A page that is read may hold any words; only what an act answers tells about the act.
    if act in {"structure", "screenshot", "eval", "navigate"} and not is_error:
        return _classify_page(text)
    for observed, only_in_error, pattern in _RULES:
        if (is_error or not only_in_error) and (match := pattern.search(text)):
            return observed, _cut_line_around(text, match.start())
    return None


_ON_A_PAGE = re.compile(
    r"^[ \t]{0,80}- (?:alert|alertdialog|status)\b[^\n]{0,40}?(?:\"|: )(?P<words>[^\n\"]{6,160})|please (?:log"
    r"|sign) in|aria-invalid=\"?true",
    re.IGNORECASE | re.MULTILINE,
)


def _classify_page(text: str) -> tuple[E2EClass, str] | None:
    match = _ON_A_PAGE.search(text)
    if not match:
        return None
    is_login = "in" in match[0].lower()[-3:] and "please" in match[0].lower()
    return (E2EClass.PRECONDITION if is_login else E2EClass.UI_BEHAVIOR), _cut_line_around(
        text, match.start()
    )


def _cut_line_around(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at + 1) + 1
    if text[at : at + 1] == "\n":
        start = at + 1
    end = text.find("\n", max(start, at + 1))
    return normalize_line(text[start : end if end >= 0 else len(text)])[:_MAX_EVIDENCE]


_NAMES = ("element", "name", "label", "text", "selector", "placeholder", "key", "startElement")
_NESTED = ("args", "arguments", "options", "params")
_LOCATOR = re.compile(r"waiting for ((?:getBy\w{2,20}|locator)\([^\n]{1,160}\))")
_LONGEST_NAME = 160


def _about(arguments: Mapping[str, object], text: str) -> str:
    """The element the act was about: as it was called, else as the server looked for it."""
    for mapping in (
        arguments,
        *(value for key in _NESTED if isinstance(value := arguments.get(key), Mapping)),
    ):
        for name in _NAMES:
            if isinstance(value := mapping.get(name), str) and value.strip():
                return value.strip()[:_LONGEST_NAME]
    located = _LOCATOR.search(text)
    return located[1][:_LONGEST_NAME] if located else ""


_PAGE_URL = re.compile(
    r"(?:Page URL|page_url|\burl\b|URL)[\"']?:\s{0,4}[\"']?((?:https?|app|file)://[^\s\"'<>)]{1,400})",
    re.IGNORECASE,
)


def _page(arguments: Mapping[str, object], text: str) -> str:
    """The path of the page: host, port, query and ids in it differ from day to day."""
    url_match = _PAGE_URL.search(text)
    url = url_match[1] if url_match else arguments.get("url")
    if not isinstance(url, str) or not url:
        return ""
    try:
        parts = urlsplit(url[:400])
    except ValueError:
        return ""
    path = parts.path or "/"
    path = re.sub(r"/(?:\d{3,20}|[0-9a-f]{8,64}(?:-[0-9a-f]{4,12}){0,4})(?=/|$)", "/:id", path)
    return path + (f"#{parts.fragment}" if parts.fragment.startswith("/") else "")


_SOURCE = re.compile(
    r"(?:^|[\s(\"'@/])((?:src|app|apps|packages|components|pages|lib|client|frontend|renderer|web)/[\w@./\[\]-]{1,160}\.(?:tsx|jsx|ts|js|vue|svelte|astro|html|css|scss))\b"
)


def _file(text: str) -> str:
    match = _SOURCE.search(text)
    return match[1] if match else ""
