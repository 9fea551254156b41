"""Downloads one file: with progress, cancel, resume, and a check of its hash."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import re
import shutil
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtNetwork import (
    QNetworkAccessManager,
    QNetworkProxy,
    QNetworkProxyFactory,
    QNetworkProxyQuery,
    QNetworkReply,
    QNetworkRequest,
)

from tokenarium_core.whole_files import PART_NAME, followed, part_path

LARGEST = 256 << 20
"""Most bytes of a file of unknown size: no tokenizer is larger."""

AT_ONCE = 4 << 20
"""Bytes that may wait in memory to be written; a server faster than the disk has to wait."""

LEAST_FREE = 50_000_000
"""Bytes that a download leaves free on the disk."""

ABANDONED_S = 600
"""A part that was not written to for so long belongs to no running download: that would have timed out."""

_RANGE = re.compile(rb"bytes (\d+)-\d+/(\d+|\*)")
_Error = QNetworkReply.NetworkError
_PROXY = (
    _Error.ProxyConnectionRefusedError,
    _Error.ProxyConnectionClosedError,
    _Error.ProxyNotFoundError,
    _Error.ProxyTimeoutError,
    _Error.ProxyAuthenticationRequiredError,
    _Error.UnknownProxyError,
)
_OFFLINE = (
    _Error.HostNotFoundError,
    _Error.TemporaryNetworkFailureError,
    _Error.NetworkSessionFailedError,
    _Error.UnknownNetworkError,
)
"""What is reported where there is no network: no name of a server is known."""

_REDIRECTS = (_Error.TooManyRedirectsError, _Error.InsecureRedirectError)


class Download(QObject):
    """One file from a URL to a path; the path changes only once the whole file is there.

    The bytes go to a `PartFile` and are hashed as they arrive. Where the connection breaks or stalls,
    the server is asked for the rest (RFC 9110, section 14), which is used only if the server says that it is
    the rest of the same file. The part of a download that failed or was cancelled is kept, and the next
    one resumes there. A file with another hash is deleted.
    """

    progressed = Signal(object, object)  # bytes received, bytes in all (0: unknown); beyond 2^31
    finished = Signal()
    failed = Signal(str)  # a sentence to show
    cancelled = Signal()

    STALLED_MS = 30_000
    ATTEMPTS = 4
    PAUSE_MS = 1_000

    def __init__(
        self,
        network: QNetworkAccessManager,
        url: str,
        path: Path,
        sha256: str,
        size: int = 0,
        parent: QObject | None = None,
    ) -> None:
        """``size`` in bytes, 0 if it is unknown."""
        super().__init__(parent)
        self._network = network
        self._url = url
        self._path = path
        self._sha256 = sha256
        self._size = size
        self._part = PartFile(path)
        self._reply: QNetworkReply | None = None
        self._attempt = 0
        self._joined = False  # whether the part has bytes of more than one answer
        self._answered = False  # whether the head of this answer was read
        self._total = size
        self._etag = b""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(self.PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        self._running = False
        self.offline = False  # whether it failed because there is no network

    def start(self) -> None:
        """Starts; ends with exactly one of ``finished``, ``failed`` and ``cancelled``."""
        self._running = True
        try:
            self._part.open()
        except OSError as error:
            self._running = False
            self.failed.emit(
                f"The download cannot be saved: {self._path.parent} cannot be written "
                f"({error.strerror}). Free some space, or choose another folder with "
                "TIKTOKEN_CACHE_DIR or TOKENARIUM_DATA."
            )
            return
        if self._part.sha256 == self._sha256:  # it only had no name yet
            self._check()
        else:
            self._ask()

    def cancel(self) -> None:
        """Stops, and keeps the part; does nothing once the download has ended."""
        if self._running:
            self._stop()
            self._part.keep()
            self.cancelled.emit()

    # Asking.

    def _ask(self) -> None:
        self._attempt += 1
        self._answered = False
        request = QNetworkRequest(QUrl(self._url))
        request.setTransferTimeout(self.STALLED_MS)
        # Uncompressed: else its bytes could not be counted, nor the rest asked for.
        request.setRawHeader(b"Accept-Encoding", b"identity")
        if self._part.size:
            request.setRawHeader(b"Range", b"bytes=%d-" % self._part.size)
            if self._etag and not self._etag.startswith(b"W/"):
                request.setRawHeader(b"If-Range", self._etag)
        self._network.setProxy(proxy_for(self._url))
        reply = self._network.get(request)
        reply.setReadBufferSize(AT_ONCE)
        self._reply = reply
        reply.readyRead.connect(self._take)
        reply.finished.connect(self._end)

    def _ask_from_the_beginning(self) -> None:
        if self._attempt >= self.ATTEMPTS:
            self._fail(f"What the server sends for {self._url} is inconsistent. Try again later.")
            return
        self._hang_up()
        self._part.restart()
        self._joined = False
        self._ask()

    def _ask_for_the_rest(self, sentence: str) -> None:
        self._hang_up()
        if self._attempt < self.ATTEMPTS:
            self._pause.start()
        else:
            self._fail(f"{sentence} Try again to continue from there.", keep=True)

    # Answers.

    def _take(self) -> None:
        reply = self._reply
        if reply is None or not reply.isOpen():  # closed by Qt where it stalled
            return
        status = _status(reply)
        if status >= 400 and status != 416:  # its page may be endless
            self._fail(_refusal(reply, status, self._url))
            return
        if status not in (200, 206):  # the page of a redirection
            reply.readAll()
            return
        try:
            if not self._answered and not self._read_head(reply, status):
                return
            data = bytes(reply.readAll().data())
            free = shutil.disk_usage(self._path.parent).free
            if free < LEAST_FREE + max(self._total - self._part.size, len(data)):
                self._fail(
                    f"There is no room for the download in {self._path.parent}: {free / 1e6:,.0f} MB are free. "
                    "Free some space, and try again."
                )
                return
            self._part.write(data)
        except OSError as error:
            self._fail(
                f"The download could not be written to {self._path.parent}: {error.strerror}."
            )
            return
        if self._part.size > (self._size or LARGEST):
            self._fail(
                f"{self._url} sends more than the {self._size or LARGEST:,} bytes of the published file. "
                "It was discarded; try again, or check the network between you and the server."
            )
            return
        self.progressed.emit(self._part.size, self._total)

    def _read_head(self, reply: QNetworkReply, status: int) -> bool:
        """Checks what the body is; False if the download has ended or starts again."""
        self._answered = True
        etag = bytes(reply.rawHeader("ETag").data())
        length = _length(reply)
        if status == 206:
            given = _RANGE.fullmatch(bytes(reply.rawHeader("Content-Range").data()).strip())
            whole = int(given[2]) if given and given[2] != b"*" else self._size
            same = not self._etag or etag == self._etag
            fits = given is not None and int(given[1]) == self._part.size
            if not (fits and same and self._size in (0, whole)):
                self._ask_from_the_beginning()
                return False
            self._joined = self._part.size > 0
            self._total = whole
        else:
            if self._part.size:
                self._part.restart()
                self._joined = False
            if self._size and length and length != self._size:
                self._fail(
                    f"The file at {self._url} is not the published one: the server announces "
                    f"{length:,} bytes, and it should have {self._size:,}."
                )
                return False
            self._total = length or self._size
        self._etag = etag
        return True

    def _end(self) -> None:
        reply = self._reply
        if reply is None:  # cancelled, or failed before
            return
        error, status = reply.error(), _status(reply)
        if status == 416 and self._part.size:  # ours is not the beginning of it
            self._ask_from_the_beginning()
            return
        if status >= 400 or error in (*_PROXY, *_REDIRECTS):
            self._fail(_refusal(reply, status, self._url))
            return
        before = self._part.size
        self._take()
        if self._reply is not reply:
            return
        if error != _Error.NoError or (self._total and self._part.size < self._total):
            if status not in (200, 206) and not before and error != _Error.OperationCanceledError:
                # A server may close a connection that is kept open, just as it is used again.
                if error == _Error.RemoteHostClosedError and self._attempt < self.ATTEMPTS:
                    self._hang_up()
                    self._pause.start()
                    return
                self.offline = error in _OFFLINE
                self._fail(_unreachable(reply, self._url))
                return
            stalled = error == _Error.OperationCanceledError
            of_all = f" of {self._total:,}" if self._total else ""
            self._ask_for_the_rest(
                f"The download from {self._url} {'stalled' if stalled else 'broke off'} after "
                f"{self._part.size:,}{of_all} bytes."
            )
            return
        self._check()

    def _check(self) -> None:
        if self._part.sha256 == self._sha256:
            self._stop()
            try:
                self._part.finish()
            except OSError as error:
                self._fail(f"The download could not be moved to {self._path}: {error.strerror}.")
                return
            self.finished.emit()
        elif self._joined:  # the parts may be of two files: download all of it again
            self._ask_from_the_beginning()
        else:
            self._fail(
                f"The file from {self._url} is not the published one: its SHA-256 is "
                f"{self._part.sha256[:16]}… and should be {self._sha256[:16]}…. "
                "It was discarded; try again, or check the network between you and the server."
            )

    # Ends.

    def _fail(self, sentence: str, keep: bool = False) -> None:
        self._stop()
        if keep:
            self._part.keep()
        else:
            self._part.throw_away()
        self.failed.emit(sentence)

    def _stop(self) -> None:
        self._running = False
        self._pause.stop()
        self._hang_up()

    def _hang_up(self) -> None:
        reply, self._reply = self._reply, None
        if reply is not None:
            if reply.isRunning():
                reply.abort()
            reply.deleteLater()


def _status(reply: QNetworkReply) -> int:
    """Returns the status of an answer, or 0."""
    status = reply.attribute(QNetworkRequest.Attribute.HttpStatusCodeAttribute)
    return status if isinstance(status, int) else 0


def _length(reply: QNetworkReply) -> int:
    """Returns the announced size of a body in bytes, or 0."""
    length = reply.header(QNetworkRequest.KnownHeaders.ContentLengthHeader)
    return length if isinstance(length, int) else 0


def _refusal(reply: QNetworkReply, status: int, url: str) -> str:
    if reply.error() in _PROXY or status == 407:
        return (
            f"{url} could not be reached through the proxy: {reply.errorString()}. Check HTTPS_PROXY, "
            "or the proxy in the settings of the system."
        )
    if reply.error() in _REDIRECTS:
        return f"{url} redirects too often, or to an unprotected address. Try again later."
    if status in (401, 403):
        return f"The server refuses {url} ({status}). It may ask for an account, or a firewall may be between."
    if status in (404, 410):
        return f"There is no longer a file at {url} ({status}). It may have moved; look for a newer version of Tokenarium."
    return f"The server answered {status} to {url}. Try again later."


def _unreachable(reply: QNetworkReply, url: str) -> str:
    return f"{url} could not be reached: {reply.errorString()}. Check the network and try again."


class PartFile:
    """The part of a file that has arrived, with its hash; the target changes only by `finish`.

    Between two attempts the bytes are in ``<target>.part``. `open` renames that to a name of its own, which
    only one process can do: two windows never write into the same file. All methods may raise OSError.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._kept = target.with_name(target.name + ".part")
        self._file: int | None = None
        self._name = ""
        self._hash = hashlib.sha256()
        self.size = 0

    def open(self) -> None:
        """Opens the kept part, or an empty one."""
        self._target.parent.mkdir(parents=True, exist_ok=True)
        self._name = str(part_path(self._target))
        for path in [self._kept, *self._abandoned()]:
            with contextlib.suppress(OSError):
                os.replace(path, self._name)
                break
        own = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        self._file = os.open(self._name, own, 0o666)
        while data := os.read(self._file, 1 << 20):
            self._hash.update(data)
            self.size += len(data)

    def restart(self) -> None:
        """Deletes what has arrived, to start again."""
        assert self._file is not None
        os.lseek(self._file, 0, os.SEEK_SET)
        os.truncate(self._file, 0)
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        """Appends bytes."""
        assert self._file is not None
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        self._hash.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        """The hash of what has arrived, in hexadecimal digits."""
        return self._hash.hexdigest()

    def finish(self) -> None:
        """Moves the part to the target; on an OSError the part is still there."""
        self._close()
        os.replace(self._name, followed(self._target))

    def keep(self) -> None:
        """Leaves the part for a later attempt, unless it is empty."""
        self._close()
        with contextlib.suppress(OSError):
            if self.size:
                os.replace(self._name, self._kept)
            else:
                os.remove(self._name)

    def throw_away(self) -> None:
        """Deletes the part."""
        self._close()
        with contextlib.suppress(OSError):
            os.remove(self._name)

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _abandoned(self) -> list[Path]:
        """Returns parts of attempts that were cut short, as by a power failure."""
        parts = []
        with contextlib.suppress(OSError):  # a folder on the way may be closed
            for path in self._target.parent.glob(f".{glob.escape(self._target.name)}.*.part"):
                age = time.time() - path.stat().st_mtime
                if PART_NAME.fullmatch(path.name) and age > ABANDONED_S:
                    parts.append(path)
        return parts


