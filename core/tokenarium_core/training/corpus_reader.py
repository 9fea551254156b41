"""Reads a corpus (texts and files) in chunks for the scanners, each text separately."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.plain_files import check_file, open_file
from tokenarium_core.prefix_matcher import PrefixMatcher

CHUNK: Final = 1 << 18  # bytes of a file, or characters of a text, that are read at a time
MARGIN: Final = 1024  # bytes after a break that scanners may read
LARGEST: Final = 1 << 26  # bytes without a break that are held at most


@final
class CorpusReader:
    """A window on the corpus: ``data`` is padded UTF-8, and its pre-token boundaries up to ``limit`` are final.

    A chunk of a long text ends anywhere, and the last boundaries before its end may change when the text continues.
    So only boundaries up to ``limit`` count, a position beyond which no rule of the named patterns reads: a line
    break before a word, or a whitespace character between two ASCII letters, at least `MARGIN` bytes before the end.
    The rest is read again before the next chunk. Boundaries do not depend on the text before them, so they are those
    of the whole text. (Those of a user's own pattern can depend on more than `MARGIN` bytes after them; and in
    `LARGEST` bytes without a break, none can be found.)

    ``symbols`` are special tokens: the text ends before each one and a new text begins after it, so that nothing
    is learned from it. (The longest match counts, as in encoding.) Hugging Face's trainers learn them as text;
    SentencePiece's leave them out, as here. ``normalizer`` is applied to the text between them.
    """

    def __init__(
        self,
        texts: Iterable[str],
        files: Sequence[str | os.PathLike[str]],
        chunk: int = CHUNK,
        symbols: Sequence[str] = (),
        normalizer: Normalizer | None = None,
    ) -> None:
        self._chunk = chunk
        self._normalizer = normalizer
        self._matcher: PrefixMatcher | None = None
        if symbols:
            pieces = [symbol.encode() for symbol in symbols]
            self._matcher = PrefixMatcher(pieces, list(range(len(pieces))))
        self._parts: list[bytes] = []  # the text after the window, the last part first; padded
        self._parts_end = True  # whether the text ends with the last of them
        self.data: bytes = ZEROS
        self.start: i64 = 0  # the beginning of text not counted yet; the caller advances it
        self.stop: i64 = 0
        self.limit: i64 = 0
        self.done: int = 0  # bytes of files and characters of texts that were read
        self.bytes: int = 0  # of UTF-8, of all that was read
        self.texts: int = 0  # and files that were begun
        self.total: int = 0  # the same of the whole corpus; 0 if it is not known
        self._texts: Iterator[str] = iter([texts] if isinstance(texts, str) else texts)
        self._text = ""
        self._text_at: int = 0
        self._paths = [os.fspath(path) for path in files]
        self._next_path: int = 0
        self._in_file = False
        self._file_at: int = 0  # bytes that were read of the file
        if isinstance(texts, str):
            self.total += len(texts)
        elif isinstance(texts, (list, tuple)):
            self.total += sum(len(text) for text in texts)
        for path in self._paths:
            self.total += size_of(path)
        if not isinstance(texts, (str, list, tuple)):
            self.total = 0

    def read(self) -> bool:
        """Extends the window or moves to the next text; false at the end of the corpus.

        Call it when no more words end between ``start`` and ``limit``.
        """
        while True:
            if self._parts:
                self._show(self._parts.pop(), not self._parts and not self._parts_end)
                return True
            if not self._in_file and self._text_at == len(self._text) and not self._open_next():
                return False
            if self._read_on():
                return True

    def _read_on(self) -> bool:
        """Extends the window; false if only special tokens are left."""
        size = max(
            self._chunk, int(self.stop - self.start)
        )  # this is copied, so it should happen seldom
        data = self._read_file(size) if self._in_file else self._read_text(size)
        ended = not self._in_file and self._text_at == len(self._text)
        if self._matcher is not None:
            self._parts = self._apart(data, ended)
            self._parts_end = ended
            if not self._parts:
                self.start = self.stop = 0
                return False
            data = self._parts.pop()
            ended = ended or len(self._parts) > 0
        self._show(data, not ended)
        return True

    def _show(self, data: bytes, goes_on: bool) -> None:
        """Sets the window to padded text, and whether its text continues after it."""
        self.data = data if self._normalizer is None else self._normalizer.normalize_plain(data)
        self.start = 0
        self.stop = len(self.data) - PADDING
        self.limit = _last_break(self.data, self.stop) if goes_on else self.stop
        if self.limit == 0 and self.stop > LARGEST:
            self.limit = self.stop - MARGIN

    def _apart(self, data: bytes, ended: bool) -> list[bytes]:
        """Returns the text between the special tokens of padded text, padded, the last part first.

        If the text continues, the last part exists even if it is empty, and keeps a token that more bytes
        could extend.
        """
        matcher = self._matcher
        assert matcher is not None
        stop: i64 = len(data) - PADDING
        last: i64 = stop if ended else max(stop - matcher.longest, 0)
        parts: list[bytes] = []
        at: i64 = 0
        matches = matcher.find(data, 0, stop)
        while matches < stop and (ended or matches < last):
            if matches > at:
                parts.append(data[at:matches] + ZEROS)
            at = matches + matcher.length
            matches = matcher.find(data, at, stop)
        if at < stop or not ended:
            parts.append(data[at:])
        parts.reverse()
        return parts

    def lines_end(self) -> i64:
        """Returns where the last whole line of the window ends, or ``start`` if there is none yet.

        The end of a text also ends a line, and so does the end of too much text without a line ending.
        """
        if self.limit == self.stop or self.stop > LARGEST:
            return self.limit
        return i64(self.data.rfind(b"\n", self.start, self.stop)) + 1 or self.start

    def _open_next(self) -> bool:
        """Opens the next text or file; false when there is none."""
        self.start = 0
        self.stop = 0
        for text in self._texts:
            self._text = text
            self._text_at = 0
            self.texts += 1
            return True
        self._text = ""
        self._text_at = 0
        if self._next_path == len(self._paths):
            return False
        self._next_path += 1
        self.texts += 1
        self._in_file = True
        self._file_at = 0
        return True

    def _read_text(self, size: int) -> bytes:
        """Returns the window and the next ``size`` characters of the text, or all that are left, as padded bytes."""
        text = self._text
        end = min(self._text_at + size, len(text))
        if end < len(text) and 0xD800 <= ord(text[end - 1]) < 0xDC00:
            end += 1  # two lone surrogates that form one character
        piece = padded(text if end - self._text_at == len(text) else text[self._text_at : end])
        self.done += end - self._text_at
        self.bytes += len(piece) - PADDING
        self._text_at = end
        return self.data[self.start : self.stop] + piece

    def _read_file(self, size: int) -> bytes:
        """Returns the window and the whole characters of the next ``size`` bytes of the file, padded."""
        path = self._paths[self._next_path - 1]
        try:
            with open_file(path) as file:  # open it each time: a training may be dropped midway
                file.seek(self._file_at)
                fresh = file.read(size)
        except OSError as error:
            raise NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from error
        end = len(fresh)
        if end == size:
            end = _whole_characters(fresh)  # the rest is read again
        else:
            self._in_file = False
        piece = memoryview(fresh)[:end]  # copied once, below
        if not fresh.isascii():
            try:
                str(piece, "utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"{path} is not UTF-8: byte {self._file_at + error.start:,} (0x{fresh[error.start]:02X}) does not"
                    " fit there. Save the file as UTF-8, or leave it out."
                ) from error
        self._file_at += end
        self.done += end
        self.bytes += end
        return b"".join((memoryview(self.data)[self.start : self.stop], piece, ZEROS))


def size_of(path: str) -> int:
    """Returns the size of a file in bytes; NotAvailable if it is not one: a pipe or a device may never end."""
    try:
        return check_file(path).st_size
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from error


def _whole_characters(data: bytes) -> int:
    """Returns the length of ``data`` without an incomplete character at its end."""
    end = len(data)
    for back in range(1, min(4, end) + 1):
        byte = data[end - back]
        if byte >= 0xC0:  # the first byte of a character of 2, 3 or 4 bytes
            size = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return end - back if size > back else end
        if byte < 0x80:
            break
    return end


def _last_break(data: bytes, stop: i64) -> i64:
    """Returns the last position, `MARGIN` bytes before ``stop``, that no rule crosses; or 0."""
    at = stop - MARGIN
    while at > 1:
        before: i64 = data[at - 1]
        if before == 0x0A and _begins_word(data, at):
            return at
        if before == 0x20 and _is_letter(data[at - 2]) and _is_letter(data[at]):
            return at - 1
        at -= 1
    return 0


def _is_letter(byte: i64) -> bool:
    """Returns whether a byte is an ASCII letter."""
    return 0x61 <= byte | 0x20 <= 0x7A


def _begins_word(data: bytes, at: i64) -> bool:
    """Returns whether ``at`` is surely neither white space nor a "/", which o200k adds to "\\n".

    The white space beyond ASCII starts with the bytes C2, E1, E2 or E3 80.
    """
    byte: i64 = data[at]
    if byte < 0x80:
        return _is_letter(byte)
    return byte >= 0xC3 and byte != 0xE1 and byte != 0xE2 and (byte != 0xE3 or data[at + 1] != 0x80)
