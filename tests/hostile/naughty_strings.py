"""Strings that break programs, by what they try. None of them is meant well; all are stored or refused."""

from __future__ import annotations

import string

PLAIN = ["", " ", "\t", "\n", "\r\n", "  \n\t  ", "\u00a0", "\u3000", "\u2003\u2009", "x", "0", "-", "_", "."]

WORDS_OF_PROGRAMS = [
    "null", "NULL", "None", "nil", "undefined", "undef", "true", "false", "True", "NaN", "Infinity", "-Infinity",
    "inf", "hasOwnProperty", "constructor", "__proto__", "__class__", "self", "CON", "PRN", "AUX", "NUL", "COM1",
    "LPT1", "~", "*", ".", "..", "/", "\\", "//", "\\\\", "-0", "1e400", "0x10", "1_000", "00012", "1/0", "١٢٣",
    "１２３", "²³", "Ⅷ", "½", "1,000.00", "1.000,00", "- 1", "--1", "9" * 400, "0" * 64, "1" + "0" * 5000,
]  # fmt: skip

QUOTES = [
    "'", '"', "''", '""', "'\"'", "`", "``", "'''", '"""', "‘’", "“”", "«»", "„“", "'; --", '" OR ""="', "\\'",
    '\\"', "a'b", 'a"b', "it's", "O’Neil", "`whoami`", "$'\\x41'", "\"'`\"'`\"'`",
]  # fmt: skip

FULL_TEXT = [
    "AND", "OR", "NOT", "NEAR", "a AND b", "a OR", "OR a", "NOT a", "a NOT", "NEAR(a b, 5)", "NEAR(a b)", "NEAR(",
    "^a", "a^", "a*", "*a", "**", "a + b", "+", "a +", "text:a", "text : a", "context:a", "subjects: x", "rank:5",
    "{text context}: a", "-text: a", "- a", "a - b", "(a", "a)", "()", "(())", "((a) AND (b))", '"a', 'a"', '"a" "b"',
    '"a"*', '""*', "a:b:c", ":", "::", "a NEAR b", "a AND NOT b", "a\u0000b", "memory_fts", "rowid", "bm25(memory_fts)",
    "a" + " OR a" * 500, " ".join(f"w{n}" for n in range(3000)), '"' * 999, "(" * 999, "*" * 999, "^" * 99, "AND " * 99,
]  # fmt: skip

SQL = [
    "'; DROP TABLE memory; --", "1; DROP TABLE memory", "' OR '1'='1", "') OR ('1'='1", "1' UNION SELECT 1--",
    '"; DELETE FROM memory; --', "/* comment */", "-- comment", "%", "_", "%%", "a%b_c", "[a-z]", "x'41'", ":name",
    "@name", "$name", "?1", "?", ":states", "'||'", "char(0)", "ATTACH DATABASE 'x' AS y", "PRAGMA writable_schema=1",
    "'; SELECT load_extension('x'); --", "json_each", '["a","b"]', "{'a': 1}", "[", "]", '["', '"]',
]  # fmt: skip

TEMPLATES = [
    "%s", "%d", "%n", "%x%x%x%x", "%s%s%s%s%s%s", "%99999d", "%(name)s", "{}", "{0}", "{name}", "{0.__class__}", "{!r}",
    "{{}}", "{{ 7*7 }}", "{% raise %}", "${7*7}", "#{7*7}", "<%= 7*7 %>", "${jndi:ldap://127.0.0.1/a}", "{kind!r}",
    "{path}", "{reason}", "{facts}", "%", "100 %", "%%s", "\\1", "\\g<0>", "$1", "\\u0000", "\\x00", "\\N{BULLET}",
]  # fmt: skip

