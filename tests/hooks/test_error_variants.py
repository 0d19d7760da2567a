"""The same mistake in other tools' words: told its way out at the second failure, and never that of another mistake."""

from __future__ import annotations

import pytest

from tests.hooks.hooking import Hooks

# A tool's command, its error, and the same mistake later: other lines, times, numbers, folders or ids.
SAME_MISTAKE = {
    "tsc": (
        "npx tsc --noEmit",
        "src/api/client.ts(12,7): error TS2345: Argument of type 'Money' is not assignable to parameter of type"
        " 'number'.\nFound 1 error in src/api/client.ts:12",
        "src/api/client.ts(48,19): error TS2345: Argument of type 'Money' is not assignable to parameter of type"
        " 'number'.\nFound 1 error in src/api/client.ts:48",
    ),
    "cargo": (
        "cargo build",
        "   Compiling shop v0.1.0 (/home/kim/shop)\nerror[E0432]: unresolved import `crate::config::Settings`\n"
        " --> src/main.rs:3:5\n  |\n3 | use crate::config::Settings;\n  |     ^^^ no `Settings` in `config`\n\n"
        'error: could not compile `shop` (bin "shop") due to 1 previous error',
        "   Compiling shop v0.2.1 (/build/ci-7/shop)\nerror[E0432]: unresolved import `crate::config::Settings`\n"
        "  --> src/main.rs:17:5\n   |\n17 | use crate::config::Settings;\n   |     ^^^ no `Settings` in `config`\n\n"
        'error: could not compile `shop` (bin "shop") due to 1 previous error',
    ),
    "go test": (
        "go test ./...",
        "--- FAIL: TestRound (0.00s)\n    round_test.go:42: rounding 17 cents: got 16, want 17\nFAIL\n"
        "FAIL\tshop/price\t0.412s\nFAIL",
        "--- FAIL: TestRound (0.01s)\n    round_test.go:45: rounding 93 cents: got 92, want 93\nFAIL\n"
        "FAIL\tshop/price\t1.038s\nFAIL",
    ),
    "go build": (
        "go build ./cmd/server",
        "# shop/cmd/server\ncmd/server/main.go:88:12: undefined: newPool",
        "# shop/cmd/server\ncmd/server/main.go:91:9: undefined: newPool",
    ),
    "jest": (
        "npx jest",
        "FAIL src/auth.test.js\n  ● refresh › keeps the session\n\n    TypeError: Cannot read properties of undefined"
        " (reading 'token')\n\n      at refresh (src/auth.js:14:9)\n\n"
        "Tests: 1 failed, 11 passed, 12 total\nTime: 1.2 s",
        "FAIL src/auth.test.js\n  ● refresh › keeps the session\n\n    TypeError: Cannot read properties of undefined"
        " (reading 'token')\n\n      at refresh (src/auth.js:31:9)\n\n"
        "Tests: 1 failed, 19 passed, 20 total\nTime: 4.9 s",
    ),
    "mypy": (
        "mypy src",
        'src/cart.py:17: error: Argument 1 to "charge" has incompatible type "float"; expected "Decimal"'
        "  [arg-type]\nFound 1 error in 1 file (checked 12 source files)",
        'src/cart.py:44: error: Argument 1 to "charge" has incompatible type "float"; expected "Decimal"'
        "  [arg-type]\nFound 1 error in 1 file (checked 31 source files)",
    ),
    "docker": (
        "docker compose up -d",
        "Error response from daemon: driver failed programming external connectivity on endpoint shop-db-1"
        " (9f2c41aa71d0): Bind for 0.0.0.0:5432 failed: port is already allocated",
        "Error response from daemon: driver failed programming external connectivity on endpoint shop-db-1"
        " (77be01c2d9e4): Bind for 0.0.0.0:5432 failed: port is already allocated",
    ),
    "psql": (
        "psql -h localhost -f schema.sql",
        'psql:schema.sql:14: ERROR:  type "money_cents" does not exist\nLINE 3:   price money_cents not null,',
        'psql:schema.sql:29: ERROR:  type "money_cents" does not exist\nLINE 8:   total money_cents not null,',
    ),
    "eslint": (
        "npx eslint src",
        '/home/kim/shop/src/Cart.jsx\n  12:5  error  React Hook "useTotal" is called conditionally'
        "  react-hooks/rules-of-hooks\n\n✖ 1 problem (1 error, 0 warnings)",
        '/build/7/shop/src/Cart.jsx\n  57:9  error  React Hook "useTotal" is called conditionally'
        "  react-hooks/rules-of-hooks\n\n✖ 1 problem (1 error, 0 warnings)",
    ),
    "make": (
        "make build",
        "make: *** No rule to make target 'gen/api.pb.go', needed by 'build'.  Stop.",
        "make[1]: *** No rule to make target 'gen/api.pb.go', needed by 'build'.  Stop.",
    ),
    "terraform": (
        "terraform apply",
        "│ Error: Error acquiring the state lock\n│ \n│ Lock Info:\n│   ID:        8f3ad0f2-1c3b-4c92-9d11-2be0\n"
        "│   Created:   2026-03-01 09:12:44 UTC",
        "│ Error: Error acquiring the state lock\n│ \n│ Lock Info:\n│   ID:        11c05b7e-77aa-4f00-8a2e-90f1\n"
        "│   Created:   2026-04-11 17:40:02 UTC",
    ),
    "javac": (
        "./gradlew build",
        "/home/kim/shop/src/main/java/Cart.java:7: error: package com.acme.money does not exist\n"
        "import com.acme.money.Cents;\n1 error\n\nFAILURE: Build failed with an exception.",
        "/ci/9/shop/src/main/java/Cart.java:11: error: package com.acme.money does not exist\n"
        "import com.acme.money.Cents;\n1 error\n\nFAILURE: Build failed with an exception.",
    ),
    "rspec": (
        "bundle exec rspec",
        "Failures:\n\n  1) Cart adds tax\n     Failure/Error: cart.total\n\n     NoMethodError:\n"
        "       undefined method `rate' for nil:NilClass\n     # ./lib/cart.rb:12:in `total'\n\n12 examples, 1 failure",
        "Failures:\n\n  1) Cart adds tax\n     Failure/Error: cart.total\n\n     NoMethodError:\n"
        "       undefined method `rate' for nil:NilClass\n     # ./lib/cart.rb:19:in `total'\n\n15 examples, 1 failure",
    ),
    "alembic": (
        "alembic upgrade head",
        "INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.\nFAILED: Multiple head revisions are"
        " present for given argument 'head'; please specify a specific target revision",
        "INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.\nFAILED: Multiple head revisions are"
        " present for given argument 'head'; please specify a specific target revision",
    ),
    "pip": (
        "python -m shop",
        'Traceback (most recent call last):\n  File "/home/kim/shop/shop/__main__.py", line 3, in <module>\n'
        "    import moneylib\nModuleNotFoundError: No module named 'moneylib'",
        'Traceback (most recent call last):\n  File "/ci/shop/shop/__main__.py", line 9, in <module>\n'
        "    import moneylib\nModuleNotFoundError: No module named 'moneylib'",
    ),
    "vitest": (
        "npx vitest run",
        " FAIL  src/price.test.ts > rounds up\nAssertionError: expected 1204 to be 1205 // Object.is equality\n"
        " ❯ src/price.test.ts:14:22\n     12|   const sum = add(items)\n     14|   expect(round(sum)).toBe(1205)\n"
        "       |                      ^\n\n Tests  1 failed | 8 passed (9)\n Duration  612ms",
        " FAIL  src/price.test.ts > rounds up\nAssertionError: expected 88 to be 89 // Object.is equality\n"
        " ❯ src/price.test.ts:17:22\n     15|   const sum = add(items)\n     17|   expect(round(sum)).toBe(89)\n"
        "       |                      ^\n\n Tests  1 failed | 9 passed (10)\n Duration  1.92s",
    ),
}

