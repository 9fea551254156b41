"""Small files of formats that one library each has, with the structure of real ones; all contents are ours."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import pickle
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import sentencepiece_models
import tiktoken
from naive_merges import ended, joined, learned_pairs

import tokenarium_core as tc
from tokenarium_core.formats.format import TokenizerFile
from tokenarium_core.formats.registry import FORMATS
from tokenarium_core.unicode import byte_alphabet

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


def merges_of(text: Sequence[int], count: int, first: int = 256) -> list[tuple[int, int]]:
    """Returns merges within a text, by ids: each makes the next id from the first on."""
    return [pair for pair, _ in learned_pairs([text], count, lambda pair, number: first + number)]


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


SPECIAL = {"<|endoftext|>": 300, "<|x|>": 303}
JS_CL100K = (
    r"('s|'S|'t|'T|'re|'RE|'m|'M|'ll|'LL|'d|'D)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""A pattern as js-tiktoken has it, without what JavaScript does not take."""


def small_ranks(chance: random.Random | None = None) -> dict[bytes, int]:
    """Returns ranks as tiktoken has them: the bytes, and what merges of a text make; with a gap."""
    text = "low lower lowest é日本 日本語 the then 123 \ufeff\x85 " * 3
    if chance is not None:
        text = "".join(chance.choices("abé \ufeff\x85", k=300))
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges_of(text.encode(), 30):
        pieces.append(pieces[left] + pieces[right])
    ranks: dict[bytes, int] = {}
    for piece in pieces:
        ranks.setdefault(piece, len(ranks) + (len(ranks) > 270))
    return ranks


def js_tiktoken(
    chance: random.Random | None = None, pattern: str = JS_CL100K, special: dict[str, int] = SPECIAL
) -> bytes:
    """Returns the JSON of js-tiktoken, with two lines of ranks."""
    ranks = {rank: base64.b64encode(piece).decode() for piece, rank in small_ranks(chance).items()}
    first = " ".join(ranks[rank] for rank in range(271))
    rest = " ".join(ranks[rank] for rank in range(272, max(ranks) + 1))
    lines = f"! 0 {first}\n! 272 {rest}"
    fields = {"pat_str": pattern, "special_tokens": special, "bpe_ranks": lines}
    return json.dumps(fields).encode()


def pickled_encoding(
    chance: random.Random | None = None, protocol: int = 4, special: dict[str, int] = SPECIAL
) -> bytes:
    """Returns a pickle of an encoding of tiktoken, as nanochat writes it."""
    encoding = tiktoken.Encoding(
        name="rustbpe", pat_str=GPT4, mergeable_ranks=small_ranks(chance), special_tokens=special
    )
    return pickle.dumps(encoding, protocol)


