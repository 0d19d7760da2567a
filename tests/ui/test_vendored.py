"""Files of others are the ones that were pinned, with their licences."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_file_of_others_is_as_pinned_and_its_licence_is_there() -> None:
    script = ROOT / "tools" / "vendor" / "vendor.py"
    checked = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, "")
    lock = json.loads((script.parent / "vendor.lock.json").read_text("utf-8"))
    for package in lock["packages"]:
        notice = (ROOT / package["into"] / "THIRD_PARTY_LICENSES.txt").read_text("utf-8")
        assert f"{package['name']} {package['version']} ({package['licence']})" in notice


def test_no_file_of_others_is_there_without_being_pinned() -> None:
    lock = json.loads((ROOT / "tools" / "vendor" / "vendor.lock.json").read_text("utf-8"))
    pinned = {Path(package["into"], file["to"]) for package in lock["packages"] for file in package["files"]}
    folders = {Path(package["into"]) for package in lock["packages"]}
    there = {
        file.relative_to(ROOT)
        for folder in folders
        for file in (ROOT / folder).iterdir()
        if file.name != "THIRD_PARTY_LICENSES.txt"
    }
    assert there == pinned