# Alike, and not the same: what mended the first must not be told at the second.
ANOTHER_MISTAKE = {
    "tsc, another argument": (
        "npx tsc --noEmit",
        "src/api/client.ts(12,7): error TS2345: Argument of type 'Money' is not assignable to parameter"
        " of type 'number'.",
        "src/ui/form.ts(80,3): error TS2345: Argument of type 'Event' is not assignable to parameter"
        " of type 'string'.",
    ),
    "tsc, another rule": (
        "npx tsc --noEmit",
        "src/api/client.ts(12,7): error TS2345: Argument of type 'Money' is not assignable to parameter"
        " of type 'number'.",
        "src/api/client.ts(12,7): error TS2554: Expected 2 arguments, but got 1.",
    ),
    "cargo, another import": (
        "cargo build",
        "error[E0432]: unresolved import `crate::config::Settings`\n --> src/main.rs:3:5",
        "error[E0432]: unresolved import `serde_json::Value`\n --> src/store.rs:1:5",
    ),
    "go test, another test": (
        "go test ./...",
        "--- FAIL: TestRound (0.00s)\n    round_test.go:42: rounding 17 cents: got 16, want 17\nFAIL",
        "--- FAIL: TestLogin (0.00s)\n    login_test.go:12: status: got 500, want 200\nFAIL",
    ),
    "jest, another property": (
        "npx jest",
        "FAIL src/auth.test.js\n  ● refresh › keeps the session\n\n    TypeError: Cannot read properties of undefined"
        " (reading 'token')\n\n      at refresh (src/auth.js:14:9)",
        "FAIL src/cart.test.js\n  ● cart › sums up\n\n    TypeError: Cannot read properties of undefined"
        " (reading 'items')\n\n      at total (src/cart.js:4:9)",
    ),
    "mypy, another function": (
        "mypy src",
        'src/cart.py:17: error: Argument 1 to "charge" has incompatible type "float"; expected "Decimal"  [arg-type]',
        'src/mail.py:9: error: Argument 2 to "send" has incompatible type "bytes"; expected "str"  [arg-type]',
    ),
    "docker, no space": (
        "docker compose up -d",
        "Error response from daemon: Bind for 0.0.0.0:5432 failed: port is already allocated",
        "Error response from daemon: write /var/lib/docker/tmp/x: no space left on device",
    ),
    "psql, another type": (
        "psql -f schema.sql",
        'psql:schema.sql:14: ERROR:  type "money_cents" does not exist',
        "psql:schema.sql:20: ERROR:  permission denied for schema public",
    ),
    "a module by another name": (
        "python -m shop",
        'Traceback (most recent call last):\n  File "shop/__main__.py", line 3, in <module>\n'
        "ModuleNotFoundError: No module named 'moneylib'",
        'Traceback (most recent call last):\n  File "shop/mail.py", line 8, in <module>\n'
        "ModuleNotFoundError: No module named 'jinja2'",
    ),
    "a service behind another port": (
        "npm test",
        "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect (node:net:1595:16)",
        "Error: connect ECONNREFUSED 127.0.0.1:6379\n    at TCPConnectWrap.afterConnect (node:net:1595:16)",
    ),
    "make, another target": (
        "make build",
        "make: *** No rule to make target 'gen/api.pb.go', needed by 'build'.  Stop.",
        "make: *** No rule to make target 'docs', needed by 'release'.  Stop.",
    ),
    "vitest, another test": (
        "npx vitest run",
        " FAIL  src/price.test.ts > rounds up\nAssertionError: expected 1204 to be 1205 // Object.is equality\n"
        " ❯ src/price.test.ts:14:22",
        " FAIL  src/date.test.ts > leap year\nAssertionError: expected 28 to be 29 // Object.is equality\n"
        " ❯ src/date.test.ts:40:11",
    ),
}


