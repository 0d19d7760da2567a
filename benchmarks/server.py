"""
Speed on PostgreSQL: memory's own search beside plain pgvector and ts_rank_cd in one statement, in the same run.

Clients are processes, each with a connection of its own, that ask as fast as they are answered. Vectors are made up and
ready, so that no embedding is measured on either side.
"""

from __future__ import annotations

import math
import multiprocessing
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import click

from benchmarks.run import in_organisation
from benchmarks.synthetic import DIMENSIONS, Corpus, GivenEmbedder, Made, MadeQuestion
from recollect.api import Recollect
from recollect.config import load_settings
from recollect.store.search.bm25_index import SEARCHES_PER
from recollect.surfaces.cli import output
from recollect.surfaces.cli.options import common

BATCH = 500
LIMIT = 20
WARM_UP = 5
MODEL = "made-up"

_SCHEMA = f"""
DROP TABLE IF EXISTS public.bench_plain;
CREATE TABLE public.bench_plain (
    id BIGINT PRIMARY KEY, text TEXT NOT NULL, embedding public.vector({DIMENSIONS}) NOT NULL,
    words TSVECTOR GENERATED ALWAYS AS (to_tsvector('english', text)) STORED);
"""
_INDEXES = """
CREATE INDEX ON public.bench_plain USING gin (words);
CREATE INDEX ON public.bench_plain USING hnsw (embedding public.vector_cosine_ops);
ANALYZE public.bench_plain;
"""
_ADD = "INSERT INTO public.bench_plain (id, text, embedding) VALUES (%s, %s, %s)"
_ASK = """
WITH by_words AS (
    SELECT p.id, row_number() OVER (ORDER BY ts_rank_cd(p.words, q) DESC) AS place
      FROM public.bench_plain p, to_tsquery('english', %(words)s) q
     WHERE p.words @@ q ORDER BY ts_rank_cd(p.words, q) DESC LIMIT 60),
by_vector AS (
    SELECT id, row_number() OVER (ORDER BY distance) AS place FROM (
        SELECT id, embedding OPERATOR(public.<=>) CAST(%(vector)s AS public.vector) AS distance
          FROM public.bench_plain ORDER BY distance LIMIT 60) AS nearest)
SELECT id, SUM(1.0 / (60 + place)) AS score
  FROM (SELECT * FROM by_words UNION ALL SELECT * FROM by_vector) AS both_ways
 GROUP BY id ORDER BY score DESC LIMIT 20
"""

Latencies = list[float]


def _as_text(vector: bytes) -> str:
    return "[" + ",".join(map(repr, memoryview(vector).cast("f"))) + "]"


def _open(address: str) -> tuple[Recollect, GivenEmbedder]:
    model = GivenEmbedder(model_id=MODEL, with_words=False)
    settings = load_settings(flags={"embedding.tier": "none"})
    return Recollect(address, folder=None, settings=settings, embedder=model), model


