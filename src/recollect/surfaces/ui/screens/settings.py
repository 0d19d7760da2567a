"""Settings: storage, pruning with a preview, re-indexing, what is excluded and redacted, methodology, vault, export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect import config
from recollect.api import Recollect
from recollect.errors import BadInput, OnlyAPerson
from recollect.events.redact import redact
from recollect.model.json_form import memory_to_json
from recollect.model.value import asdict
from recollect.surfaces.ui.background import BackgroundJobs, Progress
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.screen import Action, Outcome, Page, Screen

REINDEX_JOB = "reindex"
# What may be changed here; everything else is shown, and changed on the command line.
CHANGEABLE = (
    "record.exclude",
    "embedding.tier",
    "recall.limit",
    "vault.path",
    "vault.edits",
    "snapshots.keep",
)
_MAX_SHOWN = 50
_MAX_TEST = 20_000


class SettingsScreen:
    """The page and its actions."""

    def __init__(self, memories: OpenMemories, jobs: BackgroundJobs) -> None:
        self._memories = memories
        self._jobs = jobs

    def pages(self) -> Sequence[Page]:
        """The page."""
        return (
            Page(
                path="/settings",
                name="settings",
                template="settings.html",
                part="settings_part.html",
                show=self.show,
                summary="Every setting in force and where it comes from",
            ),
        )

    def actions(self) -> Sequence[Action]:
        """What can be done there."""
        text, flag = {"type": "string"}, {"type": "boolean"}
        return (
            Action(
                method="PUT",
                path="/settings",
                act=self.change,
                summary="Change a setting of the user; only a person may",
                body={"name": {"type": "string", "enum": list(CHANGEABLE)}, "value": text},
                required=("name", "value"),
            ),
            Action(
                method="POST",
                path="/settings/methodology",
                act=self.use_methodology,
                summary="Choose the way of working; only a person may",
                body={"id": text, "everywhere": flag},
                required=("id",),
            ),
            Action(
                method="POST",
                path="/settings/prune",
                act=prune,
                summary="Archive what the rules let go; with dry_run only show it",
                body={"dry_run": flag, "deleted_files": flag, "merged": flag, "below": {"type": "number"}},
            ),
            Action(
                method="POST", path="/settings/reindex", act=self.reindex, summary="Embed what has no vector"
            ),
            Action(
                method="POST",
                path="/settings/redact",
                act=try_redaction,
                summary="Show what would be taken out of a text; nothing is kept",
                body={"text": text},
                required=("text",),
            ),
            Action(
                method="POST", path="/settings/snapshot", act=take_snapshot, summary="Keep a proved copy now"
            ),
            Action(
                method="POST",
                path="/settings/vault",
                act=sync_vault,
                summary="Bring the notes of the vault and memory in step",
            ),
        )

    def show(self, memory: Recollect, call: WebCall) -> Screen:
        """Everything that can be set, and what lies where."""
        settings = list(memory.settings)
        values = {
            "settings": settings,
            "by_name": {one.setting.name: one for one in settings},
            "changeable": CHANGEABLE,
            "stats": memory.admin.stats(every_project=True),
            "projects": memory.admin.projects()[:20],
            "methods": memory.methods.listed(),
            "tiers": memory.admin.tiers(),
            "embedding": memory.admin.embedding(),
            "unembedded": memory.admin.unembedded(),
            "reindexing": self._jobs.look(REINDEX_JOB),
            "vault": memory.vault.status() if memory.vault.exists() else None,
            "data_folder": str(config.data_dir()),
            "settings_file": str(config.user_file()),
            "part_address": "/settings",
        }

        def answer() -> Mapping[str, Any]:
            return {"settings": {v.setting.name: {"value": v.value, "origin": v.origin} for v in settings}}

        return Screen(values=values, answer=answer)

    def change(self, memory: Recollect, call: WebCall) -> Outcome:
        """Change one setting of the user's file."""
        _check_person(memory, "change a setting")
        name, value = call.text("name"), call.text("value")
        if name not in CHANGEABLE:
            raise BadInput(reason=f"here one of {', '.join(CHANGEABLE)} can be changed, not {name[:60]!r}")
        file = config.change_setting(name, value)
        self._memories.reopen()
        return Outcome(
            answer={"set": name, "value": value, "file": str(file)}, sentence=call.gettext("Saved.")
        )

    def use_methodology(self, memory: Recollect, call: WebCall) -> Outcome:
        """Work by another methodology from now on."""
        _check_person(memory, "choose the way of working")
        active = memory.methods.use(call.text("id"), everywhere=call.flag("everywhere"))
        self._memories.reopen()
        return Outcome(
            answer={"active": active.method.id, "why": active.why}, sentence=call.gettext("Saved.")
        )

    def reindex(self, memory: Recollect, call: WebCall) -> Outcome:
        """Embed what has no vector, in the background."""
        job = self._jobs.start(REINDEX_JOB, _reindex, for_agent=True)
        return Outcome(answer=job.to_json(), sentence=call.gettext("Embedding …"))


def prune(memory: Recollect, call: WebCall) -> Outcome:
    """Archive what the rules let go, or show it first."""
    dry_run = call.flag("dry_run")
    if not dry_run:
        _check_person(memory, "prune memories")
    report = memory.upkeep.prune(
        deleted_files=call.flag("deleted_files"),
        merged=call.flag("merged"),
        below=call.share("below"),
        dry_run=dry_run,
    )
    answer = {
        "memories": [
            {"memory": memory_to_json(one), "rule": rule, "why": why} for one, rule, why in report.memories
        ],
        "events": report.events,
        "dry_run": dry_run,
    }
    count = len(report.memories)
    if dry_run:
        # What was shown is what is archived: the same rules go along with the yes.
        options = {
            name: value
            for name in ("deleted_files", "merged", "below")
            if (value := call.value(name)) not in (None, "")
        }
        values = {
            "report": report,
            "shown": report.memories[:_MAX_SHOWN],
            "count": count,
            "options": options,
        }
        return Outcome(answer=answer, part="prune_part.html", values=values)
    sentence = call.ngettext("%(count)s memory archived.", "%(count)s memories archived.", count)
    undo = report.memories[0][0].id if report.memories else ""
    return Outcome(answer=answer, sentence=sentence % {"count": count}, undo=undo)


def try_redaction(memory: Recollect, call: WebCall) -> Outcome:
    """What would be taken out of a text; it is not kept anywhere."""
    text = call.text("text")
    if len(text) > _MAX_TEST:
        raise BadInput(reason=f"the test box takes {_MAX_TEST} characters")
    redacted = redact(text)
    values = {"redacted": redacted}
    return Outcome(
        answer={"text": redacted.text, "kinds": list(redacted.kinds)}, part="redact_part.html", values=values
    )


def take_snapshot(memory: Recollect, call: WebCall) -> Outcome:
    """Keep a proved copy beside the database."""
    file = memory.safety.snapshot()
    return Outcome(answer={"backup": str(file)}, sentence=call.gettext("Copied to %(file)s") % {"file": file})


def sync_vault(memory: Recollect, call: WebCall) -> Outcome:
    """Bring notes and memories in step."""
    report = memory.vault.sync()
    return Outcome(answer=asdict(report), sentence=call.gettext("The vault is in step."))


def _reindex(memory: Recollect, step: Progress) -> dict[str, Any]:
    return asdict(memory.admin.reindex(step))


def _check_person(memory: Recollect, what: str) -> None:
    if not memory.operations.by_person:
        raise OnlyAPerson(what=what)
