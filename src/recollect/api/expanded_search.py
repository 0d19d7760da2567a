"""The desk for searches that go further than a recall: each when it is asked for, none by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from recollect.api.wiring import Wiring
from recollect.model.complexity import GATES, Complexity, complexity_of_task
from recollect.model.hit import Hit, Recalled
from recollect.model.phase import Phase
from recollect.model.query import Filters, Query
from recollect.model.subject import Subject
from recollect.model.value import replace
from recollect.observe.recognise.faults import read_fault
from recollect.observe.recognise.normal_line import normal_line
from recollect.retrieve import known_errors
from recollect.retrieve.expanded_search import wide
from recollect.retrieve.query_expansion import Imagine
from recollect.retrieve.recipes import MOST as MOST_RECIPES
from recollect.retrieve.recipes import recipes_for
from recollect.retrieve.search import search

# Seconds a wide search may take to begin anything more; what is begun is finished.
WITHIN = 2.0
_IMAGINED_TOKENS = 150
_MOST_E2E = 8
_SURE_E2E = 0.7


class Wider:
    """Searches beyond the words of a question, as `memory.wider`."""

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
        found = wide(
            wiring.ground(),
            query,
            wiring.now(),
            files=files,
            imagine=self._imagine(within),
            in_time=lambda: self._timer() < until,
        )
        wiring.asked_for(hit.memory.id for hit in found)
        return found

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
        found = recipes_for(
            self._wiring.ground(),
            task,
            filters or self._filters(),
            self._wiring.now(),
            limit=limit or MOST_RECIPES,
        )
        return self._asked(found)

    def e2e(self, feature: str, *, complexity: Complexity | str | None = None) -> Sequence[Hit]:
        """What was seen in the running application that bears on a feature, at most eight; none for a trivial task."""
        if not GATES[_complexity(feature, complexity)].e2e:
            return ()
        filters = replace(self._filters(), kinds=("e2e_observation",), min_confidence=_SURE_E2E, fresh=True)
        query = Query(text=feature, limit=_MOST_E2E, filters=filters, phase=Phase.VALIDATE)
        return self._asked(search(self._wiring.ground(), query, self._wiring.now()).hits)

    def errors(
        self, output: str, *, filters: Filters | None = None, limit: int | None = None
    ) -> Sequence[Hit]:
        """What is known about the error in a tool's output: the same one seen before, or one much like it."""
        fault = read_fault(output)
        if fault is None:
            return ()
        found = known_errors.known_faults(
            self._wiring.ground(),
            fault.lines,
            filters or self._filters(),
            self._wiring.now(),
            normal=normal_line,
            limit=limit or known_errors.MOST,
        )
        return self._asked(found)

    def _asked(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        self._wiring.asked_for(hit.memory.id for hit in hits)
        return hits

    def _filters(self) -> Filters:
        return Filters(project_id=self._wiring.project_id())

    def _imagine(self, within: float) -> Imagine:
        completer = self._wiring.completer(within)
        if completer is None:
            return None
        return lambda prompt: completer.complete(prompt, max_tokens=_IMAGINED_TOKENS)


def _complexity(task: str, given: Complexity | str | None) -> Complexity:
    return Complexity(given) if given else complexity_of_task(task)
