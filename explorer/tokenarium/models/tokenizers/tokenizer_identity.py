"""The identity of a tokenizer, a colour and a marker: fixed for the families that people know, kept for all others.

Identities are numbers, which the theme draws: 0 to 11 are its colours, each with the marker of its own; 12 to 23 the
same colours with a hollow marker; from 24 on they begin again, each colour with the marker of the next one, and so on.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium_core.formats import in_folder
from tokenarium_core.plain_files import open_file

GPT_4O, GPT_4, GPT_2, GEMMA, LLAMA, MISTRAL, QWEN, DEEPSEEK, T5, BERT, TOKENARIUM, OWN = range(12)
"""The colours by what they are for; the first tokenizer of no family that is known takes the last one."""

COLOURS = 12
"""Colours, and markers, of different identities."""

ROUND = 2 * COLOURS
"""Filled and hollow: after so many numbers, each colour has the marker of the next one."""

ROUNDS = 12
"""After so many of these, the looks begin again."""

FIXED: Mapping[str, int] = {
    "named:o200k_base": GPT_4O,
    "named:o200k_harmony": ROUND + GPT_4O,
    "named:cl100k_base": GPT_4,
    "named:gpt2": GPT_2,
    "named:r50k_base": ROUND + GPT_2,
    "named:p50k_base": 2 * ROUND + GPT_2,
    "named:p50k_edit": 3 * ROUND + GPT_2,
    "catalogue:gemma-3": GEMMA,
    "catalogue:gemma-2": ROUND + GEMMA,
    "catalogue:mistral-v3": MISTRAL,
    "catalogue:qwen-3": QWEN,
    "shipped:tokenarium-8k": TOKENARIUM,
    "shipped:bpe-gpt2-8k": ROUND + QWEN,
    "shipped:bpe-cl100k-8k": ROUND + DEEPSEEK,
    "shipped:superbpe-8k": ROUND + MISTRAL,
    "shipped:sentencepiece-bpe-8k": ROUND + LLAMA,
    "shipped:unigram-8k": ROUND + T5,
    "shipped:wordpiece-8k": 7 * ROUND + BERT,
}
"""The identities of what is always in the library, by the keys of its items."""

_FAMILIES = tuple(
    (re.compile(rf"(?:[\w.-]+/)?{pattern}", re.IGNORECASE), title, slot)
    for pattern, title, slot in (
        (r"(?:gpt[-_]?4o|o200k)", "GPT-4o", GPT_4O),
        (r"(?:gpt[-_]?4|cl100k)", "GPT-4", GPT_4),
        (r"gpt[-_]?2", "GPT-2", GPT_2),
        (r"gemma(?:[-_ ]?(\d)(?!\d*b))?", "Gemma", GEMMA),
        (r"(?:meta[-_]|code|tiny)?llama(?:[-_ ]?(\d(?:\.\d)?)(?!\d*b))?", "Llama", LLAMA),
        (r"(?:mistral|mixtral|ministral)(?:[-_ ]?(v\d))?", "Mistral", MISTRAL),
        (r"qwen(?:[-_ ]?(\d(?:\.\d)?)(?!\d*b))?", "Qwen", QWEN),
        (r"deepseek(?:[-_ ](v\d(?:\.\d)?|r\d))?", "DeepSeek", DEEPSEEK),
        (r"(?:flan[-_])?(?:m|by|long)?t5(?![a-z0-9])", "T5", T5),
        (r"(?:distil|mobile)?bert(?![a-z])", "BERT", BERT),
    )
)

_SAMPLE_BYTES = 1 << 16

_VOCABULARIES: Mapping[str, tuple[str, int]] = {
    "1cbcca9b792e13af": ("GPT-2", GPT_2),
    "6f54e5251fa00041": ("GPT-4", GPT_4),
    "15d1b2e941cd34e8": ("GPT-4o", GPT_4O),
    "2cdbf3921e6b165a": ("Gemma 3", GEMMA),
    "c5f402980b84569c": ("Mistral v3", MISTRAL),
}
"""Digests of vocabularies that are known, see `vocabulary_digest`, with the name and the identity of each."""


def family_of_path(path: Path) -> tuple[str, str, int] | None:
    """Returns what a file or folder is by its name: the model, the name to show with it, and its identity.

    None if the name does not begin with that of a known family, after the owner's if there is one.

    >>> family_of_path(Path("models/gemma3-tokenizer.json"))
    ('Gemma 3', 'gemma3-tokenizer.json', 3)
    >>> family_of_path(Path("my-gemma.json"))
    """
    name = name_of(path)
    for pattern, title, slot in _FAMILIES:
        match = pattern.match(name)
        if match is not None:
            version = match[1] if pattern.groups else None
            if (title, version) == ("Gemma", "2"):
                slot = FIXED["catalogue:gemma-2"]
            if version and title == "DeepSeek":
                version = version.upper()
            return (f"{title} {version}" if version else title), file_title(path), slot
    return None


def file_title(path: Path) -> str:
    """Returns what to show of a path beside the name of a model: its file, or where it is if many files are called so."""
    name = name_of(path)
    return path.name if path.name.startswith(name) else name


def family_of_vocabulary(tokenizer: tc.Tokenizer) -> tuple[str, int] | None:
    """Returns the name and the identity of a known model that has the same vocabulary."""
    return _VOCABULARIES.get(vocabulary_digest(tokenizer))


def is_of_offer(tokenizer: tc.Tokenizer, key: str) -> bool:
    """Returns whether a tokenizer has the vocabulary of one that is always in the library, by its key there."""
    known = family_of_vocabulary(tokenizer)
    return known is not None and FIXED.get(key) == known[1]


def vocabulary_digest(tokenizer: tc.Tokenizer) -> str:
    """Returns a digest of a vocabulary by some thousand of its pieces and their ids.

    Ids that other files of the same model may name otherwise are left out: those of special tokens.
    """
    vocabulary = tokenizer.vocabulary
    size = len(vocabulary)
    digest = hashlib.blake2b(digest_size=8)
    special = set(tokenizer.special_tokens.values())
    last = size
    while last and last - 1 in special:
        last -= 1
    for token in range(0, last, max(last // 1000, 1)):
        if token not in special:
            digest.update(b"%d %s\n" % (token, vocabulary.piece(token)))
    return digest.hexdigest()


def content_digest(path: Path) -> str:
    """Returns a digest of a tokenizer's file by its size and some parts of it; of its path where it cannot be read.

    A folder counts as the file in it that is opened.
    """
    digest = hashlib.blake2b(digest_size=8)
    try:
        opened = (in_folder(path) or path) if os.path.isdir(path) else path
        with open_file(opened) as file:
            size = file.seek(0, 2)
            digest.update(b"%d" % size)
            for offset in (0, size // 2, max(size - _SAMPLE_BYTES, 0)):
                file.seek(offset)
                digest.update(file.read(_SAMPLE_BYTES))
    except (OSError, ValueError):
        digest.update(str(path).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def free_identity(
    present: Collection[int], kept: Collection[int], shown: Collection[int] = ()
) -> int:
    """Returns the identity for one more tokenizer: one that is neither fixed, nor in use, nor kept for another.

    ``shown`` are those of the tokenizers that are on. Of the free ones, it is that whose colour the fewest of these
    have; then one that no family of the catalogue has, such as GPT-4; then one whose marker nothing of that colour has,
    hollow or not. Once nearly all are kept, those of tokenizers that are gone are used again.
    """
    fixed = {*range(OWN), *FIXED.values(), *present}
    known = {number for number in FIXED.values() if number < COLOURS}
    colours = Counter(number % COLOURS for number in shown)
    looks = {_look(number) for number in (*fixed, *kept)}

    def rank(number: int) -> tuple[int, bool, bool, int]:
        colour = number % COLOURS
        return colours[colour], colour in known, _look(number) in looks, number

    rounds = range(ROUNDS * ROUND)
    free = [number for number in rounds if number not in fixed and number not in kept]
    free = free or [number for number in rounds if number not in fixed]
    return min(free, key=rank, default=max(fixed) + 1)


def _look(number: int) -> tuple[int, int]:
    """Returns the colour of an identity and its marker, which may be hollow."""
    return number % COLOURS, (number + number // ROUND) % COLOURS


def kept_identities(lines: Iterable[str]) -> dict[str, int]:
    """Returns identities by the digests of their tokenizers, from the lines of `identity_lines`; others are left out."""
    identities = {}
    for line in lines:
        digest, _, number = line.partition(" ")
        if digest and number.isdecimal() and len(number) < 5:
            identities[digest] = int(number)
    return identities


def identity_lines(kept: Mapping[str, int]) -> list[str]:
    """Returns a line for each kept identity, for the settings; of very many the last ones."""
    return [f"{digest} {number}" for digest, number in kept.items()][-500:]
