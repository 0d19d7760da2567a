"""
The classes behind `memory.code`, `memory.reviews` and the others, each imported when it is first asked for.

A recall pays for none of them. One function a sub-API, so that mypy and the import graph see every edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.api.admin import Admin
    from recollect.api.browse import Browse
    from recollect.api.chats import Chats
    from recollect.api.code import Code
    from recollect.api.contexts import Contexts, Rendering
    from recollect.api.expanded_search import ExpandedSearch
    from recollect.api.framework_state import Checkpoints, Items, Logs
    from recollect.api.learning import Learning
    from recollect.api.lessons import Lessons
    from recollect.api.methods import Methods
    from recollect.api.observer import Injections, Observer
    from recollect.api.operations import Operations
    from recollect.api.recipes import Recipes
    from recollect.api.reviews import Reviews
    from recollect.api.safety import Safety
    from recollect.api.skills import Skills
    from recollect.api.staleness import Staleness
    from recollect.api.upkeep import Upkeep
    from recollect.api.vault import Vault
    from recollect.api.writing import Writing


def load_admin() -> type[Admin]:
    from recollect.api.admin import Admin

    return Admin


def load_browse() -> type[Browse]:
    from recollect.api.browse import Browse

    return Browse


def load_code() -> type[Code]:
    from recollect.api.code import Code

    return Code


def load_contexts() -> type[Contexts]:
    from recollect.api.contexts import Contexts

    return Contexts


def load_expanded_search() -> type[ExpandedSearch]:
    from recollect.api.expanded_search import ExpandedSearch

    return ExpandedSearch


def load_injections() -> type[Injections]:
    from recollect.api.observer import Injections

    return Injections


def load_methods() -> type[Methods]:
    from recollect.api.methods import Methods

    return Methods


def load_observer() -> type[Observer]:
    from recollect.api.observer import Observer

    return Observer


def load_rendering() -> type[Rendering]:
    from recollect.api.contexts import Rendering

    return Rendering


def load_reviews() -> type[Reviews]:
    from recollect.api.reviews import Reviews

    return Reviews


def load_safety() -> type[Safety]:
    from recollect.api.safety import Safety

    return Safety


def load_staleness() -> type[Staleness]:
    from recollect.api.staleness import Staleness

    return Staleness


def load_upkeep() -> type[Upkeep]:
    from recollect.api.upkeep import Upkeep

    return Upkeep


def load_writing() -> type[Writing]:
    from recollect.api.writing import Writing

    return Writing


def load_chats() -> type[Chats]:
    from recollect.api.chats import Chats

    return Chats


def load_operations() -> type[Operations]:
    from recollect.api.operations import Operations

    return Operations


def load_vault() -> type[Vault]:
    from recollect.api.vault import Vault

    return Vault


def load_learning() -> type[Learning]:
    from recollect.api.learning import Learning

    return Learning


def load_lessons() -> type[Lessons]:
    from recollect.api.lessons import Lessons

    return Lessons


def load_recipes() -> type[Recipes]:
    from recollect.api.recipes import Recipes

    return Recipes


def load_skills() -> type[Skills]:
    from recollect.api.skills import Skills

    return Skills


def load_logs() -> type[Logs]:
    from recollect.api.framework_state import Logs

    return Logs


def load_items() -> type[Items]:
    from recollect.api.framework_state import Items

    return Items


def load_checkpoints() -> type[Checkpoints]:
    from recollect.api.framework_state import Checkpoints

    return Checkpoints
