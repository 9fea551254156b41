"""The libraries of a Linux system that Qt needs, the packages that hold them, and what to say where one is missing.

PySide6's wheels bring Qt, but not the libraries that it is linked with. Where one is missing, Python cannot import Qt,
or Qt ends the process because it cannot load the plugin for the display: `refusal` finds both out before, and returns
a sentence. It uses the standard library alone, since it runs where nothing else does.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from tokenarium.models.installation import how_to_repair

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
"""Debian's package for each library of the system that these files of Qt are linked with."""

LIBRARIES = ("Gui", "Widgets", "Svg", "OpenGL", "OpenGLWidgets", "DBus", "Network")
"""The libraries of Qt that the window uses."""

APT_LISTS = Path("/var/lib/apt/lists")
"""Where apt keeps the lists of packages; a bare container has none."""

RENDERS = "Without a display, “tokenarium --render DIR” writes pictures of the window, and the commands work."

MISSING = re.compile(r"(\S+\.so[.\d]*): cannot open shared object file")
"""How the system's loader names a library that is not there."""


def refusal(error: ImportError) -> str:
    """Returns why Qt cannot be imported, and what to do; empty for an error that has other reasons."""
    match = MISSING.search(str(error))
    if match and sys.platform.startswith("linux"):
        return how_to_get(sorted({match[1], *missing_libraries()}))
    if error.name and error.name.partition(".")[0] in ("PySide6", "shiboken6"):
        return f"The window needs PySide6, which this Python cannot import: {error}.\n{how_to_repair('PySide6-Essentials')}"
    return ""


def display_refusal() -> str:
    """Returns why no window can be opened here, and what to do; empty if one can.

    It loads what Qt would load, in the order in which Qt tries, and asks the display for a connection.
    """
    if not sys.platform.startswith("linux"):
        return ""
    asked = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if asked not in ("", "xcb", "wayland") or "-platform" in sys.argv:
        return ""  # offscreen and the like need no display
    wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    x11 = bool(os.environ.get("DISPLAY"))
    if not (wayland or x11):
        return f"There is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set. {RENDERS}"
    names = (["wayland"] if wayland and asked != "xcb" else []) + (["xcb"] if x11 else [])
    reasons = [reason for name in names if (reason := _refused_by(name)) is not None]
    return reasons[0] if reasons and len(reasons) == len(names) else ""


def _refused_by(platform: str) -> str | None:
    """Returns why Qt's plugin for a platform cannot be used; None if it can, or if that is not known."""
    import ctypes

    folder = qt_folder()
    plugin = folder / "plugins" / "platforms" / f"libq{platform}.so" if folder else None
    if plugin is None or not os.path.exists(plugin):
        return None
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        match = MISSING.search(str(error))
        return how_to_get(sorted({match[1], *missing_libraries()})) if match else str(error)
    return _no_connection(ctypes.CDLL("libxcb.so.1")) if platform == "xcb" else None


def _no_connection(xcb: object) -> str | None:
    """Returns a sentence where the X server does not answer; Qt would end the process."""
    import ctypes

    assert isinstance(xcb, ctypes.CDLL)
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    if not failed:
        return None
    return (
        f"The display {os.environ['DISPLAY']} cannot be reached. Check that it is running, and that this user may use it. "
        f"{RENDERS}"
    )


def qt_folder() -> Path | None:
    """Returns the folder of Qt in PySide6, which is not imported; None where Qt is the system's own."""
    spec = find_spec("PySide6")
    places = spec.submodule_search_locations if spec else None
    folder = Path(next(iter(places))) / "Qt" if places else None
    return folder if folder is not None and os.path.isdir(folder) else None


def qt_files(folder: Path) -> list[Path]:
    """Returns the files of Qt that the window loads here."""
    platforms = ["offscreen", "xcb"] + ["wayland"] * bool(os.environ.get("WAYLAND_DISPLAY"))
    files = [folder / "lib" / f"libQt6{name}.so.6" for name in LIBRARIES]
    files += [folder / "plugins" / "platforms" / f"libq{name}.so" for name in platforms]
    return [file for file in files if os.path.exists(file)]


def missing_libraries() -> list[str]:
    """Returns the libraries that Qt is linked with and the system has not; none where ldd is not there to say."""
    import subprocess

    folder = qt_folder()
    if folder is None:
        return []
    try:
        asked = subprocess.run(  # ends at once, with no `end_with_parent`
            ["ldd", *qt_files(folder)], capture_output=True, text=True, check=False
        )
    except OSError:
        return []
    return not_found(asked.stdout)


def not_found(ldd_output: str) -> list[str]:
    """Returns the libraries that ldd did not find, each once, sorted.

    >>> not_found("\\tlibEGL.so.1 => not found\\n\\tlibc.so.6 => /lib/libc.so.6 (0x7f)\\n")
    ['libEGL.so.1']
    """
    lines = (line.split() for line in ldd_output.splitlines())
    return sorted({words[0] for words in lines if words[1:] == ["=>", "not", "found"]})


def how_to_get(libraries: list[str]) -> str:
    """Returns that Qt misses these libraries, and the command that installs them on this system."""
    said = f"Qt needs libraries that this system does not have: {', '.join(libraries)}.\n"
    if _has_program("apt-get"):
        packages = sorted({PACKAGES[library] for library in libraries if library in PACKAGES})
        other = [library for library in libraries if library not in PACKAGES]
        rights = _rights()
        command = f"{rights}apt-get install --no-install-recommends {' '.join(packages)}"
        if not any("_Packages" in entry.name for entry in APT_LISTS.glob("*")):
            command = f"{rights}apt-get update && {command}"
        if not packages:
            return said + "Install the packages that contain them."
        more = f"\nand the packages that contain {', '.join(other)}." if other else ""
        return f"{said}Type:\n    {command}{more}"
    bits = "()(64bit)" if sys.maxsize > 2**32 else ""
    names = " ".join(f"'{library}{bits}'" for library in libraries)
    for tool in ("dnf", "zypper"):
        if _has_program(tool):
            return f"{said}Type:\n    {_rights()}{tool} install {names}"
    return f"{said}Install the packages that contain them (the Qt packages of your distribution need the same)."


def _rights() -> str:
    """Returns what comes before a command of an administrator, who needs nothing."""
    return "" if os.geteuid() == 0 else "sudo "


def _has_program(name: str) -> bool:
    from shutil import which

    return which(name) is not None
