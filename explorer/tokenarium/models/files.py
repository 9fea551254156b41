"""The files of the program: in which folders they are, what is swept out of them, and how one is written whole."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Final

from tokenarium_core.whole_files import PART_NAME, write_files

SHIPPED = "tokenarium-8k"
"""The name of the tokenizer that is always there."""


def shipped_file() -> Path:
    """Returns the file of the tokenizer that comes with the program."""
    return Path(str(files("tokenarium.resources") / "tokenizers" / f"{SHIPPED}.json"))


def cache_folder() -> Path:
    """Returns the folder in which is kept what was worked out of large files."""
    import platformdirs

    found = _or_temporary(lambda: platformdirs.user_cache_path("tokenarium", appauthor=False))
    return found / "opened"


def data_folder() -> Path:
    """Returns where fetched tokenizers are kept: ``TOKENARIUM_DATA``, else where the system wants them."""
    named = os.environ.get("TOKENARIUM_DATA")
    return Path(named) if named else _user_folder() / "tokenizers"


def store_folder() -> Path:
    """Returns where trained tokenizers are kept: beside those that ``TOKENARIUM_DATA`` names, else as the system wants."""
    named = os.environ.get("TOKENARIUM_DATA")
    return (Path(named) if named else _user_folder()) / "trained"


def trials_folder() -> Path:
    """Returns where it is noted which tokenizers are being tried."""
    named = os.environ.get("TOKENARIUM_DATA")
    return (Path(named) if named else _user_folder()) / "trials"


def is_device(path: Path) -> bool:
    """Whether something is there that is no file or folder: to read a pipe might wait for ever."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


DEVICE = (
    "{} is a device, a pipe or a socket, not a file. Write what it gives to a file, and open that."
)
"""What is said of it."""


def swept_folders() -> list[Path]:
    """Returns the folders of ours in which parts of files may be left, the two for downloads first."""
    from tokenarium_core.formats import cache_folder as tiktoken_folder

    files = store_folder() / "files"
    folders = [data_folder(), tiktoken_folder(), cache_folder(), files]
    with suppress(OSError):
        folders += files.iterdir()
    return folders


def sweep(folder: Path, pattern: re.Pattern[str]) -> None:
    """Removes what a process of ours that was killed has left in a folder, once it is a day old.

    ``pattern`` are the names, whole, of what counts: `PART_NAME` in any folder, `FETCHED` and `HANDED` where those are.
    """
    yesterday = time.time() - 24 * 60 * 60
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not pattern.fullmatch(entry.name):
                continue
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime >= yesterday:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


def sweep_all() -> None:
    """Sweeps the folders of ours, and that for temporary files."""
    for folder in swept_folders():
        sweep(folder, PART_NAME)
    for folder in swept_folders()[:2]:
        sweep(folder, FETCHED)
    sweep(Path(tempfile.gettempdir()), HANDED)


FETCHED: Final = re.compile(
    r"([0-9a-f]{40}|.*\.(json|model))(\.[a-z0-9_]{8}\.tmp|\.part)", re.DOTALL
)
"""``<name>.<8 letters>.tmp`` or ``<name>.part``: what has come of a download that nobody went on with."""

HANDED: Final = re.compile(r"tokenarium-[a-z0-9_]{8}(\.txt|\.request)?")
"""A text, a request or a folder that was handed to another process."""


def _user_folder() -> Path:
    import platformdirs

    return _or_temporary(lambda: platformdirs.user_data_path("tokenarium", appauthor=False))


def _or_temporary(find: Callable[[], Path]) -> Path:
    """Returns what is found; for a user who has no home, a folder among the temporary ones."""
    with suppress(RuntimeError):
        path = find()
        if path.is_absolute():
            return path
    return Path(tempfile.gettempdir()) / f"tokenarium-of-{os.getuid()}"


def chosen_path(name: str, suffix: str, *others: str) -> Path:
    """Returns what was chosen in a dialog for files, which leaves the ending away that nobody typed.

    ``suffix`` is of the kind that was asked for; ``others`` may be typed instead.

    >>> chosen_path("gpt-4.1 and others", ".csv").name, chosen_path("a.SVG", ".png", ".svg").name
    ('gpt-4.1 and others.csv', 'a.SVG')
    """
    return Path(name if name.lower().endswith((suffix, *others)) else name + suffix)


def write_whole(path: Path, text: str) -> None:
    """Writes a text file; TokenariumError where that fails, and then the file is as it was."""
    write_files({path: text.encode("utf-8", "surrogatepass")})
