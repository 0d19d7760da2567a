"""`recollect learn`, `notes`, `validate`, `work` and `qa`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.surfaces.conftest import Run
