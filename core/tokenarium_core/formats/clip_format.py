"""CLIP's tokenizer without settings beside it: OpenAI's ``bpe_simple_vocab_16e6.txt.gz``, and the pair of transformers.

The file of OpenAI, which open_clip has too, is a list of merges, one a line after a first line that names it; of its 262,144
merges, 48,894 are used. The ids follow from them: the 256 characters of bytes, the same at the end of a word (``</w>``), the
results of the merges, and the two special tokens.

Both are opened as ``CLIPTokenizer`` of transformers 5. What CLIP's and open_clip's own code does to a text before, is not
done: it repairs wrong characters (the package ftfy) and reads HTML entities.

Sources: ``SimpleTokenizer`` in openai/CLIP's ``clip/simple_tokenizer.py`` and open_clip's ``tokenizer.py``.
"""

from __future__ import annotations

import json
import zlib
from typing import Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Format, TokenizerFile
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.hf.hf_slow_builder import WORD_END, SlowBuilder
from tokenarium_core.formats.hf.hf_slow_classes import CLIP_TOKENS, of_pair
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings
from tokenarium_core.formats.plain_lines import lines_of
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet

_MERGES: Final = 48_894
_MOST: Final = 1 << 26  # bytes of the unpacked file, which has 3.2 million
_GZIP: Final = b"\x1f\x8b\x08"
_FIRST: Final = b'"bpe_simple_vocab_16e6.txt#version: 0.2'
_CLASS: Final = "CLIPTokenizer"


def read_clip(
    entries: dict[str, int], merges: list[tuple[str, str]], name: str, source: str
) -> Tokenizer:
    """Returns CLIP's tokenizer of entries with their ids and merges; ``source`` names the files in errors.

    Raises FormatError, as the reader of a `tokenizer.json` does, for what does not belong together.
    """
    settings = SlowSettings(None)
    settings.kind = _CLASS
    builder = SlowBuilder(settings)
    of_pair(builder, _CLASS, entries, merges)
    content = json.dumps(builder.fields(), ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        tokenizer = read_huggingface(content, name)
    except FormatError as error:
        raise FormatError(
            f"{source} cannot be run as {_CLASS}. In the tokenizer.json that it makes: {error}"
        ) from error
    tokenizer.details = [
        Detail("assumed", "class", f"{_CLASS} of transformers 5, by the entries"),
        Detail(
            "assumed",
            "before it",
            "nothing: CLIP's and open_clip's own code first repairs wrong characters (ftfy), reads HTML entities such as"
            " &amp;, and writes ς for Σ at the end of a word",
        ),
        *tokenizer.details,
    ]
    return tokenizer


def _read_list(content: bytes, source: str, name: str) -> Tokenizer:
    if content.startswith(_GZIP):
        content = unpacked(content, source)
    merges: list[tuple[str, str]] = []
    letters = sorted(byte_alphabet.BYTES, key=lambda one: (ord(one) > 0xFF, ord(one)))
    entries: dict[str, int] = {}
    for end in ("", WORD_END):
        for letter in letters:
            entries[letter + end] = len(entries)
    for number, line in lines_of(content, source):
        if number == 1:
            continue  # which names the file
        if len(merges) == _MERGES:
            break
        parts = line.split()
        if len(parts) != 2:
            raise FormatError(f"Line {number} of {source} is not two entries: {line[:60]!r}.")
        left, right = parts[0], parts[1]
        for part in parts:
            if part not in entries:
                raise FormatError(
                    f"Line {number} of {source} merges {part!r:.60}, which no earlier line makes."
                )
        if left + right in entries:
            raise FormatError(
                f"Line {number} of {source} makes {left + right!r:.60}, as an earlier line does."
            )
        merges.append((left, right))
        entries[left + right] = len(entries)
    if not merges:
        raise FormatError(f"{source} has no merges.")
    for token in CLIP_TOKENS:
        entries[token] = len(entries)
    return read_clip(entries, merges, name, source)


def unpacked(content: bytes, source: str, most: int = _MOST) -> bytes:
    """Returns what gzip packed; FormatError if it is damaged, cut off, or more than ``most`` bytes."""
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)  # with the header of gzip
    try:
        unpacked = unpacking.decompress(content, most)
    except zlib.error as error:
        raise FormatError(f"{source} is damaged: it cannot be unpacked ({error}).") from error
    if not unpacking.eof:
        if unpacking.unconsumed_tail:
            raise FormatError(
                f"{source} is larger than {most:,} bytes when it is unpacked: it is not CLIP's vocabulary."
            )
        raise FormatError(f"{source} is cut off: its end is missing. Get it again.")
    return unpacked


def _recognized(head: FileHead) -> int:
    """The first line, also of the packed file."""
    content = head.content
    if content.startswith(_GZIP):
        try:
            content = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content, len(_FIRST))
        except zlib.error:
            return NO
    return CERTAIN if content.startswith(_FIRST) else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    return _read_list(file.content, file.path.name, file.name)


FORMAT: Final[Format] = Format(
    "clip",
    "CLIP's bpe_simple_vocab_16e6.txt.gz",
    "CLIP's merges",
    (".gz", ".txt"),
    _recognized,
    _opened,
    signs='The first line is `"bpe_simple_vocab_16e6.txt#version: 0.2`, also in a file packed by gzip.',
    algorithms="BPE of bytes, with ends of words",
    compared="transformers 5 (CLIPTokenizer) and open_clip's rule",
    folder_names=("bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt"),
)
