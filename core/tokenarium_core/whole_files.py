"""Files that are written completely or not at all: under a temporary name, synced to the disk, then renamed.

This program writes all user files this way. A process that is killed in between leaves the files unchanged,
and at most a part: a file (or a folder) next to them whose name matches `PART_NAME`. Nothing else has such
names, so old parts can be removed.

A link remains a link: its target is replaced, and the part is next to the target. A dangling link
creates its target, as `open` does. A replaced file keeps its mode, and its owner and group if the system allows it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from tokenarium_core.errors import WriteError

if sys.platform != "win32":
    import fcntl

PART_NAME: Final = re.compile(r"\..*\.[0-9a-f]{16}\.part", re.DOTALL)
"""Matches the whole name of a part: ``.<name>.<16 random hexadecimal digits>.part``, with long names cut."""

_LONGEST: Final = 200
"""Bytes of a file's name in the name of its part: file systems allow 255."""

_PART_END: Final = re.compile(r"[0-9a-f]{16}\.part")

_OLD_S: Final = 24 * 60 * 60.0
"""The age from which a part counts as left by a process that was killed."""

_MOST_LINKS: Final = 40
"""The longest chain of links, as in Linux."""

_NEW: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)


def part_path(path: Path) -> Path:
    """Returns a new path for the replacement of a file, next to it or to its target if it is a link.

    `PART_NAME` matches its name.
    """
    with suppress(OSError):  # it is said when the file is written
        path = followed(path)
    return path.with_name(f"{_part_begin(path)}{os.urandom(8).hex()}.part")


def followed(path: Path) -> Path:
    """Returns the target of a path, following links: a path that need not exist.

    OSError for circular links and, in a world-writable folder such as ``/tmp``, for a link of another user, who could
    choose what is replaced; Linux has this rule for opening files (``fs.protected_symlinks``).
    """
    for _ in range(_MOST_LINKS):
        try:
            leads = os.readlink(path)
        except OSError:  # no link, or nothing
            return path
        if not _is_trusted(path):
            raise PermissionError(
                errno.EACCES,
                "it is a link of another user, in a folder where everyone may write",
                str(path),
            )
        path = path.parent / leads
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _is_trusted(link: Path) -> bool:
    """Whether a link may be followed when writing."""
    if sys.platform == "win32":
        return True
    folder = os.stat(link.parent)
    open_to_all = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
    return not open_to_all or os.lstat(link).st_uid in (os.geteuid(), folder.st_uid)


def _part_begin(path: Path) -> str:
    """Returns the common beginning of the names of all parts of a file."""
    name = os.fsencode(path.name)[:_LONGEST].decode("utf-8", "ignore")
    return f".{name}."


@final
class WholeFile:
    """A file that is being written: `finish` puts it in place of ``path``, `drop` leaves ``path`` unchanged.

    It has the mode of the file that it replaces, or of any new file. All methods raise WriteError if it cannot
    be written, and leave nothing behind. If it is not ``durable``, it may be lost in a power failure.
    """

    def __init__(self, path: Path, durable: bool = True) -> None:
        self.path = path
        self._durable = durable
        self._open = False
        try:
            followed(path)
            self.part = part_path(path)  # ValueError if no file can have the name
            mode = _check_target(path)
            self._file = os.fdopen(os.open(self.part, _NEW, mode), "wb")
        except WriteError:  # which is an OSError too
            raise
        except (OSError, ValueError) as error:
            raise _error(path, error) from error
        self._open = True

    def write(self, data: bytes | memoryview) -> None:
        """Appends some bytes."""
        try:
            self._file.write(data)
        except OSError as error:
            self.drop()
            raise _error(self.path, error) from error

    def complete(self) -> None:
        """Syncs everything written to the disk, still under the part's name."""
        try:
            self._file.flush()
            if self._durable:
                os.fsync(self._file.fileno())
            self._file.close()
        except OSError as error:
            self.drop()
            raise _error(self.path, error) from error

    def finish(self) -> None:
        """Completes the file, and gives it its name, replacing any older one."""
        self.complete()
        replace_files([(self.part, self.path)], self._durable)
        self._open = False

    def drop(self) -> None:
        """Discards the file; does nothing once it has its name."""
        if self._open:
            self._open = False
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                os.unlink(self.part)


