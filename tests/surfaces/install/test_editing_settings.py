"""Settings of other programs, edited: what was there stays byte for byte, and taking ours out is the inverse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.clients.file_parts import FileFormat, FilePart, WantedFile
from recollect.clients.json_text import NotJson, read
from recollect.surfaces.install.edit import CannotEdit, holds, with_parts, without_parts

HOOK = {
    "type": "command",
    "command": "/venv/bin/python -P -m recollect.hooks claude-code Stop",
    "timeout": 5,
}
SERVER = {"command": "/venv/bin/python", "args": ["-P", "-m", "recollect.surfaces.mcp"]}
PARTS = (
    FilePart(path=("hooks", "Stop"), value={"hooks": [HOOK]}, in_list=True),
    FilePart(path=("mcpServers", "recollect"), value=SERVER),
)
WANTED = WantedFile(path="settings.json", form=FileFormat.JSON, parts=PARTS)
TABLE = WantedFile(
    path="config.toml",
    form=FileFormat.TOML,
    parts=(FilePart(path=("mcp_servers", "recollect"), value=SERVER),),
)

OTHERS = '{"hooks": [{"type": "command", "command": "other-tool"}]}'
TEXTS = {
    "empty object": "{}",
    "empty object on two lines": "{\n}\n",
    "no end of line": '{\n  "model": "opus"\n}',
    "four blanks": '{\n    "model": "opus",\n    "env": {\n        "A": "b"\n    }\n}\n',
    "tabs": '{\n\t"model": "opus"\n}\n',
    "CRLF": '{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "model": "opus"\n}\n',
    "one line": '{"model":"opus","hooks":{"Stop":[' + OTHERS + "]}}",
    "hooks of others": '{\n  "hooks": {\n    "Stop": [\n      '
    + OTHERS
    + '\n    ],\n    "Start": []\n  }\n}\n',
    "empty list": '{\n  "hooks": {\n    "Stop": [ ]\n  }\n}\n',
    "comment at the end of a line": '{\n  "model": "opus" // the best\n}\n',
    "comments all around": '// top\n{\n  /* a */ "model": "opus", // b\n  // c\n  "x": [] /* d */\n  // e\n}\n// f\n',
    "only a comment": "{\n  // nothing yet\n}\n",
    "trailing comma": '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      '
    + OTHERS
    + ",\n    ],\n  },\n}\n",
    "trailing comma and a comment": '{\n  "model": "opus", // the best\n}\n',
    "strings that look like comments": '{\n  "url": "https://example.org/*x*/", "a": "\\"//"\n}\n',
    "blank lines": '{\n\n  "model": "opus"\n\n}\n\n',
    "another server": '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  }\n}\n',
    "letters of all kinds": '{\n  "name": "Größe → 数据 \\u00e9 🎉"\n}\n',
}


def strict(text: str) -> Any:
    """JSON without comments as the standard library reads it."""
    return json.loads(text.lstrip("\ufeff"))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_ours_goes_in_and_comes_out_and_not_a_byte_is_different(text: str) -> None:
    done = with_parts(text, WANTED)
    assert holds(done, WANTED)
    assert not holds(text, WANTED)
    assert without_parts(done, FileFormat.JSON, PARTS, text) == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_line_that_was_there_is_still_there_in_its_order(text: str) -> None:
    done = with_parts(text, WANTED)
    rest = done.replace(",", "")  # one may have come to the end of a line
    for line in text.replace(",", "").splitlines():
        words = line.strip(" \t{}[]")
        at = rest.find(words)
        assert at >= 0, words
        rest = rest[at + len(words) :]
    assert ("\r\n" in done) == ("\r\n" in text)
    assert "\n" not in done.replace("\r\n", "") or "\r\n" not in text
    assert done.startswith("\ufeff") == text.startswith("\ufeff")
    assert done.endswith("\n") == text.endswith("\n")


@pytest.mark.parametrize(
    "name", ["no end of line", "four blanks", "tabs", "CRLF", "one line", "another server"]
)
def test_what_is_made_is_strict_json_again(name: str) -> None:
    made = strict(with_parts(TEXTS[name], WANTED))
    was = strict(TEXTS[name])
    assert made["hooks"]["Stop"][-1] == {"hooks": [HOOK]}
    assert made["mcpServers"]["recollect"] == SERVER
    assert {key: made[key] for key in was if key not in ("hooks", "mcpServers")} == {
        key: was[key] for key in was if key not in ("hooks", "mcpServers")
    }


def test_new_lines_are_indented_as_the_file_is() -> None:
    assert '\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{' in with_parts(TEXTS["tabs"], WANTED)
    assert '\n    "hooks": {\n        "Stop": [' in with_parts(TEXTS["four blanks"], WANTED)
    assert "\n" not in with_parts(TEXTS["one line"], WANTED)


def test_a_comment_stays_with_its_line() -> None:
    assert '"model": "opus", // the best\n' in with_parts(TEXTS["comment at the end of a line"], WANTED)


def test_a_file_that_is_not_there_or_empty_is_made() -> None:
    for text in (None, "", "\n"):
        assert strict(with_parts(text, WANTED)) == {
            "hooks": {"Stop": [{"hooks": [HOOK]}]},
            "mcpServers": {"recollect": SERVER},
        }


def test_a_second_time_changes_nothing_and_another_python_takes_the_old_ones_place() -> None:
    once = with_parts(TEXTS["hooks of others"], WANTED)
    assert with_parts(once, WANTED) == once
    moved = json.loads(json.dumps([part.value for part in PARTS]).replace("/venv/", "/other/"))
    anew = WantedFile(
        path="x",
        form=FileFormat.JSON,
        parts=tuple(
            FilePart(path=p.path, value=v, in_list=p.in_list) for p, v in zip(PARTS, moved, strict=True)
        ),
    )
    assert not holds(once, anew)
    made = with_parts(once, anew)
    assert "/venv/" not in made
    assert made.count("recollect.hooks") == 1
    assert without_parts(made, FileFormat.JSON, PARTS, TEXTS["hooks of others"]) == TEXTS["hooks of others"]


def test_what_somebody_added_around_ours_stays_when_ours_goes() -> None:
    before = TEXTS["hooks of others"]
    made = strict(with_parts(before, WANTED))
    made["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later-tool"}]})
    made["hooks"]["Stop"][1]["hooks"].append({"type": "command", "command": "in-our-group"})
    made["mcpServers"]["mine"] = {"command": "mine"}
    made["hooks"]["Stop"][1]["hooks"][0]["timeout"] = 77
    left = strict(without_parts(json.dumps(made, indent=2), FileFormat.JSON, PARTS, before))
    assert left == {
        "hooks": {
            "Stop": [
                json.loads(OTHERS),
                {"hooks": [{"type": "command", "command": "in-our-group"}]},
                {"hooks": [{"type": "command", "command": "later-tool"}]},
            ],
            "Start": [],
        },
        "mcpServers": {"mine": {"command": "mine"}},
    }


def test_a_later_edit_elsewhere_survives_byte_for_byte() -> None:
    before = TEXTS["comments all around"]
    made = with_parts(before, WANTED).replace('"model": "opus"', '"model":   "haiku"')
    assert without_parts(made, FileFormat.JSON, PARTS, before) == before.replace(
        '"model": "opus"', '"model":   "haiku"'
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no name"),
        ('{"a": 1', "missing"),
        ('{"a": 1} x', "follows the end"),
        ('{"a": 01}', "missing"),
        ("[]", "no object"),
        ('{"hooks": []}', "hooks is no object"),
        ('{"hooks": {"Stop": {}}}', "no list"),
        ('{"hooks": {}, "hooks": {}}', "stands twice"),
        ('{"mcpServers": {"recollect": {"command": "theirs"}}}', "of its own"),
        ("[" * 5000, "deeper"),
        ("nothing of the kind", "no value"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(CannotEdit, match=why):
        with_parts(text, WANTED)


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(
    scalars, lambda below: st.lists(below) | st.dictionaries(st.text(), below), max_leaves=12
)
documents = st.dictionaries(
    st.text().filter(lambda key: key not in ("hooks", "mcpServers")), values, max_size=5
)


unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@unhurried
@given(documents, st.sampled_from([None, 0, 1, 2, 4, "\t"]), st.booleans())
def test_any_json_is_read_as_the_standard_library_reads_it_and_comes_back_whole(
    document: dict[str, Any], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    assert read(text).value == json.loads(text)
    done = with_parts(text, WANTED)
    assert json.loads(done)["hooks"]["Stop"] == [{"hooks": [HOOK]}]
    assert without_parts(done, FileFormat.JSON, PARTS, text) == text


@unhurried
@given(st.text(alphabet='{}[]",:/*\\n1ae \n\r\t', max_size=40))
def test_what_the_reader_refuses_is_no_json_or_has_a_name_twice(text: str) -> None:
    try:
        read(text)
    except NotJson as error:
        if "twice" not in str(error):
            with pytest.raises(json.JSONDecodeError):
                json.loads(text)


# -- TOML ------------------------------------------------------------------------------------------------

TOML = {
    "empty": "",
    "no end of line": 'model = "gpt"',
    "comments": '# mine\nmodel = "gpt" # best\n\n[mcp_servers.other]\ncommand = "x"\n# last\n',
    "CRLF": 'model = "gpt"\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_a_table_goes_in_and_comes_out(text: str) -> None:
    done = with_parts(text, TABLE)
    assert holds(done, TABLE)
    assert done.startswith(text.rstrip("\n"))
    assert ("\r\n" in done) == ("\r\n" in text)
    assert without_parts(done, FileFormat.TOML, TABLE.parts, text) == text or text == 'model = "gpt"'
    assert with_parts(done, TABLE) == done


def test_a_table_with_a_key_of_somebody_is_taken_out_whole_and_nothing_else() -> None:
    text = with_parts(TOML["comments"], TABLE) + "startup_timeout_sec = 30\n\n[tools]\nweb = true # yes\n"
    left = without_parts(text, FileFormat.TOML, TABLE.parts, TOML["comments"])
    assert "recollect" not in left
    assert "startup_timeout_sec" not in left
    assert left.startswith(TOML["comments"])
    assert left.endswith("[tools]\nweb = true # yes\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model = ", "no TOML"),
        ('mcp_servers = { other = { command = "x" } }\n', "no TOML|nothing can be added"),
        ('[mcp_servers.recollect]\ncommand = "theirs"\n', "of its own"),
        ("\ufeffmodel = 1\n", "no TOML"),
    ],
)
def test_toml_that_cannot_be_edited_safely_is_refused(text: str, why: str) -> None:
    with pytest.raises(CannotEdit, match=why):
        with_parts(text, TABLE)


def test_a_hook_that_an_earlier_version_installed_is_ours_and_is_replaced_and_removed() -> None:
    earlier = "/usr/bin/python -P -m recollect.surfaces.hooks claude-code Stop"
    own = {"hooks": [{"type": "command", "command": "make lint"}]}
    text = json.dumps(
        {"hooks": {"Stop": [own, {"hooks": [{"type": "command", "command": earlier}]}]}}, indent=2
    )
    command = "/usr/bin/python -P -m recollect.hooks claude-code Stop"
    part = FilePart(
        path=("hooks", "Stop"), value={"hooks": [{"type": "command", "command": command}]}, in_list=True
    )
    wanted = WantedFile(path="settings.json", form=FileFormat.JSON, parts=(part,))
    assert not holds(text, wanted)
    replaced = with_parts(text, wanted)
    assert json.loads(replaced) == {"hooks": {"Stop": [own, part.value]}}
    assert json.loads(without_parts(text, FileFormat.JSON, (part,), None)) == {"hooks": {"Stop": [own]}}