_KINDS = {
    "http": QNetworkProxy.ProxyType.HttpProxy,
    "https": QNetworkProxy.ProxyType.HttpProxy,
    "socks5": QNetworkProxy.ProxyType.Socks5Proxy,
    "socks5h": QNetworkProxy.ProxyType.Socks5Proxy,
}


def proxy_for(url: str) -> QNetworkProxy:
    """Returns the proxy for an address: that of ``HTTPS_PROXY``, ``ALL_PROXY`` … and ``NO_PROXY``,
    as Python's own urllib reads them; where none is set, that of the system's settings.
    """
    from urllib.request import (  # slow, and needed by few starts
        getproxies_environment,
        proxy_bypass,
    )

    parts = urlsplit(url)
    named = getproxies_environment()
    address = named.get(parts.scheme) or named.get("all")
    if address is None:
        proxies = QNetworkProxyFactory.systemProxyForQuery(QNetworkProxyQuery(QUrl(url)))
        return proxies[0] if proxies else QNetworkProxy(QNetworkProxy.ProxyType.NoProxy)
    if proxy_bypass(parts.netloc):
        return QNetworkProxy(QNetworkProxy.ProxyType.NoProxy)
    proxy = urlsplit(address if "://" in address else f"http://{address}")
    kind = _KINDS.get(proxy.scheme, QNetworkProxy.ProxyType.HttpProxy)
    port = proxy.port or (1080 if kind == QNetworkProxy.ProxyType.Socks5Proxy else 80)
    return QNetworkProxy(
        kind,
        proxy.hostname or "",
        port,
        unquote(proxy.username or ""),
        unquote(proxy.password or ""),
    )
