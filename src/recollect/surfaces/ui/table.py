"""All screens in one place: the pages and actions that the app serves."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.surfaces.ui.background import BackgroundJobs
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.screen import Action, Page
from recollect.surfaces.ui.screens import chat, inspector, learned, memory, review, tasks
from recollect.surfaces.ui.screens.health import HealthScreen
from recollect.surfaces.ui.screens.memories import MemoriesScreen
from recollect.surfaces.ui.screens.modules import ModulesScreen
from recollect.surfaces.ui.screens.operations import OperationsScreen
from recollect.surfaces.ui.screens.sessions import SessionsScreen
from recollect.surfaces.ui.screens.settings import SettingsScreen


def make_screens(memories: OpenMemories, jobs: BackgroundJobs) -> tuple[Sequence[Page], Sequence[Action]]:
    """Every page and every action. A fixed path stands before one with a name in it."""
    screens = (
        HealthScreen(memories, jobs),
        MemoriesScreen(memories),
        ModulesScreen(memories, jobs),
        SessionsScreen(memories),
        OperationsScreen(memories),
        SettingsScreen(memories, jobs),
    )
    pages = (
        *(page for screen in screens for page in screen.pages()),
        *(page for module in (review, memory, learned, inspector, chat, tasks) for page in module.PAGES),
    )
    actions = (
        *(action for screen in screens for action in screen.actions()),
        *(action for module in (review, memory, learned, tasks) for action in module.ACTIONS),
    )
    return pages, actions
