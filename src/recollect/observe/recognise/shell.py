"""Takes a shell command line apart: lists, pipelines, groups, words.

Enough of the grammar to know which command's exit status the reader gets. It runs nothing, expands nothing, and
takes any text: what a shell would refuse comes back as well as it can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from recollect.model.value import dataclass

# Longer lines carry a file's text in a here-document; what they run stands at their beginning.
MAX_LINE = 32_768
_MAX_TOKENS = 2_000
_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """A command with its words, quotes taken away."""

    words: tuple[str, ...]
    heredoc: str = ""
    to_file: bool = False
    drops_errors: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """`( … )`, `{ …; }` or the line inside `name=$( … )`."""

    line: ShellLine
    to_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Commands joined by `|`."""

    parts: tuple[Simple | Group, ...]
    is_negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AndOr:
    """Pipelines joined by `&&` and `||`; one operator fewer than pipelines."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...] = ()
    in_background: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellLine:
    """Lists one after the other. With a condition or a loop nobody can say whose status the last one is."""

    lists: tuple[AndOr, ...]
    has_control_flow: bool = False


def parse(text: str) -> ShellLine:
    """The line as a shell would group it."""
    return _read_line(_Tokens(islice(_read_tokens(text[:MAX_LINE]), _MAX_TOKENS)), 0)


@dataclass(frozen=True, slots=True)
class _Token:
    """A word, an operator, a redirection, or the body of a here-document."""

    sort: str
    text: str


_SPACE = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_HEREDOC = re.compile(r"\d?<<-?[ \t]*(['\"]?)\\?([A-Za-z_][\w.-]{0,80})\1")
_REDIRECT = re.compile(r"(?:\d{0,2}|&)(?:>>|>\||>&|<&|<<<|<>|>|<)(?:&?-|\d+(?=[\s;|&)]|$))?")
_OPERATOR = re.compile(r"&&|\|\||\|&|;;|[;&|\n()]")
_PLAIN = re.compile(r"[^\s'\"`$\\<>|&;()]+")
_DOUBLE_PLAIN = re.compile(r"[^\"\\$`]+")
_MAY_BE_NO_WORD = frozenset(" \t\r\n\\#<>|&;()0123456789")
_NESTED = re.compile(r"['\"`()\\]|<<-?[ \t]*(?:['\"]?)\\?[A-Za-z_]")


def _read_tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text)
    pending: list[str] = []
    while at < end:
        if text[at] not in _MAY_BE_NO_WORD:
            word, at = _read_word(text, at)
            yield _Token("word", word)
        elif space := _SPACE.match(text, at):
            at = space.end()
        elif text[at] == "#" and (comment := _COMMENT.match(text, at)):
            at = comment.end()
        elif heredoc := _HEREDOC.match(text, at):
            pending.append(heredoc[2])
            at = heredoc.end()
        elif redirect := _match_redirect(text, at):
            yield _Token("redirect", redirect[0])
            at = redirect.end()
        elif operator := _OPERATOR.match(text, at):
            at = operator.end()
            for name in pending if operator[0] == "\n" else ():
                body, at = _read_heredoc(text, at, name)
                yield _Token("heredoc", body)
            if operator[0] == "\n":
                pending.clear()
            yield _Token("operator", operator[0])
        else:
            word, at = _read_word(text, at)
            yield _Token("word", word)


def _match_redirect(text: str, at: int) -> re.Match[str] | None:
    return _REDIRECT.match(text, at) if text[at] in "<>&0123456789" else None


def _read_heredoc(text: str, at: int, name: str) -> tuple[str, int]:
    close = re.compile(rf"^[ \t]*{re.escape(name)}[ \t]*\r?$", re.MULTILINE).search(text, at)
    if not close:
        return text[at:], len(text)
    return text[at : close.start()], close.end()


def _read_word(text: str, at: int) -> tuple[str, int]:
    """One word from `at`, without its quotes; a substitution stays as written."""
    pieces: list[str] = []
    end = len(text)
    start = at
    while at < end:
        char = text[at]
        if plain := _PLAIN.match(text, at):
            pieces.append(plain[0])
            at = plain.end()
        elif char == "'":
            close = text.find("'", at + 1)
            close = end if close < 0 else close
            pieces.append(text[at + 1 : close])
            at = close + 1
        elif char == '"':
            piece, at = _read_double_quoted(text, at + 1)
            pieces.append(piece)
        elif char == "\\":
            pieces.append(text[at + 1 : at + 2].replace("\n", ""))
            at += 2
        elif char in "$`":
            close = _find_substitution_end(text, at)
            pieces.append(text[at:close])
            at = close
        else:
            break
    # A character that opens nothing here is a word by itself, so that the reader always moves on.
    return ("".join(pieces), at) if at > start else (text[at], at + 1)


def _read_double_quoted(text: str, at: int) -> tuple[str, int]:
    pieces: list[str] = []
    end = len(text)
    while at < end:
        char = text[at]
        if plain := _DOUBLE_PLAIN.match(text, at):
            pieces.append(plain[0])
            at = plain.end()
        elif char == '"':
            return "".join(pieces), at + 1
        elif char == "\\":
            pieces.append(text[at + 1 : at + 2] if text[at + 1 : at + 2] in '"\\$`' else text[at : at + 2])
            at += 2
        else:
            close = _find_substitution_end(text, at)
            pieces.append(text[at:close])
            at = close
    return "".join(pieces), end


def _find_substitution_end(text: str, at: int) -> int:
    """Where `$(…)`, `${…}` or a backquoted command that begins at `at` ends."""
    if text[at] == "`":
        close = text.find("`", at + 1)
        return len(text) if close < 0 else close + 1
    match text[at + 1 : at + 2]:
        case "(":
            return _find_closing_parenthesis(text, at + 2)
        case "{":
            close = text.find("}", at + 2)
            return len(text) if close < 0 else close + 1
        case _:
            return at + 1


def _find_closing_parenthesis(text: str, at: int) -> int:
    depth = 1
    while depth and (match := _NESTED.search(text, at)):
        at = match.end()
        match match[0][0]:
            case "(":
                depth += 1
            case ")":
                depth -= 1
            case "\\":
                at += 1
            case "'" | '"' | "`" as quote:
                at = _find_quote_end(text, at, quote)
            case _:
                at = _find_heredoc_end(text, match.start())
    return at if not depth else len(text)


def _find_quote_end(text: str, at: int, quote: str) -> int:
    while (close := text.find(quote, at)) >= 0:
        if quote == "'" or text[close - 1] != "\\":
            return close + 1
        at = close + 1
    return len(text)


def _find_heredoc_end(text: str, at: int) -> int:
    heredoc = _HEREDOC.match(text, at)
    newline = text.find("\n", at)
    if not heredoc or newline < 0:
        return at + 2
    return _read_heredoc(text, newline + 1, heredoc[2])[1]


class _Tokens:
    """The tokens, with a look at the next one."""

    def __init__(self, tokens: Iterator[_Token]) -> None:
        self._tokens = tokens
        self.next = next(tokens, None)

    def take(self) -> _Token:
        token = self.next
        assert token is not None
        self.next = next(self._tokens, None)
        return token

    def has(self, *operators: str) -> bool:
        return self.next is not None and self.next.sort == "operator" and self.next.text in operators

    def has_word(self, word: str) -> bool:
        return self.next is not None and self.next.sort == "word" and self.next.text == word


# Words that only steer; the command they steer stands behind them.
_STEERING = frozenset({"if", "then", "elif", "else", "while", "until", "do", "fi", "done", "esac"})
_NAMES_ITS_WORDS = frozenset({"for", "case", "select", "function"})
_SUBSTITUTED = re.compile(r"\w+=\$\((?!\()(.*)\)", re.DOTALL)


def _read_line(tokens: _Tokens, depth: int) -> ShellLine:
    lists: list[AndOr] = []
    has_control_flow = False
    while tokens.next is not None and not tokens.has(")") and not (depth and tokens.has_word("}")):
        if tokens.has(";", ";;", "\n", "&"):
            tokens.take()
            continue
        steered, and_or = _read_and_or(tokens, depth)
        has_control_flow = has_control_flow or steered
        if and_or.pipelines:
            lists.append(and_or)
    return ShellLine(lists=tuple(lists), has_control_flow=has_control_flow)


def _read_and_or(tokens: _Tokens, depth: int) -> tuple[bool, AndOr]:
    pipelines: list[Pipeline] = []
    operators: list[str] = []
    steered = False
    while True:
        was_steered, pipeline = _read_pipeline(tokens, depth)
        steered = steered or was_steered
        if pipeline.parts:
            pipelines.append(pipeline)
        if not tokens.has("&&", "||"):
            break
        operator = tokens.take().text
        if pipelines:
            operators.append(operator)
        while tokens.has("\n"):
            tokens.take()
    in_background = tokens.has("&")
    joined = tuple(operators[: max(0, len(pipelines) - 1)])
    return steered, AndOr(pipelines=tuple(pipelines), operators=joined, in_background=in_background)


def _read_pipeline(tokens: _Tokens, depth: int) -> tuple[bool, Pipeline]:
    parts: list[Simple | Group] = []
    steered = is_negated = False
    while True:
        while (
            tokens.next is not None and tokens.next.sort == "word" and tokens.next.text in {"!", *_STEERING}
        ):
            word = tokens.take().text
            is_negated = is_negated or word == "!"
            steered = steered or word != "!"
        was_steered, part = _read_command(tokens, depth)
        steered = steered or was_steered
        if part:
            parts.append(part)
        if not tokens.has("|", "|&"):
            return steered, Pipeline(parts=tuple(parts), is_negated=is_negated)
        tokens.take()
        while tokens.has("\n"):
            tokens.take()


def _read_command(tokens: _Tokens, depth: int) -> tuple[bool, Simple | Group | None]:
    if depth < _MAX_DEPTH and (tokens.has("(") or tokens.has_word("{")):
        tokens.take()
        line = _read_line(tokens, depth + 1)
        if tokens.next is not None:
            tokens.take()
        redirections = _read_simple(tokens)
        return line.has_control_flow, Group(line=line, to_file=redirections.to_file)
    if tokens.has("("):
        tokens.take()
        return False, None
    simple = _read_simple(tokens)
    if simple.words and simple.words[0] in _NAMES_ITS_WORDS:
        return True, None
    if len(simple.words) == 1 and depth < _MAX_DEPTH and (inner := _SUBSTITUTED.fullmatch(simple.words[0])):
        return False, Group(line=_read_line(_Tokens(_read_tokens(inner[1])), depth + 1))
    return False, simple if simple.words else None


def _read_simple(tokens: _Tokens) -> Simple:
    words: list[str] = []
    heredoc = ""
    to_file = drops_errors = False
    while tokens.next is not None and tokens.next.sort != "operator":
        token = tokens.take()
        if token.sort == "word":
            words.append(token.text)
        elif token.sort == "heredoc":
            heredoc = token.text
        elif not token.text[-1].isdigit() and not token.text.endswith("-"):
            target = tokens.take().text if tokens.next is not None and tokens.next.sort == "word" else ""
            to_file = to_file or _is_hiding_output(token.text, target)
            drops_errors = drops_errors or (
                token.text[0] in "2&" and ">" in token.text and target == "/dev/null"
            )
    return Simple(words=tuple(words), heredoc=heredoc, to_file=to_file, drops_errors=drops_errors)


def _is_hiding_output(redirect: str, target: str) -> bool:
    return (
        ">" in redirect
        and not redirect.startswith("2")
        and target not in {"/dev/stderr", "/dev/stdout", "/dev/tty"}
    )
