"""What using an interface showed, by the words of the servers."""

from __future__ import annotations

import pytest

from recollect.model.observation import E2EClass
from recollect.observe.recognise.e2e import read_e2e, read_e2e_tool

C = E2EClass
CLICK = "mcp__playwright__browser_click"
WAITED = "### Result\nError: locator.click: Timeout 5000ms exceeded.\nCall log:\n" + (
    "  - waiting for getByRole('button', { name: 'Save' })\n"
)


@pytest.mark.parametrize(
    ("tool", "act"),
    [
        ("mcp__playwright__browser_click", "click"),
        ("mcp__playwright__browser_snapshot", "structure"),
        ("mcp__playwright__browser_type", "fill"),
        ("mcp__playwright__browser_fill_form", "fill"),
        ("mcp__playwright__browser_take_screenshot", "screenshot"),
        ("mcp__playwright__browser_evaluate", "eval"),
        ("mcp__playwright__browser_press_key", "shortcut"),
        ("mcp__playwright__browser_navigate", "navigate"),
        ("mcp__playwright__browser_wait_for", "wait"),
        ("mcp__chrome-devtools__take_screenshot", "screenshot"),
        ("mcp__chrome-devtools__take_snapshot", "structure"),
        ("mcp__chrome-devtools__fill_form", "fill"),
        ("mcp__chrome-devtools__evaluate_script", "eval"),
        ("mcp__electron__take_screenshot", "screenshot"),
        ("mcp__electron__click_by_text", "click"),
        ("mcp__electron__fill_input", "fill"),
        ("mcp__electron__get_page_structure", "structure"),
        ("mcp__electron__send_keyboard_shortcut", "shortcut"),
        ("mcp__electron__eval", "eval"),
        ("mcp__plugin_x_playwright__browser_click", "click"),
        ("playwright__browser_click", "click"),
        ("browser_click", "click"),
    ],
)
def test_a_tool_for_an_interface_is_known_by_its_name(tool: str, act: str) -> None:
    named = read_e2e_tool(tool)
    assert named is not None
    assert named[2] == act


@pytest.mark.parametrize(
    "tool", ["Bash", "Edit", "mcp__linear__create_issue", "mcp__github__get_file", "", "click"]
)
def test_other_tools_are_none(tool: str) -> None:
    assert read_e2e_tool(tool) is None
    assert read_e2e(tool, {}, "Timeout 5000ms exceeded") is None


