"""The repository of the sample project: a small shop, enough code for a map with several parts."""

from __future__ import annotations

from collections.abc import Mapping

FILES: Mapping[str, str] = {
    "README.md": "# shop\n\nA small shop with payments, accounts and an admin page.\n",
    "shop/__init__.py": "",
    "shop/payments/__init__.py": "",
    "shop/payments/retry.py": "from shop.payments.gateway import charge\n\nMAX_ATTEMPTS = 3\n\n\n"
    "def charge_with_retries(card, amount):\n    for attempt in range(MAX_ATTEMPTS):\n"
    "        if charge(card, amount):\n            return True\n    return False\n",
    "shop/payments/gateway.py": "from shop.core.http import post\nfrom shop.core.clock import now\n\n\n"
    'def charge(card, amount):\n    return post("/charge", {"card": card, "amount": amount, "at": now()})\n',
    "shop/payments/refunds.py": "from shop.payments.gateway import charge\n\n\n"
    "def refund(card, amount):\n    return charge(card, -amount)\n",
    "shop/payments/invoices.py": "from shop.core.store import save\n\n\n"
    'def write_invoice(order):\n    save("invoice", order)\n',
    "shop/accounts/__init__.py": "",
    "shop/accounts/login.py": "from shop.accounts.tokens import refresh_token\nfrom shop.core.store import load\n\n\n"
    'def log_in(name, password):\n    user = load("user", name)\n    return refresh_token(user)\n',
    "shop/accounts/tokens.py": "from shop.core.clock import now\nfrom shop.core.store import save\n\n\n"
    'def refresh_token(user):\n    save("token", (user, now()))\n    return user\n',
    "shop/accounts/profile.py": "from shop.core.store import load\n\n\n"
    'def show(name):\n    return load("user", name)\n',
    "shop/core/__init__.py": "",
    "shop/core/clock.py": "import time\n\n\ndef now():\n    return time.monotonic()\n",
    "shop/core/http.py": "def post(path, body):\n    return bool(path and body)\n",
    "shop/core/store.py": "ROWS = {}\n\n\ndef save(kind, row):\n    ROWS.setdefault(kind, []).append(row)\n\n\n"
    "def load(kind, name):\n    return [row for row in ROWS.get(kind, []) if name in row]\n",
    "shop/admin/__init__.py": "",
    "shop/admin/reports.py": "from shop.core.store import load\nfrom shop.payments.invoices import write_invoice\n\n\n"
    'def monthly(month):\n    for order in load("order", month):\n        write_invoice(order)\n',
    "shop/admin/settings.py": "from shop.core.store import save\n\n\n"
    'def change(name, value):\n    save("setting", (name, value))\n',
    "shop/web/__init__.py": "",
    "shop/web/checkout.py": "from shop.accounts.login import log_in\n"
    "from shop.payments.retry import charge_with_retries\n\n\n"
    "def pay(name, password, card, amount):\n    log_in(name, password)\n"
    "    return charge_with_retries(card, amount)\n",
    "shop/web/pages.py": "from shop.accounts.profile import show\nfrom shop.web.checkout import pay\n\n\n"
    'ROUTES = {"/pay": pay, "/me": show}\n',
    "shop/jobs/__init__.py": "",
    "shop/jobs/nightly.py": "from shop.admin.reports import monthly\nfrom shop.payments.refunds import refund\n\n\n"
    "def run(month):\n    monthly(month)\n    return refund\n",
    "tests/test_retry.py": "from shop.payments.retry import charge_with_retries\n\n\n"
    'def test_a_card_is_charged_at_most_three_times():\n    assert charge_with_retries("4000", 1)\n',
    "tests/test_tokens.py": "from shop.accounts.tokens import refresh_token\n\n\n"
    'def test_a_token_is_stored():\n    assert refresh_token("kim") == "kim"\n',
}
