"""Every test of this folder that asks for a memory runs on both databases."""

from __future__ import annotations

from tests.both_databases import memory as memory
from tests.both_databases import store_address as store_address
