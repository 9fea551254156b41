"""The file of the published BoundlessBPE, ``.model``: a text of lines, which begins with ``word v1``.

```
word v1
"…"                      the pattern, as JSON
512                      how many entries there are; then each: its id, and its piece in GPT-2's alphabet
0 Ā
1                        how many special tokens there are; then each: its id, and its text
512 <|endoftext|>
230                      how many merges there are; then each: its number, its left and its right piece
0 Ġ t
20                       how many deletions there are; then each: its number, and the piece
61 ween
6                        how many supermerges there are; then each, as a merge
104 Ġof Ġthe
0                        deletions among supermerges, which the published encoder does not know either
```

Merges, deletions and supermerges are numbered together, in the order in which they were learned. Deleted pieces
are split into their bytes, as the published encoder does by default: the file does not record how its training
did it. Of several deletions of one piece, the last one counts, as there. Source: ``save`` and ``load``
of kensho-technologies/boundlessbpe.
"""

from __future__ import annotations

import json
from typing import Final, final

from tokenarium_core.added_tokens import of_special
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.byte_level import obstacle_to_stages
from tokenarium_core.formats.format import (
    CERTAIN,
    NO,
    FileHead,
    Files,
    Format,
    named_after_file,
)
from tokenarium_core.formats.learned_events import (
    DELETION,
    MERGE,
    SUPERMERGE,
    EventsReader,
    Learned,
    learned_events,
)
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    UNUSED,
    PieceArena,
    Vocabulary,
)

_HEAD: Final = "word v1"


@final
class _Lines:
    """The lines of a file, read one after another."""

    def __init__(self, content: bytes, source: str) -> None:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(f"{source} is not UTF-8: byte {error.start} does not fit.") from error
        self._lines = text.replace("\r\n", "\n").split("\n")
        self._source = source
        self.number = 0

    def line(self) -> str:
        """Returns the next line."""
        if self.number == len(self._lines):
            raise FormatError(f"{self._source} ends too early, after line {self.number}.")
        self.number += 1
        return self._lines[self.number - 1]

    def count(self, what: str) -> int:
        """Returns the number in the next line, which counts the lines that follow."""
        line = self.line()
        if not (line.isascii() and line.isdigit() and len(line) < 8):
            raise self.fault(f"is {line!r}, where the number of {what} should be")
        return int(line)

    def numbered(self, parts: int) -> tuple[int, list[str]]:
        """Returns the number in the next line, and this many parts after it."""
        fields = self.line().split(" ")
        number = fields[0]
        if len(fields) != parts + 1 or not (
            number.isascii() and number.isdigit() and len(number) < 8
        ):
            raise self.fault(f"is not a number and {parts} part{'s' if parts > 1 else ''} after it")
        return int(number), fields[1:]

    def piece(self, text: str) -> bytes:
        """Returns the bytes of a piece in GPT-2's alphabet."""
        try:
            piece = byte_alphabet.to_bytes(text)
        except KeyError as error:
            raise self.fault(f"has {text!r}, with a character outside GPT-2's alphabet") from error
        if not piece:
            raise self.fault("has an empty piece")
        return piece

    def fault(self, what: str) -> FormatError:
        """Returns the error for the last line."""
        return FormatError(f"Line {self.number} of {self._source} {what}.")


