"""One window for all that is opened: a start hands its files and links to the window that is open, and ends.

The first start of a user on a display holds a lock, and listens at a socket; a later one finds the lock taken, and
asks there. The window answers only once its event loop runs: where it is too busy, the user is asked, and it takes
nothing later of what was asked meanwhile. A process that ends, however it does, gives up its lock.

This uses the standard library alone, and little of it (no dataclasses, no pathlib), since it runs before anything is
imported. On Windows there
is no such socket for Python: there Qt's local sockets do the same, by name.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:  # as in the library typing, which takes longer to import than all that is here
    from socket import socket
    from typing import IO

LINK = "tokenarium:"
"""How a link begins."""

NEW_WINDOW = "--new-window"
HELLO = b"tokenarium 1\n"
"""What the window sends to one that asks, once it has time for it."""

TAKEN = b"taken\n"
"""What it sends once it has what it was asked to open."""

PATIENCE_S = 2.0
"""Seconds that a start waits for each answer before it asks whether to open a window of its own."""

MOST_BYTES = 1 << 20
"""The longest request."""

MOST_WORDS = 1000
"""The most files and links of a request: each is looked for on the disk, and asks for room in the window."""

MOST_WORD = 32 << 10
"""The most characters of a file or a link."""

TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")
"""The variables in which a desktop passes the right to come to the front."""


class Entry:
    """What a start found: ``handed`` to a window that is open, or else how later starts hand to this one.

    They do so at the ``path`` of the socket ``listener``, or on Windows at the server that is to have this ``name``.
    ``busy`` is where a window listens that did not answer.
    """

    def __init__(self, handed: bool = False, name: str = "", busy: str = "") -> None:
        self.handed = handed
        self.busy = busy
        self.name = name
        self.listener: socket | None = None
        self.lock: IO[bytes] | None = None
        self.path = ""

    def leave(self) -> None:
        """Lets another window be the one that is asked."""
        if self.path and self.lock is not None:
            _unlink(self.path)
        if self.listener is not None:
            self.listener.close()
        if self.lock is not None:
            self.lock.close()
        self.listener = self.lock = None


def window_words(arguments: list[str]) -> list[str] | None:
    """Returns the files and links among the arguments of a start that only opens the window; None for any other.

    Such a start does without the library that reads arguments. The name of a command has no point and no stroke.
    """
    words = [word for word in arguments if word != NEW_WINDOW]
    for word in words:
        if word.startswith("-") or not (
            is_address(word) or (any(sign in word for sign in "./\\") and os.path.exists(word))
        ):
            return None
    return words


def is_address(word: str) -> bool:
    """Whether a word is a link of ours, or the address of a file as desktops write it."""
    return word.lower().startswith((LINK, "file:"))


def enter(words: list[str], new_window: bool = False, patience: float = PATIENCE_S) -> Entry:
    """Hands files and links to the window that is open, or else returns what makes this one the window to ask.

    ``new_window``: hands nothing over. A start that can do neither is on its own.
    """
    if sys.platform == "win32":
        return _enter_by_name(words, new_window, patience)
    path = _socket_path()
    if not path:
        return Entry()
    if len(words) > MOST_WORDS or len(request(words)) > MOST_BYTES:
        return Entry()  # more than another window would take
    until = time.monotonic() + patience
    while True:
        entry = _claimed(path)
        if entry is not None or new_window:
            return entry or Entry()
        if _asked(path, words, patience):
            return Entry(handed=True)
        # It may have ended, or be about to listen; else it does not answer.
        if time.monotonic() >= until:
            return Entry(busy=path)
        time.sleep(0.05)


def request(words: list[str]) -> bytes:
    """Returns what is sent: whole paths and links, and the right to come to the front."""
    asked = [word if is_address(word) else os.path.abspath(word) for word in words]
    tokens = {name: os.environ[name] for name in TOKENS if os.environ.get(name)}
    return json.dumps({"open": asked, "tokens": tokens}).encode() + b"\n"


def read_request(line: bytes) -> tuple[list[str], dict[str, str]]:
    """Returns what is asked for: words, and tokens; ValueError if it is not a request.

    Whatever is sent, it takes no more than a few times `MOST_BYTES`: a request is an object with a list and an object of
    texts in it, so one that nests deeper is refused before it is parsed.
    """
    if len(line) > MOST_BYTES:
        raise ValueError("too long")
    _check_form(line)
    request = json.loads(line.decode("utf-8"), parse_int=_no_number, parse_float=_no_number)
    words = request.get("open") if isinstance(request, dict) else None
    tokens = request.get("tokens") if isinstance(request, dict) else None
    if not isinstance(words, list) or not isinstance(tokens, dict):
        raise ValueError("not a request")
    if len(words) > MOST_WORDS:
        raise ValueError("not a request")
    received_tokens = [tokens[name] for name in TOKENS if name in tokens]
    if not all(
        isinstance(word, str) and _can_be_named(word) for word in [*words, *received_tokens]
    ):
        raise ValueError("not a request")
    return words, {name: tokens[name] for name in TOKENS if name in tokens}


def _check_form(line: bytes) -> None:
    """Raises ValueError for JSON that has more texts, or more lists and objects, than a request; it need not be JSON."""
    import re  # which the window has

    rest, texts = re.subn(rb'"[^"\\]*(?:\\.[^"\\]*)*"', b"", line)
    if texts > MOST_WORDS + 16 or rest.count(b"[") + rest.count(b"{") > 16:
        raise ValueError("not a request")


def _no_number(text: str) -> object:
    raise ValueError("not a request")


def _can_be_named(word: str) -> bool:
    """Whether the system can have a file of this name, or an environment this value."""
    if len(word) > MOST_WORD or chr(0) in word:
        return False
    try:
        os.fsencode(word)
    except UnicodeEncodeError:  # half a surrogate pair, which is no byte of a name
        return False
    return True


# Unix: a lock, and a socket beside it, in a folder that only the user can enter.


def _claimed(path: str) -> Entry | None:
    """Returns the entry of the process that holds the lock now; None where another one holds it."""
    import fcntl
    import socket

    try:
        lock = _lock_file(f"{path}.lock")
    except OSError:
        return Entry()
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    entry = Entry()
    entry.lock, entry.path = lock, path
    _unlink(path)  # of a process that was killed
    try:
        entry.listener = socket.socket(socket.AF_UNIX)
        entry.listener.bind(path)
        os.chmod(path, 0o600)
        entry.listener.listen(16)
    except OSError:
        entry.leave()
        return Entry()
    return entry


def _lock_file(path: str) -> IO[bytes]:
    """Returns the open file of the lock, which is held for as long as the process runs; OSError if it cannot be a lock."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    opened = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(f"{path} is not a file")
    return os.fdopen(opened, "ab")


