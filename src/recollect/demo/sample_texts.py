"""What the sample project remembers: memories, the notes that wait for a yes, sessions, runs and tasks, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class SampleMemory(NamedTuple):
    """A memory of the sample project: what, of which kind, about what, by whom, and how many days ago."""

    text: str
    kind: str
    about: tuple[str, ...]
    channel: str = "user"
    days: float = 20
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    fields: Mapping[str, object] = MappingProxyType({})


class SampleSession(NamedTuple):
    """A session of the sample project: what was asked, on which branch, what was opened, and how it went."""

    prompt: str
    branch: str
    files: tuple[str, ...]
    error: str
    words: str
    passed: bool
    days: float
    # What was searched for before its files were opened.
    search: str = ""


MEMORIES: tuple[SampleMemory, ...] = (
    SampleMemory(
        "Payment retries are capped at 3: the bank blocks a card after the fourth try.",
        "decision",
        ("shop/payments/retry.py", "module:payments"),
        days=27,
        tags=("payments",),
    ),
    SampleMemory(
        "`refresh_token` must run before the session cache is read, or users are logged out.",
        "gotcha",
        ("shop/accounts/tokens.py", "module:accounts"),
        days=25,
    ),
    SampleMemory(
        "Invoices carry the customer's time zone, never the server's: two audits failed over it.",
        "requirement",
        ("shop/payments/invoices.py", "module:payments"),
        days=24,
        tags=("audit",),
    ),
    SampleMemory("Answer in short sentences and name the file you changed first.", "preference", (), days=23),
    SampleMemory(
        "The retry clock must be monotonic; `time.time()` jumps back when the host syncs.",
        "gotcha",
        ("shop/core/clock.py", "module:core"),
        days=21,
    ),
    SampleMemory(
        "New pages are registered in ROUTES of shop/web/pages.py and get a test of their own.",
        "pattern",
        ("shop/web/pages.py", "module:web"),
        days=18,
    ),
    SampleMemory(
        "The settings page needs the feature flag `admin.v2` before its panels render anything.",
        "e2e_observation",
        ("module:admin", "shop/admin/settings.py"),
        "qa",
        16,
    ),
    SampleMemory(
        "Refunds are booked as negative charges, so the fee table must accept negative amounts.",
        "fact",
        ("shop/payments/refunds.py", "module:payments"),
        days=15,
    ),
    SampleMemory(
        "Alex Kim owns the payment gateway contract; changes to its API need a yes from them.",
        "contact",
        ("person:Alex Kim",),
        days=14,
    ),
    SampleMemory(
        "Caching the gateway's answers was tried and given up: the bank changes limits within the hour.",
        "dead_end",
        ("shop/payments/gateway.py", "module:payments"),
        "agent",
        12,
    ),
    SampleMemory(
        "Nightly reports read the whole order table; above 200k rows they need the index on month.",
        "module_insight",
        ("shop/admin/reports.py", "module:admin"),
        "agent",
        11,
    ),
    SampleMemory(
        "Jellyfin takes about 60 s to start; wait before its health is checked.",
        "timing",
        ("service:jellyfin",),
        "agent",
        9,
    ),
    SampleMemory(
        'Caddy comes up only after WireGuard is connected; otherwise it fails with "no route to host".',
        "dependency",
        ("service:caddy",),
        "agent",
        8,
    ),
    SampleMemory(
        "Postgres needs a VACUUM every week, or its queries slow down.",
        "maintenance",
        ("service:postgres",),
        "agent",
        7,
    ),
    SampleMemory(
        "The first restart of Jellyfin fails with a locked database; the second one works.",
        "remediation",
        ("service:jellyfin",),
        "agent",
        5,
    ),
    SampleMemory(
        "A change of payments",
        "workflow_recipe",
        ("shop/payments/retry.py", "module:payments"),
        "agent",
        6,
        ("payments",),
        fields={
            "task_pattern": "Change how payments are charged or retried",
            "steps": [
                {"description": "Read shop/payments/gateway.py and its limits"},
                {"description": "Change shop/payments/retry.py"},
                {"description": "Run `pytest tests/test_retry.py`"},
                {"description": "Run the whole suite"},
            ],
            "success_count": 11,
            "failure_count": 1,
        },
    ),
    SampleMemory(
        "A new page of the shop",
        "workflow_recipe",
        ("shop/web/pages.py", "module:web"),
        "agent",
        3,
        fields={
            "task_pattern": "Add a page",
            "steps": [
                {"description": "Write the handler beside shop/web/checkout.py"},
                {"description": "Register it in ROUTES"},
                {"description": "Add a test of its own"},
            ],
            "success_count": 3,
            "failure_count": 1,
        },
    ),
    SampleMemory(
        "Do not mock the clock in payment tests: three times a mocked clock hid a retry that never ended.",
        "lesson",
        ("tests/test_retry.py", "module:payments"),
        "agent",
        4,
        fields={
            "when": "a test of payments needs time to pass",
            "avoid": "patching `time.time()`",
            "instead": "patch `shop.core.clock.now` and let it tick",
            "failures": 3,
            "held": 5,
            "missed": 1,
        },
    ),
    SampleMemory(
        "Do not delete tokens in a migration: everybody is logged out at once, and support is called.",
        "lesson",
        ("shop/accounts/tokens.py", "module:accounts"),
        "agent",
        10,
        fields={
            "when": "a migration touches the table of tokens",
            "avoid": "deleting rows",
            "instead": "let them expire, and add a column for the new form",
            "failures": 2,
            "held": 2,
            "missed": 0,
        },
    ),
    SampleMemory(
        "Payment retries are capped at three, after which the card is blocked by the bank.",
        "fact",
        ("shop/payments/retry.py",),
        "agent",
        3,
    ),
    SampleMemory(
        "Amounts are whole cents everywhere; a float is refused at the border of `shop.payments`.",
        "requirement",
        ("shop/payments/gateway.py", "module:payments"),
        days=22,
        confidence=0.9,
    ),
    SampleMemory(
        "The admin page is behind the VPN; its links in mails must use the internal host name.",
        "fact",
        ("shop/admin/settings.py", "module:admin"),
        days=19,
    ),
    SampleMemory(
        "Profiles are read on every page: keep `show` below one query.",
        "gotcha",
        ("shop/accounts/profile.py", "module:accounts"),
        "agent",
        17,
        confidence=0.65,
    ),
    SampleMemory(
        "The nightly job books refunds after the reports; the other order counts them twice.",
        "dependency",
        ("shop/jobs/nightly.py", "shop/admin/reports.py"),
        "agent",
        13,
        confidence=0.6,
    ),
    SampleMemory(
        "Commit messages begin with the ticket, such as SHOP-412.",
        "preference",
        (),
        days=26,
        confidence=0.9,
    ),
    SampleMemory(
        "`save` appends and never replaces: a setting that is changed twice is stored twice.",
        "gotcha",
        ("shop/core/store.py", "module:core"),
        "agent",
        8,
        confidence=0.7,
    ),
)

# What an agent merely read, or said without proof: it waits for a yes.
WAITING: tuple[SampleMemory, ...] = (
    SampleMemory(
        "shop/accounts/login.py and shop/accounts/tokens.py are always changed together.",
        "prefetch_pattern",
        ("shop/accounts/login.py", "shop/accounts/tokens.py"),
        "observed",
        2,
    ),
    SampleMemory(
        "Clicking on an animated dialog fails; wait 300 ms after it opens.",
        "e2e_observation",
        ("module:web", "shop/web/checkout.py"),
        "qa",
        2,
    ),
    SampleMemory(
        "The fee table must be rebuilt after every schema change.",
        "error_pattern",
        ("shop/payments/invoices.py",),
        "qa",
        1,
    ),
    SampleMemory("Always deploy with --force, the wiki says.", "preference", (), "read", 1),
    SampleMemory(
        "Checkout tests take 40 s because each one logs in anew; a fixture would do.",
        "module_insight",
        ("shop/web/checkout.py",),
        "observed",
        1,
    ),
    SampleMemory(
        "pytest fails with ClockError when `time.time()` is patched; patch `shop.core.clock.now`.",
        "error_pattern",
        ("shop/core/clock.py",),
        "observed",
        0,
    ),
    SampleMemory(
        "The gateway answers 429 above 20 charges a second.", "fact", ("shop/payments/gateway.py",), "read", 0
    ),
)

SESSIONS: tuple[SampleSession, ...] = (
    SampleSession(
        "Show the profile on the checkout page",
        "feature/profile",
        ("shop/accounts/profile.py", "shop/web/checkout.py", "shop/core/store.py"),
        "",
        "The profile is read once and handed on.",
        True,
        23,
        "def show",
    ),
    SampleSession(
        "The monthly report is slow, look where the time goes",
        "perf/reports",
        ("shop/admin/reports.py", "shop/core/store.py", "shop/jobs/nightly.py"),
        "E   TimeoutError: the report took 41 s",
        "It loads every order for each month; one pass is enough.",
        True,
        19,
        "load(",
    ),
    SampleSession(
        "Cap the charges a second",
        "feature/limits",
        ("shop/payments/gateway.py", "shop/core/http.py", "shop/core/clock.py"),
        "E   RateLimited: 429 after 20 charges",
        "The gateway answers 429 above 20 charges a second, so charge waits for its turn.",
        True,
        16,
        "charge(",
    ),
    SampleSession(
        "Let an admin change the sender of mails",
        "feature/mails",
        ("shop/admin/settings.py", "shop/web/pages.py", "shop/core/store.py"),
        "E   AssertionError: the setting is stored twice",
        "",
        False,
        7,
        "def change",
    ),
    SampleSession(
        "Retry payments less often",
        "feature/retries",
        ("shop/payments/retry.py", "tests/test_retry.py"),
        "E   AssertionError: charged 4 times",
        "The bank blocks a card after the fourth try, so MAX_ATTEMPTS stays at 3.",
        True,
        13,
    ),
    SampleSession(
        "Users are logged out after lunch, find out why",
        "fix/logout",
        ("shop/accounts/login.py", "shop/accounts/tokens.py", "tests/test_tokens.py"),
        "E   KeyError: 'token'",
        "The cache is read before refresh_token has run; I call it first now.",
        True,
        9,
    ),
    SampleSession(
        "Move the invoices to the customer's time zone",
        "feature/time-zones",
        ("shop/payments/invoices.py", "shop/admin/reports.py"),
        "E   ValueError: naive datetime",
        "",
        False,
        6,
    ),
    SampleSession(
        "Add a page for refunds",
        "feature/refunds",
        ("shop/web/pages.py", "shop/payments/refunds.py", "tests/test_retry.py"),
        "",
        "New pages go into ROUTES; the tests pass.",
        True,
        2,
    ),
    SampleSession(
        "Speed up the checkout tests",
        "chore/tests",
        ("tests/test_retry.py", "shop/web/checkout.py"),
        "E   ClockError: the retry clock must be monotonic",
        "Patching shop.core.clock.now instead of time.time() keeps the clock monotonic.",
        True,
        0.2,
    ),
)

TASKS: tuple[tuple[str, str, str], ...] = (
    ("Index the order table by month", "high", "in_progress"),
    ("Ask Alex Kim about the new charge limits", "high", "todo"),
    ("Write a test for refunds of zero", "medium", "todo"),
    ("Renew the certificate of the admin page", "medium", "blocked"),
    ("Tidy the nightly job", "low", "done"),
)
