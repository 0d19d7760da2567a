"""What scans said about the parts of a project, and the hashes of the files they looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from recollect.model.value import dataclass, field
from recollect.store.db import Db
from recollect.store.tables.row_values import to_micros

# So much of a hash tells two files of one project apart; a collision only makes a change look smaller.
_BEGINNING = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The last look at one part: the beginnings of its files' hashes, and the memory for each topic."""

    seen: frozenset[str] = frozenset()
    said: Mapping[str, str] = field(default_factory=dict)


def list_surveys(db: Db, project_id: str) -> dict[str, Survey]:
    """The last look at each part; the habits stand under the empty name."""
    return {
        row["part"]: Survey(seen=frozenset(row["seen"].split()), said=json.loads(row["said"]))
        for row in db.rows("surveys_of_project", project_id=project_id)
    }


def save_survey(db: Db, project_id: str, part: str, survey: Survey, at: datetime) -> None:
    """Keep the look at one part."""
    db.run(
        "survey_put",
        project_id=project_id,
        part=part,
        scanned_at=to_micros(at),
        seen=" ".join(sorted(survey.seen)),
        said=json.dumps(survey.said, ensure_ascii=False),
    )


def shorten_hashes(blobs: Iterable[str]) -> frozenset[str]:
    """The hashes of files as they are kept and compared."""
    return frozenset(blob[:_BEGINNING] for blob in blobs)
