"""Asks the package index whether there is a newer version."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtNetwork import QNetworkAccessManager, QNetworkReply, QNetworkRequest

from tokenarium.models.updates import INDEX_URL, MOST_ANSWER, newer_version
from tokenarium.work.download import proxy_for
from tokenarium_core import TokenariumError

STALLED_MS = 15_000
"""Milliseconds without a byte after which a connection is given up."""

LONGEST_MS = 30_000
"""Milliseconds that a check may take in all."""

_Header = QNetworkRequest.KnownHeaders
_Error = QNetworkReply.NetworkError


class UpdateCheck(QObject):
    """One question to the index; ends with exactly one of its signals. Nothing of the user or the computer is sent."""

    answered = Signal(object)  # NewVersion | None
    failed = Signal(str)  # a sentence to show

    def __init__(
        self, url: str = INDEX_URL, parent: QObject | None = None, longest_ms: int = LONGEST_MS
    ) -> None:
        super().__init__(parent)
        self._url = url
        self._network = QNetworkAccessManager(self)
        self._reply: QNetworkReply | None = None
        self._data = bytearray()
        self._limit = QTimer(self, singleShot=True, interval=longest_ms)
        self._limit.timeout.connect(self._too_late)

    def start(self) -> None:
        """Asks."""
        request = QNetworkRequest(QUrl(self._url))
        request.setTransferTimeout(STALLED_MS)
        request.setMaximumRedirectsAllowed(3)
        request.setHeader(_Header.UserAgentHeader, "Tokenarium")
        # Qt would send the language of the system.
        request.setRawHeader(b"Accept-Language", b"*")
        request.setRawHeader(b"Accept", b"application/json")
        manual = QNetworkRequest.LoadControl.Manual
        for attribute in (
            QNetworkRequest.Attribute.CookieLoadControlAttribute,
            QNetworkRequest.Attribute.CookieSaveControlAttribute,
            QNetworkRequest.Attribute.AuthenticationReuseAttribute,
        ):
            request.setAttribute(attribute, manual)
        self._network.setProxy(proxy_for(self._url))
        reply = self._reply = self._network.get(request)
        reply.setReadBufferSize(MOST_ANSWER)
        reply.readyRead.connect(self._take)
        reply.finished.connect(self._finish)
        self._limit.start()

    def cancel(self) -> None:
        """Stops asking; no signal follows."""
        self._end()

    def _take(self) -> None:
        reply = self._reply
        if reply is None:
            return
        self._data += reply.readAll().data()
        if len(self._data) > MOST_ANSWER:
            self._fail("The package index gave an answer that is far too long.")

    def _finish(self) -> None:
        reply = self._reply
        if reply is None:
            return
        self._take()
        if self._reply is None:
            return
        status = reply.attribute(QNetworkRequest.Attribute.HttpStatusCodeAttribute)
        if status == 404:
            self._fail("The package index has no Tokenarium yet, so there is nothing newer.")
        elif reply.error() != _Error.NoError:
            self._fail(_sentence(reply, status))
        else:
            data = bytes(self._data)
            self._end()
            try:
                version = newer_version(data)
            except TokenariumError as error:
                self.failed.emit(str(error))
            else:
                self.answered.emit(version)

    def _too_late(self) -> None:
        self._fail("The package index did not answer in time. Try again later.")

    def _fail(self, sentence: str) -> None:
        self._end()
        self.failed.emit(sentence)

    def _end(self) -> None:
        self._limit.stop()
        reply, self._reply = self._reply, None
        if reply is not None:
            reply.abort()
            reply.deleteLater()
        self._data.clear()


def _sentence(reply: QNetworkReply, status: object) -> str:
    host = reply.url().host()
    if isinstance(status, int) and status >= 400:
        return f"{host} answered with the error {status}. Try again later."
    if reply.error() in (_Error.OperationCanceledError, _Error.TimeoutError):
        return "The package index did not answer in time. Try again later."
    return f"{host} cannot be reached: {reply.errorString().rstrip('.')}. Check the network, and try again."
