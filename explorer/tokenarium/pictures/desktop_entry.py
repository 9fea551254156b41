"""The entry of the app in the menu of a Linux desktop, with the types of its files and the scheme of its links.

The files are those of the freedesktop.org specifications: a desktop entry, a package of MIME types, and icons of the
theme "hicolor". A package of the system has them in ``/usr/share``; after pip, `install` writes them for the user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Final

from tokenarium_core.whole_files import write_files

ENTRY: Final = "applications/tokenarium.desktop"
TYPES: Final = "mime/packages/tokenarium.xml"
ICONS: Final = "icons/hicolor"

REFRESHERS: Final = (
    ("update-mime-database", "mime"),
    ("update-desktop-database", "applications"),
)
"""The programs that make the desktop read changed files, and the folder that each is given."""


def shared_files(command: list[str] | None = None) -> dict[str, bytes]:
    """Returns the files of the entry, by their paths in a folder such as ``/usr/share``.

    ``command``: how the app is started, where its name alone does not find it.
    """
    from tokenarium.pictures.app_icons import icon_files

    folder = resources.files("tokenarium.resources") / "desktop"
    entry = (folder / "tokenarium.desktop").read_text("utf-8")
    if command is not None:
        written = " ".join(quoted(word) for word in command)
        entry = entry.replace("Exec=tokenarium", f"Exec={written}")
        # Without the program, for instance once it is uninstalled, the entry is not shown.
        entry = entry.replace("Terminal=", f"TryExec={_escaped(command[0])}\nTerminal=", 1)
    files = {
        ENTRY: entry.encode(),
        TYPES: (folder / "tokenarium-mime.xml").read_bytes(),
    }
    return files | {f"{ICONS}/{path}": data for path, data in icon_files().items()}


def quoted(word: str) -> str:
    """Returns a word as the command of an entry has it (Desktop Entry Specification, "The Exec key").

    >>> print(quoted("/home/a b/50%/tokenarium"))
    "/home/a b/50%%/tokenarium"
    """
    plain = word.replace("%", "%%")
    if plain and all(letter.isalnum() or letter in "%+,-./:=@_" for letter in plain):
        return plain
    for sign in '\\"`$':
        plain = plain.replace(sign, "\\" + sign)
    return _escaped(f'"{plain}"')


def _escaped(text: str) -> str:
    """Returns a text as a value of the type "string"."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def program() -> list[str]:
    """Returns how this program is started from anywhere."""
    if image := os.environ.get("APPIMAGE"):
        return [image]
    if getattr(sys, "frozen", False):
        return [sys.executable]
    beside = Path(sys.executable).with_name("tokenarium")
    if os.path.exists(beside):
        return [str(beside)]
    path = shutil.which("tokenarium")
    return [os.path.abspath(path)] if path else [sys.executable, "-m", "tokenarium"]


def user_folder() -> Path:
    """Returns the folder of the user's own entries: ``XDG_DATA_HOME``, or ``~/.local/share``."""
    import platformdirs

    return platformdirs.user_data_path()


def is_possible() -> bool:
    """Whether this system has such entries."""
    return sys.platform.startswith(("linux", "freebsd", "openbsd", "netbsd", "dragonfly"))


def is_installed() -> bool:
    """Whether the user has an entry of their own."""
    return os.path.exists(user_folder() / ENTRY)  # Path.exists raises where a folder is closed


def is_in_system() -> bool:
    """Whether a package of the system has made an entry for all users."""
    folders = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return any(
        os.path.exists(os.path.join(data_folder, ENTRY))
        for data_folder in folders.split(":")
        if data_folder
    )


def install() -> list[Path]:
    """Writes the user's entry and returns its files; WriteError if that is not possible."""
    folder = user_folder()
    files = {folder / path: data for path, data in shared_files(program()).items()}
    for path in files:
        with suppress(OSError):  # the write says it
            path.parent.mkdir(parents=True, exist_ok=True)
    write_files(files)
    refresh(folder)
    return list(files)


def remove() -> list[Path]:
    """Removes the user's entry, and folders that are then empty; returns the files that were there."""
    folder = user_folder()
    removed = []
    from tokenarium.pictures.app_icons import SIDES

    sizes = [f"{side}x{side}" for side in SIDES]
    icons = [
        f"{ICONS}/{size}/{kind}.{suffix}"
        for size, suffix in [("scalable", "svg"), *((size, "png") for size in sizes)]
        for kind in ("apps/tokenarium", "mimetypes/tokenarium-document")
    ]
    for path in (folder / file for file in (ENTRY, TYPES, *icons)):
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        removed.append(path)
    refresh(folder)  # which needs the folders
    for path in removed:
        for parent in path.parents[:3]:
            if parent != folder and folder in parent.parents:
                with suppress(OSError):
                    parent.rmdir()
    return removed


def refresh(folder: Path) -> None:
    """Makes the desktop read what has changed; one without these programs looks by itself.

    Each ends after a moment, so none needs `end_with_parent`.
    """
    for program, name in REFRESHERS:
        path = shutil.which(program)
        if path and os.path.isdir(folder / name):
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(
                    [path, str(folder / name)], capture_output=True, check=False, timeout=60
                )
    with suppress(OSError):
        os.utime(folder / ICONS)  # caches of icons are older now
