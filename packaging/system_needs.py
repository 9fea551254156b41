"""The requirements of a command on a Linux system, checked together before anything is installed or compiled.

That is Python's own means to make an environment, a C compiler and Python's headers, Qt's libraries, fonts, and a
display to test on. macOS and Windows need none of these packages.
"""

from __future__ import annotations

import shutil
import sys
from typing import Literal

import core_build
import qt_libraries
import system_packages
import terminal
from environment import Environment, venv_packages
from terminal import CommandError

# The programs that check the desktop's files about the app, and Debian's packages of them.
TEST_TOOLS = {
    "desktop-file-validate": "desktop-file-utils",
    "appstreamcli": "appstream",
    "update-mime-database": "shared-mime-info",
    "gio": "libglib2.0-bin",
    "xdg-mime": "xdg-utils",
    "faketime": "faketime",
}


def provide(
    *,
    compiler: Literal["needed", "wished", "unused"] = "needed",
    window: bool = True,
    fonts: bool = False,
    display_server: bool = False,
    test_tools: bool = False,
) -> None:
    """Installs all that is missing with one command of apt.

    If that is not allowed, raises CommandError with the command, or only prints it if the rest works without. A window
    opens without a compiler (the core then runs interpreted) and without ``fonts``. The ``test_tools`` check menu
    entries and file types, and give a program a clock of its own; only a system other than Debian may lack them.
    """
    if not sys.platform.startswith("linux"):
        return
    environment = Environment.default()
    needed = [] if environment.works() else venv_packages()
    wished: list[str] = []
    if compiler != "unused" and not core_build.is_up_to_date(environment):
        packages = core_build.compiler_packages()
        (needed if compiler == "needed" else wished).extend(packages)
    libraries = qt_libraries.unloadable(qt_libraries.known()) if window else []
    needed += qt_libraries.packages_of(libraries)
    if display_server and not shutil.which("Xvfb"):
        needed.append("xvfb")
    if test_tools:
        (needed if system_packages.is_debian() else wished).extend(missing_test_tools())
    if fonts:
        found = qt_libraries.missing_fonts()
        wished += system_packages.missing(found) if system_packages.is_debian() else found
    packages = list(dict.fromkeys([*needed, *wished]))
    if not packages:
        return
    try:
        if not system_packages.is_debian():
            raise CommandError(elsewhere(libraries, packages))
        system_packages.install(packages, "what Tokenarium needs of the system")
    except CommandError as error:
        if needed:
            raise
        terminal.say(f"Not all that makes it complete is here, so it goes on without: {error}")


def missing_test_tools() -> list[str]:
    """Returns the packages of those programs that this system lacks."""
    return [package for name, package in TEST_TOOLS.items() if not shutil.which(name)]


def elsewhere(libraries: list[str], packages: list[str]) -> str:
    """Returns how to get missing libraries without apt: dnf and zypper know libraries by name."""
    bits = "()(64bit)" if sys.maxsize > 2**32 else ""
    names = [f"'{library}{bits}'" for library in libraries]
    if "gcc" in packages:
        names.append("gcc")
    if any(package.endswith("-dev") and package.startswith("python") for package in packages):
        names.append("python3-devel")
    for tool in ("dnf", "zypper"):
        if shutil.which(tool) and names:
            return f"this system lacks packages. Type:\n    sudo {tool} install {' '.join(names)}"
    return (
        "this system lacks packages that Debian and Ubuntu call "
        f"{', '.join(packages)}.\nInstall those of the same purpose, and run the command again."
    )