def _asked(path: str, words: list[str], patience: float) -> bool:
    """Returns whether the process that listens has taken what is to be opened."""
    import socket

    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(patience)
        try:
            line.connect(path)
            if not is_own(line) or _line_of(line) != HELLO:
                return False
            line.sendall(request(words))
            return _line_of(line) == TAKEN
        except OSError:
            return False


def is_own(line: socket) -> bool:
    """Whether the process at the other end is the user's own, where the system tells; true where it does not."""
    import socket

    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("3i")
    try:
        _, user, _ = struct.unpack(
            "3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
        )
    except OSError:
        return False
    return bool(user == os.getuid())


def _line_of(line: socket) -> bytes:
    received = b""
    while not received.endswith(b"\n") and len(received) < 64:
        part = line.recv(64)
        if not part:
            break
        received += part
    return received


def _socket_path() -> str:
    """Returns where the window of this user, display and installation listens; empty if no place is safe."""
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    if own and _is_private(own):
        folder = os.path.join(own, "tokenarium")
    else:
        import tempfile

        folder = os.path.join(tempfile.gettempdir(), f"tokenarium-run-{os.getuid()}")
    with suppress(OSError):  # it is there already, or else it is not private
        os.mkdir(folder, mode=0o700)
    if not _is_private(folder):
        return ""
    path = os.path.join(folder, _hashed(_place()))
    return path if len(os.fsencode(path)) < 100 else ""  # the longest that all systems take


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _hashed(words: list[str]) -> str:
    """Returns a short name for some words."""
    from binascii import crc32

    return f"{crc32(os.fsencode(chr(0).join(words))):08x}"


def _is_private(folder: str) -> bool:
    """Whether a folder is the user's, and closed to others."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return (
        stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    )


def _place() -> list[str]:
    """Returns what windows must have in common to be one: the display, the user's folders and the installation."""
    names = (
        "WAYLAND_DISPLAY",
        "DISPLAY",
        "QT_QPA_PLATFORM",
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "TOKENARIUM_DATA",
    )
    frozen = getattr(sys, "frozen", False)
    here = os.environ.get("APPIMAGE") or (sys.executable if frozen else os.path.dirname(__file__))
    return [here, *(os.environ.get(name, "") for name in names)]


# Windows: a named pipe, by Qt.


def _enter_by_name(words: list[str], new_window: bool, patience: float) -> Entry:
    name = local_name()
    if new_window:
        return Entry()
    from PySide6.QtNetwork import QLocalSocket

    milliseconds = int(patience * 1000)
    line = QLocalSocket()
    line.connectToServer(name)
    if not line.waitForConnected(milliseconds):
        return Entry(name=name)
    if not line.waitForReadyRead(milliseconds) or line.readAll().data() != HELLO:
        return Entry(busy=name)
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.AllowSetForegroundWindow(-1)  # or the window could only blink
    line.write(request(words))
    line.flush()
    return Entry(handed=line.waitForReadyRead(milliseconds) and line.readAll().data() == TAKEN)


def local_name() -> str:
    """Returns the name of the server of this user, session and installation."""
    user = os.environ.get("USERNAME", "")
    session = os.environ.get("SESSIONNAME", "")
    return f"tokenarium-{_hashed([user, session, *_place()])}"
