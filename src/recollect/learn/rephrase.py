"""Rephrasing observations with a writing model, if there is one: one call for all, each answer checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.errors import RecollectError
from recollect.learn.note_texts import Sentence
from recollect.learn.prompt_file import read_prompt
from recollect.learn.specificity import is_specific, mentions
from recollect.providers.complete import Completer, complete_json

# The texts for some sentences, in their order.
Phrase = Callable[[Sequence[Sentence]], list[str]]

MAX_IN_ONE_CALL = 20
MAX_TEXT = 600


def keep_own_words(sentences: Sequence[Sentence]) -> list[str]:
    """Our own words."""
    return [sentence.text for sentence in sentences]


def make_model_phrase(completer: Completer) -> Phrase:
    """Words of a model where they hold, else our own."""

    def phrase(sentences: Sequence[Sentence]) -> list[str]:
        sentences_sent = list(sentences[:MAX_IN_ONE_CALL])
        if not sentences_sent:
            return keep_own_words(sentences)
        observations = "\n".join(
            f"{n}. {sentence.text}" for n, sentence in enumerate(sentences_sent, start=1)
        )
        prompt = read_prompt("rephrase")
        question = prompt.fill(observations=observations)
        try:
            texts_by_number = complete_json(completer, question, check=_parse_answer, system=prompt.system)
        except RecollectError:
            return keep_own_words(sentences)
        return [
            choose_words(sentence, texts_by_number.get(n, ""))
            for n, sentence in enumerate(sentences, start=1)
        ]

    return phrase


def choose_words(sentence: Sentence, text: str) -> str:
    """The model's words, if they name the same files and would not be true of any others."""
    text = " ".join(text.split())
    holds = (
        0 < len(text) <= MAX_TEXT
        and all(mentions(text, file) for file in sentence.files if mentions(sentence.text, file))
        and is_specific(text, files=sentence.files, evidence=sentence.evidence)
    )
    return text if holds else sentence.text


def _parse_answer(answer: object) -> dict[int, str]:
    if not isinstance(answer, list):
        raise ValueError("it is no list")
    return {int(item["n"]): str(item["text"]) for item in answer}
