"""Qt's requirements on a Linux system: shared libraries, and fonts for all scripts.

The PySide6 wheels bring Qt itself, but not the libraries of the system that it is linked with. Known ones are checked
before Qt is installed; afterwards, ``ldd`` on its files finds any others. macOS and Windows need nothing.
"""

from __future__ import annotations

import os
import shutil
import sys

import system_packages
import terminal
from environment import Environment, child_variables
from project import ROOT
from terminal import CommandError

sys.path.append(str(ROOT / "explorer"))  # before anything is installed
from tokenarium.models.system_libraries import LIBRARIES as WINDOW_LIBRARIES
from tokenarium.models.system_libraries import PACKAGES, not_found

# The files of PySide6 that the app and its tests load, relative to PySide6/Qt.
LIBRARIES = (*WINDOW_LIBRARIES, "Test")
PLATFORMS = ("offscreen", "xcb")

# Languages in the scripts of the sample texts, and the fonts that Debian has for them.
FONTS = {
    "en": "fonts-dejavu-core",
    "ar": "fonts-noto-core",
    "hi": "fonts-noto-core",
    "th": "fonts-noto-core",
    "am": "fonts-noto-core",
    "ja": "fonts-noto-cjk",
    "ko": "fonts-noto-cjk",
    "zh-cn": "fonts-noto-cjk",
    "und-zsye": "fonts-noto-color-emoji",
}


LOADING = """
import ctypes, sys
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
    except OSError:
        print(name)
"""


def known() -> list[str]:
    """Returns the libraries that Qt is known to need here, sorted."""
    wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    return sorted(name for name in PACKAGES if wayland or not name.startswith("libwayland"))


def unloadable(libraries: list[str]) -> list[str]:
    """Returns the libraries that this system cannot load, found by a process that loads them."""
    command = [sys.executable, "-c", LOADING, *libraries]
    code, output = terminal.captured(command, variables=child_variables())
    return output.split() if code == 0 else []  # a Python without ctypes: ldd says it later


def provide(environment: Environment) -> None:
    """Installs further libraries that Qt lacks; if that fails, says so.

    This never stops the command, as the missing library may belong to a part of Qt that is not used.
    """
    libraries = missing_libraries(environment) if sys.platform.startswith("linux") else []
    if not libraries:
        return
    packages = packages_of(libraries)
    try:
        if packages and system_packages.is_debian():
            system_packages.install(packages, "what Qt needs of the system")
            libraries = missing_libraries(environment)
    except CommandError as error:
        terminal.say(str(error))
    if libraries:
        terminal.say(
            f"Qt misses {', '.join(libraries)}. Should the window not open, install the packages that hold them."
        )


def missing_libraries(environment: Environment) -> list[str]:
    """Returns the names of the shared libraries that Qt is linked with and the system lacks."""
    qt = environment.packages() / "PySide6" / "Qt"
    platforms = list(PLATFORMS)
    if os.environ.get("WAYLAND_DISPLAY"):
        platforms.append("wayland")
    files = [qt / "lib" / f"libQt6{name}.so.6" for name in LIBRARIES]
    files += [qt / "plugins" / "platforms" / f"libq{name}.so" for name in platforms]
    _, output = terminal.captured(["ldd", *(file for file in files if file.exists())])
    return not_found(output)


def packages_of(libraries: list[str]) -> list[str]:
    """Returns the Debian packages that hold these libraries, each once, sorted.

    One that is not in the table is looked for under the name that Debian's rules give its package; it is left out if
    apt knows none.
    """
    found = {PACKAGES.get(library) or system_packages.of_library(library) for library in libraries}
    return sorted(package for package in found if package)


def missing_fonts() -> list[str]:
    """Returns the Debian packages of fonts for the scripts that no installed font covers."""
    if not shutil.which("fc-list"):
        return sorted({*FONTS.values(), "fontconfig"})
    uncovered = {
        package
        for language, package in FONTS.items()
        if not terminal.captured(["fc-list", f":lang={language}", "family"])[1].strip()
    }
    return sorted(uncovered)
