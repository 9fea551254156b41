"""What a format is: how its files are recognized, read and written, and what users call it.

A format is a value of `Format` in its own module, next to its reader and its writer, and a line in `registry`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter

Files = dict[str, bytes]
"""The content of each file by name, the main one first."""

NO: Final = 0
LIKELY: Final = 1
CERTAIN: Final = 2
"""How certain it is that a file has a format.

`LIKELY` is enough for a file that the user says is a tokenizer. A file that could equally be text or data is a
tokenizer only if it is `CERTAIN`.
"""

HEAD_BYTES: Final = 16 * 1024
"""The first bytes of a file, which make it `CERTAIN`."""

_START: Final = 4096  # bytes at the beginning of a file
_MOST_FIELDS: Final = 64
_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C


@final
class FileHead:
    """A file as recognizers see it: its name, and all or the beginning of its content.

    ``start`` is the content after leading white space. For a JSON object, ``fields`` has the first characters of the
    values by field, as far as `read_field` got; ``complete`` says whether these are all. The contents of values are
    skipped.
    """

    def __init__(self, content: bytes, name: str) -> None:
        self.content = content
        self.name = name
        self.start = content[:_START].lstrip()
        self.is_object = self.start.startswith(b"{")
        self.fields: dict[str, str] = {}
        self.field = ""
        self.complete = False
        self._at: i64 = 0
        self._depth: i64 = 0

    def ends(self, *ends: str) -> bool:
        """Returns whether the name has one of these endings, in upper or lower case."""
        return self.name.lower().endswith(ends)

    def read_field(self) -> bool:
        """Moves to the next field of the object, ``field``; false if there is none, or there were too many."""
        if not self.is_object or self.complete or len(self.fields) >= _MOST_FIELDS:
            return False
        content = self.content
        size: i64 = len(content)
        at = self._at
        depth = self._depth
        name = ""
        named = False  # whether the value of a field comes next
        while at < size:
            byte: i64 = content[at]
            if named and byte > 0x20:
                self._at = at
                self._depth = depth
                self.field = name
                self.fields[name] = chr(byte)
                return True
            if byte == _QUOTE:
                start = at + 1
                at = _string_end(content, start)
                if depth == 1:
                    end = at if at < start + 64 else start + 64
                    name = content[start:end].decode("utf-8", "replace")
            elif byte == 0x3A:  # :
                named = depth == 1
            elif byte == 0x7B or byte == 0x5B:  # { [
                depth += 1
            elif byte == 0x7D or byte == 0x5D:  # } ]
                depth -= 1
            at += 1
        self.complete = True
        return True  # so that recognizers run once more


def whole_lines(head: FileHead) -> list[bytes]:
    """Returns the lines of the beginning of a file that are complete, without their line feeds."""
    lines = head.content[:HEAD_BYTES].split(b"\n")
    last = lines.pop()
    return [*lines, last] if last and len(head.content) < HEAD_BYTES else lines


def _string_end(content: bytes, at: i64) -> i64:
    """Returns the position of the quote that ends a string; the end of the content if there is none."""
    size: i64 = len(content)
    while at < size:
        byte: i64 = content[at]
        if byte == _QUOTE:
            return at
        at += 2 if byte == _BACKSLASH else 1
    return size


@final
class TokenizerFile:
    """A file that is being opened, for its reader.

    ``name`` is the name for the tokenizer; ``pattern`` and ``special_tokens`` come from the caller.
    The parsed form is written to ``out``, if given. The reader sets ``files`` if it reads several. ``digest`` is the
    SHA-256 of the content, in hexadecimal, where a cache is looked into; ``content`` may then be empty.
    """

    def __init__(
        self,
        path: Path,
        content: bytes,
        name: str,
        pattern: str | None = None,
        special_tokens: dict[str, int] | None = None,
        out: CacheWriter | None = None,
    ) -> None:
        self.path = path
        self.content = content
        self.name = name
        self.pattern = pattern
        self.special_tokens: dict[str, int] = special_tokens if special_tokens is not None else {}
        self.out = out
        self.digest = ""
        self.files = [path]


def named_after_file(
    read: Callable[[bytes, str], Tokenizer],
) -> Callable[[TokenizerFile], Tokenizer]:
    """Returns a `Format.read` from a function of the content and the name of the file, for errors: it names the result."""

    def opened(file: TokenizerFile) -> Tokenizer:
        tokenizer = read(file.content, file.path.name)
        tokenizer.name = file.name
        return tokenizer

    return opened


def _unwritten(tokenizer: Tokenizer) -> str:
    return "This program reads the format but does not write it."


def _nothing(tokenizer: Tokenizer, stem: str) -> Files:
    return {}


@final
class Format:
    """One format: each fact about it, once.

    ``name`` is for `Tokenizer.save` and `Source.format`, ``title`` for users, ``label`` is a short title for lists.
    ``suffixes``: the possible endings of its file names, starting with the one used for writing. ``own_names``:
    endings that no other kind of file has. ``folder_names``: its files in model folders; ``pairs``: two files that
    make one tokenizer, in folders and elsewhere, by the endings of their names. ``patterns``: more names to search
    for, with wildcards.

    ``recognize`` returns `NO`, `LIKELY` or `CERTAIN` for a `FileHead`; in JSON it runs after each field. ``read``
    returns the tokenizer; FormatError if it is not such a file. ``load`` returns one from what ``read`` wrote to the
    cache, and a file without its content. ``takes_pattern``: whether the file does not define how a text is split. ``in_place``:
    ``read`` gets no content, and reads parts of the file itself, which may be of any size; ``digest`` returns the SHA-256 of
    these parts, in hexadecimal, or nothing.

    ``obstacle`` returns, as a sentence, why a tokenizer cannot be written in it; empty if it can. ``write`` returns
    the files for a name without suffix; ``fixed_names`` are their names if these are always the same. ``reference`` is
    the library that reads them; empty if only this program does. ``holds`` lists the parts that the files can contain,
    see `parts`.

    The rest is for the table of formats in the documentation: ``signs`` says how a file is recognized, and ``writes``
    what can be written, as sentences; ``algorithms`` are those that a file can have; ``compared`` names the library
    and the version that the tests compare with.
    """

    def __init__(
        self,
        name: str,
        title: str,
        label: str,
        suffixes: tuple[str, ...],
        recognize: Callable[[FileHead], int],
        read: Callable[[TokenizerFile], Tokenizer],
        *,
        signs: str,
        algorithms: str,
        compared: str,
        writes: str = "",
        own_names: tuple[str, ...] = (),
        folder_names: tuple[str, ...] = (),
        pairs: tuple[tuple[str, str], ...] = (),
        patterns: tuple[str, ...] = (),
        load: Callable[[CacheReader, TokenizerFile], Tokenizer] | None = None,
        takes_pattern: bool = False,
        in_place: bool = False,
        digest: Callable[[Path], str] | None = None,
        obstacle: Callable[[Tokenizer], str] = _unwritten,
        write: Callable[[Tokenizer, str], Files] = _nothing,
        fixed_names: tuple[str, ...] = (),
        reference: str = "",
        holds: frozenset[str] = frozenset(),
    ) -> None:
        self.name = name
        self.title = title
        self.label = label
        self.suffixes = suffixes
        self.suffix = suffixes[0]
        self.recognize = recognize
        self.read = read
        self.signs = signs
        self.algorithms = algorithms
        self.compared = compared
        self.writes = writes
        self.own_names = own_names
        self.folder_names = folder_names
        self.pairs = pairs
        self.load = load
        self.takes_pattern = takes_pattern
        self.in_place = in_place
        self.digest = digest
        self.obstacle = obstacle
        self.write = write
        self.is_written = write is not _nothing
        self.fixed_names = fixed_names
        self.reference = reference
        self.holds = holds
        names = [name for pair in pairs for name in pair]
        self.patterns = (*folder_names, *names, *["*" + end for end in own_names], *patterns)

    def has_own_name(self, name: str) -> bool:
        """Returns whether the name alone says that a file has this format, even if its content is wrong."""
        return name.endswith(self.own_names)

    def pair_of(self, path: Path) -> tuple[Path, Path] | None:
        """Returns the pair of files to which a path belongs by name; they need not exist."""
        for pair in self.pairs:
            for end in pair:
                if path.name.endswith(end):
                    stem = path.name[: len(path.name) - len(end)]
                    return path.with_name(stem + pair[0]), path.with_name(stem + pair[1])
        return None