def write_files(files: dict[Path, bytes]) -> None:
    """Writes files that belong together, the main one first; WriteError if one cannot be written; then none is.

    All are on the disk before the first is renamed. The main one is renamed last: if the process is killed in between,
    the others exist, and the reader of the pair sees from a hash that they do not match the main one.
    """
    written: list[WholeFile] = []
    try:
        for path, content in files.items():
            file = WholeFile(path)
            written.append(file)
            file.write(content)
            file.complete()
        replace_files([(file.part, file.path) for file in reversed(written)])
    finally:
        for file in written:
            file.drop()


def replace_files(moves: list[tuple[Path, Path]], durable: bool = True) -> None:
    """Renames parts (or folders) in this order, replacing existing ones; WriteError if that fails.

    Callers in one folder take turns, so that they never mix files that belong together. A path that is a link remains
    one.
    """
    folder = moves[0][1].parent
    lock = _locked(folder) if len(moves) > 1 else -1
    targets: list[Path] = []
    try:
        for part, path in moves:
            try:
                target = followed(path)
                _keep_mode(part, target)
                _put(part, target)
            except OSError as error:
                with suppress(OSError):
                    os.unlink(part)
                raise _error(path, error) from error
            targets.append(target)
        if durable:
            for parent in dict.fromkeys([target.parent for target in targets]):
                _sync(parent)
        for target in targets:
            _sweep(target)
    finally:
        if lock >= 0:
            os.close(lock)


def _put(part: Path, target: Path) -> None:
    """Renames a part; if a link leads to another disk, the part is copied there first."""
    try:
        os.replace(part, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        import shutil  # with the libraries of archives, which the start does without

        beside = part_path(target)
        try:
            shutil.copy(part, beside)
            os.replace(beside, target)
        except OSError:
            with suppress(OSError):
                os.unlink(beside)
            raise
        os.unlink(part)


def _keep_mode(part: Path, target: Path) -> None:
    """Gives a part the mode of the file that it replaces, and its owner and group if that is allowed."""
    if sys.platform == "win32":
        return
    try:
        old = os.stat(target)
    except OSError:
        return
    new = os.stat(part)
    if not (stat.S_ISREG(old.st_mode) and stat.S_ISREG(new.st_mode)):
        return
    mode = old.st_mode & 0o777
    if old.st_uid != new.st_uid:
        with suppress(OSError):
            os.chown(part, old.st_uid, -1)
    if old.st_gid != new.st_gid:
        try:
            os.chown(part, -1, old.st_gid)
        except OSError:  # what its group might do, another group may not
            mode = (mode & 0o707) | (mode & 0o007) << 3
    with suppress(OSError):
        os.chmod(part, mode)


def _sweep(path: Path) -> None:
    """Removes the parts of a file that are a day old."""
    begin = _part_begin(path)
    with suppress(OSError):
        for name in os.listdir(path.parent):
            # It may be a part of another file, whose name only begins like this.
            if name.startswith(begin) and _PART_END.fullmatch(name, len(begin)) is not None:
                _remove_old(path.parent / name)


def _remove_old(part: Path) -> None:
    """Removes a part of a file, or of an export (a folder with files), that is a day old."""
    with suppress(OSError):
        about = os.lstat(part)
        if time.time() - about.st_mtime >= _OLD_S:
            if stat.S_ISDIR(about.st_mode):
                for inner in os.listdir(part):
                    os.unlink(part / inner)
                os.rmdir(part)
            else:
                os.unlink(part)


def _check_target(path: Path) -> int:
    """Returns the mode for a new file at a path, for `os.open`.

    Raises WriteError if the path is a folder or a device, which no file should replace.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return 0o666
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
        raise WriteError(f"{path} is {what}, not a file. Choose another name.")
    return mode & 0o666  # no one else may read it meanwhile who could not before


def _locked(folder: Path) -> int:
    """Returns an open lock on a folder, which also ends with the process; -1 if there is none."""
    lock = -1
    if sys.platform != "win32":
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _sync(folder: Path) -> None:
    """Syncs the names in a folder to the disk, if the system can."""
    if sys.platform != "win32":
        with suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _error(path: Path, error: Exception) -> WriteError:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return WriteError(f"{path} cannot be written: {why}. Choose another folder or name.")
