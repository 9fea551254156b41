"""Texts in several languages: the program's own, which say the same, and those of a folder, which may not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from tokenarium.models.compare.language_names import language_titles
from tokenarium.models.text.text_file import TextFileError, read_text

FEWEST = 2
"""The fewest languages for a comparison."""

SUFFIXES = ("", ".txt", ".text", ".dev", ".devtest")
"""Those of FLORES are the names of its parts."""

_LINE_END = re.compile("\r\n|\n|\r")
"""Not U+2028 or a form feed, which may be inside a sentence."""


@dataclass(frozen=True, slots=True)
class ParallelText:
    """One language: its name, and its sentences or paragraphs, without line ends.

    Line ``n`` says the same in all `aligned` texts. Texts with different numbers of lines (as translations of a
    whole document) can only be compared as a whole, which is ``whole``: the file as it is, with its line ends.
    """

    language: str
    title: str
    lines: tuple[str, ...]
    whole: str = ""

    @property
    def text(self) -> str:
        """The whole text; all lines where there is no file."""
        return self.whole or "\n".join(self.lines)


def shipped() -> list[ParallelText]:
    """Returns the sentences that come with the program."""
    from tokenarium.resources.parallel_index import load_translations

    return [
        ParallelText(translation.language, translation.title, tuple(translation.sentences()))
        for translation in load_translations()
    ]


def of_folder(folder: Path) -> tuple[list[ParallelText], list[str]]:
    """Returns the texts of a folder with a file for each language, and a sentence for each file left out.

    Empty lines do not count. Raises TextFileError if there are not at least `FEWEST`.
    """
    texts: list[ParallelText] = []
    left_out: list[str] = []
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise TextFileError(f"{folder} cannot be read: {error.strerror}.") from None
    except ValueError:  # a NUL
        raise TextFileError(
            f"{str(folder)!r} cannot be read: no folder can have this name."
        ) from None
    for path in paths:
        if not path.is_file() or path.suffix.lower() not in SUFFIXES:
            continue
        try:
            text = read_text(path)
        except TextFileError as error:
            left_out.append(str(error))
            continue
        lines = tuple(line for line in _LINE_END.split(text) if line.strip())
        if lines:
            texts.append(ParallelText(path.stem, path.stem, lines, text))
        else:
            left_out.append(f"{path.name} is empty.")
    if len(texts) < FEWEST:
        raise TextFileError(
            f"{folder} has {len(texts)} {'text' if len(texts) == 1 else 'texts'} to compare, but {FEWEST} are needed: a .txt file for each language,"
            " named after it."
        )
    titles = language_titles([text.language for text in texts])
    named = [replace(text, title=title) for text, title in zip(texts, titles, strict=True)]
    return named, left_out


def aligned(texts: list[ParallelText]) -> bool:
    """Returns whether all texts have the same number of lines, and more than one.

    If they also say the same line by line, an interval can be found by drawing lines.
    """
    return len({len(text.lines) for text in texts}) == 1 and len(texts[0].lines) > 1
