"""Codes of words as fastBPE learns them, the parts that a vocabulary has, and texts for both."""

from __future__ import annotations

import random

from model_folders import TEXTS
from naive_merges import ended, joined, learned_pairs

CORPUS = (
    "the low lower lowest newer wider it's don't Hello hello world world! (one) two, three. xin chào các bạn "
    "@USER http://x.y aa aaa @@ a@@b é 日本 日本語 नमस्ते 12 123 \U0001f600 __newln__ _ <s> x² "
) * 2


def learned(seed: int) -> list[tuple[str, str, int]]:
    """Returns merges with their counts, as fastBPE learns them."""
    chance = random.Random(seed)
    words = ended(chance.choices(CORPUS.split(), k=160))
    pairs = learned_pairs(words, 70, joined, order=lambda pair, count: (count, pair))
    return [(*pair, count) for pair, count in pairs]


def parts(merges: list[tuple[str, str, int]], seed: int) -> list[str]:
    """Returns most of the parts that merges make, as a vocabulary has them, and characters."""
    chance = random.Random(seed)
    symbols = [symbol for left, right, _ in merges for symbol in (left, right, left + right)]
    symbols += [one + end for one in "abcdehlortw'.!_日\u00b2@" for end in ("", "</w>")]
    names = [
        symbol.removesuffix("</w>") if symbol.endswith("</w>") else symbol + "@@"
        for symbol in symbols
    ]
    names = [name for name in dict.fromkeys(names) if name not in ("", "<s>")]
    return [name for name in names if chance.random() < 0.85]


PIECES = [
    *CORPUS.split(), "<s>", "</s>", "<unk>", "<mask>", "<new>", " ", "  ", "\n", "\n\n", " \n", "\t", "\r\n", "\x1c", "\u3000", "\x85",
    "'", "'\n", ".\n", "!!", "(", ")\n", "It's", "LOWER", "É", "ΟΔΟΣ", "Σ", "e\u0301", "z", "ж", "@@", "@@ ", "</w>", "__null__", "__end__",
]  # fmt: skip


def texts_of(seed: int) -> list[str]:
    """Returns texts of many kinds."""
    chance = random.Random(seed)
    made = ["".join(chance.choices(PIECES, k=chance.randrange(1, 8))) for _ in range(120)]
    return [*TEXTS, *made, *["".join(w + " " for w in chance.sample(PIECES, 6)) for _ in range(20)]]
