"""Signals from the prompt: files it names, files with its words in their name or text (BM25), its definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from recollect.model.bm25 import compute_idf, saturate
from recollect.model.cochange import name_words
from recollect.predict_files.inputs import PredictionInputs, SignalScores
from recollect.predict_files.stems import strip_ending
from recollect.store.tables import file_visits

# Cut apart first: one pattern for whole paths would take its time over a prompt without any.
_SEPARATOR = re.compile(r"[^\w.@+/-]+")
_ENDING = re.compile(r"[^/]\.[A-Za-z]\w{0,7}$")
_MAX_PATH = 300
_MAX_PATHS = 50
_WITH_FOLDERS = 2.0
# A file by its number or by its path.
File = TypeVar("File", int, str)


def score_named_in_prompt(inputs: PredictionInputs) -> SignalScores:
    """Files whose path or name stands in the prompt; a path says it better than a name."""
    return SignalScores(scores=_score_names(inputs), why=lambda path: "named in the prompt")


def find_spelled_out(inputs: PredictionInputs) -> list[str]:
    """Files that the prompt names with their folders: there is no doubt about these."""
    return [path for path, score in _score_names(inputs).items() if score == _WITH_FOLDERS]


def score_file_names(inputs: PredictionInputs) -> SignalScores:
    """Files that are called by words of the prompt or the branch: `resume.go`, where resuming is the matter."""
    scores: dict[str, float] = {}
    asked_stems = inputs.words.keys()
    # Most names have nothing of the prompt: only the others are cut into words.
    anything = re.compile("|".join(map(re.escape, asked_stems)) or "$.")
    for path in inputs.paths.values():
        if anything.search(path.rpartition("/")[2].lower()):
            words = {strip_ending(word) for word in name_words(path)}
            shared = words & asked_stems
            if shared:
                scores[path] = len(shared) ** 2 / len(words)

    def why(path: str) -> str:
        shared = {strip_ending(word) for word in name_words(path)} & asked_stems
        return f"called by what is asked: {', '.join(sorted(inputs.words[word] for word in shared))}"

    return SignalScores(scores=scores, why=why)


def _score_names(inputs: PredictionInputs) -> dict[str, float]:
    scores: dict[str, float] = {}
    files = find_file_names(inputs.prompt)
    if not files:
        return scores
    paths_by_name = file_visits.find_files_named(
        inputs.db, {file.rpartition("/")[2] for file in files}, inputs.sessions()
    )
    for written in files:
        folders, _, name = written.rpartition("/")
        for path in paths_by_name.get(name, ()):
            is_whole = bool(folders) and f"/{written}".endswith(f"/{path}")
            is_tail = bool(folders) and f"/{path}".endswith(f"/{written}")
            score = _WITH_FOLDERS if is_whole or is_tail else 1.0
            scores[path] = max(score, scores.get(path, 0.0))
    return scores


def find_file_names(prompt: str) -> list[str]:
    """What looks like a file, as it is written."""
    pieces = dict.fromkeys(
        piece.removeprefix("./").strip("/").rstrip(".") for piece in _SEPARATOR.split(prompt)
    )
    return [piece for piece in pieces if len(piece) <= _MAX_PATH and _ENDING.search(piece[-12:])][:_MAX_PATHS]


# A shorter name is an everyday word more often than not.
_NAME = re.compile(r"[A-Za-z_]\w{5,}")
_MAX_NAMES = 100
_MAX_WORDS_SHOWN = 3
# Fitted on recorded sessions; memories are searched with others.
K1 = 2.0
_B = 0.75


def score_contents(inputs: PredictionInputs) -> SignalScores:
    """Files that were seen to hold the words of the prompt and of the branch, the rare ones above all."""
    parts = score_word_holders(
        file_visits.find_word_holders(inputs.db, inputs.words, inputs.sessions()), inputs.lengths
    )
    by_path = {inputs.paths[number]: word_scores for number, word_scores in parts.items()}

    def why(path: str) -> str:
        word_scores = by_path[path]
        most = sorted(word_scores, key=lambda word: -word_scores[word])[:_MAX_WORDS_SHOWN]
        return f"speaks of {', '.join(inputs.words[word] for word in most)}"

    return SignalScores(
        scores={path: sum(word_scores.values()) for path, word_scores in by_path.items()}, why=why
    )


def score_definitions(inputs: PredictionInputs) -> SignalScores:
    """Files that define a name of the prompt; a name that many define says little about each."""
    names = list(dict.fromkeys(_NAME.findall(inputs.prompt)))[:_MAX_NAMES]
    definers = file_visits.find_definers(inputs.db, names, inputs.sessions())
    scores: dict[str, float] = {}
    for paths in definers.values():
        for path in paths:
            scores[path] = scores.get(path, 0.0) + 1 / len(paths)

    def why(path: str) -> str:
        defined = [name for name in names if path in definers.get(name, ())]
        return f"defines {', '.join(defined[:_MAX_WORDS_SHOWN])}"

    return SignalScores(scores=scores, why=why)


def score_word_holders(
    holders: Mapping[str, Mapping[File, float]], lengths: Mapping[File, float]
) -> dict[File, dict[str, float]]:
    """BM25: what each word adds to the score of each file that holds it."""
    mean_length = (sum(lengths.values()) / len(lengths) if lengths else 0.0) or 1.0
    parts: dict[File, dict[str, float]] = {}
    for word, files in holders.items():
        weight = (K1 + 1) * compute_idf(len(lengths), len(files))
        for file, times in files.items():
            strength = saturate(times, lengths[file], mean_length=mean_length, k1=K1, b=_B)
            parts.setdefault(file, {})[word] = weight * strength
    return parts
