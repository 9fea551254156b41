"""Reads a corpus of rows: in each line a text, a tab, and how often the text occurs.

It is the input format ``tsv`` of google/sentencepiece, see ``TrainerInterface::LoadSentences`` in its
``src/trainer_interface.cc``. Lists of words and their counts are often in this form.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.plain_files import open_file
from tokenarium_core.training.corpus_reader import size_of
from tokenarium_core.training.word_counter import COUNT_MASK, WordCounter

LONGEST_ROW: Final = 1 << 24
"""The most bytes of a row, as of a word."""

_MOST_BYTES: Final = 1 << 50  # of all texts together, as often as they occur
_SHOWN: Final = 40  # characters of a row in an error
_DIGITS: Final = 20


@final
class RowReader:
    """The rows of texts and files: their texts, which ``counters`` count as often as the row says.

    A row without a text counts nothing, as in SentencePiece; an empty line is not a row. Windows line endings are
    accepted.

    ``done`` of ``total`` bytes of files and characters of texts were read; a total of 0 means unknown.
    """

    def __init__(
        self,
        texts: Iterable[str],
        files: Sequence[str | os.PathLike[str]],
        counters: list[WordCounter],
    ) -> None:
        self._texts: Iterable[str] = [texts] if isinstance(texts, str) else texts
        self._paths = [os.fspath(path) for path in files]
        self._counters = counters
        self.done: int = 0
        self.total: int = 0
        self._bytes: int = 0
        if isinstance(self._texts, (list, tuple)):
            self.total = sum(len(text) for text in self._texts)
            for path in self._paths:
                self.total += size_of(path)

    def texts(self) -> Iterator[str]:
        """Yields the text of each row; the next one once all words of the last are counted.

        Raises FormatError for a line that is not a row, and for a file that is not UTF-8, NotAvailable for one that
        cannot be read.
        """
        number = 0
        for text in self._texts:
            at = 0
            while at < len(text):
                end = text.find("\n", at)
                if end < 0:
                    end = len(text)
                number += 1
                row = self._text_of(text[at:end], "the texts", number)
                self.done += min(end + 1, len(text)) - at
                at = end + 1
                if row:
                    yield row
        for path in self._paths:
            for row in self._of_file(path):
                yield row
        for counter in self._counters:
            counter.weight = 0

    def _of_file(self, path: str) -> Iterator[str]:
        try:
            with open_file(path) as file:
                number = 0
                while True:
                    line = file.readline(LONGEST_ROW)
                    if not line:
                        break
                    number += 1
                    if len(line) == LONGEST_ROW and not line.endswith(b"\n"):
                        raise FormatError(
                            f"Line {number:,} of {path} is longer than {LONGEST_ROW:,} bytes, which no row may be."
                        )
                    try:
                        text = line.decode()
                    except UnicodeDecodeError as error:
                        raise FormatError(
                            f"Line {number:,} of {path} is not UTF-8: its byte {error.start:,}"
                            f" (0x{line[error.start]:02X}) does not fit there. Save the file as UTF-8."
                        ) from error
                    if number == 1:
                        text = text.removeprefix("\ufeff")
                    row = self._text_of(text.removesuffix("\n"), path, number)
                    self.done += len(line)
                    if row:
                        yield row
        except OSError as error:
            raise NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from error

    def _text_of(self, line: str, where: str, number: int) -> str:
        """Returns the text of a row, and makes the counters count it as often as the row says."""
        if not line or line == "\r":
            return ""
        text, tab, written = line.partition("\t")
        count = written.strip(" \r").removeprefix("+")
        why = ""
        if not tab:
            why = "has no tab between a text and its count"
        elif "\t" in written:
            why = "has more than one tab"
        elif not (count.isascii() and count.isdigit()):
            why = f"has {_shown(written)} after the tab, not a whole number"
        elif len(count) > _DIGITS or not 1 <= int(count) <= COUNT_MASK:
            why = f"has a count of {count[:_SHOWN]}, which has to be between 1 and {COUNT_MASK:,}"
        if why:
            raise FormatError(
                f"Line {number:,} of {where} {why}: {_shown(line)}. A row of input_format = tsv is a text, a tab, and how"
                " often the text occurs."
            )
        times = int(count)
        self._bytes += times * len(text)
        if self._bytes > _MOST_BYTES:
            raise FormatError(
                f"The rows up to line {number:,} of {where} stand for a text of more than {_MOST_BYTES:,} characters, the"
                " most that training can hold: divide all counts by the same number."
            )
        for counter in self._counters:
            counter.weight = times
        return text


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
