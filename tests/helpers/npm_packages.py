"""Packages of npm for the tests, in versions that are written down; kept in the build folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from project import BUILD


def npm_package(name: str, version: str) -> Path:
    """Returns a folder whose ``node_modules`` has a package; skips the test where npm cannot get it.

    Nothing of the package runs when it is installed.
    """
    folder = BUILD / "npm" / f"{name.replace('/', '+')}-{version}"
    done = folder / "installed"
    if done.exists():
        return folder
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("needs npm and Node.js")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--silent", "--ignore-scripts", "--prefix", str(folder)]
    made = subprocess.run(
        [*command, f"{name}@{version}"], capture_output=True, timeout=300, check=False
    )
    if made.returncode:
        pytest.skip(f"npm does not reach {name}")
    done.touch()
    return folder
