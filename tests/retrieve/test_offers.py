"""What could be put before an agent unasked."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect
from recollect.model.embedding import QueryEmbedding
from recollect.retrieve import offers
from tests.conftest import Clock
from tests.hash_embedder import HashEmbedder

QUESTION = "When do tokens expire?"


class Counting(HashEmbedder):
    """Counts the questions it reads."""

    def __init__(self) -> None:
        self.questions = 0

    def embed_query(self, text: str) -> QueryEmbedding:
        self.questions += 1
        return super().embed_query(text)


def test_where_nothing_could_answer_no_question_is_read(tmp_path: Path, clock: Clock) -> None:
    embedder = Counting()
    with Recollect(tmp_path / "memories.db", folder=None, embedder=embedder, clock=clock) as memory:
        memory.remember("Tokens expire after five minutes", kind="gotcha")
        context = memory._wiring.read_context()
        asked = embedder.questions

        def answers(kind: str, project_id: str | None = None) -> int:
            return len(
                offers.offer_answers(context, QUESTION, project_id, kinds=[kind], limit=5, now=clock())
            )

        assert answers("decision") == 0
        assert offers.offer_recipes(context, QUESTION, None, limit=5, now=clock()) == []
        assert embedder.questions == asked
        assert answers("gotcha") == 1
        assert embedder.questions == asked + 1
        memory.forget(memory.list()[0].id)
        assert answers("gotcha") == 0
        assert embedder.questions == asked + 1
