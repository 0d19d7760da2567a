"""What an embedding model makes of a text, and the packed form in which its word vectors are kept.

Packed words, little endian: the number of sentences (uint32), the number of words of each sentence
(uint32 each), then one int8 row per word, sentence after sentence. A row is a unit vector times 127. Nothing
in a blob is aligned or terminated, so many blobs become one matrix by joining their rows.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.model.value import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """What a model makes of one text: a unit vector and, where it gives them, word vectors by sentence."""

    #: float32, little endian, unit length
    vector: bytes
    #: packed words for late interaction; empty if the model has none or the text has no word
    words: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEmbedding:
    """A query as a unit vector and as one unit vector per word piece, each with the word it belongs to."""

    #: float32, little endian, unit length
    vector: bytes
    #: float32 rows, little endian, each of unit length; as many as there are pieces
    words: bytes = b""
    #: the piece behind each row, as the model spells it ("##ing" continues a word)
    pieces: tuple[str, ...] = ()
    #: for each row the characters [start, end) of the query that are its whole word, to weigh it by
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedWords:
    """The words of many texts as one matrix.

    Rows ``sentence_starts[i]:sentence_starts[i + 1]`` are sentence i; sentences
    ``text_starts[j]:text_starts[j + 1]`` are text j. Both begin with 0 and end with the total.
    """

    rows: NDArray[np.int8]
    sentence_starts: NDArray[np.int64]
    text_starts: NDArray[np.int64]


def pack_words(sentence_lengths: Sequence[int], rows: bytes) -> bytes:
    """One blob of int8 rows and how many of them each sentence has; empty when there are no rows."""
    if not rows:
        return b""
    return struct.pack(f"<{1 + len(sentence_lengths)}I", len(sentence_lengths), *sentence_lengths) + rows


def unpack_words(blobs: Sequence[bytes], *, dimensions: int) -> PackedWords:
    """Many blobs as one matrix; an empty blob is a text without sentences."""
    import numpy as np

    counts = [int.from_bytes(blob[:4], "little") for blob in blobs]
    pairs = list(zip(blobs, counts, strict=True))
    lengths = b"".join(blob[4 : 4 + 4 * count] for blob, count in pairs)
    rows = b"".join(blob[4 + 4 * count :] for blob, count in pairs)
    return PackedWords(
        rows=np.frombuffer(rows, dtype=np.int8).reshape(-1, dimensions),
        sentence_starts=np.concatenate(([0], np.cumsum(np.frombuffer(lengths, dtype="<u4"), dtype=np.int64))),
        text_starts=np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
    )