def mend(hooks: Hooks, session: str, command: str, error: str) -> str:
    """A session that meets an error, mends it by an edit and ends; what it was told at the failure."""
    hooks.session = session
    hooks.send("SessionStart", source="startup")
    hooks.ask("let the tokens live longer, please")
    hooks.edit("src/auth.py", "300", "5")
    told_at_failure = hooks.fail(command, error)
    hooks.edit("src/auth.py", "5", "300")
    hooks.edit("src/other.py", "OTHER = ", "OTHER = 1 + ")
    hooks.pass_(command, "ok")
    hooks.send("SessionEnd", reason="other")
    hooks.until_learned(session)
    return told_at_failure


@pytest.mark.parametrize("tool", SAME_MISTAKE)
def test_the_same_mistake_is_told_its_way_out_at_the_second_failure(hooks: Hooks, tool: str) -> None:
    command, first, again = SAME_MISTAKE[tool]
    assert mend(hooks, "first", command, first) == ""
    told_at_failure = mend(hooks, "second", command, again)
    assert "src/other.py" in told_at_failure
    assert "seen once" in told_at_failure
    assert hooks.troubles() == []


@pytest.mark.parametrize("pair", ANOTHER_MISTAKE)
def test_another_mistake_is_not_told_the_way_out_of_one_like_it(hooks: Hooks, pair: str) -> None:
    command, first, other = ANOTHER_MISTAKE[pair]
    assert mend(hooks, "first", command, first) == ""
    assert mend(hooks, "second", command, other) == ""
    assert hooks.troubles() == []


def test_a_way_out_that_was_proved_twice_is_told_when_the_file_is_opened_before_the_failure(
    hooks: Hooks,
) -> None:
    """Nobody confirmed anything; three sessions mended it, and the fourth has not failed yet."""
    command, first, again = SAME_MISTAKE["pip"]
    for number, error in enumerate((first, again, first)):
        mend(hooks, f"session {number}", command, error)
        (hooks.project / "src/other.py").write_text("OTHER = 1\n", "utf-8")
    hooks.session = "the fourth"
    hooks.send("SessionStart", source="startup")
    hooks.ask("look at the other part, please")
    told_at_file = hooks.read("src/other.py")
    assert "ModuleNotFoundError: No module named 'moneylib'" in told_at_file
    assert "src/other.py" in told_at_file.partition("moneylib")[2]
    # Once is enough: the failure itself brings nothing new.
    assert hooks.fail(command, again) == ""


def test_a_message_that_talks_is_told_by_the_name_of_its_error(hooks: Hooks) -> None:
    """Sentences of others are not handed on; what the language calls the error is."""
    line = "ClockDriftError: the clock of this machine is behind the clock of the server by {} seconds"
    for number, seconds in enumerate((12, 90, 41)):
        mend(hooks, f"session {number}", "python -m shop", line.format(seconds))
        (hooks.project / "src/other.py").write_text("OTHER = 1\n", "utf-8")
    with hooks.memory() as memory:
        (pattern,) = [one.text for one in memory.list() if one.kind == "error_pattern"]
    assert "“ClockDriftError: …”" in pattern


def test_a_task_that_is_given_again_and_again_is_no_preference(hooks: Hooks) -> None:
    command, first, _ = SAME_MISTAKE["pip"]
    for number in range(3):
        mend(hooks, f"session {number}", command, first)
    with hooks.memory() as memory:
        assert [one.text for one in memory.list() if one.kind == "preference"] == []