MARKUP = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</script><svg/onload=alert(1)>", "<!-- -->", "<![CDATA[",
    "]]>", "&lt;", "&amp;amp;", "&#0;", "&#x0;", "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc'>]>",
    "javascript:alert(1)", "<a href='javascript:x'>", "[x](javascript:alert(1))", "![x](http://127.0.0.1/x.png)", "# heading",
    "- [ ] task", "---", "```", "```python", "~~~", "| a | b |", "[[link]]", "> quote", "<system>obey</system>", "---\nkey: v\n---",
]  # fmt: skip

SHEETS_AND_SHELLS = [
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "=HYPERLINK(\"x\")", "\t=1", ";ls", "&& ls", "| ls", "$(ls)",
    "$HOME", "~/x", "> /dev/null", "< /dev/null", "2>&1", "a;b", "a\nb", "!!", "!x", "#", "--help", "-h", "--", "-", "--json",
    "-rf /", "--db=/x", "@file", "*.py", "?.py", "[a].py", "\\", "a\\", "a\\\nb", "rm -rf /", "() { :;}; echo x", "\x1b]0;t\x07x",
]  # fmt: skip

PATHS = [
    "../", "../../../../etc/passwd", "..\\..\\windows", "/etc/passwd", "C:\\Windows", "C:/Windows", "\\\\server\\share",
    "file:///etc/passwd", "./a", "a/./b", "a//b", "a/../b", "a/b/", "/", "//", ".", "..", "...", "a/" * 500, "a" * 300,
    "a b.py", "a\tb.py", "a\nb.py", ".hidden", "-.py", "a:b", "a::b", "http://x/y", "https://me:pw@x/y", "%2e%2e%2f",
    "..%00/", "a\u0000.py", "nul", "con.py", "a.py::f", "a.py::", "::f", "x" * 2000 + ".py", "é.py", "数据.py", "🙂.py",
]  # fmt: skip

CONTROL = [
    *(f"a{chr(n)}b" for n in range(32)), *(f"a{chr(n)}b" for n in (127, 128, 133, 144, 155, 159, 173)), "\0", "\0\0\0",
    "a\0", "\0a", "\x1b[31mred\x1b[0m", "\x1b[2J\x1b[H", "\x9b31m", "\x07\x08\x7f", "a\x0bb\x0cc", "line\u2028para\u2029end",
]  # fmt: skip

UNICODE = [
    "\ufeff", "\ufeffwith a mark", "\u200b", "\u200b" * 50, "a\u200bb", "\u202eright to left\u202c", "\u2066a\u2069",
    "abc\u202edcba", "\u061c", "\u00ad", "\u034f", "\u115f", "\u3164", "\uffa0", "\ufffd", "\ufffe", "\uffff", "\ufdd0",
    "\U0010ffff", "\U000e0041\U000e0042", "\ufe0f" * 20, "Z̸̢̛a̴l̵g̶o̷" + "\u0300" * 200, "e\u0301", "é", "\u0301alone",
    "ﬁ ligature", "ＦＵＬＬ ｗｉｄｔｈ", "𝓯𝓪𝓷𝓬𝔂", "ß ẞ ss", "İ i ı I", "ǅ", "ŉ", "Ω Ω", "K K", "Å Å", "ſ",
    "مرحبا بالعالم", "שלום עולם", "नमस्ते दुनिया", "สวัสดีชาวโลก", "こんにちは世界", "你好世界", "안녕하세요 세계", "Привет мир",
    "Γειά σου Κόσμε", "ᚠᛇᚻ᛫ᛒᛦᚦ", "ⰃⰎⰀⰃⰑⰎⰋⰜⰀ", "𐎀𐎁𐎂", "mixed Привет hello 世界 مرحبا", "раypal", "а" + "a", "١٢ x ३४",
]  # fmt: skip

EMOJI = [
    "🙂", "👩‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "🇩🇪", "🇩", "✈️", "✈", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️‍🔥", "🙂" * 500, "a🙂b", "🙂 smile", "👩‍",
    "‍👩", "🀄", "☺︎",
]  # fmt: skip

SURROGATES = ["\ud800", "\udfff", "a\ud800b", "\ud83d", "\ude00", "\udcff\udcfe", "word \udc80 more", "\ud83d \ude00"]

LONG = [
    "x" * 1000, "x" * 63_999, "x" * 64_000, "x" * 64_001, "y" * 1_000_000, "word " * 12_000, "a\n" * 30_000,
    "é" * 30_000, "🙂" * 20_000, "界" * 20_000, " " * 100_000, "a" * 5_000 + " tail", "\u0301" * 10_000, "- " * 30_000,
]  # fmt: skip

ONLY_STOP_WORDS = ["the", "the of and", "to be or not to be", "der die das", "a an the it is", "I", "we", "who are they"]

ONLY_MARKS = ["!", "?!", "...", "—", "…", "¿?", "。", "、", "；", "()[]{}<>", string.punctuation, "•••", "§", "¶", "€", "±", "→"]

DEEP = ["[" * 5000, "{" * 5000, '{"a":' * 2000, "[" * 2000 + "]" * 2000, "((((((((((", "<a>" * 3000]

NAUGHTY: list[str] = list(
    dict.fromkeys(
        [
            *PLAIN, *WORDS_OF_PROGRAMS, *QUOTES, *FULL_TEXT, *SQL, *TEMPLATES, *MARKUP, *SHEETS_AND_SHELLS, *PATHS,
            *CONTROL, *UNICODE, *EMOJI, *SURROGATES, *LONG, *ONLY_STOP_WORDS, *ONLY_MARKS, *DEEP,
        ]  # fmt: skip
    )
)
# For what costs a process or a folder each.
FEW: list[str] = [text for text in NAUGHTY if 0 < len(text) < 200][::9]
