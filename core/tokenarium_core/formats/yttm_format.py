"""The model of YouTokenToMe: a text of numbers.

```
68 42               how many characters and merges there are
9601 4              the characters: a code point, and its id; 9601 is ▁, which begins each word
104 5
4 5 72              the merges: two ids, and the id that they become
1 0 2 3             the ids of <UNK>, <PAD>, <BOS> and <EOS>; -1 for none
```

A text is cut at white space, which is not kept: each word is ▁ and its characters. Characters in a row that have no id
are one <UNK>. Two merges may make the same characters: these are two entries. Sources: ``BPEState::load`` in
``utils.cpp``, ``encode_sentence`` and ``decode`` in ``bpe.cpp`` of VKCOM/YouTokenToMe.
"""

from __future__ import annotations

import re
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    named_after_file,
    whole_lines,
)
from tokenarium_core.formats.plain_lines import lines_of, pieces_by_id
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import HfSymbols, hf_bpe
from tokenarium_core.models.bpe.merge_table import merges_of_list
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.utf8 import character_sizes
from tokenarium_core.vocabulary import MAX_IDS, NORMAL, SPACE_MARK, Vocabulary

_MARK: Final = 9601
_NAMES: Final = ("<UNK>", "<PAD>", "<BOS>", "<EOS>")
_MOST_BYTES: Final = 1 << 28  # of all entries together
_NUMBERS: Final = re.compile(r"[0-9]{1,9}(?: [0-9]{1,9})*")
_LAST: Final = re.compile(r"(-1|[0-9]{1,9}) (-1|[0-9]{1,9}) (-1|[0-9]{1,9}) (-1|[0-9]{1,9})")
_LINE: Final = re.compile(rb"[0-9]{1,9}(?: (?:-1|[0-9]{1,9})){1,3} ?\r?")
_LEAST: Final = 3
_MANY: Final = 64  # characters that are enough to know the file by, where ▁ comes later
_SPECIAL: Final = 8  # more ids than characters and merges


@final
class WordsNormalizer(Normalizer):
    """Writes each word with a space in front, which stands for ``▁``; words are parted by ASCII white space and ``▁``."""

    def __init__(self) -> None:
        super().__init__("words of YouTokenToMe")

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the words of the text."""
        writer = NormalizedWriter(text, "The words of YouTokenToMe")
        data = text.data
        at: i64 = 0
        while at < text.size:
            begin = at
            while at < text.size:
                size = _blank(data, at)
                if size == 0:
                    break
                at += size
            if at >= text.size:  # at the end of a text it is left out
                writer.replace(begin, at, b"")
                break
            writer.replace(begin, at, b" ")
            begin = at
            while at < text.size and _blank(data, at) == 0:
                byte: i64 = data[at]
                at += i64(character_sizes[byte])
            writer.copy(begin, at)
        return writer.finish()


def _blank(data: bytes, at: i64) -> i64:
    """Returns how many bytes of white space begin at a byte: one of ASCII, three of ``▁``, or none."""
    byte: i64 = data[at]
    if byte == 0x20 or 0x09 <= byte <= 0x0D:
        return 1
    return 3 if byte == 0xE2 and data[at + 1] == 0x96 and data[at + 2] == 0x81 else 0


@final
class YttmDecoder(Decoder):
    """Joins the pieces, without the space in front of the first one."""

    def __init__(self, left_out: frozenset[int] = frozenset()) -> None:
        super().__init__("YouTokenToMe", left_out)

    def choosing(self, special: frozenset[int], skips: bool) -> Decoder:
        """Returns this decoder with special tokens left out, or written; see `Decoder.choosing`."""
        return YttmDecoder(special if skips else frozenset())

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the bytes of a text; see `Decoder.decode`."""
        text = super().decode(vocabulary, ids)
        return text[1:] if text.startswith(b" ") else text