def llama2c_entries(chance: random.Random | None = None) -> list[tuple[float, str]]:
    """Returns scores and texts as llama2.c exports them: what merges make first, then the characters."""
    text = " low lower lowest é日本 日本語 the then,. the low" * 3
    if chance is not None:
        text = "".join(chance.choices("abé  日", k=400))
    characters = sorted(set(text))
    parts = list(characters)
    numbers = merges_of([characters.index(one) for one in text], 40, len(characters))
    for left, right in numbers:
        parts.append(parts[left] + parts[right])
    longer = list(dict.fromkeys(parts[len(characters) :]))
    listed: list[tuple[float, str]] = [(0.0, "<unk>"), (0.0, "\n<s>\n"), (0.0, "\n</s>\n")]
    listed += [(0.0, f"<0x{byte:02X}>") for byte in range(256)]
    # Some share a score: of these the leftmost in the text is joined first.
    listed += [(-float(rank // 2 if chance else rank), piece) for rank, piece in enumerate(longer)]
    listed += [(-1000.0 - number, one) for number, one in enumerate(characters)]
    return listed


def llama2c_bin(entries: list[tuple[float, str]] | None = None) -> bytes:
    """Returns a ``tokenizer.bin`` of llama2.c."""
    entries = llama2c_entries() if entries is None else entries
    longest = max(len(text.encode()) for _, text in entries)
    parts = [struct.pack("<I", longest)]
    for score, text in entries:
        parts += [struct.pack("<fI", score, len(text.encode())), text.encode()]
    return b"".join(parts)


def yttm_model(
    chance: random.Random | None = None,
    special: str = "1 0 2 3",
    extra: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """Returns a model of YouTokenToMe: words begin with ▁, the most frequent pairs within them merge.

    ``extra`` are more merges, each of two entries, of which the last ones spelled like this are taken.
    """
    text = "low lower lowest é日本 日本語 the then , . the low" * 3
    if chance is not None:
        text = "".join(chance.choices("abéc  日", k=400))
    words = [f"▁{word}" for word in text.split()]
    characters = sorted(set("".join(words)))
    first = 4
    ids = {one: first + number for number, one in enumerate(characters)}
    texts = {id: one for one, id in ids.items()}
    split = [[ids[one] for one in word] for word in words]
    next_id = first + len(ids)
    pairs = learned_pairs(split, 30, lambda pair, number: next_id + number)
    merges = [(*pair, made) for made, (pair, _) in enumerate(pairs, next_id)]
    for left, right, made in merges:
        texts[made] = texts[left] + texts[right]
    for left, right in extra:
        found = {one: id for id, one in texts.items()}
        made = max(texts) + 1
        merges.append((found[left], found[right], made))
        texts[made] = left + right
    lines = [f"{len(characters)} {len(merges)}"]
    lines += [f"{ord(one)} {id}" for one, id in ids.items()]
    lines += [f"{left} {right} {made}" for left, right, made in merges]
    return ("\n".join([*lines, special]) + "\n").encode()


def ctc_vocabulary(names: tuple[str, ...] = ("<pad>", "<s>", "</s>", "<unk>")) -> bytes:
    """Returns the vocabulary of a model of speech."""
    return json.dumps({one: id for id, one in enumerate([*names, "|", *"ETAONIé'lower"])}).encode()


def subword_codes(chance: random.Random | None = None, apart: bool = False) -> bytes:
    """Returns codes of subword-nmt: pairs within words, the most frequent first, with ``</w>`` at the end of a word.

    ``apart``: in version 0.1, where ``</w>`` is a symbol of its own.
    """
    text = "low lower lowest é日本 日本語 the then the low new newer " * 3
    if chance is not None:
        text = "".join(chance.choices("abcé  日", k=500))
    version = "#version: 0.1" if apart else "#version: 0.2"
    return ("\n".join([version, *word_merges(text.split(), apart)]) + "\n").encode()


def clip_list(chance: random.Random | None = None, packed: bool = True) -> bytes:
    """Returns the merges of CLIP, of characters that stand for bytes."""
    text = "low lower lowest é日本 日本語 the then the low it's 's a photo of a cat !! " * 3
    if chance is not None:
        text = "".join(chance.choices("abcé  日ß'", k=500))
    words = [byte_alphabet.to_text(word.encode()) for word in text.split()]
    lines = ['"bpe_simple_vocab_16e6.txt#version: 0.2', *word_merges(words)]
    content = ("\n".join(lines) + "\n").encode()
    return gzip.compress(content, mtime=0) if packed else content


def word_merges(words: list[str], apart: bool = False) -> list[str]:
    """Returns the merges that words make, the most frequent first, with ``</w>`` at the end of a word, or behind it."""
    split = [[*word, "</w>"] for word in words] if apart else ended(words)
    return [" ".join(pair) for pair, _ in learned_pairs(split, 30, joined)]


def subwords(
    chance: random.Random | None = None, reserved: tuple[str, ...] = ("<EOS>", "a-b")
) -> bytes:
    """Returns subwords of TensorFlow Datasets: with ``_`` for the space behind them, and ``\\&undsc`` for an underscore."""
    entries = [
        *reserved,
        "the_",
        "the",
        "low",
        "low_",
        "er_",
        "lower",
        "é日",
        "日本_",
        ", ",
        "  ",
        "\\&undscb",
        "a\\&undscb_",
    ]
    if chance is not None:
        entries += [
            "".join(chance.choices("abé日", k=chance.randint(2, 4))) + chance.choice(["", "_"])
            for _ in range(60)
        ]
        entries += ["".join(chance.choices(",.- ", k=chance.randint(2, 3))) for _ in range(9)]
    lines = [f"'{entry}'\n" for entry in dict.fromkeys(entries)]
    return "".join(["### SubwordTextEncoder\n", "### Metadata: {}\n", *lines]).encode()


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "tfds-subwords": ("x.subwords", subwords),
    "sentencepiece-listing": (
        "m.vocab",
        lambda: sentencepiece_models.listing(sentencepiece_models.trained("unigram")),
    ),
    "subword-nmt": ("x.codes", subword_codes),
    "clip": ("bpe_simple_vocab_16e6.txt.gz", clip_list),
    "ctc": ("vocab.json", ctc_vocabulary),
    "youtokentome": ("yttm.model", yttm_model),
    "llama2.c": ("tokenizer.bin", llama2c_bin),
    "js-tiktoken": ("js-tiktoken.json", js_tiktoken),
    "tiktoken-pickle": ("tokenizer.pkl", pickled_encoding),
    "minbpe": ("minbpe.model", minbpe_model),
    "rwkv": ("rwkv_vocab.txt", rwkv_vocabulary),
}
"""The name of a file of each format, and what makes its content."""


@functools.cache
def tokenizer_of(format: str) -> tc.Tokenizer:
    """Returns the tokenizer of the small file of a format."""
    name, content = FILES[format]
    return FORMATS[format].read(TokenizerFile(Path(name), content(), format))
