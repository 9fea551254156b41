"""Small files of formats that one library each has, with the structure of real ones; all contents are ours."""

from __future__ import annotations

import functools
import random
from pathlib import Path

import tokenarium_core as tc
from tokenarium_core.formats.format import TokenizerFile
from tokenarium_core.formats.registry import FORMATS

WORDS = [
    "\t\t", "\r\n", "'\"", " low", "low", "lower", "er", "é", "日", "日本", "\u2028", "\x85", "a'b\"c\\d\n", "\U0001f600",
    "ab", "abc", "bcd", "cde",
]  # fmt: skip
BYTES = [b"\xe4\xb8", b"\xf0\x9f", b"\x80\x81", b"'\xff\"", b"\\\xff"]


def rwkv_vocabulary(chance: random.Random | None = None) -> bytes:
    """Returns a vocabulary of RWKV: the bytes from 1 on, then longer entries as Python writes them, and a gap."""
    entries: list[str | bytes] = [
        chr(byte) if byte < 0x80 else bytes([byte]) for byte in range(256)
    ]
    entries += [*WORDS, *BYTES]
    if chance is not None:
        some = {"".join(chance.choices("abcdé ", k=chance.randint(2, 6))) for _ in range(80)}
        entries += sorted(some - set(WORDS))
    lines = []
    for number, entry in enumerate(entries, 1):
        size = len(entry.encode() if isinstance(entry, str) else entry)
        lines.append(f"{number + (number > 270)} {entry!r} {size}\n")
    return "".join(lines).encode()


FILES = {
    "rwkv": ("rwkv_vocab.txt", rwkv_vocabulary),
}
"""The name of a file of each format, and what makes its content."""


@functools.cache
def tokenizer_of(format: str) -> tc.Tokenizer:
    """Returns the tokenizer of the small file of a format."""
    name, content = FILES[format]
    return FORMATS[format].read(TokenizerFile(Path(name), content(), format))