def read_boundless(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a file; FormatError, with the line, if it is not one."""
    lines = _Lines(content, source)
    if lines.line().strip() != _HEAD:
        raise FormatError(f"{source} does not begin with {_HEAD!r}, as files of BoundlessBPE do.")
    try:
        pattern = json.loads(lines.line())
    except (ValueError, RecursionError):
        pattern = None
    if not isinstance(pattern, str):
        raise lines.fault("is not the pattern, a text as JSON")
    ids = _entries(lines)
    special = _special_tokens(lines, ids)
    vocabulary = _vocabulary(ids, special)
    model = _model(lines, vocabulary, source)
    return Tokenizer(source, model, cutting(pattern), of_special(special))


def _entries(lines: _Lines) -> dict[bytes, int]:
    ids: dict[bytes, int] = {}
    taken: set[int] = set()
    for _ in range(lines.count("entries")):
        number, parts = lines.numbered(1)
        piece = lines.piece(parts[0])
        if piece in ids or number in taken or number >= MAX_IDS:
            raise lines.fault("repeats an entry or an id, or has an id that is too large")
        ids[piece] = number
        taken.add(number)
    for byte in range(256):
        if bytes([byte]) not in ids:
            raise lines.fault(f"ends the entries, and the byte 0x{byte:02X} is not among them")
    return ids


def _special_tokens(lines: _Lines, ids: dict[bytes, int]) -> dict[str, int]:
    special: dict[str, int] = {}
    taken = set(ids.values())
    for _ in range(lines.count("special tokens")):
        number, parts = lines.numbered(1)
        if not parts[0] or parts[0] in special or number in taken or number >= MAX_IDS:
            raise lines.fault("repeats a special token or an id, or has an id that is too large")
        special[parts[0]] = number
        taken.add(number)
    return special


def _vocabulary(ids: dict[bytes, int], special: dict[str, int]) -> Vocabulary:
    pieces = {number: piece for piece, number in ids.items()}
    names = {number: token.encode() for token, number in special.items()}
    count = max(*pieces, *names) + 1
    arena = PieceArena(count)
    for number in range(count):
        if number in pieces:
            piece = pieces[number]
            arena.add(piece, BYTE if len(piece) == 1 else NORMAL)
        elif number in names:
            arena.add(names[number], CONTROL)
        else:
            arena.add(b"", UNUSED)
    return Vocabulary(arena)


def _model(lines: _Lines, vocabulary: Vocabulary, source: str) -> BoundlessBpe:
    events: dict[int, Learned] = {}
    for kind, parts in ((MERGE, 2), (DELETION, 1), (SUPERMERGE, 2)):
        for _ in range(lines.count(kind + "s")):
            number, texts = lines.numbered(parts)
            pieces = [lines.piece(text) for text in texts]
            if number in events:
                raise lines.fault(f"is a {kind} with a number that an earlier line has")
            events[number] = (kind, pieces)
    if lines.count("deletions among supermerges"):
        raise lines.fault(
            "says that supermerges were deleted, which neither the published encoder nor this program knows"
        )
    last = {
        pieces[0]: number for number, (kind, pieces) in sorted(events.items()) if kind == DELETION
    }
    reader = EventsReader(vocabulary)
    for number in range(len(events)):
        if number not in events:
            raise FormatError(
                f"{source} has no merge, deletion or supermerge with the number {number}: they are numbered from 0 to"
                f" {len(events) - 1}."
            )
        kind, pieces = events[number]
        if kind != DELETION or last[pieces[0]] == number:
            reader.add(kind, pieces, f"{source}: the {kind} {number}")
    return reader.model(source)


def _obstacle(tokenizer: Tokenizer) -> str:
    model = tokenizer.model
    if not isinstance(model, BoundlessBpe):
        return "The file holds the merges, deletions and supermerges of BoundlessBPE, and this is a model of another kind."
    for token in tokenizer.special_tokens:
        if " " in token or "\n" in token or "\r" in token:
            return f"The special token {token!r} has a space or a line break, and the file separates its fields by these."
    return obstacle_to_stages(tokenizer)


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    model = tokenizer.model
    assert isinstance(model, BoundlessBpe)
    vocabulary = model.vocabulary
    entries = [
        f"{token} {byte_alphabet.to_text(vocabulary.piece(token))}"
        for token in range(len(vocabulary))
        if vocabulary.kind(token) not in ("unused", "control")
    ]
    special = [f"{number} {token}" for token, number in tokenizer.special_tokens.items()]
    listed: dict[str, list[str]] = {MERGE: [], DELETION: [], SUPERMERGE: []}
    for number, (kind, pieces) in enumerate(learned_events(model)):
        listed[kind].append(" ".join([str(number), *map(byte_alphabet.to_text, pieces)]))
    lines = [_HEAD, json.dumps(tokenizer.pre_tokenizer.pattern)]
    for section in (entries, special, *listed.values(), list[str]()):
        lines += [str(len(section)), *section]
    return {f"{stem}.model": ("\n".join(lines) + "\n").encode()}


def _recognized(head: FileHead) -> int:
    begins = head.content.startswith((b'word v1\n"', b'word v1\r\n"'))
    return CERTAIN if begins else NO


FORMAT: Final[Format] = Format(
    "boundless",
    "BoundlessBPE's model",
    "BoundlessBPE",
    (".model",),
    _recognized,
    named_after_file(read_boundless),
    signs="The first line is `word v1`, and the second a pattern as JSON.",
    algorithms="BoundlessBPE",
    compared="the published code, by data that it wrote",
    writes="BoundlessBPE.",
    obstacle=_obstacle,
    write=_written,
)
