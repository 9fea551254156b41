"""Strings close to a given one that are one token: with a leading space, in a different case, as spelled in files.

People write entries of bytes in GPT-2's alphabet, whether or not the file does so: tiktoken's files contain plain
bytes, yet everybody writes ``Ġthe`` for their `` the``.
"""

from __future__ import annotations

import unicodedata
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import TokenariumError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import UNKNOWN, Trace
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import BYTE_ALPHABET, PLAIN


def has_byte_spelling(tokenizer: Tokenizer) -> bool:
    """Returns whether the entries of a tokenizer can be written in GPT-2's alphabet: it works on bytes."""
    spelling = tokenizer.vocabulary.spelling
    if spelling == PLAIN:
        return isinstance(tokenizer.model, (BytePairEncoder, PickyBpe, BoundlessBpe))
    return spelling == BYTE_ALPHABET


def spelled_bytes(text: str) -> bytes | None:
    """Returns the bytes that a text in GPT-2's alphabet stands for; None if it contains other characters."""
    try:
        return byte_alphabet.to_bytes(text)
    except KeyError:
        return None


LONGEST: Final = 200
"""The most characters of a string for which near ones are searched."""


@final
class NearSpelling:
    """A string that is one token: its text, its id, and ``how`` it differs, in a few words."""

    def __init__(self, text: str, token: int, how: str) -> None:
        self.text = text
        self.token = token
        self.how = how

    def __repr__(self) -> str:
        return f"<NearSpelling {self.text!r}: id {self.token}, {self.how}>"


def near_spellings(tokenizer: Tokenizer, text: str, special: str = "none") -> list[NearSpelling]:
    """Returns the strings near a text that are one token, the nearest first; each id once, excluding the text's own."""
    if not text or len(text) > LONGEST:
        return []
    taken = {one_token(tokenizer, text, special)}
    tried = {text}
    spellings: list[NearSpelling] = []
    for candidate, how in _candidates(tokenizer, text):
        if candidate and candidate not in tried:
            tried.add(candidate)
            token = one_token(tokenizer, candidate, special)
            if token >= 0 and token not in taken:
                taken.add(token)
                spellings.append(NearSpelling(candidate, token, how))
    return spellings


def one_token(tokenizer: Tokenizer, text: str, special: str = "none") -> int:
    """Returns the id of a text that is one token and not the unknown one; else -1."""
    trace = Trace()
    try:
        encoding = tokenizer.encode(text, special=special, trace=trace)
    except TokenariumError:
        return -1
    if len(encoding) != 1:
        return -1
    token: i64 = i64(encoding.ids[0])
    for event in range(len(trace)):
        if i64(trace.kinds[event]) == UNKNOWN and i64(trace.results[event]) == token:
            return -1
    return token


def _candidates(tokenizer: Tokenizer, text: str) -> list[tuple[str, str]]:
    """Returns strings near a text, with how they differ."""
    bare = text.strip()
    spelled = _as_spelled(tokenizer, text)
    candidates = [(spelled, "as an entry is spelled")] if spelled else []
    if text.startswith(" "):
        candidates.append((text[1:], "without the space"))
    else:
        candidates.append((" " + text, "with a space in front"))
    candidates.append((bare, "without white space at the ends"))
    cases = [
        (bare.lower(), "in lower case"),
        (bare[:1].upper() + bare[1:].lower(), "with a capital"),
        (bare.upper(), "in capitals"),
    ]
    lead = " " if text.startswith(" ") else ""
    for changed, how in cases:
        candidates.append((lead + changed, how))
    for changed, how in cases:
        if lead:
            candidates.append((changed, how + ", without the space"))
        else:
            candidates.append((" " + changed, how + ", with a space in front"))
    candidates.append((unicodedata.normalize("NFC", text), "composed (NFC)"))
    candidates.append((unicodedata.normalize("NFKC", text), "in its compatible form (NFKC)"))
    return candidates


def _as_spelled(tokenizer: Tokenizer, text: str) -> str:
    """Returns the text of a piece spelled as in files: ``Ġthe`` and ``▁the`` are `` the``."""
    if "▁" in text:
        return text.replace("▁", " ")
    if "Ġ" in text or "Ċ" in text or has_byte_spelling(tokenizer):
        meant = _text_of(spelled_bytes(text))
        if meant and meant != text:
            return meant
    affix = tokenizer.vocabulary.affix
    if affix and len(text) > len(affix):
        if text.startswith(affix):
            return text[len(affix) :]
        if text.endswith(affix):
            return text[: -len(affix)]
    return ""


def _text_of(piece: bytes | None) -> str:
    """Returns a piece as text; empty if it is not text, like the byte 0xE9, which é stands for."""
    if piece is None:
        return ""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return ""
