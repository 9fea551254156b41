"""Small files of formats that one library each has, with the structure of real ones; all contents are ours."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
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


GPT4 = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
"""The pattern that minbpe has by default."""


def merges_of(text: bytes, count: int, first: int = 256) -> list[tuple[int, int]]:
    """Returns merges as the simplest training learns them, by ids: the most frequent pair, the first of several."""
    ids = list(text)
    merges: list[tuple[int, int]] = []
    for made in range(first, first + count):
        pairs = Counter(itertools.pairwise(ids))
        if not pairs:
            break
        best = max(pairs, key=lambda pair: pairs[pair])
        merges.append(best)
        ids = merged(ids, best, made)
    return merges


def merged(ids: list[int], pair: tuple[int, int], made: int) -> list[int]:
    """Returns ids with a pair merged wherever it is, from left to right."""
    found: list[int] = []
    for id in ids:
        if found and (found[-1], id) == pair:
            found[-1] = made
        else:
            found.append(id)
    return found


def minbpe_model(
    chance: random.Random | None = None, pattern: str = GPT4, extra: tuple[str, ...] = ("0 0",)
) -> bytes:
    """Returns a file of minbpe with two special tokens."""
    text = "low lower lowest é日本 日本語 aaaa the then " * 3
    if chance is not None:
        text = "".join(chance.choices("abé ", k=300))
    merges = [f"{left} {right}" for left, right in merges_of(text.encode(), 30)]
    lines = ["minbpe v1", pattern, "2", "<|end|> 500", "<|pad|> 301", *merges, *extra]
    return ("\n".join(lines) + "\n").encode()


FILES = {
    "minbpe": ("minbpe.model", minbpe_model),
    "rwkv": ("rwkv_vocab.txt", rwkv_vocabulary),
}
"""The name of a file of each format, and what makes its content."""


@functools.cache
def tokenizer_of(format: str) -> tc.Tokenizer:
    """Returns the tokenizer of the small file of a format."""
    name, content = FILES[format]
    return FORMATS[format].read(TokenizerFile(Path(name), content(), format))
