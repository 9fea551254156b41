"""The frozen app, and its packages for each system: ``dev.py freeze``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import frozen_checks
import frozen_packages
import terminal
from environment import Environment
from frozen_app import APP, FROZEN, OUTPUT, Freezer, size_of

PACKAGES = {
    "deb": ("The package", frozen_packages.debian_package),
    "appimage": ("The AppImage", frozen_packages.appimage),
    "installer": ("The installer", frozen_packages.windows_installer),
    "dmg": ("The disk image", frozen_packages.disk_image),
}
"""The packages that can be made: the option, the name, and the function."""


def report(what: str, path: Path, seconds: float) -> None:
    """Prints what was made, its size, and how long it took."""
    megabytes = size_of(path) / 1e6
    terminal.say(
        f"{what}: {terminal.short(path)}, {megabytes:.1f} MB, {terminal.duration(seconds)}"
    )


def make(packages: list[str], *, check: bool = False, quick: bool = False) -> int:
    """Makes the app, and packages of it, which are names of PACKAGES; returns 0 once it has passed the checks, if asked.

    The core must be compiled in place. ``quick``: neither the tour nor another system.
    """
    start = time.monotonic()
    Freezer(Environment(FROZEN / "environment")).make()
    report(
        "The app",
        APP if sys.platform != "darwin" else APP.parent / "Tokenarium.app",
        time.monotonic() - start,
    )
    for name in packages:
        what, maker = PACKAGES[name]
        start = time.monotonic()
        OUTPUT.mkdir(parents=True, exist_ok=True)
        report(what, maker(), time.monotonic() - start)
    return frozen_checks.run(quick=quick) if check else 0
