"""A model that writes, for tests: the only thing that is not real."""

from __future__ import annotations

import json
from dataclasses import dataclass, field


@dataclass
class Writer:
    """A model that writes; it answers what the test wants."""

    answer: str
    asked: list[str] = field(default_factory=list)
    name: str = "writer"

    def complete(self, prompt: str, *, system: str = "", max_tokens: int = 1024) -> str:
        self.asked.append(prompt)
        return json.dumps([{"n": 1, "text": self.answer}])
