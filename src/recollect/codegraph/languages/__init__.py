"""
The languages that can be read, as data. Others join by an entry point of the group `recollect.languages` that
gives a `Language`, several of them, or a function that returns them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING

from recollect.codegraph.languages import c, csharp, go, java, javascript, php, python, ruby, rust
from recollect.codegraph.languages.language import Language
from recollect.model.value import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "recollect.languages"
BUILT_IN: tuple[Language, ...] = tuple(
    language
    for brought in (python, javascript, go, rust, java, c, csharp, ruby, php)
    for language in brought.languages()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Languages:
    """All installed languages, and the plugins that could not be used, each with the reason."""

    by_name: Mapping[str, Language]
    by_extension: Mapping[str, str]
    settings_files: frozenset[str]
    settings_patterns: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

    def language_of(self, path: str) -> str:
        """The language of a file, by its extension; "" for an unknown one."""
        name = path.rpartition("/")[2]
        return self.by_extension.get(name[name.rfind(".") :].lower(), "") if "." in name else ""

    def is_settings(self, path: str) -> bool:
        """Whether this settings file takes part in name resolution."""
        name = path.rpartition("/")[2]
        return name in self.settings_files or any(
            fnmatchcase(name, pattern) for pattern in self.settings_patterns
        )


@cache
def load_languages() -> Languages:
    """The built-in languages and those of plugins; a plugin that fails is named and left out."""
    # Takes longer to load than everything else here together, and only a build needs it.
    from importlib.metadata import entry_points

    return add_plugins(entry_points(group=GROUP))


def add_plugins(points: Iterable[EntryPoint]) -> Languages:
    """The built-in languages and what these entry points bring; a plugin may take over a built-in's files."""
    languages = list(BUILT_IN)
    plugins, broken = [], []
    for point in points:
        try:
            languages += _offered(point)
            plugins.append(point.name)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's code does, ours goes on
            broken.append(f"{point.name} ({point.value}): {type(error).__name__}: {error}")
    settings = frozenset().union(*(language.settings_files for language in languages))
    return Languages(
        by_name={language.name: language for language in languages},
        by_extension={ending: language.name for language in languages for ending in language.extensions},
        settings_files=settings,
        settings_patterns=tuple(name for name in settings if "*" in name),
        plugins=tuple(plugins),
        broken=tuple(broken),
    )


def _offered(point: EntryPoint) -> list[Language]:
    offered = point.load()
    if callable(offered) and not isinstance(offered, Language):
        offered = offered()
    listed = [offered] if isinstance(offered, Language) else list(offered)
    for one in listed:
        if not isinstance(one, Language):
            raise TypeError(f"{one!r} is no Language")
    return listed
