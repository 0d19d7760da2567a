"""
Fetch the scripts of the dashboard from npm, exactly as `vendor.lock.json` names them.

    python tools/vendor/vendor.py            write the files anew, from packages whose hash is the pinned one
    python tools/vendor/vendor.py --check    only compare the files that are there with the pinned hashes

A package is pinned by version and by the hash that npm publishes for it; each file by its own. A package without a
licence file has its licence in `licences`. Nobody who installs recollect needs npm.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LOCK = Path(__file__).with_name("vendor.lock.json")
NOTICE = "THIRD_PARTY_LICENSES.txt"


def main(arguments: list[str]) -> int:
    """Write or check every file; 0 when all are as pinned."""
    lock = json.loads(LOCK.read_text("utf-8"))
    if arguments == ["--check"]:
        return _check(lock)
    notices: dict[Path, list[str]] = {}
    for package in lock["packages"]:
        archive = _fetch(package)
        folder = ROOT / package["into"]
        folder.mkdir(parents=True, exist_ok=True)
        for file in package["files"]:
            content = _read(archive, file["from"])
            file["sha256"] = hashlib.sha256(content).hexdigest()
            (folder / file["to"]).write_bytes(content)
        notices.setdefault(folder, []).append(_notice(package, archive))
    for folder, texts in notices.items():
        (folder / NOTICE).write_text("\n\n".join(texts), "utf-8")
    LOCK.write_text(json.dumps(lock, indent=2) + "\n", "utf-8")
    return _check(lock)


def _check(lock: dict[str, Any]) -> int:
    wrong = [
        str(path)
        for package in lock["packages"]
        for file in package["files"]
        for path in [ROOT / package["into"] / file["to"]]
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]
    ]
    for path in wrong:
        print(f"not as pinned: {path}")
    return 1 if wrong else 0


def _fetch(package: dict[str, Any]) -> bytes:
    """The package as npm has it; an error if it is not the one that was pinned."""
    name = f"{package['name']}@{package['version']}"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["npm", "pack", name, "--silent", "--pack-destination", folder], check=True, capture_output=True
        )
        (file,) = Path(folder).iterdir()
        content = file.read_bytes()
    digest = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    if digest != package["integrity"]:
        raise SystemExit(f"{name} is not what was pinned: {digest}")
    return content


def _read(archive: bytes, path: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive)) as package:
        member = package.extractfile(f"package/{path}")
        assert member is not None, path
        return member.read()


def _notice(package: dict[str, Any], archive: bytes) -> str:
    text = _read(archive, package["licence_file"]).decode("utf-8").strip()
    return f"{package['name']} {package['version']} ({package['licence']})\n{'-' * 60}\n{text}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
