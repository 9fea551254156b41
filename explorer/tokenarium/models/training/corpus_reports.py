"""What became of a file of a corpus, and how its bytes are opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, Final

from tokenarium.models.text.text_file import TextEncoding
from tokenarium.models.training.corpus_files import CorpusFile
from tokenarium.models.training.corpus_urls import open_url
from tokenarium_core.plain_files import open_file


@dataclass(slots=True)
class FileReport:
    """What became of one file, or of a part of one; complete once its documents are read."""

    file: CorpusFile
    encoding: TextEncoding | None = None
    documents: int = 0  # in the file
    kept: int = 0  # of which some text is in the corpus
    characters: int = 0  # of the text in the corpus
    read: int = 0  # bytes of the file on the disk
    note: str = ""  # what went wrong, as a sentence, if anything
    bad_lines: int = 0  # of text or of JSON lines, or rows of a table: left out
    first_bad: str = ""  # why the first line of text was left out
    long: bool = False  # whether its text is cut into several documents

    @property
    def skipped(self) -> bool:
        """Whether nothing of it was read."""
        return self.documents == 0


def rest(report: FileReport, reason: str) -> str:
    """Returns a sentence on what was not read."""
    if report.documents == 0:
        return f"{reason[0].upper()}{reason[1:]}."
    if report.file.form == "text":
        return f"Only its beginning was read: {reason}."
    return f"Only its first {report.documents:,} documents were read: {reason}."


_BUFFER: Final = 1 << 18


def opened(file: CorpusFile) -> IO[bytes]:
    """Returns the bytes of a file, as they are on the disk or at its address."""
    if file.url:
        return open_url(file.url, seekable=file.seekable)
    return open_file(file.path, _BUFFER)  # lines are read from it one by one
