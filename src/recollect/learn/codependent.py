"""Do two files need each other, or are both merely used often? The ties of the project tell."""

from __future__ import annotations

from recollect.learn.note_texts import Sentence
from recollect.model.value import replace
from recollect.store.db import Db
from recollect.store.tables import cochange

# In so many of the sessions that touched the one file, the other was touched too.
SHARE = 0.5


def with_ties(db: Db, project_id: str | None, sentence: Sentence) -> Sentence | str:
    """The sentence about a file and another it needs, with its figures; or why the ties do not bear it out."""
    changed, other = sentence.files[:2]
    if project_id is None:
        return sentence
    tie, alone = cochange.between(db, project_id, changed, other), cochange.votes_of(db, project_id, changed)
    if tie.votes.sessions < SHARE * alone.sessions:
        return (
            f"{other} was used in {tie.votes.sessions} of the {alone.sessions} sessions that used {changed}"
        )
    return replace(sentence, fields={**sentence.fields, "commit_count": tie.votes.commits})
