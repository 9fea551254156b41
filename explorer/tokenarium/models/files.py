"""The program's files: their folders, the removal of leftovers, and how a file is written whole."""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tokenarium_core import TokenariumError, tokenizer_cache
from tokenarium_core.formats.registered import (
    named_folder,
    store_folder,
    temporary_folder,
    user_folder,
)
from tokenarium_core.whole_files import PART_NAME, part_path, write_files


def cache_folder() -> Path:
    """Returns the folder for what is prepared from large files, where `tokenarium_core.open` stores it."""
    return tokenizer_cache.cache_folder() or lost_folder() / "opened"


MEASURES: Final = "measures"
"""The folder inside `cache_folder` for what was measured, see `measure_cache`."""


def lost_folder() -> Path:
    """Returns the folder for what may be lost, the system's one for caches."""
    return _or_temporary(tokenizer_cache.user_cache_folder)


def data_folder() -> Path:
    """Returns the folder for downloaded tokenizers: ``TOKENARIUM_DATA``, else the system's folder for data."""
    return named_folder() or user_folder() / "tokenizers"


def trials_folder() -> Path:
    """Returns the folder for notes on the tokenizers that are being tried."""
    return (named_folder() or user_folder()) / "trials"


def session_folder() -> Path:
    """Returns the folder for the last session, and for recent texts."""
    return (named_folder() or user_folder()) / "session"


def runs_folder() -> Path:
    """Returns the folder for notes on the windows that run, by which the next one knows that one crashed."""
    return (named_folder() or user_folder()) / "runs"


def log_folder() -> Path:
    """Returns the folder for logs: in ``TOKENARIUM_DATA``, else the system's folder for logs."""
    import platformdirs

    named = named_folder()
    if named is not None:
        return named / "log"
    return _or_temporary(lambda: platformdirs.user_log_path("tokenarium", appauthor=False))


def lessons_folder() -> Path:
    """Returns the folder for lessons of the user's own."""
    return (named_folder() or user_folder()) / "lessons"


OWN_BYTES: Final = 1 << 22
"""The most bytes of a small file of the program's own, such as a list: a larger one is damaged."""


RECORD_BYTES: Final = 1 << 26
"""The most bytes of the record of a part of a corpus: it may name many documents."""


def make_way(path: Path, most: int = OWN_BYTES) -> bool:
    """Renames what is in the place of a file of the program's own but can be none: a pipe, a folder, or one too large.

    It then has ``.damaged`` after its name. Returns whether the place is free, or has a file.
    """
    try:
        about = os.stat(path)
        if stat.S_ISREG(about.st_mode) and about.st_size <= most:
            return True
        os.replace(path, f"{path}.damaged")
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return True


def swept_folders() -> list[Path]:
    """Returns the program's folders in which parts of files may be left, the two for downloads first."""
    from tokenarium_core.formats import cache_folder as tiktoken_folder

    files = store_folder() / "files"
    folders = [data_folder(), tiktoken_folder(), cache_folder(), cache_folder() / MEASURES, files]
    with suppress(OSError):
        folders += files.iterdir()
    return folders


def sweep(folder: Path, pattern: re.Pattern[str]) -> None:
    """Removes what a killed process of the program has left in a folder, once it is a day old.

    ``pattern`` matches whole names: `PART_NAME` in any folder, `FETCHED` and `HANDED` where these are written.
    """
    import shutil  # with the libraries of archives, which the start does without

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
    """Sweeps the program's folders, and the one for temporary files."""
    import tempfile

    for folder in swept_folders():
        sweep(folder, PART_NAME)
    for folder in swept_folders()[:2]:
        sweep(folder, FETCHED)
    sweep(Path(tempfile.gettempdir()), HANDED)


FETCHED: Final = re.compile(
    r"([0-9a-f]{40}|.*\.(json|model))(\.[a-z0-9_]{8}\.tmp|\.part)", re.DOTALL
)
"""``<name>.<8 letters>.tmp`` or ``<name>.part``: the part of a download that was not resumed."""

HANDED: Final = re.compile(r"tokenarium-[a-z0-9_]{8}(\.txt|\.request)?")
"""A text, a request or a folder for another process."""


def _or_temporary(find: Callable[[], Path]) -> Path:
    """Returns the found folder; for a user without a home, one among the temporary folders."""
    with suppress(RuntimeError):
        path = find()
        if path.is_absolute():
            return path
    return temporary_folder()


def chosen_path(name: str, suffix: str, *others: str) -> Path:
    """Returns the path chosen in a dialog for files, with a suffix if the user typed none.

    ``suffix`` is the default; ``others`` may be typed instead.

    >>> chosen_path("gpt-4.1 and others", ".csv").name, chosen_path("a.SVG", ".png", ".svg").name
    ('gpt-4.1 and others.csv', 'a.SVG')
    """
    return Path(name if name.lower().endswith((suffix, *others)) else name + suffix)


def write_whole(path: Path, text: str) -> None:
    """Writes a text file; on failure the file is unchanged, and TokenariumError is raised."""
    write_files({path: text.encode("utf-8", "surrogatepass")})


def why_not_written(error: BaseException, path: Path) -> str:
    """Returns a sentence that says why a file or folder of the program's own was not written.

    >>> why_not_written(OSError(28, "No space left on device"), Path("session"))
    'session cannot be written: No space left on device.'
    """
    if isinstance(error, OSError) and not isinstance(error, TokenariumError):
        return f"{path} cannot be written: {error.strerror or error}."
    return str(error).removesuffix(" Choose another folder or name.")  # which no one chose


@contextmanager
def folder_beside(
    out: Path, advice: str = "Choose another folder.", *, parents: bool = False
) -> Iterator[Path]:
    """Makes a folder next to a path for files that have to be proved before they get there; removes it afterwards.

    ``parents``: the folders above it are made, too. Raises TokenariumError, which ends with ``advice``, if the files cannot
    be written or moved.
    """
    try:
        folder = part_path(Path(os.path.abspath(out)))
        folder.mkdir(parents=parents)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except TokenariumError:
        raise
    except OSError as error:
        raise TokenariumError(
            f"{out} cannot be written: {error.strerror or error}. {advice}"
        ) from error
