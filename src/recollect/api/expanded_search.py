"""Searches that go further than a recall, as `memory.expanded_search`: each when it is asked for, none by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from recollect.api.public_api import public_api
from recollect.api.wiring import Wiring
from recollect.model.complexity import GATES, Complexity, estimate_complexity
from recollect.model.phase import Phase
from recollect.model.query import Filters, Hit, Query, Recalled
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.observe.recognise.faults import read_fault
from recollect.observe.recognise.normal_line import normalize_line
from recollect.retrieve import known_errors
from recollect.retrieve.expanded_search import search_expanded
from recollect.retrieve.query_expansion import WriteAnswer
from recollect.retrieve.read_context import ReadContext
from recollect.retrieve.recipes import MAX_RECIPES as MOST_RECIPES
from recollect.retrieve.recipes import find_recipes
from recollect.retrieve.search import search

# Seconds a wide search may take to begin anything more; what is begun is finished.
WITHIN = 2.0
_IMAGINED_TOKENS = 150
_MOST_E2E = 8
_SURE_E2E = 0.7


@public_api
class ExpandedSearch:
    """Searches beyond the words of a question, as `memory.expanded_search`."""

    def __init__(self, wiring: Wiring, timer: Callable[[], float] = time.monotonic) -> None:
        self._wiring = wiring
        self._timer = timer

    def recall(
        self, query: Query, *, about: Iterable[Subject | str] = (), within: float = WITHIN
    ) -> Recalled:
        """
        What memory knows about a question, looked for twice if little is found, with what is tied to its files.

        `about` names files at hand. A writing model is asked only if the settings name one.
        """
        wiring = self._wiring
        until = self._timer() + within
        files = [subject.name for subject in wiring.subjects(about) if subject.type == "file"]
        recalled = search_expanded(
            self._read_context(),
            query,
            wiring.now(),
            files=files,
            imagine=self._imagine(within),
            in_time=lambda: self._timer() < until,
        )
        wiring.record_access(hit.memory.id for hit in recalled.answers)
        return recalled

    def recipes(
        self,
        task: str,
        *,
        complexity: Complexity | str | None = None,
        filters: Filters | None = None,
        limit: int | None = None,
    ) -> Sequence[Hit]:
        """The recipes that fit a task, two unless `limit` says otherwise; none for a trivial one."""
        if not GATES[_complexity(task, complexity)].recipes:
            return ()
        hits = find_recipes(
            self._read_context(),
            task,
            filters or self._filters(),
            self._wiring.now(),
            limit=limit or MOST_RECIPES,
        )
        return self._record_access(hits)

    def e2e(self, feature: str, *, complexity: Complexity | str | None = None) -> Sequence[Hit]:
        """What was seen in the running application that bears on a feature, at most eight; none for a trivial task."""
        if not GATES[_complexity(feature, complexity)].e2e:
            return ()
        filters = replace(self._filters(), kinds=("e2e_observation",), min_confidence=_SURE_E2E, fresh=True)
        query = Query(text=feature, limit=_MOST_E2E, filters=filters, phase=Phase.VALIDATE)
        return self._record_access(search(self._read_context(), query, self._wiring.now()).hits)

    def errors(
        self, output: str, *, filters: Filters | None = None, limit: int | None = None
    ) -> Sequence[Hit]:
        """What is known about the error in a tool's output: the same one seen before, or one much like it."""
        fault = read_fault(output)
        if fault is None:
            return ()
        hits = known_errors.find_known_errors(
            self._read_context(),
            fault.lines,
            filters or self._filters(),
            self._wiring.now(),
            normal=normalize_line,
            limit=limit or known_errors.MAX_KNOWN_ERRORS,
        )
        return self._record_access(hits)

    def _record_access(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        self._wiring.record_access(hit.memory.id for hit in hits)
        return hits

    def _read_context(self) -> ReadContext:
        self._wiring.drain_inbox()
        return self._wiring.read_context()

    def _filters(self) -> Filters:
        return Filters(project_id=self._wiring.project_id())

    def _imagine(self, within: float) -> WriteAnswer:
        completer = self._wiring.completer(within)
        if completer is None:
            return None
        return lambda prompt: completer.complete(prompt, max_tokens=_IMAGINED_TOKENS)


def _complexity(task: str, named: Complexity | str | None) -> Complexity:
    return Complexity(named) if named else estimate_complexity(task)
