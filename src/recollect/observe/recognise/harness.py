"""Errors that any project meets: said by the agent's own tools, the shell, the network, or the person who stopped it.

They must never become memories of a project.
"""

from __future__ import annotations

import re

# Such words stand at the beginning of a result; further in, they are a program's own.
_MAX_TEXT = 240
# Tools that work on the agent's behalf; their errors are about the call, not about the code.
_OWN_TOOLS = frozenset(
    "read edit multiedit write notebookedit grep glob ls task agent skill todowrite taskcreate taskupdate exitplanmode"
    " askuserquestion websearch webfetch lsp toolsearch apply_patch read_file write_file replace list_directory"
    " search_file_content google_web_search save_memory".split()
)

_FROM_THE_HARNESS = re.compile(
    r"<tool_use_error>"
    r"|File has not been read yet"
    r"|File has been (?:modified|unexpectedly modified) since"
    r"|(?:String to replace|old_string) (?:was )?not found"
    r"|Found \d+ matches of the string to replace"
    r"|No changes to make: old_string"
    r"|No such tool available|Unknown tool|Tool not found|tool .{1,80} (?:does not exist|is not available)"
    r"|InputValidationError|Invalid tool parameters|missing required parameter"
    r"|Sibling tool call errored"
    r"|Agent type '.{1,80}' not found|Unknown (?:skill|slash command)|Skill \S{1,80} is not"
    r"|The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user"
    r"|Permission to use .{1,200} (?:has been denied|was denied)|requires approval|haven't granted it"
    r"|Claude requested permissions|blocked by (?:a )?hook|Operation stopped by hook|hook (?:error|denied|blocked)"
    r"|(?:was blocked|blocked)\. For security|sandbox(?:ed)?[: ].{0,60}(?:denied|not permitted|read-only)"
    r"|File (?:content|is) .{0,60}exceeds maximum allowed|exceeds maximum allowed tokens"
    r"|File does not exist|Path does not exist|EISDIR: illegal operation"
    r"|Failed to find (?:expected lines|context)|apply_patch verification failed|0 occurrences found"
    r"|Command (?:timed out|was aborted|was interrupted|aborted)|Tool execution timed out|timed out after \d"
    r"|Interrupted by user|Operation (?:was )?cancelled|AbortError|KeyboardInterrupt"
    r"|MCP (?:server|error|tool)|Not connected$"
    r"|rate limit|overloaded_error|API Error|quota exceeded",
    re.IGNORECASE | re.MULTILINE,
)
_FROM_THE_SHELL = re.compile(
    r"^(?:\S{1,200}: )?(?:line \d+: )?.{0,120}: (?:command )?not found$"
    r"|^\(eval\):|^(?:ba|z|da)?sh: |parse error near|syntax error near unexpected token|unexpected EOF while looking"
    r"|no such file or directory: |no matches found: |: line \d+: .{1,200}: No such file|cannot find main module"
    r"|^(?:ls|cat|cd|cp|mv|rm|head|tail|sed|grep|find|stat|mkdir|rg|wc|chmod|touch|diff|source): "
    r"|^stat \S{1,300}: no such file"
    r"|^usage: |^Usage: |(?i:unknown (?:flag|option|command|shorthand flag))|unrecognized (?:argument"
    r"|option)|illegal option|invalid option"
    r"|^jq: |failed to parse jq|^gh: |^fatal: (?:not a git repository|ambiguous argument|pathspec"
    r"|bad revision|unrecognized argument"
    r"|Unable to create .{1,200}\.lock|Authentication failed|could not read)"
    r"|^error: (?:pathspec|could not apply|failed to push|Your local changes|unknown option"
    r"|cannot (?:rebase|pull|switch))"
    r"|^CONFLICT \(|hint: Updates were rejected|Everything up-to-date|nothing to commit"
    r"|Permission denied|Operation not permitted|EACCES|EPERM|No space left on device|ENOSPC"
    r"|Killed(?:: 9)?$|Broken pipe"
    r"|(?:missing )?required argument|is not recognized as an internal",
    re.MULTILINE,
)
_FROM_THE_NETWORK = re.compile(
    r"ETIMEDOUT|ECONNRESET|ENOTFOUND|EAI_AGAIN|Could not resolve host|Temporary failure in name resolution"
    r"|Connection (?:timed out|reset by peer)|Network is unreachable|TLS handshake timeout|i/o timeout"
    r"|Read timed out|Max retries exceeded|502 Bad Gateway|503 Service|HTTP 4(?:01|03|04|29)\b|getaddrinfo"
    r"|SSL certificate problem|proxy error|connect: connection refused"
)


def is_harness_error(text: str, *, tool: str = "") -> bool:
    """Whether an error comes from the agent's own tools or from the person at them."""
    return tool.lower() in _OWN_TOOLS or _FROM_THE_HARNESS.search(text[:_MAX_TEXT]) is not None


def is_everyday(line: str) -> bool:
    """Whether one error line is of the shell, of git's state or of the network: true anywhere, on any day."""
    return _FROM_THE_SHELL.search(line) is not None or _FROM_THE_NETWORK.search(line) is not None


_SLIP = re.compile(
    r"imported and not used|declared and not used|(?:defined|assigned a value) but never used"
    r"|[Uu]nused (?:import|variable)"
    r"|undefined: \w|undefined name|[Cc]annot find name|cannot find (?:value|type|function) "
    r"|no new variables on left side"
    r"|NameError: name|SyntaxError|IndentationError|unexpected indent|expected ['\"`].{1,12}['\"`],? (?:found|but)"
    r"|\b(?:F401|F841|F821|E501|I001|W291|W293|TS2304|TS6133|TS1005)\b|unterminated string"
    r"|unexpected token|missing import path"
    r"|[Ww]ould reformat|incorrectly sorted|has no field or method|is not used as value|missing return$"
)


def is_slip(line: str) -> bool:
    """Whether a compiler or linter points at a slip of the pen: mended at once, nothing to know next time."""
    return _SLIP.search(line) is not None
