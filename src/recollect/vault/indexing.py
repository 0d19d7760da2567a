"""Filing a note under its words and links, for the search."""

from __future__ import annotations

from recollect.events.redact import redact
from recollect.store.db import Db
from recollect.store.tables import vault_index
from recollect.store.tables.vault_index import IndexedNote, IndexedPart
from recollect.vault import layout
from recollect.vault.lines import strip_block_ids
from recollect.vault.outline import parse_outline


def index_note(db: Db, num: int, path: str, text: str) -> None:
    """File a note under its title, headings, tags, links and text of now."""
    if path == layout.INDEX:
        # It names every note that changed: filed, it would answer for all of them and be everyone's neighbour.
        vault_index.remove_note(db, num)
        return
    outline = parse_outline(text, path)
    vault_index.file_note(
        db,
        num,
        IndexedNote(
            title=outline.title,
            tags=outline.tags,
            aliases=outline.aliases,
            links=outline.links,
            # Secrets stay in the person's own file: neither search nor excerpt has a use for them.
            parts=[
                IndexedPart(part.line, redact(part.heading).text, redact(strip_block_ids(part.text)).text)
                for part in outline.parts
            ],
        ),
    )