def read_yttm(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a model of YouTokenToMe; ``source`` names it in errors.

    Raises FormatError, with the line, for anything but the numbers that belong there, for a character, an id or a pair
    that was there before, for ids that do not exist yet, and for a file that ends too early or too late.
    """
    lines = list(lines_of(content, source))
    first = _row(lines, 0, 2, source)
    characters, merges = first[0], first[1]
    if len(lines) < characters + merges + 2:
        raise FormatError(
            f"{source} ends too early, after line {len(lines)}: it names {characters:,} characters and {merges:,} merges."
        )
    if any(line.strip() for _, line in lines[characters + merges + 2 :]):
        raise FormatError(
            f"{source} continues after line {characters + merges + 2}, the last one according to its first line."
        )
    pieces: dict[int, bytes] = {}
    codes: set[int] = set()
    for index in range(1, characters + 1):
        code, token = _row(lines, index, 2, source)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise FormatError(f"Line {index + 1} of {source} has {code}, which is not a character.")
        if code in codes or token in pieces or token >= MAX_IDS:
            raise FormatError(
                f"Line {index + 1} of {source} repeats a character or an id, or has an id that is too large."
            )
        codes.add(code)
        pieces[token] = b" " if code == _MARK else chr(code).encode()
    if _MARK not in codes:
        raise FormatError(f"{source} has no id for ▁ ({_MARK}), which begins each word.")
    columns = _merges(lines, characters + 1, merges, pieces, source)
    special, unknown = _special(lines[characters + merges + 1], source)
    vocabulary = pieces_by_id(pieces, special, source, byte_kind=NORMAL, spelling=SPACE_MARK)
    model = hf_bpe(vocabulary, merges_of_list(*columns), unknown, fuse_unknown=True)
    added = {name: token for name, token in special.items() if name != _NAMES[0]}
    tokenizer = Tokenizer(
        source,
        model,
        WholeText(),
        of_special(added),
        normalizer=WordsNormalizer(),
        decoder=YttmDecoder(),
    )
    tokenizer.details = [
        Detail("YouTokenToMe", name, shown)
        for name, shown in (
            ("unk_token", _NAMES[0]),
            ("bos_token", _NAMES[2]),
            ("eos_token", _NAMES[3]),
        )
        if shown in special
    ]
    return tokenizer


def _row(lines: list[tuple[int, str]], index: int, count: int, source: str) -> list[int]:
    """Returns the numbers of a line; FormatError if they are not ``count``."""
    line = lines[index][1].rstrip(" ") if index < len(lines) else ""
    numbers = line.split(" ") if _NUMBERS.fullmatch(line) else []
    if len(numbers) != count:
        raise FormatError(
            f"Line {index + 1} of {source} is {line[:40]!r}, where {count} numbers should be."
        )
    return [int(number) for number in numbers]


def _merges(
    lines: list[tuple[int, str]], first: int, count: int, pieces: dict[int, bytes], source: str
) -> tuple[vec[i32], vec[i32], vec[i32]]:
    lefts = vec[i32]()
    rights = vec[i32]()
    results = vec[i32]()
    pairs: set[tuple[int, int]] = set()
    size = 0
    for index in range(first, first + count):
        left, right, token = _row(lines, index, 3, source)
        where = f"Line {index + 1} of {source}"
        if left not in pieces or right not in pieces:
            raise FormatError(f"{where} merges an id that no line before it has.")
        if (left, right) in pairs or token in pieces or token >= MAX_IDS:
            raise FormatError(f"{where} repeats a pair or an id, or has an id that is too large.")
        if b" " in pieces[right]:
            raise FormatError(f"{where} merges beyond the beginning of a word, where ▁ is.")
        pairs.add((left, right))
        size += len(pieces[left]) + len(pieces[right])
        if size > _MOST_BYTES:
            raise FormatError(
                f"The entries of {source} have more than 256 MiB at line {index + 1}."
            )
        pieces[token] = pieces[left] + pieces[right]
        lefts = append(lefts, i32(left))
        rights = append(rights, i32(right))
        results = append(results, i32(token))
    if pieces.get(0) is not None:
        raise FormatError(
            f"{source} has the id 0 for an entry, which YouTokenToMe treats as an entry that was merged away."
        )
    return lefts, rights, results


def _special(line: tuple[int, str], source: str) -> tuple[dict[str, int], int]:
    """Returns the special tokens by their names, and the id of the unknown one."""
    match = _LAST.fullmatch(line[1].rstrip(" "))
    if match is None:
        raise FormatError(f"Line {line[0]} of {source} is not the ids of four special tokens.")
    special: dict[str, int] = {}
    for number, name in enumerate(_NAMES):
        token = int(match[number + 1])
        if token >= 0:
            if token in special.values():
                raise FormatError(f"Line {line[0]} of {source} has one id for two special tokens.")
            special[name] = token
    if _NAMES[0] not in special:
        raise FormatError(f"Line {line[0]} of {source} has no id for {_NAMES[0]}.")
    return special, special[_NAMES[0]]


def _obstacle(tokenizer: Tokenizer) -> str:
    if not isinstance(tokenizer.normalizer, WordsNormalizer) or not isinstance(
        tokenizer.decoder, YttmDecoder
    ):
        return "The file holds what YouTokenToMe runs, and this tokenizer does not come from such a file."
    if not tokenizer.special_tokens.keys() <= set(_NAMES):
        return f"The file has the special tokens {', '.join(_NAMES)} only."
    return ""


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    model = tokenizer.model
    assert isinstance(model, CharacterBpe)
    source = model.source
    assert isinstance(source, HfSymbols)
    vocabulary = tokenizer.vocabulary
    table = model.merges.table
    results = {i64(table.results[rank]) for rank in range(len(table))}
    characters = [
        f"{_MARK if piece == b' ' else ord(piece.decode())} {token}"
        for token in range(len(vocabulary))
        if vocabulary.kind(token) == "normal" and token not in results
        for piece in [vocabulary.piece(token)]
    ]
    merges = [
        f"{table.lefts[rank]} {table.rights[rank]} {table.results[rank]}"
        for rank in range(len(table))
    ]
    special = {_NAMES[0]: source.unknown, **tokenizer.special_tokens}
    last = " ".join([str(special.get(name, -1)) for name in _NAMES])
    lines = [f"{len(characters)} {len(merges)}", *characters, *merges, last]
    return {f"{stem}.model": ("\n".join(lines) + "\n").encode()}


def _recognized(head: FileHead) -> int:
    """Two counts; as many lines with a code point and its id; merges of three ids; the last line if it is there."""
    if not head.content[:1].isdigit():
        return NO
    lines = whole_lines(head)
    if len(lines) < _LEAST or not all(_LINE.fullmatch(line) for line in lines):
        return NO
    rows = [line.split() for line in lines]
    if len(rows[0]) != 2:
        return NO
    characters, merges = int(rows[0][0]), int(rows[0][1])
    pairs = rows[1 : characters + 1]
    most = characters + merges + _SPECIAL
    if most > MAX_IDS or not all(len(row) == 2 and int(row[1]) < most for row in pairs):
        return NO
    if not all(len(row) == 3 for row in rows[characters + 1 : characters + merges + 1]):
        return NO
    apart = len({row[0] for row in pairs}) == len(pairs) == len({row[1] for row in pairs})
    whole = len(pairs) == characters and merges > 0
    marked = any(row[0] == b"9601" for row in pairs)
    return CERTAIN if apart and (marked or (not whole and len(pairs) >= _MANY)) else LIKELY


FORMAT: Final[Format] = Format(
    "youtokentome",
    "YouTokenToMe's model",
    "YouTokenToMe",
    (".model",),
    _recognized,
    named_after_file(read_yttm),
    signs="Two counts; as many lines of a code point and its id, 9601 among them; then merges of three ids.",
    algorithms="BPE by merges",
    compared="the code of VKCOM/YouTokenToMe, written again in the test",
    writes="What was read from such a file.",
    obstacle=_obstacle,
    write=_written,
)
