"""Errors as they can be recognised again."""

from __future__ import annotations

import pytest

from recollect.observe.recognise.faults import read_fault
from recollect.observe.recognise.normal_line import normalize_line

PYTHON = """Traceback (most recent call last):
  File "/home/ann/shop/src/cart/total.py", line {line}, in total
    return prices[sku]
  File "/usr/lib/python3.12/collections/__init__.py", line 1015, in __missing__
    raise KeyError(key)
KeyError: 'sku-{sku}'
"""
PYTEST = """=================================== FAILURES ===================================
____________________________ test_total ____________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_total.py:12: AssertionError
=========================== short test summary info ============================
FAILED tests/test_total.py::test_total - assert 3 == 4
1 failed in 0.03s
"""
GO = """# example.com/shop/cart
cart/total.go:{line}:7: cannot use price (variable of type string) as int value in assignment
FAIL\texample.com/shop/cart [build failed]
"""
GO_TEST = """=== RUN   TestTotal
    total_test.go:9: loading fixtures
    total_test.go:{line}: Total() = 3, want 4
--- FAIL: TestTotal (0.0{line}s)
FAIL
"""
RUST = """error[E0308]: mismatched types
 --> src/cart.rs:{line}:9
  |
error: could not compile `shop` (lib) due to 1 previous error
"""
RUST_PANIC = """thread 'cart::adds' panicked at src/cart.rs:{line}:5:
assertion `left == right` failed
"""
TYPESCRIPT = "src/cart/total.ts({line},7): error TS2322: Type 'string' is not assignable to type 'number'.\n"
NODE = """TypeError: Cannot read properties of undefined (reading 'price')
    at total (/home/ann/shop/src/cart/total.js:{line}:18)
    at Object.<anonymous> (/home/ann/shop/node_modules/jest/build/x.js:1:1)
"""
JAVA = "[ERROR] /home/ann/shop/src/main/java/Cart.java:[{line},9] cannot find symbol\n"
C = "src/cart.c:{line}:3: error: expected declaration before '}}' token\n"
MYPY = 'src/cart/total.py:{line}: error: Incompatible return value type (got "str", expected "int")  [return-value]\n'
LINT = "cart/total.go:{line}:2: Error return value of `os.Remove` is not checked (errcheck)\n"
ESLINT = "/home/ann/shop/src/cart.ts\n  {line}:5  error  'x' is never reassigned  prefer-const\n"
CSHARP = "Cart/Total.cs({line},13): error CS1061: 'Cart' does not contain a definition for 'Sum'\n"


@pytest.mark.parametrize(
    ("text", "signature", "rule", "files"),
    [
        (PYTHON, "KeyError: 'sku-7'", "KeyError", ("src/cart/total.py",)),
        (PYTEST, "test_total - assert <n> == <n>", "", ("tests/test_total.py",)),
        (GO, "cannot use price (variable of type string) as int value in assignment", "", ("cart/total.go",)),
        (GO_TEST, "Total() = <n>, want <n>", "", ("total_test.go",)),
        (RUST, "error[E0308]: mismatched types", "E0308", ("src/cart.rs",)),
        (RUST_PANIC, "assertion `left == right` failed", "", ("src/cart.rs",)),
        (
            TYPESCRIPT,
            "error TS2322: Type 'string' is not assignable to type 'number'.",
            "TS2322",
            ("src/cart/total.ts",),
        ),
        (
            NODE,
            "TypeError: Cannot read properties of undefined (reading 'price')",
            "TypeError",
            ("src/cart/total.js",),
        ),
        (JAVA, "cannot find symbol", "", ("src/main/java/Cart.java",)),
        (C, "error: expected declaration before '}' token", "", ("src/cart.c",)),
        (
            MYPY,
            'error: Incompatible return value type (got "str", expected "int") [return-value]',
            "return-value",
            ("src/cart/total.py",),
        ),
        (LINT, "Error return value of `os.Remove` is not checked (errcheck)", "errcheck", ("cart/total.go",)),
        (ESLINT, "error 'x' is never reassigned prefer-const", "prefer-const", ()),
        (
            CSHARP,
            "error CS1061: 'Cart' does not contain a definition for 'Sum'",
            "CS1061",
            ("Cart/Total.cs",),
        ),
    ],
    ids="python pytest go go-test rust rust-panic typescript node java c mypy golangci eslint csharp".split(),
)
def test_an_error_is_known_by_one_line(text: str, signature: str, rule: str, files: tuple[str, ...]) -> None:
    fault = read_fault(
        text.format(line=3, sku=7) if "{line}" in text else text, tool="Bash", root="/home/ann/shop"
    )
    assert fault is not None
    assert (fault.signature, fault.rule, fault.files) == (signature, rule, files)
    assert not fault.is_generic
    assert fault.lines[0] == fault.signature


