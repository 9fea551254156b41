"""What Qt needs of a Linux system: shared libraries, fonts for all scripts, and a display to test on.

The PySide6 wheels bring Qt itself, but not the libraries of the system that it is linked with.
``ldd`` on Qt's own files names those that are missing. macOS and Windows need nothing.
"""

from __future__ import annotations

import os
import shutil
import sys

import system_packages
import terminal
from environment import Environment
from terminal import CommandError

# The files of PySide6 that the app and its tests load, relative to PySide6/Qt.
LIBRARIES = ("Gui", "Widgets", "Svg", "OpenGL", "OpenGLWidgets", "DBus", "Network", "Test")
PLATFORMS = ("offscreen", "xcb")

# Debian's package for each library that Qt may miss; the part before ".so" is how ldd names it.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
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
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xinput.so.0": "libxcb-xinput0",
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


def provide(environment: Environment, *, fonts: bool, display_server: bool = False) -> None:
    """Installs what is missing; raises CommandError where a library is, and we may not install."""
    if not sys.platform.startswith("linux"):
        return
    libraries = missing_libraries(environment)
    packages = packages_of(libraries)
    if display_server and not shutil.which("Xvfb"):
        packages.append("xvfb")
    if libraries and not system_packages.is_debian():
        raise CommandError(_advice_elsewhere(libraries))
    if packages:
        system_packages.install(packages, "what Qt needs of the system")
        libraries = missing_libraries(environment)
        if libraries:
            raise CommandError(
                f"Qt still misses {', '.join(libraries)}. Install the packages that hold them."
            )
    if fonts:
        _provide_fonts()


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

    Raises CommandError for a library that is not in the table: Qt has a need that we do not know.
    """
    unknown = [library for library in libraries if library not in PACKAGES]
    if unknown:
        raise CommandError(
            f"Qt misses {', '.join(unknown)}. Install the packages that hold them, and add them to "
            "PACKAGES in packaging/qt_libraries.py."
        )
    return sorted({PACKAGES[library] for library in libraries})


def missing_fonts() -> list[str]:
    """Returns the Debian font packages for the scripts that no installed font covers."""
    if not shutil.which("fc-list"):
        return sorted(set(FONTS.values()))
    uncovered = {
        package
        for language, package in FONTS.items()
        if not terminal.captured(["fc-list", f":lang={language}", "family"])[1].strip()
    }
    return sorted(uncovered)


def _provide_fonts() -> None:
    """Installs fonts for the uncovered scripts; a picture with boxes is no reason to stop."""
    packages = missing_fonts()
    if not packages:
        return
    if system_packages.is_debian():
        packages = system_packages.missing([*packages, "fontconfig"])
    try:
        if packages:
            system_packages.install(packages, "fonts for the scripts of the sample texts")
    except CommandError as error:
        terminal.say(f"Some scripts will show as boxes: {error}")


def _advice_elsewhere(libraries: list[str]) -> str:
    """Returns how to get the libraries where there is no apt: dnf and zypper know them by name."""
    bits = "()(64bit)" if sys.maxsize > 2**32 else ""
    names = " ".join(f"'{library}{bits}'" for library in libraries)
    for tool in ("dnf", "zypper"):
        if shutil.which(tool):
            return f"Qt needs libraries that this system has not. Type:\n    sudo {tool} install {names}"
    return (
        f"Qt needs libraries that this system has not: {', '.join(libraries)}.\n"
        "Install the packages that hold them (the Qt packages of your distribution need the same)."
    )