@pytest.mark.parametrize(
    ("tool", "result", "observed"),
    [
        (CLICK, WAITED + "  - element is not enabled\n", C.PRECONDITION),
        (CLICK, WAITED + "  - <div class='veil'> intercepts pointer events\n", C.UI_BEHAVIOR),
        (CLICK, WAITED + "  - element is not stable\n", C.TIMING),
        (CLICK, WAITED, C.TIMING),
        (CLICK, WAITED + "  - element is outside of the viewport\n", C.UI_BEHAVIOR),
        (
            CLICK,
            "Error: Ref e12 not found in the current page snapshot. Try capturing new snapshot.",
            C.MCP_GOTCHA,
        ),
        (
            CLICK,
            "Error: locator.click: Error: strict mode violation: getByText('Save') resolved to 3 elements",
            C.MCP_GOTCHA,
        ),
        (CLICK, 'Error: Tool "browser_click" does not handle the modal state.', C.MCP_GOTCHA),
        (CLICK, "Error: Target page, context or browser has been closed", C.MCP_GOTCHA),
        (
            "mcp__playwright__browser_snapshot",
            "Error: response (41000 tokens) exceeds maximum allowed tokens",
            C.MCP_GOTCHA,
        ),
        (
            "mcp__playwright__browser_navigate",
            "Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/",
            C.PRECONDITION,
        ),
        (
            "mcp__playwright__browser_evaluate",
            "Error: page.evaluate: Execution context was destroyed",
            C.MCP_GOTCHA,
        ),
        (
            "mcp__playwright__browser_snapshot",
            "- main:\n  - alert [ref=e4]: Your trial has ended\n",
            C.UI_BEHAVIOR,
        ),
        ("mcp__playwright__browser_navigate", "- heading: Please sign in\n", C.PRECONDITION),
        ("mcp__electron__click_by_text", "Error: You must be logged in to open the panel", C.PRECONDITION),
        ("mcp__electron__click_by_text", "Error: could not find element with text 'Save'", C.UI_BEHAVIOR),
        ("mcp__electron__click_by_text", "Failed: the modal is still animating", C.TIMING),
        ("mcp__electron__take_screenshot", "Error: No running Electron application found", C.MCP_GOTCHA),
        (
            "mcp__chrome-devtools__click",
            "Error: No snapshot found for page 1. Use take_snapshot.",
            C.MCP_GOTCHA,
        ),
        ("mcp__chrome-devtools__wait_for", "Error: Timed out after waiting 5000ms", C.TIMING),
        (
            "mcp__chrome-devtools__evaluate_script",
            "Error: TypeError: Cannot read properties of null",
            C.UI_BEHAVIOR,
        ),
        (CLICK, '### Ran code\nawait page.click()\n- button "Save" aria-invalid="true"', C.UI_BEHAVIOR),
    ],
)
def test_a_result_is_of_the_class_its_words_tell(tool: str, result: str, observed: E2EClass) -> None:
    seen = read_e2e(tool, {"element": "Save"}, result)
    assert seen is not None
    assert seen.observed is observed
    assert seen.evidence


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        (
            CLICK,
            "### Ran Playwright code\nawait page.getByRole('button').click();\n### Page\n- Page URL: http://localhost/a",
        ),
        ("mcp__playwright__browser_take_screenshot", "Took the viewport screenshot and saved it as a.png"),
        (
            "mcp__chrome-devtools__take_snapshot",
            "# Page content\nuid=1 RootWebArea 'Shop'\nuid=2 button 'Save'",
        ),
        (
            "mcp__playwright__browser_snapshot",
            "- article: How to avoid a timeout of 500ms exceeded; is disabled by default",
        ),
        ("mcp__chrome-devtools__list_console_messages", "Error: TypeError: x"),
        ("mcp__electron__eval", "42"),
        ("mcp__playwright__browser_fill_form", ""),
    ],
)
def test_a_routine_result_is_not_worth_it(tool: str, result: str) -> None:
    assert read_e2e(tool, {}, result) is None


def test_an_act_that_leads_elsewhere_is_a_step_of_a_sequence() -> None:
    result = "### Page\n- Page URL: http://localhost:3000/orders/48213/pay?from=mail\n"
    seen = read_e2e(CLICK, {"element": "Pay now"}, result, previous_page="/cart")
    assert seen is not None
    assert (seen.observed, seen.about, seen.page) == (C.TEST_SEQUENCE, "Pay now", "/orders/:id/pay")
    assert seen.evidence == "/cart → /orders/:id/pay"
    assert read_e2e(CLICK, {"element": "Pay now"}, result, previous_page="/orders/:id/pay") is None


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ({"element": "Save button", "ref": "e1"}, "Save button"),
        ({"selector": "#save"}, "#save"),
        ({"args": {"text": "Save"}}, "Save"),
        ({"ref": "e1"}, "getByRole('button', { name: 'Save' })"),
        ({"element": 3}, "getByRole('button', { name: 'Save' })"),
    ],
)
def test_the_element_is_named_as_well_as_it_can_be(arguments: dict[str, object], about: str) -> None:
    seen = read_e2e(CLICK, arguments, WAITED)
    assert seen is not None
    assert seen.about == about


def test_the_components_file_is_taken_from_the_result() -> None:
    result = "Error: TypeError: x is null\n    at Cart (http://localhost:5173/src/components/Cart.tsx:12:3)"
    seen = read_e2e("mcp__chrome-devtools__evaluate_script", {}, result)
    assert seen is not None
    assert seen.file == "src/components/Cart.tsx"


def test_a_page_that_cannot_be_read_is_no_page() -> None:
    seen = read_e2e("mcp__playwright__browser_navigate", {"url": "http://[bad"}, WAITED)
    assert seen is not None
    assert seen.page == ""
