"""What the readers of text files share: numbered lines, and a vocabulary of the entries that have ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    PLAIN,
    SPACE_MARK,
    UNUSED,
    PieceArena,
    Vocabulary,
)


def lines_of(content: bytes, source: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text in UTF-8 with their numbers from 1 on, as Python reads a text file.

    A line ends with a line feed, a carriage return or both; what follows the last one is a line unless it is empty.
    Raises FormatError, with the line, for other bytes than those of UTF-8.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        fault = content.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"Line {fault} of {source} is not UTF-8 (byte {error.start} of the file)."
        ) from error
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    yield from enumerate(lines, 1)


def pieces_by_id(
    pieces: Mapping[int, bytes],
    special: Mapping[str, int],
    source: str,
    byte_kind: i64 = BYTE,
    spelling: i64 = PLAIN,
) -> Vocabulary:
    """Returns the vocabulary of some pieces, and of special tokens with ids that no piece has; other ids are unused.

    A piece of one byte is of the kind ``byte_kind``; ``spelling`` as in `Vocabulary`. Of several with the same bytes, the first is found by them. Raises FormatError for a special token whose id a piece has, or which is
    out of range, and if there is nothing.
    """
    names: dict[int, bytes] = {}
    for content, token in special.items():
        if not 0 <= token < MAX_IDS:
            raise FormatError(
                f"The special token {content!r} of {source} has the id {token}, which is out of range."
            )
        if token in pieces:
            raise FormatError(
                f"The special token {content!r} of {source} has the id {token}, which another entry already has."
            )
        names.setdefault(token, content.encode())
    if not pieces:
        raise FormatError(f"{source} has no entries.")
    count = max([*pieces, *names]) + 1
    arena = PieceArena(count)
    seen: set[bytes] = set()
    again: list[int] = []
    for token in range(count):
        if token in pieces:
            piece = pieces[token]
            arena.add(piece, byte_kind if len(piece) == 1 else NORMAL)
            if piece in seen:
                again.append(token)
            seen.add(piece)
        elif token in names:
            arena.add(names[token], CONTROL)
        else:
            arena.add(b"", UNUSED)
    vocabulary = Vocabulary(arena, spelling=spelling, outside=frozenset(again))
    for token in again:  # whose bytes need not be UTF-8
        spelled = pieces[token].decode("utf-8", "backslashreplace")
        vocabulary.spelled[token] = spelled.replace(" ", "▁") if spelling == SPACE_MARK else spelled
    return vocabulary


def repeated_entries(vocabulary: Vocabulary) -> bool:
    """Returns whether two entries have the same bytes, of which the first is found by them; see `pieces_by_id`."""
    return any(
        token in vocabulary.spelled and i64(vocabulary.kinds[token]) in (NORMAL, BYTE)
        for token in vocabulary.outside
    )
