"""
`make test-adapters`: an environment of its own with the frameworks, their own tests fetched, and both run.

What cannot be fetched is named and skipped: without a network there is nothing to prove here.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENV = ROOT / ".venv-adapters"
SUITES = ROOT / ".adapters"
PINNED = ROOT / "requirements" / "adapters.txt"
SUITE_PINS = ROOT / "requirements" / "adapter-suites.txt"
PYTHON = VENV / ("Scripts" if sys.platform == "win32" else "bin") / "python"

# Warnings of frameworks are not ours to mend.
CONFIGURATION = ("-o", "filterwarnings=ignore", "-o", "asyncio_mode=auto")


def main() -> int:
    """Set up what is missing, then run; 0 if all that could be run passed."""
    if not _make_environment():
        return 0
    if not _install_ourselves():
        return 1
    for line in SUITE_PINS.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            _fetch_suite(line)
    options = sys.argv[1:] or ["-n", "4"]
    tests = [str(PYTHON), "-m", "pytest", "tests/adapters", "-rs", *CONFIGURATION, *options]
    passed = subprocess.run(tests, cwd=ROOT, check=False).returncode
    typed = subprocess.run(
        [str(PYTHON), "-m", "mypy", "src/recollect/adapters", "examples/frameworks"], cwd=ROOT, check=False
    ).returncode
    return passed or typed


def _make_environment() -> bool:
    """The environment of `requirements/adapters.txt`; False, with a sentence, if it cannot be had."""
    wanted = hashlib.sha256(PINNED.read_bytes()).hexdigest()
    stamp = VENV / "ready"
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return True
    uv = shutil.which("uv")
    if uv:
        steps = [
            [uv, "venv", "-q", "--allow-existing", "--python", sys.executable, str(VENV)],
            [uv, "pip", "install", "-q", "--python", str(PYTHON), "--require-hashes", "-r", str(PINNED)],
            [uv, "pip", "install", "-q", "--python", str(PYTHON), "pip"],
        ]
    else:
        pip = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        steps = [
            [sys.executable, "-m", "venv", "--clear", str(VENV)],
            [*pip, "--require-hashes", "-r", str(PINNED)],
        ]
    for step in steps:
        ended = subprocess.run(step, cwd=ROOT, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            reason = (ended.stderr.strip().splitlines() or ["no reason was given"])[-1]
            print(f"The frameworks could not be installed, so no adapter is tested: {reason}")
            return False
    stamp.write_text(wanted, "utf-8")
    return True


def _install_ourselves() -> bool:
    """Our own package into that environment; nothing is fetched for it, so that it fails is a fault of ours."""
    command = [
        str(PYTHON),
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-e",
        str(ROOT),
    ]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        print(f"recollect could not be installed beside the frameworks:\n{ended.stderr.strip()}")
    return ended.returncode == 0


def _fetch_suite(pin: str) -> None:
    """One source package, by name, version and hash, unpacked; where it cannot be had, its tests are skipped."""
    name, _, version = pin.split()[0].partition("==")
    target = SUITES / f"{name}-{version}"
    if target.exists():
        return
    SUITES.mkdir(exist_ok=True)
    pins = SUITES / f"{name}.txt"
    pins.write_text(pin + "\n", "utf-8")
    download = [str(PYTHON), "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    ended = subprocess.run(
        [*download, "--no-build-isolation", "--require-hashes", "-r", str(pins), "-d", str(SUITES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    archive = SUITES / f"{name.replace('-', '_')}-{version}.tar.gz"
    if ended.returncode != 0 or not archive.exists():
        reason = (ended.stderr.strip().splitlines() or ["it was not found"])[-1]
        print(f"The tests of {name} could not be fetched: {reason}")
        return
    with tarfile.open(archive) as packed:
        packed.extractall(SUITES, filter="data")
    unpacked = SUITES / f"{name.replace('-', '_')}-{version}"
    if unpacked != target:
        unpacked.rename(target)
    archive.unlink()


if __name__ == "__main__":
    raise SystemExit(main())
