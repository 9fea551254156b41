"""How a corpus is written as ids: with which tokenizer, in which layout, with which ids around each document."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tokenarium_core as tc
from tokenarium.models.corpora.shard_layouts import LAYOUTS, type_of_ids
from tokenarium.models.packed_arrays import array_of
from tokenarium_core.details import CHANGED, GONE

_MOST_NAMED: Final = 8
"""Special tokens that a sentence names."""


@dataclass(frozen=True, slots=True)
class EncodingOrder:
    """How a corpus is written as ids.

    ``tokenizer`` is what `tokenarium_core.open` opens; ``fingerprint`` that of the intended tokenizer. ``before``
    and ``after`` are the ids around each document. With ``special``, special tokens in the text become their ids.
    """

    tokenizer: str
    name: str
    fingerprint: str
    vocab_size: int
    folder: str
    layout: str = "bin"
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    special: bool = False
    pattern: str = ""  # of a tokenizer whose file does not say how a text is cut

    @property
    def dtype(self) -> str:
        """The type of the ids, as numpy names it."""
        return type_of_ids(self.layout, self.vocab_size)


def tokenizer_fingerprint(tokenizer: tc.Tokenizer) -> str:
    """Returns a digest of all pieces of a tokenizer with their ids, and of how it encodes a text with all kinds of
    characters.

    Two tokenizers with the same fingerprint have the same vocabulary; rules that only a rare text shows may differ.
    """
    digest = hashlib.sha256()
    vocabulary = tokenizer.vocabulary
    for token in range(len(vocabulary)):
        piece = vocabulary.piece(token)
        digest.update(len(piece).to_bytes(4, "little"))
        digest.update(piece)
    digest.update(json.dumps(sorted(tokenizer.special_tokens.items())).encode())
    digest.update(sample_ids(tokenizer))
    return digest.hexdigest()


def sample_ids(tokenizer: tc.Tokenizer) -> bytes:
    """Returns the ids of a text with all kinds of characters, as bytes."""
    return array_of(tokenizer.encode_buffer(_KINDS)).tobytes()


_KINDS: Final = "It's 12,345 — naïve CAFÉ…\n\n\tdef f(x): return x\r\n ｶﾅ 東京 नमस्ते مرحبا Ωµ 👩🏽‍🚀 e\u0301  \u00a0."
"""Cases, contractions, numbers, spaces, line ends, widths, marks, scripts, emoji: what pre-tokenizers and normalizers
change."""


def tokenizer_sha256(tokenizer: tc.Tokenizer) -> str:
    """Returns what identifies a tokenizer: the SHA-256 of its file.

    With several files, it is that of the output of ``sha256sum`` in the folder of the files, in the order of their
    names. A tokenizer without files has that of its entries and how it encodes a text, `tokenizer_fingerprint`.
    Raises TokenariumError if a file has changed since it was opened.
    """
    digests = tokenizer.source.digests()
    for name, digest in digests:
        if digest in (CHANGED, GONE):
            raise tc.TokenariumError(f"{name} of {tokenizer.name} has changed while it was read.")
    if not digests:
        return tokenizer_fingerprint(tokenizer)
    if len(digests) == 1:
        return digests[0][1]
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def open_for(order: EncodingOrder) -> tc.Tokenizer:
    """Returns the tokenizer of an order, opened once in a process; TokenariumError if another one is found."""
    return opened_tokenizer(order.tokenizer, order.fingerprint, order.pattern)


def opened_tokenizer(source: str, fingerprint: str, pattern: str = "") -> tc.Tokenizer:
    """Returns the tokenizer that a source opens, opened once in a process; TokenariumError if it is a different one."""
    key = (source, fingerprint)
    if key not in _opened:
        tokenizer = tc.open(source, pattern=pattern or None)
        if tokenizer_fingerprint(tokenizer) != fingerprint:
            raise tc.TokenariumError(
                f"{source} opens as a different tokenizer here: its vocabulary differs."
                " Put the same file there on every machine."
            )
        while len(_opened) >= MOST_OPENED:
            del _opened[next(iter(_opened))]
        _opened[key] = tokenizer
    return _opened[key]


MOST_OPENED: Final = 16
"""Tokenizers that a process keeps open."""

_opened: dict[tuple[str, str], tc.Tokenizer] = {}


def encoding_order(
    opened: tc.Tokenizer,
    source: str,
    folder: Path,
    layout: str = "bin",
    end: str | None = None,
    bos: bool = False,
    special: bool = False,
    pattern: str = "",
) -> EncodingOrder:
    """Returns how a corpus is written with a tokenizer, which ``source`` opens in any process.

    ``end`` is the special token after each document, its id, "none", or None: the tokenizer's own end of text.
    TokenariumError for a layout or a token that does not exist.
    """
    if layout not in LAYOUTS:
        raise tc.TokenariumError(
            f"There is no layout “{layout}”. The layouts are {', '.join(LAYOUTS)}."
        )
    ends = opened.ends
    if bos and not ends.bos:
        raise tc.TokenariumError(
            f"{opened.name} has no token for the beginning of a text: leave --bos out."
        )
    return EncodingOrder(
        source,
        opened.name,
        tokenizer_fingerprint(opened),
        _id_count(opened),
        os.path.abspath(folder),
        layout,
        tuple(ends.bos if bos else ()),
        _end(opened, end),
        special,
        pattern,
    )


def _id_count(opened: tc.Tokenizer) -> int:
    """Returns the number of ids, with those of special tokens after the vocabulary."""
    return max(len(opened.vocabulary), *(token + 1 for token in opened.special_tokens.values()), 1)


def _end(opened: tc.Tokenizer, end: str | None) -> tuple[int, ...]:
    """Returns the ids after each document."""
    if end == "none":
        return ()
    if end is None:
        if not opened.ends.eos:
            raise tc.TokenariumError(
                f"{opened.name} has no token for the end of a text: name one by --end, or write --end none."
            )
        return tuple(opened.ends.eos)
    if end in opened.special_tokens:
        return (opened.special_tokens[end],)
    if end.isdecimal() and int(end) < _id_count(opened):
        return (int(end),)
    known = ", ".join(list(opened.special_tokens)[:_MOST_NAMED]) or "no special tokens"
    raise tc.TokenariumError(
        f"“{end}” is neither a special token of {opened.name} nor an id: it has {known}."
    )
