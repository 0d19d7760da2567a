"""Taint tracking within a run: what the agent read, to tell its own observations from words it only repeats."""

from __future__ import annotations

from collections import deque

from recollect.capture.evidence import find_repeated_texts
from recollect.events.bloom import split_words
from recollect.events.statements import sketch_statements
from recollect.ops.streams import texts_of

# So much of what was read is held, the newest; and so much of one text is compared.
MAX_BYTES = 16 * 1024 * 1024
MAX_TEXT = 4 * 1024 * 1024
# So many words in a row are nobody's own by chance, whatever is put around them.
COPIED_WORDS = 8
MAX_INSTRUCTIONS = 2_000


class ReadEvidence:
    """What tools and subagents gave to the agent of one run."""

    def __init__(self, prompts: str = "") -> None:
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._texts: list[str] = []
        # The sentences in them that instruct, by their words, in the order they were read.
        self._instructions: dict[str, None] = {}
        self._taken = 0
        # What the operator and we asked of it, with examples of markers in it.
        self._prompts = " ".join(prompts.split())

    def hold(self, line: bytes) -> None:
        """Keep a line until a memory has to be compared with it."""
        self._lines.append(line)
        self._size += len(line)
        while self._size > MAX_BYTES and len(self._lines) > 1:
            self._size -= len(self._lines.popleft())

    def is_repeated(self, text: str) -> bool:
        """Whether a text only repeats what was read."""
        read = self._read()
        return bool(find_repeated_texts(text, read)) or self._is_copied(text, read)

    def list_instructions(self) -> list[str]:
        """The words of the sentences that were read and instruct, or speak of what protects people."""
        self._read()
        return list(self._instructions)

    def is_example(self, written: str) -> bool:
        """Whether a marker stands word for word in what the run was asked."""
        return " ".join(written.split()) in self._prompts

    def _is_copied(self, text: str, read: list[str]) -> bool:
        """Whether it holds a long run of words as they were read, with something of its own around them."""
        words = split_words(text)
        runs = [words[place : place + COPIED_WORDS] for place in range(len(words) - COPIED_WORDS + 1)]
        if not runs:
            return False
        telling = {max(run, key=len) for run in runs}
        for page in read:
            lowered = page.lower()
            if not page.isascii() or any(word in lowered for word in telling):
                page_words = f" {' '.join(split_words(page))} "
                if any(f" {' '.join(run)} " in page_words for run in runs):
                    return True
        return False

    def _read(self) -> list[str]:
        while self._lines:
            line = self._lines.popleft()
            texts = [text[:MAX_TEXT] for text in texts_of(line)]
            self._texts += texts
            for text in texts:
                self._instructions |= dict.fromkeys(sketch_statements(text, every=False, closely=True)[0])
            self._taken += len(line)
        while self._taken > MAX_BYTES and len(self._texts) > 1:
            self._taken -= len(self._texts.pop(0))
        self._size = 0
        while len(self._instructions) > MAX_INSTRUCTIONS:
            del self._instructions[next(iter(self._instructions))]
        return self._texts
