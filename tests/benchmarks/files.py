"""Tiny files in the shapes of the public benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def locomo_file(folder: Path, **changes: Any) -> Path:
    """Two people, two sessions, and questions of every category."""
    conversation = {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I adopted a grey kitten called Pixel."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "My bakery opens next week in Lisbon."},
        ],
        "session_2_date_time": "12:05 am on 1 June, 2023",
        "session_2": [
            {
                "speaker": "Ben",
                "dia_id": "D2:1",
                "text": "Look at my new oven.",
                "blip_caption": "a photo of a red oven",
                "query": "oven bakery",
                "img_url": ["https://example.invalid/1.jpg"],
            },
            {"speaker": "Ada", "dia_id": "D2:2", "text": "I ran the marathon in Porto."},
        ],
    }
    questions = [
        {"question": "What did Ada adopt?", "answer": "a kitten", "evidence": ["D1:1"], "category": 4},
        {"question": "When does Ben's bakery open?", "evidence": ["D1:2; D2:1"], "category": 2},
        {"question": "Where did Ada run the marathon?", "evidence": ["D:2:02", "D9:9"], "category": 1},
        {"question": "Is Ada a morning person?", "evidence": ["D"], "category": 3},
        {"question": "What did Ben adopt?", "adversarial_answer": "-", "evidence": ["D1:1"], "category": 5},
    ]
    entry = {"sample_id": "conv-1", "conversation": conversation, "qa": questions} | changes
    return _written(folder / "locomo.json", [entry])


def longmemeval_file(folder: Path) -> Path:
    """Three sessions of one user, shared by three questions, one of them without an answer."""
    sessions = {
        "s1": [("user", "My bicycle is a blue Brompton."), ("assistant", "Nice folding bike!")],
        "s2": [("user", "I am learning to bake sourdough bread."), ("assistant", "Feed the starter.")],
        "s3": [("assistant", "The capital of Peru is Lima.")],
    }
    dates = {
        "s1": "2023/04/10 (Mon) 17:50",
        "s2": "2023/05/11 (Thu) 09:00",
        "s3": "2023/05/12 (Fri) 10:00",
    }

    def entry(name: str, question: str, kind: str, haystack: list[str], answers: list[str]) -> dict[str, Any]:
        return {
            "question_id": name,
            "question_type": kind,
            "question": question,
            "question_date": "2023/06/01 (Thu) 12:00",
            "haystack_session_ids": haystack,
            "haystack_dates": [dates[one] for one in haystack],
            "haystack_sessions": [
                [{"role": role, "content": text, "has_answer": True} for role, text in sessions[one]]
                for one in haystack
            ],
            "answer_session_ids": answers,
        }

    entries = [
        entry("q1", "Which bicycle do I have?", "single-session-user", ["s1", "s2"], ["s1"]),
        entry(
            "q2", "What bread and what capital did we speak of?", "multi-session", ["s2", "s3"], ["s2", "s3"]
        ),
        entry("q3_abs", "What is my car?", "single-session-user", ["s1"], ["s1"]),
    ]
    return _written(folder / "longmemeval.json", entries)


def _written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path
