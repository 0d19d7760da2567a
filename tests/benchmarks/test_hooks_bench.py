"""What hooks cost is measured on real processes that say what they should."""

from __future__ import annotations

from benchmarks import hooks
from benchmarks.goals import GOALS


def test_every_hook_is_measured_beside_a_bare_python_and_shell() -> None:
    measures = hooks.run(1, lambda done, total: None, memories=3, warm=0)
    assert [measure.key for measure in measures][:2] == ["bare", "shell"]
    keys = {measure.key for measure in measures}
    assert {key for key in GOALS if key.startswith("hook_")} <= keys
    assert all(measure.ours["cpu_ms"] > 0 for measure in measures)
