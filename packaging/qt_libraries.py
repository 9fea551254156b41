"""What Qt needs of a Linux system: shared libraries, and fonts for all scripts.

The PySide6 wheels bring Qt itself, but not the libraries of the system that it is linked with. Those that are known
are looked for before Qt is there; once it is, ``ldd`` on its own files names any others. macOS and Windows need nothing.
"""

from __future__ import annotations

import os
import shutil
import sys

import system_packages
import terminal
from environment import Environment, child_variables
from terminal import CommandError

# The files of PySide6 that the app and its tests load, relative to PySide6/Qt.
LIBRARIES = ("Gui", "Widgets", "Svg", "OpenGL", "OpenGLWidgets", "DBus", "Network", "Test")
PLATFORMS = ("offscreen", "xcb")

# Debian's package for each library of the system that one of these files is linked with.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libbrotlicommon.so.1": "libbrotli1",
    "libbrotlidec.so.1": "libbrotli1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}

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
    """Returns those libraries that this system does not load; asked in a process that loads them."""
    command = [sys.executable, "-c", LOADING, *libraries]
    code, output = terminal.captured(command, variables=child_variables())
    return output.split() if code == 0 else []  # a Python without ctypes: ldd says it later


def provide(environment: Environment) -> None:
    """Installs what Qt misses although it was not known to need it; where that does not work, says so.

    A library may be missing that only a part of Qt needs which is not used here, so this never stops.
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
    """Returns the names of the shared libraries that Qt is linked with and the system has not."""
    qt = environment.packages() / "PySide6" / "Qt"
    platforms = list(PLATFORMS)
    if os.environ.get("WAYLAND_DISPLAY"):
        platforms.append("wayland")
    files = [qt / "lib" / f"libQt6{name}.so.6" for name in LIBRARIES]
    files += [qt / "plugins" / "platforms" / f"libq{name}.so" for name in platforms]
    _, output = terminal.captured(["ldd", *(file for file in files if file.exists())])
    return not_found(output)


def not_found(ldd_output: str) -> list[str]:
    """Returns the libraries that ldd did not find, each once, sorted.

    >>> not_found("\\tlibEGL.so.1 => not found\\n\\tlibc.so.6 => /lib/libc.so.6 (0x7f)\\n")
    ['libEGL.so.1']
    """
    lines = (line.split() for line in ldd_output.splitlines())
    return sorted({words[0] for words in lines if words[1:] == ["=>", "not", "found"]})


def packages_of(libraries: list[str]) -> list[str]:
    """Returns the Debian packages that hold these libraries, each once, sorted.

    One that is not in the table is looked for under the name that Debian's rules give its package; it is left out
    where apt knows none.
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