def _fill(address: str, plain: str, size: int) -> tuple[dict[str, float], list[Made]]:
    """Both sides with the same memories; how many a second each took in."""
    import psycopg

    corpus = Corpus()
    memory, model = _open(address)
    ours = theirs = 0.0
    newest: list[Made] = []
    with memory, psycopg.connect(plain, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(_SCHEMA.encode())
        for start in range(0, size, BATCH):
            made = corpus.memories(min(BATCH, size - start))
            model.give(made)
            drafts = [memory.draft(one.text, about=one.about, session=one.session) for one in made]
            rows = [(start + place, one.text, _as_text(one.vector)) for place, one in enumerate(made)]
            began = time.perf_counter()
            memory.remember_many(drafts)
            ours += time.perf_counter() - began
            began = time.perf_counter()
            with connection.transaction():
                connection.cursor().executemany(_ADD, rows)
            theirs += time.perf_counter() - began
            newest = [*newest, *made][-BATCH:]
        began = time.perf_counter()
        connection.execute(_INDEXES.encode())
        theirs += time.perf_counter() - began
    return {"recollect": size / ours, "plain": size / theirs}, newest


def _ask_ours(address: str) -> Callable[[MadeQuestion], object]:
    memory, model = _open(address)

    def ask(question: MadeQuestion) -> object:
        model.give_question(question)
        return memory.recall(question.text, limit=LIMIT)

    return ask


def _ask_plain(address: str) -> Callable[[MadeQuestion], object]:
    import psycopg

    connection = psycopg.connect(address, autocommit=True)

    def ask(question: MadeQuestion) -> object:
        words = " | ".join(question.text.strip("?").split())
        return connection.execute(_ASK, {"words": words, "vector": _as_text(question.vector)}).fetchall()

    return ask


def _client(
    which: str,
    address: str,
    questions: Sequence[MadeQuestion],
    warm_up: int,
    seconds: float,
    ready: Any,
    answers: Any,
) -> None:
    ask = (_ask_ours if which == "recollect" else _ask_plain)(address)
    for place in range(warm_up):
        ask(questions[place % len(questions)])
    ready.wait()
    until = time.perf_counter() + seconds
    latencies: Latencies = []
    while time.perf_counter() < until:
        began = time.perf_counter()
        ask(questions[len(latencies) % len(questions)])
        latencies.append(time.perf_counter() - began)
    answers.put(latencies)


def _measure(
    which: str,
    address: str,
    questions: Sequence[MadeQuestion],
    clients: int,
    seconds: float,
    warm_up: int = WARM_UP,
) -> dict[str, float]:
    """So many clients at once: answers a second of all together, and how long one waits."""
    spawning = multiprocessing.get_context("spawn")
    ready, answers = spawning.Barrier(clients), spawning.Queue()
    arguments = (which, address, questions, warm_up, seconds, ready, answers)
    processes = [spawning.Process(target=_client, args=arguments) for _ in range(clients)]
    for process in processes:
        process.start()
    waits = sorted(wait for _ in processes for wait in answers.get())
    for process in processes:
        process.join()
    return {
        "per_s": len(waits) / seconds,
        "p50_ms": 1000 * statistics.median(waits),
        "p95_ms": 1000 * waits[math.ceil(0.95 * len(waits)) - 1],
    }


@click.command("server")
@click.option("--store", required=True, metavar="ADDRESS", help="A database of PostgreSQL with pgvector.")
@click.option("--size", default=10_000, show_default=True, help="How many memories.")
@click.option("--clients", default="1,4", show_default=True, help="How many ask at once, with commas.")
@click.option("--seconds", default=10.0, show_default=True, help="How long each is measured.")
@common
def server_(store: str, size: int, clients: str, seconds: float) -> None:
    """How fast PostgreSQL answers through memory, beside plain pgvector and ts_rank_cd in one statement.

    \b
    python -m benchmarks server --store postgresql://localhost/bench --size 10000
    """
    address = in_organisation(store)
    rates, newest = _fill(address, store, size)
    questions = Corpus(1).questions(newest, 200)
    # A client that goes on asking keeps words and vectors at hand; until then its searches are not measured.
    warm_up = WARM_UP + size // SEARCHES_PER
    figures: dict[str, Any] = {"size": size, "ingest_per_s": rates}
    output.print_line(
        f"{size:,} memories; ingest a second: {rates['recollect']:.0f}, plain {rates['plain']:.0f}"
    )
    for count in map(int, clients.split(",")):
        both = {
            which: _measure(which, place, questions, count, seconds, warm_up)
            for which, place in (("recollect", address), ("plain", store))
        }
        figures[f"{count} clients"] = both
        for which, one in both.items():
            waits = f"p50 {one['p50_ms']:6.1f} ms  p95 {one['p95_ms']:6.1f} ms"
            output.print_line(f"{count:>3} clients  {which:<10} {one['per_s']:7.1f}/s  {waits}")
    if output.is_json():
        output.print_json(figures)