@pytest.mark.parametrize(
    "text", [PYTHON, GO, GO_TEST, RUST, RUST_PANIC, TYPESCRIPT, NODE, JAVA, C, MYPY, LINT, CSHARP]
)
def test_the_same_error_on_another_line_is_the_same_error(text: str) -> None:
    first = read_fault("Exit code 1\n" + text.format(line=3, sku=7))
    again = read_fault(text.format(line=412, sku=7))
    assert first is not None
    assert again is not None
    assert first.signature == again.signature


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("open /tmp/pytest-of-ann/pytest-3/x/a.db failed", "open /tmp/pytest-of-bob/pytest-9/x/b.db failed"),
        ("object <Cart at 0x7f3a2b> is closed", "object <Cart at 0x7fffff12> is closed"),
        ("2026-01-02T10:11:12.123Z refused", "2026-11-30T00:00:00Z refused"),
        ("took 12.5s, limit 10s", "took 11s, limit 10s"),
        (
            "session 3f2504e0-4f89-11d3-9a0c-0305e82c3301 lost",
            "session 9f2504e0-4f89-41d3-9a0c-0305e82c3302 lost",
        ),
        ("connect ECONNREFUSED 127.0.0.1:5432 in test", "connect ECONNREFUSED 127.0.0.1:61234 in test"),
        ("/home/ann/shop/src/a.py is bad", "/srv/checkout/shop/src/a.py is bad"),
        ("commit 1a2b3c4d5e broke", "commit 9f8e7d6c5b broke"),
        ("expected 3 rows, got 4", "expected 7 rows, got 9"),
        ("error at line 12", "error at line 99"),
    ],
)
def test_what_changes_from_run_to_run_is_taken_out(one: str, other: str) -> None:
    assert normalize_line(one) == normalize_line(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KeyError: 'name'", "KeyError: 'price'"),
        ("error TS2322: bad type", "error TS2345: bad type"),
        ("HTTP 404 for the page", "HTTP 500 for the page"),
        ("cannot import total from cart", "cannot import sum from cart"),
        ("src/a.py is bad", "src/b.py is bad"),
    ],
)
def test_the_words_that_tell_one_error_from_another_stay(one: str, other: str) -> None:
    assert normalize_line(one) != normalize_line(other)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (
            "Edit",
            "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
        ),
        ("Edit", "String to replace not found in file.\nString: x"),
        ("Edit", "Found 2 matches of the string to replace, but replace_all is false."),
        ("Read", "File does not exist."),
        ("Read", "EISDIR: illegal operation on a directory, read"),
        ("", "Error: No such tool available: Foo"),
        ("Bash", "Permission to use Bash with command rm -rf / has been denied."),
        ("Bash", "The user doesn't want to proceed with this tool use."),
        ("Bash", "[Request interrupted by user for tool use]"),
        ("Bash", "Exit code 127\nbash: pytset: command not found"),
        ("Bash", "Exit code 1\nls: cannot access 'x': No such file or directory"),
        ("Bash", "Exit code 1\n(eval):1: parse error near `('"),
        ("Bash", "Command timed out after 2m 0.0s"),
        ("Bash", "Exit code 128\nfatal: not a git repository (or any of the parent directories): .git"),
        ("Bash", "Exit code 1\ncurl: (6) Could not resolve host: example.com"),
        ("Bash", "Exit code 2\nusage: git diff [<options>]"),
        ("Bash", "Exit code 1\nerror: unknown option `--foo'"),
        ("Bash", "Exit code 1\n  /usr/x: Permission denied"),
        ("Grep", "ValueError: the pattern has no end"),
        ("Task", "Agent type 'x' not found. Available agents: y"),
        ("Bash", "Exit code 1\nsome words"),
    ],
)
def test_what_any_project_meets_is_generic(tool: str, text: str) -> None:
    fault = read_fault(text, tool=tool)
    assert fault is not None
    assert fault.is_generic


def test_a_projects_own_error_beside_a_shells_is_the_projects() -> None:
    fault = read_fault("bash: warn: command not found\nValueError: price is below zero\n", tool="Bash")
    assert fault is not None
    assert fault.signature == "ValueError: price is below zero"
    assert not fault.is_generic


@pytest.mark.parametrize(
    ("text", "is_slip"),
    [
        ('a/b.go:3:2: "io" imported and not used', True),
        ("src/a.ts(1,2): error TS2304: Cannot find name 'x'.", True),
        ("src/a.py:1:1: F401 `os` imported but unused", True),
        ('  File "a.py", line 1\nSyntaxError: invalid syntax', True),
        ("a/b.go:3:2: Error return value is not checked (errcheck)", False),
        ("ValueError: price is below zero", False),
    ],
)
def test_a_slip_of_the_pen_is_told_from_an_error_worth_knowing(text: str, is_slip: bool) -> None:
    fault = read_fault(text)
    assert fault is not None
    assert fault.is_slip is is_slip


def test_a_slip_does_not_stand_for_the_error_beside_it() -> None:
    fault = read_fault('a/b.go:3:2: "io" imported and not used\na/c.go:9:1: unkeyed fields (govet)\n')
    assert fault is not None
    assert fault.signature == "unkeyed fields (govet)"
    assert fault.files == ("a/c.go", "a/b.go")


def test_files_of_others_are_not_the_projects() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/home/ann/shop/.venv/lib/python3.12/site-packages/x/y.py", line 3, in f\n'
        '  File "/elsewhere/z.py", line 1, in g\nValueError: no\n'
    )
    fault = read_fault(text, root="/home/ann/shop")
    assert fault is not None
    assert fault.files == ()


@pytest.mark.parametrize("text", ["", "Exit code 1", "Exit code 1\n", "\n\n", "[lint] $ golangci-lint run"])
def test_nothing_said_is_no_error(text: str) -> None:
    assert read_fault(text) is None
